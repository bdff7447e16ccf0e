"""Lists longer than one chunk: their order, their ETags, and the indexes that they use."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from werkzeug.test import EnvironBuilder

from blogapi.api_keys import service as api_keys
from blogapi.articles import filters as selections
from blogapi.articles import json_reader, service
from blogapi.articles.filters import ArticleFilters
from blogapi.articles.schemas import ArticleBodySchema
from blogapi.categories import taxonomy as categories_definition
from blogapi.search import queries as search
from blogapi.storage.database import db, transaction
from blogapi.tags import taxonomy as tags_definition
from blogapi.taxonomies import service as taxonomies
from blogapi.users import service as users
from blogapi.users.models import Role
from tests.conftest import ARTICLES, CATEGORIES, TAGS, close_connections
from tests.contracts.client import get_stable_headers, outcome
from tests.databases import create_test_app

NUMBER = json_reader.CHUNK_SIZE + 3
OWN = ARTICLES + "author/me/"
DUE = datetime(2027, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass(frozen=True)
class LargeBlog:
    """A blog of many published articles, one scheduled and one draft, in one category under one tag."""

    copy: str
    admin: str
    reader: str
    author: Any
    category: Any
    tag: Any
    ahead: Any


@pytest.fixture(scope="module")
def stored_blog(databases, tmp_path_factory):
    """The large blog, created once."""
    app = create_test_app(databases.create_empty(tmp_path_factory.mktemp("large")))
    with app.app_context():
        with transaction():
            ada = users.create("ada", None, role=Role.ADMIN).uuid
            category = taxonomies.create(categories_definition.CATEGORIES, ada, {"name": "Shelf"}).uuid
            tag = taxonomies.create(tags_definition.TAGS, ada, {"name": "bread"}).uuid
            fields = {"category": {"slug": "shelf"}, "tags": [{"slug": "bread"}], "status": "published"}
            for number in range(NUMBER):
                # Three articles each have the same time.
                date = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=number // 3)
                body = fields | {"title": f'N {number} "}},{{" 面包', "published_at": date.isoformat()}
                service.create(ada, ArticleBodySchema().load(body))
            ahead = fields | {"title": "Ahead", "published_at": DUE.isoformat()}
            scheduled = service.create(ada, ArticleBodySchema().load(ahead)).uuid
            service.create(ada, ArticleBodySchema().load(fields | {"title": "Draft", "status": "draft"}))
        admin = api_keys.issue(ada, scopes=frozenset({"read", "write"})).value
        reader = api_keys.issue(None).value
    return LargeBlog(databases.save_copy(app), admin, reader, ada, category, tag, f"{ARTICLES}{scheduled}/")


@pytest.fixture
def large(app, databases, stored_blog, instance, set_clock):
    """The large blog in place of the test's own."""
    close_connections(app)
    databases.restore_copy(stored_blog.copy, instance)
    set_clock(NOW)
    return stored_blog


@pytest.fixture
def read(app, large):
    """Reads as a reader, without the cost of checking each response against the OpenAPI document."""
    client = FlaskClient(app, app.response_class)

    def send(path, key=large.reader, method="GET", **headers):
        return client.open(path, method=method, headers={"X-API-KEY": key} | headers, buffered=True)

    return send


@pytest.fixture
def admin(app, large, make_client):
    """A client with a write key of Ada, the admin of the large blog."""
    return make_client(app, large.admin)


def join_pages(read, path):
    """Return one array of the items of all pages; checks the total of each page."""
    pages, number = [], 1
    while (response := read(f"{path}{'&' if '?' in path else '?'}page={number}&page_size=100")).json:
        pages.append(response.data[1:-1])
        assert response.headers["X-Total-Count"] == str(NUMBER)
        number += 1
    return b"[" + b",".join(pages) + b"]"


@pytest.mark.sqlite("limits the number of bound values")
@pytest.mark.parametrize("query", ["", "?fields=content", "?q=n", "?q=n&fields=snippet,title"])
def test_no_statement_binds_more_values_than_every_build_of_sqlite_accepts(
    app, read, large, monkeypatch, query
):
    for module, name in ((json_reader, "CHUNK_SIZE"), (search, "_MAX_PARAMETERS")):
        monkeypatch.setattr(module, name, 50)
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
def test_a_long_list_equals_its_pages_joined(read, large, query):
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
def test_a_long_list_of_search_results_equals_its_pages_joined(read, large, query):
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


def paths(large):
    return [
        ARTICLES,
        ARTICLES + "?fields=title",
        ARTICLES + "?q=面包",
        f"{CATEGORIES}{large.category}/",
        f"{TAGS}{large.tag}/?fields=slug,articles",
    ]


def etags(read, large, key=None):
    return [read(path, key or large.reader, "HEAD").headers["ETag"] for path in paths(large)]


def test_an_unchanged_long_list_is_a_304(read, large):
    for path in paths(large):
        first = read(path)
        again = read(path, **{"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"] and "Content-Type" not in again.headers


def test_head_of_a_long_list_has_the_headers_of_get(read, large):
    for path in paths(large):
        get, head = read(path), read(path, method="HEAD")
        assert (head.status_code, head.data) == (200, b"")
        assert get_stable_headers(head) == get_stable_headers(get)


@pytest.mark.parametrize(
    "change",
    [
        lambda admin, large, item: admin.patch(item, json={"seo": {"description": "New"}}),
        lambda admin, large, item: admin.patch(item, json={"published_at": "2025-01-01T00:00:00.000001"}),
        lambda admin, large, item: admin.patch(item, json={"status": "draft"}),
        lambda admin, large, item: admin.delete(item),
        lambda admin, large, item: admin.patch(f"{CATEGORIES}{large.category}/", json={"name": "New"}),
        lambda admin, large, item: admin.patch(f"{TAGS}{large.tag}/", json={"slug": "new"}),
        lambda admin, large, item: admin.delete(f"{TAGS}{large.tag}/"),
        lambda admin, large, item: admin.patch(large.ahead, json={"status": "published"}),
    ],
    ids=["seo", "date", "withdrawn", "deleted", "category", "tag", "deleted tag", "new"],
)
def test_every_change_that_a_long_list_shows_changes_its_etag(read, large, admin, change):
    some_paths = paths(large)[:4]
    before = [read(path, method="HEAD").headers["ETag"] for path in some_paths]
    item = f"{ARTICLES}{read(ARTICLES + '?fields=uuid').json[-1]['uuid']}/"
    assert change(admin, large, item).status_code in (200, 204)
    after = [read(path, method="HEAD").headers["ETag"] for path in some_paths]
    assert all(old != new for old, new in zip(before, after, strict=True))


def test_another_version_of_the_code_changes_the_etags_of_long_lists(read, large, make_app, monkeypatch):
    before = etags(read, large)

    def etags_after_restart():
        client = FlaskClient(created := make_app(), created.response_class)
        return [
            client.head(path, headers={"X-API-KEY": large.reader}).headers["ETag"] for path in paths(large)
        ]

    assert etags_after_restart() == before
    monkeypatch.setattr(json_reader, "compute_fingerprint", lambda: "of another version")
    assert not set(etags_after_restart()) & set(before)


def test_a_scheduled_article_changes_the_etags_at_its_publication_time(read, large, set_clock):
    before = etags(read, large)
    set_clock(DUE - timedelta(microseconds=1))
    assert etags(read, large) == before
    set_clock(DUE)
    assert not set(etags(read, large)) & set(before)
    shown = read(ARTICLES + "?fields=title,status").json
    assert (len(shown), shown[0]) == (NUMBER + 1, {"title": "Ahead", "status": "published"})


def test_writes_that_a_reader_may_not_see_do_not_change_the_etags(read, large, admin):
    before, own = etags(read, large), read(OWN, large.admin).headers["ETag"]
    of_admin = read(ARTICLES, large.admin, "HEAD").headers["ETag"]
    body = {"title": "面包", "category": {"slug": "shelf"}, "tags": [{"slug": "bread"}]}
    draft = admin.post(ARTICLES, json=body).headers["Location"]
    admin.patch(draft, json={"title": "New"})
    admin.patch(large.ahead, json={"title": "New"})
    admin.post(ARTICLES, json=body | {"status": "scheduled", "published_at": "2999-01-01"})
    admin.delete(draft)
    assert etags(read, large) == before
    assert read(OWN, large.admin).headers["ETag"] != own
    assert read(ARTICLES, large.admin, "HEAD").headers["ETag"] != of_admin


def test_a_long_list_of_own_articles_shows_every_status(read, large, set_clock):
    response = read(OWN + "?fields=title,status", large.admin)
    assert len(response.json) == NUMBER + 2 == int(response.headers["X-Total-Count"])
    assert [one["status"] for one in response.json[:3]] == ["draft", "scheduled", "published"]
    set_clock(DUE)
    later = read(OWN + "?fields=title,status", large.admin)
    assert later.json[1] == {"title": "Ahead", "status": "published"}
    assert later.headers["ETag"] != response.headers["ETag"]


def test_a_bulk_write_honours_the_etag_of_a_long_list(read, large, admin):
    etag = read(ARTICLES, large.admin).headers["ETag"]
    item = {"uuid": large.ahead.split("/")[-2], "title": "Other"}
    (changed,) = admin.patch(ARTICLES, json=[item], headers={"If-Match": etag}).json
    assert changed["title"] == "Other"
    assert outcome(admin.patch(ARTICLES, json=[item], headers={"If-Match": etag})) == (412, "stale")


@pytest.mark.parametrize("query", ["", "?q=面包", "?ordering=title"])
def test_an_article_deleted_or_hidden_before_a_long_list_is_sent_is_left_out(app, read, large, admin, query):
    deleted, hidden, later = read(ARTICLES + "?fields=uuid").json[-3:]
    environ = EnvironBuilder(ARTICLES + query, headers={"X-API-KEY": large.reader}).get_environ()
    body = app.wsgi_app(environ, lambda status, headers: None)
    # The response is ready, and none of it is sent yet.
    assert admin.delete(f"{ARTICLES}{deleted['uuid']}/").status_code == 204
    secret = {"status": "draft", "content": "secret"}
    assert admin.patch(f"{ARTICLES}{hidden['uuid']}/", json=secret).status_code == 200
    moved = {"published_at": "2999-01-01T00:00:00Z"}
    assert admin.patch(f"{ARTICLES}{later['uuid']}/", json=moved).status_code == 200
    sent = json.loads(b"".join(body))
    body.close()
    assert len(sent) == NUMBER - 3
    assert {one["status"] for one in sent} == {"published"}


def test_a_client_that_disconnects_leaves_no_connection_open(app, read, large):
    for _ in range(20):
        environ = EnvironBuilder(ARTICLES, headers={"X-API-KEY": large.reader}).get_environ()
        body = app.wsgi_app(environ, lambda status, headers: None)
        assert next(iter(body)).startswith(b"[{")
        body.close()
    with app.app_context():
        assert db.engine.pool.checkedout() == 0
    assert len(read(ARTICLES).json) == NUMBER


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_lists_of_about_one_chunk_are_complete(read, large, monkeypatch, extra):
    complete = read(ARTICLES).data
    for size in (1, 67, NUMBER + extra):
        monkeypatch.setattr(json_reader, "CHUNK_SIZE", size)
        response = read(ARTICLES)
        assert (response.data, response.headers["X-Total-Count"]) == (complete, str(NUMBER))


def test_a_page_past_the_end_of_a_long_list_is_empty(read, large):
    response = read(ARTICLES + "?page=1000000000&page_size=100")
    assert (response.data, response.headers["X-Total-Count"]) == (b"[]", str(NUMBER))
    assert read(ARTICLES + "?q=面包&page=1000000000&page_size=100").data == b"[]"


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
    return [step for step in steps if re.fullmatch(r"SCAN (article|article_pieces|category|tag)", step)]


INDEX_ORDERED = [
    *({}, {"author": "author"}, {"category": ["shelf"]}),
    *({"published_after": NOW}, {"published_before": NOW}),
]
SORTED_AFTERWARDS = [
    *({"tag": ["bread"]}, {"category": ["shelf", "walks"]}, {"slug": "n-1"}, {"ordering": "title"}),
    {"author": "author", "tag": ["bread"], "published_after": NOW},
]


@pytest.mark.sqlite("explains its query plans")
@pytest.mark.parametrize("filters", [*INDEX_ORDERED, *SORTED_AFTERWARDS], ids=" ".join)
def test_a_list_scans_no_whole_table(app, large, filters):
    with app.app_context():
        if "author" in filters:
            filters = filters | {"author": large.author}
        for chosen in (
            selections.select_public(ArticleFilters(**filters)),
            selections.select_by_author(large.author, ArticleFilters(**filters)),
        ):
            values = {**chosen.values, "limit": 20, "offset": 40}
            page = json_reader._select_page(chosen.uuids, chosen.descending, json_reader.DOCUMENTED_FIELDS)
            for statement in (page, chosen.uuids, chosen.count):
                steps = explain(statement, values)
                assert not full_scans(steps), steps


@pytest.mark.sqlite("explains its query plans")
@pytest.mark.parametrize("filters", INDEX_ORDERED, ids=" ".join)
def test_a_list_of_public_articles_is_read_in_the_order_of_an_index(app, large, filters):
    with app.app_context():
        chosen = selections.select_public(
            ArticleFilters(**filters | ({"author": large.author} if "author" in filters else {}))
        )
        steps = explain(chosen.uuids, chosen.values)
    assert len(steps) == 1 and "USING COVERING INDEX" in steps[0], steps


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
