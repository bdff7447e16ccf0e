"""Indexes with ascending times, and titles that PostgreSQL reads from an index alone."""

from alembic import op

revision = "0019"
down_revision = "0018"

INDEXES = (
    ("ix_article_visible", "article", "status, published_at, uuid DESC"),
    ("ix_article_author", "article", "author_id, status, published_at, uuid DESC"),
    ("ix_article_category", "article", "category_id, status, published_at, uuid DESC"),
    ("ix_article_changed", "article", "last_updated, uuid DESC"),
    ("ix_article_status_changed", "article", "status, last_updated, uuid DESC, published_at"),
    ("ix_article_dated", "article", "(published_at IS NOT NULL) DESC, published_at, uuid DESC"),
    ("ix_article_tag_listed", "article_tag", "tag_id, listed_from, article_id DESC"),
    ("ix_article_tag_category", "article_tag", "category_id, tag_id, listed_from, article_id DESC"),
    ("ix_article_author_listed", "article_author", "author_id, listed_from, article_id DESC"),
    ("ix_media_newest", "media", "created, uuid DESC"),
)
POSTGRESQL_INDEXES = (
    ("ix_article_title", "article", 'lower(title COLLATE "C"), uuid'),
    ("ix_article_status_title", "article", 'status, lower(title COLLATE "C"), uuid, published_at'),
)


def upgrade() -> None:
    """Create the indexes again."""
    for name, table, columns in INDEXES:
        op.execute(f"DROP INDEX {name}")
        op.execute(f"CREATE INDEX {name} ON {table} ({columns})")
    if op.get_bind().dialect.name == "postgresql":
        for name, table, columns in POSTGRESQL_INDEXES:
            op.execute(f"DROP INDEX {name}")
            op.execute(f"CREATE INDEX {name} ON {table} ({columns}) INCLUDE (title)")
