"""When saves of a scheduled article began, and why a scheduled article does not take its working copy."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("article_revision", sa.Column("saves_since", sa.DateTime()))
    op.add_column("working_copy", sa.Column("not_live", sa.String()))
