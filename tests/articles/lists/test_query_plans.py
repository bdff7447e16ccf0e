"""Lists are read from indexes, not from whole tables."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import event, select

from blogapi.articles.author_visibility import author_is_public
from blogapi.articles.lists import filters as selections
from blogapi.articles.lists.filters import ArticleFilters
from blogapi.articles.responses import json_reader
from blogapi.authors.models import Author
from blogapi.categories.taxonomy import CATEGORIES
from blogapi.redirects import queries as redirects
from blogapi.storage.database import db
from blogapi.taxonomies import service as taxonomies
from tests.articles.conftest import NOW


def explain(statement, values):
    """Return the steps of SQLite's query plan for the statement."""
    seen = []

    def note(connection, cursor, sql, parameters, *_):
        seen.append((sql, parameters))

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        db.session.connection().execute(statement, values).all()
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    sql, parameters = seen[-1]
    steps = db.session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", parameters)
    return [step.detail for step in steps]


def full_scans(steps):
    """Return the steps that read a whole table."""
    tables = "article|article_author|article_json|author|category|tag"
    return [step for step in steps if re.fullmatch(f"SCAN ({tables})", step)]


@pytest.mark.sqlite("explains its query plans")
def test_the_list_of_redirects_merges_the_former_addresses_in_their_order(app, large):
    with app.app_context():
        for is_reversed in (False, True):
            steps = explain(
                redirects._order("sqlite", is_reversed=is_reversed), {"limit": 20, "offset": 0, "now": NOW}
            )
            looked_up = [step for step in steps if "SEARCH article " in step]
            assert len(looked_up) == 2 and all(step.endswith("(uuid=?)") for step in looked_up), steps
            assert not [step for step in steps if "TEMP B-TREE" in step], steps


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
        for chosen in (
            selections.select_public(ArticleFilters(**filters)),
            selections.select_in_any_status(large.author, ArticleFilters(**filters)),
        ):
            values = {**chosen.values, "limit": 20, "offset": 40}
            uuids, backwards, descending, total = chosen.statements
            pages = [
                json_reader._select_page(ordered, descending, json_reader.DOCUMENTED_FIELDS)
                for ordered in (uuids, backwards)
            ]
            for statement in (*pages, uuids, total):
                steps = explain(statement, values)
                assert not full_scans(steps), steps


@pytest.mark.sqlite("explains its query plans")
@pytest.mark.parametrize("filters", INDEX_ORDERED, ids=" ".join)
def test_a_list_of_public_articles_is_read_in_the_order_of_an_index(app, large, filters):
    with app.app_context():
        if "author" in filters:
            filters = {"author": "ada"}
        chosen = selections.select_public(ArticleFilters(**filters))
        steps = explain(chosen.statements.uuids, chosen.values)
    assert len(steps) == 1 and "USING COVERING INDEX" in steps[0], steps


@pytest.mark.sqlite("explains its query plans")
@pytest.mark.parametrize("filters", [{}, {"published_after": NOW}, {"published_before": NOW}], ids=" ".join)
def test_the_list_of_several_categories_merges_the_ranges_of_an_index(app, large, filters):
    with app.app_context():
        taxonomies.create(CATEGORIES, large.author, {"name": "Walks"})
        chosen = selections.select_public(ArticleFilters(category=("shelf", "walks"), **filters))
        for statement in (chosen.statements.uuids, chosen.statements.backwards):
            steps = explain(statement, chosen.values)
            assert len([step for step in steps if "COVERING INDEX ix_article_category" in step]) == 2, steps
            assert "MERGE (UNION ALL)" in steps and not [step for step in steps if "B-TREE" in step], steps
        steps = explain(chosen.statements.total, chosen.values)
        assert not full_scans(steps), steps


@pytest.mark.sqlite("explains its query plans")
def test_a_read_by_uuid_scans_no_whole_table(app, large):
    with app.app_context():
        values = {"uuid": large.author, "now": NOW}
        for public in (True, False):
            steps = explain(json_reader._select_one(json_reader.DOCUMENTED_FIELDS, public), values)
            assert not full_scans(steps), steps
            several = json_reader._select_several(json_reader.DOCUMENTED_FIELDS, public)
            steps = explain(several, {"uuids": [large.author], "now": NOW})
            assert not full_scans(steps), steps


@pytest.mark.sqlite("explains its query plans")
def test_the_visibility_of_an_author_depends_on_no_article(app, large):
    with app.app_context():
        steps = explain(select(Author.uuid).where(author_is_public()), {})
        single = explain(select(Author.uuid).where(Author.uuid == large.author, author_is_public()), {})
    assert not [step for step in steps if "article" in step and "article_id=?" not in step], steps
    assert any("event USING INDEX" in step and "(kind=? AND uuid=?)" in step for step in steps), steps
    assert not full_scans(single), single


@pytest.mark.sqlite("explains its query plans")
def test_the_list_of_an_author_starts_with_the_byline(app, large):
    with app.app_context():
        chosen = selections.select_public(ArticleFilters(author="ada", ordering="title"))
        for statement in (chosen.statements.uuids, chosen.statements.total):
            steps = explain(statement, chosen.values)
            assert "SEARCH article USING INDEX sqlite_autoindex_article_1 (uuid=?)" in steps, steps
