"""Indexes for all orders of lists, copies of columns of the article in its links, and numbers of articles."""

from uuid import UUID

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

INDEXES = (
    ("ix_article_tag_listed", "article_tag", "tag_id, listed_from DESC, article_id"),
    ("ix_article_tag_category", "article_tag", "category_id, tag_id, listed_from DESC, article_id"),
    ("ix_article_author_listed", "article_author", "author_id, listed_from DESC, article_id"),
    ("ix_article_status_title", "article", "status, lower({title}), uuid, published_at"),
    ("ix_article_title", "article", "lower({title}), uuid"),
    ("ix_article_status_changed", "article", "status, last_updated DESC, uuid, published_at"),
    ("ix_article_dated", "article", "(published_at IS NOT NULL), published_at DESC, uuid"),
    ("ix_working_copy_changed", "working_copy", "last_updated DESC, article_id"),
)
# In PostgreSQL, the indexes of the primary keys have another order than the list of redirects.
POSTGRESQL_INDEXES = (
    ("ix_former_slug_order", "former_slug", '(slug COLLATE "C")'),
    ("ix_former_path_order", "former_path", '(path COLLATE "C")'),
    ("ix_former_term_slug_order", "former_term_slug", 'kind, (slug COLLATE "C")'),
)


def upgrade() -> None:
    """Create the tables of the links again, then the other indexes and the table of the numbers."""
    create_article_tag()
    create_article_author()
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    title = "title" if is_sqlite else '(title COLLATE "C")'
    for name, table, columns in INDEXES if is_sqlite else INDEXES + POSTGRESQL_INDEXES:
        op.execute(f"CREATE INDEX {name} ON {table} ({columns.format(title=title)})")
    create_article_count()
    op.drop_column("article_stats", "published")


def create_article_tag() -> None:
    """Create the table of the tags of articles again, with copies of columns of the article."""
    op.execute(
        "CREATE TEMPORARY TABLE former_article_tag AS SELECT article_id, tag_id, position, category_id, "
        "CASE WHEN status = 'published' THEN published_at END AS listed_from "
        "FROM article_tag JOIN article ON article.uuid = article_id"
    )
    op.drop_table("article_tag")
    op.create_table(
        "article_tag",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("tag_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("listed_from", sa.DateTime(), nullable=True),
        sa.Column("category_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_article_tag_article_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["tag_id"], ["tag.uuid"], name=op.f("fk_article_tag_tag_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article_id", "tag_id", name=op.f("pk_article_tag")),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO article_tag (article_id, tag_id, position, listed_from, category_id) "
        "SELECT article_id, tag_id, position, listed_from, category_id FROM former_article_tag "
        "ORDER BY article_id, tag_id"
    )
    op.drop_table("former_article_tag")


def create_article_author() -> None:
    """Create the table of the authors of articles again, in the same way."""
    op.execute(
        "CREATE TEMPORARY TABLE former_article_author AS "
        "SELECT article_id, article_author.author_id, position, "
        "CASE WHEN status = 'published' THEN published_at END AS listed_from "
        "FROM article_author JOIN article ON article.uuid = article_id"
    )
    op.drop_table("article_author")
    op.create_table(
        "article_author",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("listed_from", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_article_author_article_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["author_id"], ["author.uuid"], name=op.f("fk_article_author_author_id")),
        sa.PrimaryKeyConstraint("article_id", "author_id", name=op.f("pk_article_author")),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO article_author (article_id, author_id, position, listed_from) "
        "SELECT article_id, author_id, position, listed_from FROM former_article_author "
        "ORDER BY article_id, author_id"
    )
    op.drop_table("former_article_author")


def create_article_count() -> None:
    """Create the table of the numbers of articles; the nil UUID stands for all articles."""
    op.create_table(
        "article_count",
        sa.Column("term_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("term_id", "status", name=op.f("pk_article_count")),
        sqlite_with_rowid=False,
    )
    of_all_articles = sa.text(
        "INSERT INTO article_count (term_id, status, number) "
        "SELECT :uuid, status, count(*) FROM article GROUP BY status"
    )
    op.execute(of_all_articles.bindparams(sa.bindparam("uuid", UUID(int=0), sa.Uuid())))
    op.execute(
        "INSERT INTO article_count (term_id, status, number) "
        "SELECT category_id, status, count(*) FROM article GROUP BY category_id, status "
        "UNION ALL SELECT tag_id, status, count(*) FROM article_tag "
        "JOIN article ON uuid = article_id GROUP BY tag_id, status "
        "UNION ALL SELECT article_author.author_id, status, count(*) FROM article_author "
        "JOIN article ON uuid = article_id GROUP BY article_author.author_id, status"
    )
