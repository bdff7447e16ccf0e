"""Imported files: the digest of the source file, and rows that outlive their article."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

COLUMNS = "key, article_id, digest, imported_at"


def upgrade() -> None:
    """Re-create the table without its foreign key: SQLite drops no constraint of a table that exists."""
    op.execute(f"CREATE TABLE imported_before AS SELECT {COLUMNS} FROM imported")  # noqa: S608
    op.drop_table("imported")
    op.create_table(
        "imported",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("source_digest", sa.String(length=64), nullable=True),
        sa.Column("imported_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_imported")),
    )
    op.execute(f"INSERT INTO imported ({COLUMNS}) SELECT {COLUMNS} FROM imported_before")  # noqa: S608
    op.drop_table("imported_before")
