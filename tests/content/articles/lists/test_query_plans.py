"""Lists are read from indexes, not from whole tables."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import event, select

from blogapi.content.articles.author_visibility import match_public_authors
from blogapi.content.articles.lists.conditions import ArticleFilters
from blogapi.content.articles.lists.statements import build_list_statements
from blogapi.content.articles.models import Article
from blogapi.content.articles.responses.article_fields import DOCUMENTED_FIELDS, read_article_rows, read_terms
from blogapi.content.taxonomies.authors import Author
from blogapi.storage.database import db
from tests.content.articles.conftest import NOW


def explain(statement, values=None):
    """Return the steps of SQLite's query plan for the statement."""
    return explain_read(lambda: db.session.connection().execute(statement, values).all())


def explain_read(read):
    """Return the steps of SQLite's query plan for the last statement that the function executes."""
    seen = []

    def note(connection, cursor, sql, parameters, *_):
        seen.append((sql, parameters))

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        read()
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    sql, parameters = seen[-1]
    steps = db.session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", parameters)
    return [step.detail for step in steps]


def full_scans(steps):
    """Return the steps that read a whole table."""
    tables = "article|article_author|article_tag|author|category|tag"
    return [step for step in steps if re.fullmatch(f"SCAN ({tables})", step)]


INDEX_ORDERED = [
    *({}, {"author": "author"}, {"category": ["shelf"]}),
    *({"published_after": NOW}, {"published_before": NOW}),
]
SORTED_AFTERWARDS = [
    *({"tag": ["bread"]}, {"category": ["shelf", "walks"]}, {"slug": "n-1"}, {"ordering": "title"}),
    *({"author": "ada"}, {"language": "de"}, {"language": "en"}, {"translation_key": "rye"}),
    {"author": "author", "tag": ["bread"], "published_after": NOW},
]


@pytest.mark.sqlite("explains its query plans")
@pytest.mark.parametrize("filters", [*INDEX_ORDERED, *SORTED_AFTERWARDS], ids=" ".join)
def test_a_list_scans_no_whole_table(app, large, filters):
    with app.app_context():
        if filters.get("author") == "author":
            filters = filters | {"author": str(large.author)}
        for public in (True, False):
            chosen = build_list_statements(
                ArticleFilters(**filters), public=public, author_id=None if public else large.author
            )
            for statement in (chosen.uuids.limit(20), chosen.backwards.limit(20), chosen.total):
                steps = explain(statement)
                assert not full_scans(steps), steps


@pytest.mark.sqlite("explains its query plans")
@pytest.mark.parametrize("filters", INDEX_ORDERED, ids=" ".join)
def test_a_list_of_public_articles_is_read_in_the_order_of_an_index(app, large, filters):
    with app.app_context():
        if "author" in filters:
            filters = {"author": "ada"}
        steps = explain(build_list_statements(ArticleFilters(**filters), public=True).uuids)
    assert len(steps) == 1 and "USING COVERING INDEX" in steps[0], steps


@pytest.mark.sqlite("explains its query plans")
def test_a_read_by_uuid_scans_no_whole_table(app, large):
    with app.app_context():
        uuids = db.session.scalars(select(Article.uuid).limit(2)).all()
        for public in (True, False):
            steps = explain_read(
                lambda public=public: read_article_rows(uuids, DOCUMENTED_FIELDS, public=public)
            )
            assert "SEARCH article USING INDEX" in steps[0] and not full_scans(steps), steps
        rows = read_article_rows(uuids, DOCUMENTED_FIELDS, public=False)
        steps = explain_read(lambda: read_terms(rows, DOCUMENTED_FIELDS))
        assert len([step for step in steps if step.startswith("SEARCH article_")]) == 2, steps
        assert not full_scans(steps), steps


@pytest.mark.sqlite("explains its query plans")
def test_the_visibility_of_an_author_depends_on_no_article(app, large):
    with app.app_context():
        steps = explain(select(Author.uuid).where(match_public_authors()), {})
        single = explain(select(Author.uuid).where(Author.uuid == large.author, match_public_authors()), {})
    assert not [step for step in steps if "article" in step and "article_id=?" not in step], steps
    assert any("event USING INDEX" in step and "(kind=? AND uuid=?)" in step for step in steps), steps
    assert not full_scans(single), single


@pytest.mark.sqlite("explains its query plans")
def test_a_list_of_a_category_and_a_tag_reads_the_index_of_tags_alone(app, large):
    with app.app_context():
        for filters in ({"category": ["shelf"]}, {"not_category": ["shelf"]}):
            chosen = build_list_statements(ArticleFilters(tag=["bread"], **filters), public=True)
            for statement in (chosen.uuids, chosen.backwards, chosen.total):
                steps = explain(statement)
                assert len(steps) == 1 and "SEARCH article_tag USING" in steps[0], steps
