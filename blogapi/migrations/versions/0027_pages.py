"""Pages, which have a place below another page and no category."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

# The indexes of lists leave out the pages by the type, which is their last column.
INDEXES = (
    ("ix_article_visible", "(status, published_at, uuid DESC, type)"),
    ("ix_article_featured", "(status, featured, published_at, uuid DESC, type)"),
    ("ix_article_author", "(author_id, status, published_at, uuid DESC, type)"),
    ("ix_article_category", "(category_id, status, published_at, uuid DESC, type)"),
    ("ix_article_changed", "(last_updated, uuid DESC, type)"),
    ("ix_article_status_changed", "(status, last_updated, uuid DESC, published_at, type)"),
    ("ix_article_dated", "((published_at IS NOT NULL) DESC, published_at, uuid DESC, type)"),
)
SQLITE_INDEXES = (
    ("ix_article_title", "(lower(title), uuid, type)"),
    ("ix_article_status_title", "(status, lower(title), uuid, published_at, type)"),
)
POSTGRESQL_INDEXES = (
    ("ix_article_title", '(lower(title COLLATE "C"), uuid, type) INCLUDE (title)'),
    (
        "ix_article_status_title",
        '(status, lower(title COLLATE "C"), uuid, published_at, type) INCLUDE (title)',
    ),
)
NEW_INDEXES = (
    ("ix_article_parent_id", "(parent_id)"),
    ("ix_article_page", "(position, uuid) WHERE type = 'page'"),
)
CHECKS = (
    ("ck_article_type", "type IN ('article', 'page')"),
    ("ck_article_category", "(category_id IS NULL) = (type = 'page')"),
)
# The columns of `article` and their constraints, for SQLite.
COLUMNS = (
    "type VARCHAR(16) DEFAULT 'article' NOT NULL",
    "parent_id CHAR(32)",
    "position INTEGER DEFAULT '0' NOT NULL",
    *(f"CONSTRAINT {name} CHECK ({condition})" for name, condition in CHECKS),
    "CONSTRAINT fk_article_parent_id FOREIGN KEY(parent_id) REFERENCES article (uuid) ON DELETE SET NULL "
    "DEFERRABLE INITIALLY DEFERRED",
)
TABLES = ("article", "article_json", "article_tag")


def upgrade() -> None:
    """Add the columns, and allow rows without a category."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    if is_sqlite:
        for name in TABLES:
            create_again(name, COLUMNS if name == "article" else ())
    else:
        add_columns()
    others = SQLITE_INDEXES if is_sqlite else POSTGRESQL_INDEXES
    for name, columns in (*INDEXES, *others, *NEW_INDEXES):
        op.execute(f"DROP INDEX IF EXISTS {name}")
        op.execute(f"CREATE INDEX {name} ON article {columns}")
    # All articles are rendered again after this update.
    for name in ("parent_json", "position_json"):
        op.add_column("article_json", sa.Column(name, sa.LargeBinary(), server_default="", nullable=False))
    page_path = sa.Column("page_path", sa.String(), server_default="/{path}/", nullable=False)
    op.add_column("site", page_path)


def add_columns() -> None:
    """Change the tables on PostgreSQL."""
    type_ = sa.Column("type", sa.String(length=16), server_default="article", nullable=False)
    op.add_column("article", type_)
    op.add_column("article", sa.Column("parent_id", sa.Uuid(), nullable=True))
    op.add_column("article", sa.Column("position", sa.Integer(), server_default="0", nullable=False))
    op.create_foreign_key(
        "fk_article_parent_id",
        *("article", "article", ["parent_id"], ["uuid"]),
        ondelete="SET NULL",
        deferrable=True,
        initially="DEFERRED",
    )
    for table in TABLES:
        op.alter_column(table, "category_id", nullable=True)
    for name, condition in CHECKS:
        op.create_check_constraint(op.f(name), "article", condition)


def create_again(name: str, additions: tuple[str, ...]) -> None:
    """Copy the rows into a table whose category may be null and which has the additions, with its indexes.

    SQLite cannot change a column. Foreign keys are off during an upgrade, so that dropping the table deletes
    no rows of others, whose references are by name.
    """
    connection = op.get_bind()
    statements = connection.exec_driver_sql(
        "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type = 'index'",
        (name,),
    )
    table, *indexes = statements.scalars().all()
    info = connection.exec_driver_sql(f"PRAGMA table_info({name})")
    columns = ", ".join(row.name for row in info)
    changed = table.replace("category_id CHAR(32) NOT NULL", "category_id CHAR(32)")
    changed = re.sub(rf'^CREATE TABLE "?{name}"?', f"CREATE TABLE new_{name}", changed)
    first = changed.index("CONSTRAINT ")
    added = "".join(f"{addition}, " for addition in additions if not addition.startswith("CONSTRAINT"))
    constraints = "".join(f"{addition}, " for addition in additions if addition.startswith("CONSTRAINT"))
    connection.exec_driver_sql(changed[:first] + added + constraints + changed[first:])
    copy = f"INSERT INTO new_{name} ({columns}) SELECT {columns} FROM {name}"  # noqa: S608
    connection.exec_driver_sql(copy)
    connection.exec_driver_sql(f"DROP TABLE {name}")
    connection.exec_driver_sql(f"ALTER TABLE new_{name} RENAME TO {name}")
    for statement in indexes:
        connection.exec_driver_sql(statement)
