"""The paths that imported articles had in other systems."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

SQLITE = "CREATE TRIGGER {} AFTER {} ON {} BEGIN UPDATE revision SET visible = visible + 1; END"
POSTGRESQL = "CREATE TRIGGER {} AFTER {} ON {} FOR EACH ROW EXECUTE FUNCTION count_visible_write()"


def upgrade() -> None:
    """Create the table, whose writes count as visible."""
    op.create_table(
        "former_path",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_former_path_article_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("path", name=op.f("pk_former_path")),
    )
    op.create_index(op.f("ix_former_path_article_id"), "former_path", ["article_id"], unique=False)
    connection = op.get_bind()
    template = SQLITE if connection.dialect.name == "sqlite" else POSTGRESQL
    for operation in ("INSERT", "UPDATE", "DELETE"):
        name = f"former_path_{operation.lower()}_visible"
        connection.exec_driver_sql(template.format(name, operation, "former_path"))
