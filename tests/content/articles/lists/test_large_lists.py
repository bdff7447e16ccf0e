"""Lists longer than one chunk: their content and their order."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest
from sqlalchemy import event
from werkzeug.test import EnvironBuilder

from blogapi.content.articles.responses import article_bodies
from blogapi.storage.database import db
from tests.conftest import ARTICLES, CATEGORIES, TAGS, close_connections
from tests.content.articles.conftest import DUE, NUMBER, OWN


def join_pages(read, path):
    """Check the total of each page and return one array with the items of all pages."""
    pages, number = [], 1
    while (response := read(f"{path}{'&' if '?' in path else '?'}page={number}&page_size=100")).json:
        pages.append(response.data[1:-1])
        assert response.headers["X-Total-Count"] == str(NUMBER)
        number += 1
    return b"[" + b",".join(pages) + b"]"


@pytest.mark.sqlite("limits the number of bound values")
@pytest.mark.parametrize("query", ["", "?fields=content", "?q=n", "?q=n&fields=snippet,title"])
def test_no_statement_exceeds_the_sqlite_limit_on_bound_values(app, read, large, monkeypatch, query):
    # The statement of the terms names each article of a chunk three times.
    monkeypatch.setattr(article_bodies, "CHUNK_SIZE", 15)
    with app.app_context():
        engine = db.engine

    def lower_the_limit(connection: Any, record: object) -> None:
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 60)

    event.listen(engine, "connect", lower_the_limit)
    try:
        response = read(ARTICLES + query)
    finally:
        event.remove(engine, "connect", lower_the_limit)
        close_connections(app)
    assert response.status_code == 200 and len(json.loads(response.data)) == NUMBER


@pytest.mark.parametrize(
    "query",
    ["", "?fields=uuid,title", "?fields=content", "?ordering=published_at", "?ordering=-title", "?tag=bread"],
)
def test_a_long_list_equals_the_concatenation_of_its_pages(read, large, query):
    response = read(ARTICLES + query)
    assert (response.status_code, response.headers["X-Total-Count"]) == (200, str(NUMBER))
    assert response.content_type == "application/json"
    assert len(json.loads(response.data)) == NUMBER
    assert response.data == join_pages(read, ARTICLES + query)


def test_a_long_list_is_ordered_by_date_descending_then_by_uuid(read, large):
    shown = read(ARTICLES + "?fields=published_at,uuid").json
    by_uuid = sorted(shown, key=lambda one: one["uuid"])
    assert shown == sorted(by_uuid, key=lambda one: one["published_at"], reverse=True)


def test_a_long_list_matches_the_openapi_document(admin):
    assert len(admin.get(ARTICLES).json) == NUMBER


@pytest.mark.parametrize("query", ["?q=面包", "?q=面包&ordering=title&fields=title,snippet"])
def test_a_long_list_of_search_results_equals_the_concatenation_of_its_pages(read, large, query):
    response = read(ARTICLES + query)
    assert (response.headers["X-Total-Count"], len(response.json)) == (str(NUMBER), NUMBER)
    assert response.data == join_pages(read, ARTICLES + query)


@pytest.mark.parametrize("what", ["category", "tag"])
def test_a_category_or_tag_shows_all_its_articles(read, large, what):
    path = {"category": f"{CATEGORIES}{large.category}/", "tag": f"{TAGS}{large.tag}/"}[what]
    response = read(path)
    assert response.json["articles"] == read(f"{ARTICLES}?{what}={path.split('/')[-2]}").json
    assert len(response.json["articles"]) == NUMBER
    alone = read(path + "?fields=articles")
    assert response.data.endswith(alone.data[1:])
    assert read(path + "?fields=name").json == {"name": response.json["name"]}


def test_a_long_list_of_the_callers_own_articles_contains_articles_of_every_status(read, large, set_clock):
    response = read(OWN + "?fields=title,status", large.admin)
    assert len(response.json) == NUMBER + 2 == int(response.headers["X-Total-Count"])
    assert [one["status"] for one in response.json[:3]] == ["draft", "scheduled", "published"]
    set_clock(DUE)
    later = read(OWN + "?fields=title,status", large.admin)
    assert later.json[1] == {"title": "Ahead", "status": "published"}
    assert later.headers["ETag"] != response.headers["ETag"]


@pytest.mark.parametrize("query", ["", "?q=面包", "?ordering=title"])
def test_a_long_list_omits_articles_that_are_deleted_or_hidden_before_it_is_sent(
    app, read, large, admin, query
):
    deleted, hidden, later = read(ARTICLES + "?fields=uuid").json[-3:]
    environ = EnvironBuilder(ARTICLES + query, headers={"X-API-KEY": large.reader}).get_environ()
    body = app.wsgi_app(environ, lambda status, headers: None)
    # The response is ready, but nothing is sent yet.
    assert admin.delete(f"{ARTICLES}{deleted['uuid']}/").status_code == 204
    secret = {"status": "draft", "content": "secret"}
    assert admin.patch(f"{ARTICLES}{hidden['uuid']}/", json=secret).status_code == 200
    moved = {"published_at": "2999-01-01T00:00:00Z"}
    assert admin.patch(f"{ARTICLES}{later['uuid']}/", json=moved).status_code == 200
    sent = json.loads(b"".join(body))
    body.close()
    assert len(sent) == NUMBER - 3
    assert {one["status"] for one in sent} == {"published"}


def test_a_client_that_disconnects_leaves_no_database_connection_in_use(app, read, large):
    for _ in range(20):
        environ = EnvironBuilder(ARTICLES, headers={"X-API-KEY": large.reader}).get_environ()
        body = app.wsgi_app(environ, lambda status, headers: None)
        assert next(iter(body)).startswith(b"[{")
        body.close()
    with app.app_context():
        assert db.engine.pool.checkedout() == 0
    assert len(read(ARTICLES).json) == NUMBER


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_a_list_is_complete_with_any_chunk_size(read, large, monkeypatch, extra):
    complete = read(ARTICLES).data
    for size in (1, 67, NUMBER + extra):
        monkeypatch.setattr(article_bodies, "CHUNK_SIZE", size)
        response = read(ARTICLES)
        assert (response.data, response.headers["X-Total-Count"]) == (complete, str(NUMBER))


def test_a_page_past_the_end_of_a_long_list_is_empty(read, large):
    response = read(ARTICLES + "?page=1000000000&page_size=100")
    assert (response.data, response.headers["X-Total-Count"]) == (b"[]", str(NUMBER))
