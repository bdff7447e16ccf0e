"""The status `unlisted`, featured articles, and what search engines may do with a page."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

# SQLite cannot change a constraint of a table, so it gets a new one.
TABLE = """CREATE TABLE new_article (
    uuid CHAR(32) NOT NULL,
    author_id CHAR(32) NOT NULL,
    category_id CHAR(32) NOT NULL,
    title VARCHAR NOT NULL,
    subtitle VARCHAR NOT NULL,
    slug VARCHAR NOT NULL,
    cover_image VARCHAR NOT NULL,
    content VARCHAR NOT NULL,
    content_type VARCHAR(16) NOT NULL,
    status VARCHAR(16) NOT NULL,
    published_at DATETIME,
    version INTEGER NOT NULL,
    was_public BOOLEAN NOT NULL,
    slug_derived BOOLEAN NOT NULL,
    editor_id CHAR(32) NOT NULL,
    created DATETIME NOT NULL,
    last_updated DATETIME NOT NULL,
    excerpt VARCHAR DEFAULT '' NOT NULL,
    featured BOOLEAN DEFAULT 0 NOT NULL,
    robots VARCHAR DEFAULT '' NOT NULL,
    CONSTRAINT pk_article PRIMARY KEY (uuid),
    CONSTRAINT ck_article_content_type CHECK (content_type IN ('html', 'markdown', 'text')),
    CONSTRAINT ck_article_published_at CHECK ({published_at}),
    CONSTRAINT ck_article_status CHECK ({status}),
    CONSTRAINT fk_article_author_id FOREIGN KEY(author_id) REFERENCES account (uuid),
    CONSTRAINT fk_article_category_id FOREIGN KEY(category_id) REFERENCES category (uuid),
    CONSTRAINT fk_article_editor_id FOREIGN KEY(editor_id) REFERENCES account (uuid),
    CONSTRAINT uq_article_slug UNIQUE (slug)
)"""
COLUMNS = (
    "uuid, author_id, category_id, title, subtitle, slug, cover_image, content, content_type, status, "
    "published_at, version, was_public, slug_derived, editor_id, created, last_updated, excerpt"
)
CHECKS = {
    "status": "status IN ('draft', 'published', 'unlisted', 'archived')",
    "published_at": "status != 'published' AND status != 'unlisted' OR published_at IS NOT NULL",
}
INDEX = "CREATE INDEX ix_article_featured ON article (status, featured, published_at, uuid DESC)"


def upgrade() -> None:
    """Change the constraints of articles, and add the columns and the index of featured articles."""
    if op.get_bind().dialect.name == "sqlite":
        create_article_again()
    else:
        for name, condition in CHECKS.items():
            op.drop_constraint(op.f(f"ck_article_{name}"), "article", type_="check")
            op.create_check_constraint(op.f(f"ck_article_{name}"), "article", condition)
        op.execute("ALTER TABLE article ADD COLUMN featured BOOLEAN NOT NULL DEFAULT false")
        op.add_column("article", sa.Column("robots", sa.String(), nullable=False, server_default=""))
    op.execute(INDEX)
    for name in ("featured_json", "robots_json"):
        value = sa.Column(name, sa.LargeBinary(), nullable=False, server_default="")
        op.add_column("article_json", value)


def create_article_again() -> None:
    """Copy the articles into a table with the new constraints and columns, and create its indexes again."""
    connection = op.get_bind()
    indexes = connection.exec_driver_sql(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'article' AND sql IS NOT NULL"
    ).all()
    connection.exec_driver_sql(TABLE.format(**CHECKS))
    connection.exec_driver_sql(
        f"INSERT INTO new_article ({COLUMNS}) SELECT {COLUMNS} FROM article ORDER BY rowid"  # noqa: S608
    )
    # Foreign keys are off during an upgrade, so the rows of other tables keep their references.
    connection.exec_driver_sql("DROP TABLE article")
    connection.exec_driver_sql("ALTER TABLE new_article RENAME TO article")
    for (statement,) in indexes:
        connection.exec_driver_sql(statement)
