"""An article is one row: its SEO record and what is rendered from it are columns of the table `article`."""

import json
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"

# The columns in the order that SQLite gets: it reads a row up to the last column that a statement selects, so
# the long columns come last.
KEPT = (
    *("uuid", "author_id", "category_id", "title", "subtitle", "excerpt", "robots", "slug", "cover_image"),
    *("content_type", "featured", "language", "translation_key", "status", "published_at", "version"),
    *("was_public", "slug_derived", "editor_id", "type", "parent_id", "position"),
)
SEO = ("title", "description", "og_image", "canonical_url")
LAST = ("created", "last_updated", "custom", "content")

CREATE = """CREATE TABLE new_article (
    uuid CHAR(32) NOT NULL,
    author_id CHAR(32) NOT NULL,
    category_id CHAR(32),
    title VARCHAR NOT NULL,
    subtitle VARCHAR NOT NULL,
    excerpt VARCHAR DEFAULT '' NOT NULL,
    robots VARCHAR DEFAULT '' NOT NULL,
    slug VARCHAR NOT NULL,
    cover_image VARCHAR NOT NULL,
    content_type VARCHAR(16) NOT NULL,
    featured BOOLEAN DEFAULT 0 NOT NULL,
    language VARCHAR DEFAULT '' NOT NULL,
    translation_key VARCHAR DEFAULT '' NOT NULL,
    status VARCHAR(16) NOT NULL,
    published_at DATETIME,
    version INTEGER NOT NULL,
    was_public BOOLEAN NOT NULL,
    slug_derived BOOLEAN NOT NULL,
    editor_id CHAR(32) NOT NULL,
    type VARCHAR(16) DEFAULT 'article' NOT NULL,
    parent_id CHAR(32),
    position INTEGER DEFAULT '0' NOT NULL,
    seo_uuid CHAR(32) NOT NULL,
    seo_created DATETIME NOT NULL,
    seo_last_updated DATETIME NOT NULL,
    seo_title VARCHAR NOT NULL,
    seo_description VARCHAR NOT NULL,
    seo_og_image VARCHAR NOT NULL,
    seo_canonical_url VARCHAR NOT NULL,
    sort_key VARCHAR DEFAULT '' NOT NULL,
    word_count INTEGER DEFAULT '0' NOT NULL,
    reading_minutes INTEGER DEFAULT '1' NOT NULL,
    generated_excerpt VARCHAR DEFAULT '' NOT NULL,
    cover TEXT DEFAULT 'null' NOT NULL,
    created DATETIME NOT NULL,
    last_updated DATETIME NOT NULL,
    custom TEXT DEFAULT '{}' NOT NULL,
    content VARCHAR NOT NULL,
    toc TEXT DEFAULT '[]' NOT NULL,
    html TEXT DEFAULT '' NOT NULL,
    CONSTRAINT pk_article PRIMARY KEY (uuid),
    CONSTRAINT ck_article_type CHECK (type IN ('article', 'page')),
    CONSTRAINT ck_article_category CHECK ((category_id IS NULL) = (type = 'page')),
    CONSTRAINT ck_article_content_type CHECK (content_type IN ('html', 'markdown', 'text')),
    CONSTRAINT ck_article_published_at
        CHECK (status != 'published' AND status != 'unlisted' OR published_at IS NOT NULL),
    CONSTRAINT ck_article_status CHECK (status IN ('draft', 'published', 'unlisted', 'archived')),
    CONSTRAINT fk_article_author_id FOREIGN KEY(author_id) REFERENCES account (uuid),
    CONSTRAINT fk_article_category_id FOREIGN KEY(category_id) REFERENCES category (uuid),
    CONSTRAINT fk_article_editor_id FOREIGN KEY(editor_id) REFERENCES account (uuid),
    CONSTRAINT fk_article_parent_id FOREIGN KEY(parent_id) REFERENCES article (uuid)
        ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT uq_article_slug UNIQUE (slug)
)"""

# The start renders all articles again; until then, the stored HTML of an article is kept if it is valid JSON.
HTML = """CASE WHEN json_valid(CAST(article_json.html_json AS TEXT))
    THEN coalesce(json_extract(CAST(article_json.html_json AS TEXT), '$'), '') ELSE '' END"""
NEW_UUID = """lower(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2)
    || substr('89AB', 1 + abs(random() % 4), 1) || substr(hex(randomblob(8)), 2))"""

FROM_BOTH = """FROM article LEFT JOIN seo ON seo.article_id = article.uuid
    LEFT JOIN article_json ON article_json.article_id = article.uuid ORDER BY article.rowid"""

INDEXES = (
    "ix_article_visible ON article (status, published_at, uuid DESC, type)",
    "ix_article_featured ON article (status, featured, published_at, uuid DESC, type)",
    "ix_article_author ON article (author_id, status, published_at, uuid DESC, type)",
    "ix_article_category ON article (category_id, status, published_at, uuid DESC, type)",
    "ix_article_changed ON article (last_updated, uuid DESC, type)",
    "ix_article_status_changed ON article (status, last_updated, uuid DESC, published_at, type)",
    "ix_article_dated ON article ((published_at IS NOT NULL) DESC, published_at, uuid DESC, type)",
    "ix_article_editor_id ON article (editor_id)",
    "ix_article_parent_id ON article (parent_id)",
    "ix_article_page ON article (position, uuid) WHERE type = 'page'",
    "ix_article_language ON article (language, status, published_at, uuid DESC, type) WHERE language != ''",
    "ix_article_translation_key ON article (translation_key) WHERE translation_key != ''",
)
SORTED = (
    "ix_article_sort_key ON article (sort_key, uuid, type)",
    "ix_article_status_sort_key ON article (status, sort_key, uuid, published_at, type)",
)

# PostgreSQL has no function that tells whether a text is JSON.
TEXT_OF = """CREATE FUNCTION pg_temp.text_of(stored bytea) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN
        RETURN coalesce(convert_from(stored, 'UTF8')::json #>> '{}', '');
    EXCEPTION WHEN OTHERS THEN
        RETURN '';
    END $$"""
FILL = """UPDATE article SET
    seo_uuid = coalesce(seo.uuid, gen_random_uuid()),
    seo_created = coalesce(seo.created, article.created),
    seo_last_updated = coalesce(seo.last_updated, article.created),
    seo_title = coalesce(seo.title, article.title),
    seo_description = coalesce(seo.description, article.subtitle),
    seo_og_image = coalesce(seo.og_image, article.cover_image),
    seo_canonical_url = coalesce(seo.canonical_url, ''),
    sort_key = left(lower(article.title), 200),
    html = coalesce(pg_temp.text_of(article_json.html_json), '')
    FROM article AS former
    LEFT JOIN seo ON seo.article_id = former.uuid
    LEFT JOIN article_json ON article_json.article_id = former.uuid
    WHERE former.uuid = article.uuid"""


def upgrade() -> None:
    """Move the columns, and rewrite the documents of deleted items."""
    if op.get_bind().dialect.name == "sqlite":
        _create_again()
    else:
        _add_columns()
    op.drop_table("article_json")
    op.drop_table("seo")
    _rewrite_deleted_items()


def _create_again() -> None:
    op.execute(CREATE)
    former = {name: f"article.{name}" for name in (*KEPT, *LAST)}
    defaults = {
        "title": "article.title",
        "description": "article.subtitle",
        "og_image": "article.cover_image",
    }
    seo = {f"seo_{name}": f"coalesce(seo.{name}, {defaults.get(name, repr(''))})" for name in SEO}
    values = (
        former
        | seo
        | {
            "seo_uuid": f"coalesce(seo.uuid, {NEW_UUID})",
            "seo_created": "coalesce(seo.created, article.created)",
            "seo_last_updated": "coalesce(seo.last_updated, article.created)",
            "sort_key": "substr(lower(article.title), 1, 200)",
            "html": HTML,
        }
    )
    # The names and the values are constants.
    names, sources = ", ".join(values), ", ".join(values.values())
    op.execute(f"INSERT INTO new_article ({names}) SELECT {sources} {FROM_BOTH}")
    op.execute("DROP TABLE article")
    op.execute("ALTER TABLE new_article RENAME TO article")
    for index in (*INDEXES, *SORTED):
        op.execute(f"CREATE INDEX {index}")


def _add_columns() -> None:
    columns: tuple[sa.Column[Any], ...] = (
        sa.Column("seo_uuid", sa.Uuid()),
        sa.Column("seo_created", sa.DateTime()),
        sa.Column("seo_last_updated", sa.DateTime()),
        *(sa.Column(f"seo_{name}", sa.String(), server_default="", nullable=False) for name in SEO),
        sa.Column("sort_key", sa.String(collation="C"), server_default="", nullable=False),
        sa.Column("word_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reading_minutes", sa.Integer(), server_default="1", nullable=False),
        sa.Column("generated_excerpt", sa.String(), server_default="", nullable=False),
        sa.Column("cover", sa.Text(), server_default="null", nullable=False),
        sa.Column("toc", sa.Text(), server_default="[]", nullable=False),
        sa.Column("html", sa.Text(), server_default="", nullable=False),
    )
    # An earlier migration of the same transaction may have changed parents, whose check is deferred.
    op.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for column in columns:
        op.add_column("article", column)
    op.execute(TEXT_OF)
    op.execute(FILL)
    for name in ("seo_uuid", "seo_created", "seo_last_updated"):
        op.alter_column("article", name, nullable=False)
    for name in SEO:
        op.alter_column("article", f"seo_{name}", server_default=None)
    op.execute("DROP INDEX ix_article_title")
    op.execute("DROP INDEX ix_article_status_title")
    for index in SORTED:
        op.execute(f"CREATE INDEX {index}")


def _rewrite_deleted_items() -> None:
    """Move the SEO record in the document of each deleted item into the row of its article."""
    item = sa.table("deleted_item", sa.column("uuid", sa.Uuid()), sa.column("document", sa.Text()))
    connection = op.get_bind()
    for uuid in connection.scalars(sa.select(item.c.uuid)).all():
        stored = connection.execute(sa.select(item.c.document).where(item.c.uuid == uuid)).scalar_one()
        document = json.loads(stored)
        records = document.pop("seo", [])
        for article in document.get("article", ()):
            record = records[0] if records else {}
            article |= {
                "seo_uuid": record.get("uuid", str(uuid4())),
                "seo_created": record.get("created", article["created"]),
                "seo_last_updated": record.get("last_updated", article["created"]),
                "seo_title": record.get("title", article["title"]),
                "seo_description": record.get("description", article["subtitle"]),
                "seo_og_image": record.get("og_image", article["cover_image"]),
                "seo_canonical_url": record.get("canonical_url", ""),
            }
        changed = json.dumps(document, ensure_ascii=False)
        connection.execute(item.update().where(item.c.uuid == uuid).values(document=changed))
