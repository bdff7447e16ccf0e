"""Authors and their articles, the site, excerpts, former slugs of terms, and the pages of hidden items."""

import re
import unicodedata
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

ANY = {"INSERT": "", "UPDATE": "", "DELETE": ""}
OF_PUBLISHED = "EXISTS (SELECT 1 FROM article WHERE uuid = {}.article_id AND status = 'published')"
TRIGGERS = {"author": ANY, "site": ANY, "former_term_slug": ANY}
SQLITE_TRIGGERS = {
    "article_author": {
        "INSERT": OF_PUBLISHED.format("NEW"),
        "UPDATE": OF_PUBLISHED.format("NEW"),
        "DELETE": OF_PUBLISHED.format("OLD"),
    }
}
SQLITE = "CREATE TRIGGER {} AFTER {} ON {}{} BEGIN UPDATE revision SET visible = visible + 1; END"
POSTGRESQL = "CREATE TRIGGER {} AFTER {} ON {} FOR EACH ROW{} EXECUTE FUNCTION count_visible_write()"


def upgrade() -> None:
    """Create the tables, a site without content, and a profile for each user, who is the author so far."""
    connection = op.get_bind()
    op.add_column("article", sa.Column("excerpt", sa.String(), server_default="", nullable=False))
    op.add_column("change", sa.Column("slug", sa.String(), nullable=True))
    op.add_column("change", sa.Column("published_at", sa.DateTime(), nullable=True))
    author = op.create_table(
        "author",
        *_identified(),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        *_texts("name", "slug", "bio", "url", "avatar"),
        sa.Column("pieces", sa.String(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["account.uuid"], name=op.f("fk_author_owner_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_author")),
        sa.UniqueConstraint("owner_id", name=op.f("uq_author_owner_id")),
        sa.UniqueConstraint("slug", name=op.f("uq_author_slug")),
    )
    op.create_table(
        "article_author",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_article_author_article_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["author_id"], ["author.uuid"], name=op.f("fk_article_author_author_id")),
        sa.PrimaryKeyConstraint("article_id", "author_id", name=op.f("pk_article_author")),
    )
    site = op.create_table(
        "site",
        *_identified(),
        *_texts("title", "description", "language", "time_zone", "url", "service_url", "logo", "icon"),
        *_texts("article_path", "category_path", "tag_path", "author_path", "preview_url", "navigation"),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_site")),
    )
    op.create_table(
        "former_term_slug",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("term_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "slug", name=op.f("pk_former_term_slug")),
    )
    op.create_index(op.f("ix_former_term_slug_term_id"), "former_term_slug", ["term_id"], unique=False)
    now = datetime.now(UTC).replace(tzinfo=None)
    op.bulk_insert(site, [_new_site(now)])
    if profiles := _new_profiles(connection, now):
        op.bulk_insert(author, profiles)
    op.execute(
        "INSERT INTO article_author (article_id, author_id, position) "
        "SELECT article.uuid, author.uuid, 0 FROM article JOIN author ON author.owner_id = article.author_id"
    )
    op.create_index(op.f("ix_article_author_author_id"), "article_author", ["author_id"], unique=False)
    op.create_index(
        "ix_article_author_order", "article_author", ["article_id", "position", "author_id"], unique=False
    )
    _create_triggers(connection)
    op.execute("UPDATE article_tally SET renderer = ''")


def _identified() -> list[sa.Column[Any]]:
    return [
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
    ]


def _texts(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.String(), nullable=False) for name in names]


def _new_site(now: datetime) -> dict[str, object]:
    empty = dict.fromkeys(("title", "description", "url", "service_url", "logo", "icon", "preview_url"), "")
    return {
        **empty,
        "uuid": uuid4(),
        "created": now,
        "last_updated": now,
        "language": "en",
        "time_zone": "UTC",
        "article_path": "/{slug}/",
        "category_path": "/category/{slug}/",
        "tag_path": "/tag/{slug}/",
        "author_path": "/author/{slug}/",
        "navigation": "[]",
    }


def _new_profiles(connection: sa.Connection, now: datetime) -> list[dict[str, object]]:
    users = sa.table("account", sa.column("uuid", sa.Uuid()), sa.column("username"), sa.column("created"))
    rows = connection.execute(sa.select(users.c.uuid, users.c.username).order_by(users.c.created))
    profiles: list[dict[str, object]] = []
    slugs: set[str] = set()
    for uuid, name in rows:
        ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        base = re.sub(r"[^a-z0-9]+", "-", ascii_name.lower()).strip("-") or uuid.hex[:8]
        slug, number = base, 1
        while slug in slugs:
            number += 1
            slug = f"{base}-{number}"
        slugs.add(slug)
        texts = {"name": name, "slug": slug, "bio": "", "url": "", "avatar": ""}
        profiles.append({**texts, "uuid": uuid4(), "created": now, "last_updated": now, "owner_id": uuid})
    return profiles


def _create_triggers(connection: sa.Connection) -> None:
    sqlite = connection.dialect.name == "sqlite"
    for table, conditions in (TRIGGERS | SQLITE_TRIGGERS if sqlite else TRIGGERS).items():
        for operation, condition in conditions.items():
            name = f"{table}_{operation.lower()}_visible"
            when = f" WHEN ({condition})" if condition else ""
            template = SQLITE if sqlite else POSTGRESQL
            connection.exec_driver_sql(template.format(name, operation, table, when))
