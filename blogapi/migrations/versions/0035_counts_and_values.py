"""The numbers of articles are counted at each read, and filters read the values of custom fields."""

from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    """Delete the stored numbers and the index of the values."""
    op.drop_table("article_count")
    op.drop_table("custom_value")
