"""Events in place of the change log, its counters and the triggers that counted visible writes."""

import re
import secrets
from datetime import UTC, datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

EVENT_COLUMNS = (
    ("position", sa.Integer(), False),
    ("public_position", sa.Integer(), True),
    ("newest", sa.Integer(), True),
    ("newest_public", sa.Integer(), True),
    ("kind", sa.String(length=16), False),
    ("uuid", sa.Uuid(), False),
    ("what", sa.String(length=16), False),
    ("time", sa.DateTime(), False),
    ("tag", sa.String(length=8), False),
    ("readable_from", sa.DateTime(), True),
    ("due", sa.DateTime(), True),
    ("listed", sa.Boolean(), False),
    ("slug_before", sa.String(), True),
    ("path_before", sa.String(), True),
    ("slug", sa.String(), True),
    ("path", sa.String(), True),
    ("superseded", sa.DateTime(), True),
)
UNIQUE = ("public_position", "newest", "newest_public")
ROWS_PER_INSERT = 500
EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def upgrade() -> None:
    """Create the tables, write one event for each row of the change log, and drop what they replace."""
    event = op.create_table(
        "event",
        *(
            sa.Column(name, type_, autoincrement=False, nullable=nullable)
            if name == "position"
            else sa.Column(name, type_, nullable=nullable)
            for name, type_, nullable in EVENT_COLUMNS
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_event")),
        *(sa.UniqueConstraint(name, name=op.f(f"uq_event_{name}")) for name in UNIQUE),
    )
    counter = op.create_table(
        "commit_counter",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tag", sa.String(length=8), nullable=False),
        sa.Column("visible", sa.String(length=8), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("public_position", sa.Integer(), nullable=False),
        sa.Column("announced_until", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_commit_counter")),
    )
    connection = op.get_bind()
    positions = connection.execute(sa.text("SELECT position, public_position FROM change_counter")).one()
    tag = secrets.token_hex(4)
    row = {"number": 1, "tag": tag, "visible": tag, "announced_until": None, **positions._mapping}
    op.bulk_insert(counter, [row])
    rows = list_events(connection)
    for start in range(0, len(rows), ROWS_PER_INSERT):
        op.bulk_insert(event, rows[start : start + ROWS_PER_INSERT])
    op.create_index(op.f("ix_event_due"), "event", ["due"], unique=False)
    op.create_index("ix_event_kind_uuid_position", "event", ["kind", "uuid", "position"], unique=False)
    drop_triggers(connection)
    for table in ("change", "change_counter", "revision"):
        op.drop_table(table)


def list_events(connection: sa.Connection) -> list[dict[str, object]]:
    """Return one event for each row of the change log. Its tag is the epoch, with which cursors begin."""
    now = datetime.now(UTC).replace(tzinfo=None)
    epoch = connection.scalar(sa.text("SELECT epoch FROM revision"))
    pages = read_pages(connection)
    site = connection.execute(
        sa.text("SELECT article_path, category_path, tag_path, author_path, time_zone FROM site")
    ).one()
    change = sa.table(
        "change",
        *(sa.column(name) for name in ("kind", "position", "public_position", "public", "gone", "slug")),
        sa.column("uuid", sa.Uuid()),
        sa.column("due", sa.DateTime()),
        sa.column("published_at", sa.DateTime()),
    )
    events = []
    for row in connection.execute(sa.select(change)):
        slug, category, published_at = pages.get((row.kind, row.uuid), (None, None, None))
        is_shown = bool(row.public) or row.due is not None
        readable_from = (row.due or published_at or EPOCH) if is_shown and row.kind != "author" else None
        path = make_path(site, row.kind, row.uuid, slug, category, published_at) if is_shown else None
        path_before = make_path(site, row.kind, row.uuid, row.slug, None, row.published_at)
        hidden = "unpublished" if row.public_position else "updated"
        events.append(
            {
                **{"position": row.position, "newest": row.position, "kind": row.kind, "uuid": row.uuid},
                **{"public_position": row.public_position, "newest_public": row.public_position},
                "what": "deleted" if row.gone else "updated" if row.public else hidden,
                **{
                    "time": now,
                    "tag": epoch,
                    "due": row.due,
                    "readable_from": readable_from,
                    "listed": not row.gone and is_shown,
                },
                **{"slug_before": row.slug, "path_before": path_before, "superseded": None},
                **{"slug": slug, "path": path},
            }
        )
    return events


def read_pages(
    connection: sa.Connection,
) -> dict[tuple[str, object], tuple[str, str | None, datetime | None]]:
    """Return the slug, the slug of the category and the publication time of all items."""
    uuid, category_id = sa.column("uuid", sa.Uuid()), sa.column("category_id", sa.Uuid())
    slug, published_at = sa.column("slug", sa.String()), sa.column("published_at", sa.DateTime())
    pages: dict[tuple[str, object], tuple[str, str | None, datetime | None]] = {}
    for kind in ("category", "tag", "author"):
        for row in connection.execute(sa.select(uuid, slug).select_from(sa.table(kind))):
            pages[kind, row.uuid] = (row.slug, None, None)
    articles = sa.select(uuid, slug, category_id, published_at).select_from(sa.table("article"))
    for article in connection.execute(articles):
        category = pages.get(("category", article.category_id), (None, None, None))[0]
        pages["article", article.uuid] = (article.slug, category, article.published_at)
    return pages


def make_path(
    site: sa.Row[tuple[str, ...]],
    kind: str,
    uuid: object,
    slug: str | None,
    category: str | None,
    published_at: datetime | None,
) -> str | None:
    """Return the path of a page, or None if it is unknown."""
    pattern = getattr(site, f"{kind}_path", None)
    if pattern is None or slug is None:
        return None
    values = {"uuid": str(uuid), "slug": slug}
    if kind == "article":
        if published_at is None or ("{category}" in pattern and category is None):
            return None
        date = to_time_zone(published_at.replace(tzinfo=UTC), site.time_zone)
        values |= {"category": category or "", "year": f"{date.year:04}"}
        values |= {"month": f"{date.month:02}", "day": f"{date.day:02}"}
    escaped = quote(BARE_PERCENT.sub("%25", pattern), safe="/:?#@!$&'()*+,;=~%{}")
    return re.sub(r"\{([^{}]*)\}", lambda match: quote(values[match[1]], safe=""), escaped)


def to_time_zone(time: datetime, name: str) -> datetime:
    """Return the time in the time zone; a time near the end of the calendar is returned unchanged."""
    try:
        return time.astimezone(ZoneInfo(name))
    except OverflowError:
        return time


def drop_triggers(connection: sa.Connection) -> None:
    """Drop the triggers that counted visible writes."""
    if connection.dialect.name == "sqlite":
        triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%_visible'"
        for name in connection.scalars(sa.text(triggers)).all():
            connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    else:
        connection.exec_driver_sql("DROP FUNCTION count_visible_write() CASCADE")
        connection.exec_driver_sql("DROP FUNCTION database_identity()")
