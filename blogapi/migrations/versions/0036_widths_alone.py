"""Smaller versions of pictures are made when they are requested; the addresses of stored ones redirect."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"

# Several pictures can have equal smaller versions, and a smaller version can be a file of the library too.
KEEP_ADDRESSES = """INSERT INTO media_former_hash (hash, media_id, width)
    SELECT hash, media_id, width FROM media_rendition
    WHERE hash NOT IN (SELECT hash FROM media) ORDER BY media_id, width
    ON CONFLICT DO NOTHING"""


def upgrade() -> None:
    """Drop the stored versions; `media prune` deletes their files."""
    op.add_column("media", sa.Column("is_scalable", sa.Boolean(), server_default=sa.false(), nullable=False))
    # Drawings, animations and small pictures have no smaller versions.
    op.execute("UPDATE media SET is_scalable = TRUE WHERE uuid IN (SELECT media_id FROM media_rendition)")
    op.execute(KEEP_ADDRESSES)
    op.drop_table("media_rendition")
