"""The list of deleted items reads columns, and no documents."""

import json
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"

TEXTS = ("title", "language", "cover_image")
TIMES = ("published_at", "edits")


def upgrade() -> None:
    """Add the columns, and fill them from the documents."""
    key_type = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    types = {**dict.fromkeys(TEXTS, sa.String()), "sort_key": key_type}
    for name, type_ in types.items():
        op.add_column("deleted_item", sa.Column(name, type_, server_default="", nullable=False))
    for name in TIMES:
        op.add_column("deleted_item", sa.Column(name, sa.DateTime(), nullable=True))
    item = sa.table(
        "deleted_item",
        *(sa.column(name, sa.Uuid() if name == "uuid" else sa.String()) for name in ("uuid", "document")),
        *(sa.column(name, sa.String()) for name in types),
        *(sa.column(name, sa.DateTime()) for name in TIMES),
    )
    connection = op.get_bind()
    for uuid in connection.scalars(sa.select(item.c.uuid)).all():
        stored = connection.execute(sa.select(item.c.document).where(item.c.uuid == uuid)).scalar_one()
        document = json.loads(stored)
        article = (document.get("article") or [{}])[0]
        copy = (document.get("working_copy") or [{}])[0]
        values = {name: article.get(name) or "" for name in TEXTS} | {
            # The first start makes the keys as the search folds words.
            "sort_key": (article.get("title") or "").casefold()[:200],
            "published_at": _parse_time(article.get("published_at")),
            "edits": _parse_time(copy.get("last_updated")),
        }
        connection.execute(item.update().where(item.c.uuid == uuid).values(values))


def _parse_time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None) if text else None
