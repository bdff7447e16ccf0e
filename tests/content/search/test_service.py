"""The entries of articles in the search index."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, select

from blogapi.content.search import engines
from blogapi.content.search.engine_base import SearchText
from blogapi.content.search.models import SearchEntry
from blogapi.storage.database import db, transaction
from tests.content.search.conftest import day

TIME = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def index(app, make_article, record_statements):
    """Indexes articles and returns the number of statements that were executed."""

    def index_articles(texts):
        with app.app_context(), record_statements() as executed, transaction():
            engines.index_articles(db.session(), texts)
        return len(executed)

    return index_articles


@pytest.fixture
def read_numbers(app):
    """Returns the number of each article in the index, by the article's uuid."""

    def read():
        with app.app_context():
            found = {entry.article_id: entry.number for entry in db.session.scalars(select(SearchEntry))}
            db.session.rollback()
        return found

    return read


def test_a_change_of_an_entry_replaces_its_words_and_its_time_and_keeps_its_number(
    find, make_article, index, read_numbers
):
    one = make_article(title="One", subtitle="sub", content="rye", published_at=day(1))
    before = read_numbers()
    text = SearchText(one.uuid, one.published_at, "Two", "other", "oat")
    index([text])
    assert (find("one"), find("two oat"), find("other"), find("rye")) == ([], ["One"], ["One"], [])
    index([replace(text, listed_from=None)])
    assert find("two") == []
    index([replace(text, listed_from=TIME + timedelta(days=9))])
    assert find("oat") == ["One"]
    assert read_numbers() == before == {one.uuid: 1}


def test_an_article_without_an_entry_is_added(app, find, make_article, index):
    one = make_article(title="One", content="rye", published_at=day(1))
    with app.app_context(), transaction():
        db.session.query(SearchEntry).delete()
    assert find("one") == []
    index([SearchText(one.uuid, one.published_at, "One", "", "rye")])
    assert (find("one"), find("rye")) == (["One"], ["One"])


def test_a_change_of_the_title_keeps_the_entry_and_updates_its_row(make_article, index, find):
    one = make_article(title="One", content="rye", published_at=day(1))
    assert index([SearchText(one.uuid, one.published_at, "Two", "", "rye")]) == 2
    assert (find("one"), find("two"), find("rye")) == ([], ["One"], ["One"])


def test_an_entry_without_a_row_in_the_index_gets_a_new_row(app, make_article, index, find):
    one = make_article(title="One", content="rye", published_at=day(1))
    with app.app_context(), transaction():
        db.session.execute(delete(engines.get_engine(db.session()).word_table))
    assert find("on") == []
    index([SearchText(one.uuid, one.published_at, "One", "", "rye")])
    assert (find("one"), find("rye")) == (["One"], ["One"])


def test_the_number_of_statements_does_not_depend_on_the_number_of_articles(
    app, make_article, index, read_numbers
):
    uuids = [make_article(published_at=day(1)).uuid for _ in range(12)]
    texts = [SearchText(uuid, TIME, "T", "", "x") for uuid in uuids]
    assert index(texts[:2]) == index(texts[2:]) == 2
    with app.app_context(), transaction():
        db.session.query(SearchEntry).delete()
    assert index(texts) == 2
    assert sorted(read_numbers().values()) == list(range(1, 13))
