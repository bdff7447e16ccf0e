"""Articles, versions and working copies have the name of the key with which they were written."""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"


def upgrade() -> None:
    """Add the columns; what exists was written with a login, or with a key whose name nobody knows."""
    for table in ("article", "article_revision", "working_copy"):
        op.add_column(table, sa.Column("key_name", sa.String(), nullable=False, server_default=""))
