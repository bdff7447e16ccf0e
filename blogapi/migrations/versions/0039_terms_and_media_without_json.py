"""Categories, tags, authors and files store no JSON, and terms have the key that orders their lists."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    """Drop the JSON and add the keys; the start after an upgrade makes all keys of the words of the names."""
    for table in ("category", "tag", "author", "media"):
        op.drop_column(table, "json")
    key_type = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    for table in ("category", "tag", "author"):
        op.add_column(table, sa.Column("sort_key", key_type, server_default="", nullable=False))
        op.execute(f"UPDATE {table} SET sort_key = substr(lower(name), 1, 200)")  # noqa: S608
