"""The names of categories, tags and authors in the form in which they are compared."""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Add the column and its index, and compute the keys of the names."""
    for name in ("category", "tag", "author"):
        column = sa.Column("name_key", sa.String(), nullable=False, server_default="")
        op.add_column(name, column)
        table = sa.table(name, sa.column("uuid"), sa.column("name"), sa.column("name_key"))
        rows = op.get_bind().execute(sa.select(table.c.uuid, table.c.name)).all()
        change = sa.update(table).where(table.c.uuid == sa.bindparam("key"))
        if rows:
            values = [{"key": row.uuid, "name_key": make_key(row.name)} for row in rows]
            op.get_bind().execute(change, values)
        op.create_index(f"ix_{name}_name_key", name, ["name_key"])


def make_key(name: str) -> str:
    """Return the name as it is compared."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded)[:500]
