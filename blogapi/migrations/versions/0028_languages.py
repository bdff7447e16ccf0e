"""Languages of articles and terms, translations, and the texts of the site in other languages."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

COLUMNS = {
    "article": ("language", "translation_key"),
    "category": ("language",),
    "tag": ("language",),
    "author": ("language",),
}
# Most articles are in the language of the site and have no translations.
INDEXES = (
    "ix_article_language ON article (language, status, published_at, uuid DESC, type) WHERE language != ''",
    "ix_article_translation_key ON article (translation_key) WHERE translation_key != ''",
)


def upgrade() -> None:
    """Add the columns and the indexes."""
    for table, names in COLUMNS.items():
        for name in names:
            op.add_column(table, sa.Column(name, sa.String(), server_default="", nullable=False))
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")
    # All articles are rendered again after this update.
    for name in ("language_json", "translation_key_json"):
        op.add_column("article_json", sa.Column(name, sa.LargeBinary(), server_default="", nullable=False))
    op.add_column("site", sa.Column("languages", sa.String(), server_default="[]", nullable=False))
