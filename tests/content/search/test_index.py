"""The search index contains exactly the words of the articles, whatever happened before."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from blogapi.content.articles.writing import rerendering
from blogapi.content.search import fts5, tokenizer, tsvector
from blogapi.storage.database import db
from tests.conftest import ARTICLES, TAGS
from tests.content.articles.stored_data import check_stored_data
from tests.content.search.conftest import day


@pytest.fixture
def check(app):
    """Checks the words in the index."""

    def check_words():
        with app.app_context():
            check_stored_data()
            db.session.remove()

    return check_words


@pytest.fixture
def other_words(monkeypatch):
    """Makes the program find other words in texts, as another version of it could do."""
    find_words = tokenizer.find_words
    for module in (fts5, tsvector):
        monkeypatch.setattr(module, "find_words", lambda text: [f"new{word}" for word in find_words(text)])


def test_no_write_leaves_a_word_of_the_text_before(check, find, as_admin, make_article, make_tag):
    tag = make_tag("zebra")
    one = make_article(title="Zebra", subtitle="Zebra", content="zebra zebra c++", tags=(tag,))
    make_article(title="Other", content="rye")
    path = f"{ARTICLES}{one.uuid}/"
    for change in (
        {"title": "Okapi"},
        {"subtitle": ""},
        {"status": "draft"},
        {"content": "okapi"},
        {"status": "published"},
        {"published_at": day(9)},
        {"slug": "elsewhere"},
    ):
        assert as_admin.patch(path, json=change).status_code == 200
        check()
    assert (find("zebra"), find("c++"), find("okapi")) == ([], [], ["Okapi"])
    assert as_admin.patch(f"{TAGS}{tag.uuid}/", json={"name": "Renamed"}).status_code == 200
    check()
    assert as_admin.delete(path).status_code == 204
    check()
    assert (find("okapi"), find("rye")) == ([], ["Other"])


def test_words_are_removed_as_they_were_indexed_after_an_update_of_the_program(
    app, find, as_admin, make_article, request
):
    one, other = make_article(title="Zebra"), make_article(title="Quagga", published_at=day(2))
    gone = make_article(title="Okapi")
    request.getfixturevalue("other_words")
    as_admin.patch(f"{ARTICLES}{one.uuid}/", json={"title": "Zebra again", "content": "again"})
    as_admin.patch(f"{ARTICLES}{other.uuid}/", json={"published_at": day(9), "content": "again"})
    as_admin.delete(f"{ARTICLES}{gone.uuid}/")
    assert [find(word) for word in ("zebra", "quagga", "okapi")] == [[], [], []]
    assert [find(word) for word in ("newzebra", "newquagga", "newokapi")] == [
        ["Zebra again"],
        ["Quagga"],
        [],
    ]
    with app.app_context():
        check_stored_data()


def test_rendering_again_after_an_update_leaves_no_former_word(
    app, check, find, make_article, monkeypatch, other_words
):
    monkeypatch.undo()
    make_article(title="Zebra", content="<p>rye</p>")
    for module in (fts5, tsvector):
        words = lambda text: [f"new{word}" for word in text.lower().split()]  # noqa: E731
        monkeypatch.setattr(module, "find_words", words)
    with app.app_context():
        rerendering.rerender_all_articles()
    assert (find("zebra"), find("newzebra"), find("newrye")) == ([], ["Zebra"], ["Zebra"])
    check()


@pytest.mark.sqlite("its triggers")
def test_another_program_leaves_no_words_of_a_deleted_article(find, instance, make_article):
    make_article(title="Zebra")
    with closing(sqlite3.connect(instance / "blog.db")) as connection, connection:
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("DELETE FROM article")
        check = "INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)"
        connection.execute(check)
        assert connection.execute("SELECT count(*) FROM search_index").fetchone() == (0,)


def test_snippets_come_from_the_stored_html(snippet, make_article):
    make_article(title="T", content="# A & B\n\nrye *bread* <b>now</b>", content_type="markdown")
    assert snippet("bread") == "A &amp; B rye <mark>bread</mark> now"
