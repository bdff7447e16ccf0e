"""Changes of unlisted items, of which webhooks learn, and the positions of webhooks among all events."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

# Each mark moves to the place before the next public event. A webhook that was not told events that are
# deleted now moves to the last event that it was told, which is before the new `deleted_position`.
WEBHOOKS = """UPDATE webhook SET position = CASE
    WHEN position >= (SELECT deleted_position FROM commit_counter) THEN COALESCE(
        (SELECT min(event.position) - 1 FROM event WHERE event.public_position > webhook.position),
        (SELECT position FROM commit_counter)
    )
    ELSE COALESCE((SELECT max(event.position) FROM event WHERE event.public_position <= webhook.position), 0)
END"""
DELETED = """UPDATE commit_counter SET deleted_position = COALESCE(
    (SELECT min(event.position) - 1 FROM event WHERE event.public_position > deleted_position), position
) WHERE deleted_position > 0"""


def upgrade() -> None:
    """Add the columns, and convert public positions. No earlier change is one of an unlisted item."""
    unlisted: sa.Column[Any] = sa.Column("unlisted", sa.Boolean(), server_default=sa.false(), nullable=False)
    op.add_column("event", unlisted)
    deleted = sa.Column("deleted_unlisted", sa.Integer(), server_default="0", nullable=False)
    op.add_column("commit_counter", deleted)
    op.execute(WEBHOOKS)
    op.execute(DELETED)
