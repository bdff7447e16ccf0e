"""The migration that stores in the search from when on each article is in the lists."""

from __future__ import annotations

from importlib import import_module

import pytest
from sqlalchemy import create_engine, text

from tests.databases import SERVER_URL, open_sqlite
from tests.migrations.alembic_runner import migrate_to
from tests.migrations.test_landed import BLOGS, copy_rows

pytestmark = pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")

migration = import_module("blogapi.migrations.versions.0040_plain_search_numbers")

# The last migration before the column was planned, whose recorded blog has articles in most statuses.
RECORDED = "0037"
OTHERS = (
    "UPDATE article SET status = 'unlisted' WHERE slug = 'text'",
    "UPDATE article SET type = 'page', category_id = NULL WHERE slug = 'markdown'",
)
LISTED = {"html-again", "scheduled", "東京-unicode", "taken-in"}
NOT_LISTED = {"draft", "archived", "text", "markdown"}


@pytest.fixture
def engine(databases, tmp_path):
    """A database with the recorded blog, an unlisted article and a page; each article has a search entry."""
    path = tmp_path / "recorded.db"
    with open_sqlite(path) as connection, connection:
        connection.executescript((BLOGS / f"{RECORDED}.sql").read_text(encoding="utf-8"))
    engine = create_engine(f"sqlite:///{path}")
    if SERVER_URL:
        source, url = engine, databases.create_empty(tmp_path)
        with source.connect() as connection:
            copy_rows(connection, url, RECORDED)
        source.dispose()
        engine = create_engine(url)
    with engine.begin() as connection:
        if SERVER_URL:
            connection.execute(
                text("INSERT INTO search_entry SELECT 1000 * row_number() OVER (), uuid FROM article")
            )
        for statement in OTHERS:
            connection.execute(text(statement))
    yield engine
    engine.dispose()


def read_entries(engine):
    """Return the articles in the order of their numbers, the numbers, and the articles with a word."""
    words = "SELECT article_id FROM search_entry JOIN search_index ON search_index.rowid = number"
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT article_id, number FROM search_entry ORDER BY number")).all()
        found = (
            [] if SERVER_URL else connection.scalars(text(f"{words} WHERE search_index MATCH 'rye'")).all()
        )
    return [row.article_id for row in rows], [row.number for row in rows], found


def test_the_migration_stores_the_times_and_keeps_the_entries_and_the_words(engine):
    articles, numbers, found = read_entries(engine)
    migrate_to(engine, migration.revision)
    after = numbers if SERVER_URL else list(range(1, len(articles) + 1))
    assert read_entries(engine) == (articles, after, found) and (SERVER_URL or len(found) > 5)
    with engine.connect() as connection:
        statement = (
            "SELECT slug, listed_from, published_at FROM search_entry JOIN article ON uuid = article_id"
        )
        rows = connection.execute(text(statement)).all()
    listed = {row.slug: row.listed_from for row in rows if row.listed_from is not None}
    assert listed == {row.slug: row.published_at for row in rows if row.slug in LISTED}
    assert listed.keys() == LISTED and {row.slug for row in rows} - LISTED == NOT_LISTED
