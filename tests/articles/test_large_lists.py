"""Lists longer than a read holds in memory: complete, in order, validated by state; and by which index."""

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
from tests.conftest import ARTICLES, CATEGORIES, TAGS, release
from tests.contracts.client import lasting, outcome
from tests.engines import made

NUMBER = json_reader.CHUNK_SIZE + 3
OWN = ARTICLES + "author/me/"
DUE = datetime(2027, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Large:
    """A blog of many published articles, one scheduled and one draft, in one category under one tag."""

    kept: str
    admin: str
    reader: str
    author: Any
    category: Any
    tag: Any
    ahead: Any


@pytest.fixture(scope="module")
def written(blogs, tmp_path_factory):
    """The large blog, written once."""
    app = made(blogs.nothing(tmp_path_factory.mktemp("large")))
    with app.app_context():
        with transaction():
            ada = users.create("ada", None, role=Role.ADMIN).uuid
            category = taxonomies.create(categories_definition.CATEGORIES, ada, {"name": "Shelf"}).uuid
            tag = taxonomies.create(tags_definition.TAGS, ada, {"name": "bread"}).uuid
            fields = {"category": {"slug": "shelf"}, "tags": [{"slug": "bread"}], "status": "published"}
            for number in range(NUMBER):
                # Three at a time share a moment.
                moment = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=number // 3)
                body = fields | {"title": f'N {number} "}},{{" 面包', "published_at": moment.isoformat()}
                service.create(ada, ArticleBodySchema().load(body))
            ahead = fields | {"title": "Ahead", "published_at": DUE.isoformat()}
            scheduled = service.create(ada, ArticleBodySchema().load(ahead)).uuid
            service.create(ada, ArticleBodySchema().load(fields | {"title": "Draft", "status": "draft"}))
        admin = api_keys.issue(ada, scopes=frozenset({"read", "write"})).value
        reader = api_keys.issue(None).value
    return Large(blogs.keep(app), admin, reader, ada, category, tag, f"{ARTICLES}{scheduled}/")


@pytest.fixture
def large(app, blogs, written, instance, at):
    """The large blog in place of the test's own."""
    release(app)
    blogs.lay(written.kept, instance)
    at(NOW)
    return written


@pytest.fixture
def read(app, large):
    """Reads as a reader, without the cost of holding each answer against the document."""
    client = FlaskClient(app, app.response_class)

    def ask(path, key=large.reader, method="GET", **headers):
        return client.open(path, method=method, headers={"X-API-KEY": key} | headers, buffered=True)

    return ask


@pytest.fixture
def admin(app, large, make_client):
    """Ada of the large blog, by a key that may write."""
    return make_client(app, large.admin)


def numbers(shown):
    return [int(article["title"].split()[1]) for article in shown]


def joined(read, path):
    """The bytes of all pages, joined, and the total that each of them tells."""
    pages, number = [], 1
    while (answer := read(f"{path}{'&' if '?' in path else '?'}page={number}&page_size=100")).json:
        pages.append(answer.data[1:-1])
        assert answer.headers["X-Total-Count"] == str(NUMBER)
        number += 1
    return b"[" + b",".join(pages) + b"]"


@pytest.mark.sqlite("its builds take more or fewer values")
@pytest.mark.parametrize("query", ["", "?fields=content", "?q=n", "?q=n&fields=snippet,title"])
def test_no_statement_has_more_values_than_each_build_takes(app, read, large, monkeypatch, query):
    for module, name in ((json_reader, "CHUNK_SIZE"), (search, "_AT_ONCE")):
        monkeypatch.setattr(module, name, 50)
    with app.app_context():
        engine = db.engine

    def take_few(connection: Any, record: object) -> None:
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 60)

    event.listen(engine, "connect", take_few)
    try:
        answer = read(ARTICLES + query)
    finally:
        event.remove(engine, "connect", take_few)
        release(app)
    assert answer.status_code == 200 and len(json.loads(answer.data)) == NUMBER


@pytest.mark.parametrize(
    "query",
    ["", "?fields=uuid,title", "?fields=content", "?ordering=published_at", "?ordering=-title", "?tag=bread"],
)
def test_a_long_list_is_complete_and_in_the_order_of_its_pages(read, large, query):
    answer = read(ARTICLES + query)
    assert (answer.status_code, answer.headers["X-Total-Count"]) == (200, str(NUMBER))
    assert answer.content_type == "application/json"
    assert len(json.loads(answer.data)) == NUMBER
    assert answer.data == joined(read, ARTICLES + query)


def test_a_long_list_is_newest_first_and_by_uuid_among_equals(read, large):
    shown = read(ARTICLES + "?fields=published_at,uuid").json
    by_uuid = sorted(shown, key=lambda one: one["uuid"])
    assert shown == sorted(by_uuid, key=lambda one: one["published_at"], reverse=True)


def test_a_long_list_is_what_the_document_says(admin):
    assert len(admin.get(ARTICLES).json) == NUMBER


@pytest.mark.parametrize("query", ["?q=面包", "?q=面包&ordering=title&fields=title,snippet"])
def test_a_long_list_of_hits_is_complete_and_in_the_order_of_its_pages(read, large, query):
    answer = read(ARTICLES + query)
    assert (answer.headers["X-Total-Count"], len(answer.json)) == (str(NUMBER), NUMBER)
    assert answer.data == joined(read, ARTICLES + query)


@pytest.mark.parametrize("what", ["category", "tag"])
def test_a_single_one_shows_all_its_articles(read, large, what):
    path = {"category": f"{CATEGORIES}{large.category}/", "tag": f"{TAGS}{large.tag}/"}[what]
    answer = read(path)
    assert answer.json["articles"] == read(f"{ARTICLES}?{what}={path.split('/')[-2]}").json
    assert len(answer.json["articles"]) == NUMBER
    alone = read(path + "?fields=articles")
    assert answer.data.endswith(alone.data[1:])
    assert read(path + "?fields=name").json == {"name": answer.json["name"]}


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


def test_a_long_list_that_nothing_changed_is_a_304(read, large):
    for path in paths(large):
        first = read(path)
        again = read(path, **{"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"] and "Content-Type" not in again.headers


def test_head_of_a_long_list_is_get_without_the_body(read, large):
    for path in paths(large):
        get, head = read(path), read(path, method="HEAD")
        assert (head.status_code, head.data) == (200, b"")
        assert lasting(head) == lasting(get)


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
    ids=["seo", "moment", "withdrawn", "deleted", "category", "tag", "tag gone", "new"],
)
def test_whatever_changes_a_long_list_changes_its_etag(read, large, admin, change):
    asked = paths(large)[:4]
    before = [read(path, method="HEAD").headers["ETag"] for path in asked]
    item = f"{ARTICLES}{read(ARTICLES + '?fields=uuid').json[-1]['uuid']}/"
    assert change(admin, large, item).status_code in (200, 204)
    after = [read(path, method="HEAD").headers["ETag"] for path in asked]
    assert all(old != new for old, new in zip(before, after, strict=True))


def test_another_version_of_the_program_gives_long_lists_other_etags(read, large, make_app, monkeypatch):
    before = etags(read, large)

    def etags_after_a_start():
        client = FlaskClient(made := make_app(), made.response_class)
        return [
            client.head(path, headers={"X-API-KEY": large.reader}).headers["ETag"] for path in paths(large)
        ]

    assert etags_after_a_start() == before
    monkeypatch.setattr(json_reader, "FINGERPRINT", "of another version")
    assert not set(etags_after_a_start()) & set(before)


def test_a_scheduled_article_changes_the_etags_at_its_moment(read, large, at):
    before = etags(read, large)
    at(DUE - timedelta(microseconds=1))
    assert etags(read, large) == before
    at(DUE)
    assert not set(etags(read, large)) & set(before)
    shown = read(ARTICLES + "?fields=title,status").json
    assert (len(shown), shown[0]) == (NUMBER + 1, {"title": "Ahead", "status": "published"})


def test_what_a_reader_may_not_see_leaves_the_etags_alone(read, large, admin):
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


def test_a_long_list_of_ones_own_shows_all_states(read, large, at):
    answer = read(OWN + "?fields=title,status", large.admin)
    assert len(answer.json) == NUMBER + 2 == int(answer.headers["X-Total-Count"])
    assert [one["status"] for one in answer.json[:3]] == ["draft", "scheduled", "published"]
    at(DUE)
    later = read(OWN + "?fields=title,status", large.admin)
    assert later.json[1] == {"title": "Ahead", "status": "published"}
    assert later.headers["ETag"] != answer.headers["ETag"]


def test_a_write_of_a_long_list_honours_what_was_read_of_it(read, large, admin):
    etag = read(ARTICLES, large.admin).headers["ETag"]
    item = {"uuid": large.ahead.split("/")[-2], "title": "Other"}
    (changed,) = admin.patch(ARTICLES, json=[item], headers={"If-Match": etag}).json
    assert changed["title"] == "Other"
    assert outcome(admin.patch(ARTICLES, json=[item], headers={"If-Match": etag})) == (412, "stale")


@pytest.mark.parametrize("query", ["", "?q=面包", "?ordering=title"])
def test_what_a_write_takes_away_before_a_long_list_is_sent_is_not_sent(app, read, large, admin, query):
    gone, hidden, later = read(ARTICLES + "?fields=uuid").json[-3:]
    environ = EnvironBuilder(ARTICLES + query, headers={"X-API-KEY": large.reader}).get_environ()
    body = app.wsgi_app(environ, lambda status, headers: None)
    # The server has its answer, and has not sent any of it.
    assert admin.delete(f"{ARTICLES}{gone['uuid']}/").status_code == 204
    secret = {"status": "draft", "content": "secret"}
    assert admin.patch(f"{ARTICLES}{hidden['uuid']}/", json=secret).status_code == 200
    moved = {"published_at": "2999-01-01T00:00:00Z"}
    assert admin.patch(f"{ARTICLES}{later['uuid']}/", json=moved).status_code == 200
    sent = json.loads(b"".join(body))
    body.close()
    assert len(sent) == NUMBER - 3
    assert {one["status"] for one in sent} == {"published"}


def test_a_reader_who_hangs_up_leaves_nothing_open(app, read, large):
    for _ in range(20):
        environ = EnvironBuilder(ARTICLES, headers={"X-API-KEY": large.reader}).get_environ()
        body = app.wsgi_app(environ, lambda status, headers: None)
        assert next(iter(body)).startswith(b"[{")
        body.close()
    with app.app_context():
        assert db.engine.pool.checkedout() == 0
    assert len(read(ARTICLES).json) == NUMBER


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_lists_around_the_size_of_a_chunk_are_complete(read, large, monkeypatch, extra):
    whole = read(ARTICLES).data
    for size in (1, 67, NUMBER + extra):
        monkeypatch.setattr(json_reader, "CHUNK_SIZE", size)
        answer = read(ARTICLES)
        assert (answer.data, answer.headers["X-Total-Count"]) == (whole, str(NUMBER))


def test_a_page_past_the_end_of_a_long_list_is_empty(read, large):
    answer = read(ARTICLES + "?page=1000000000&page_size=100")
    assert (answer.data, answer.headers["X-Total-Count"]) == (b"[]", str(NUMBER))
    assert read(ARTICLES + "?q=面包&page=1000000000&page_size=100").data == b"[]"


def plan(statement, values):
    """How SQLite goes about the statement."""
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


def whole_tables(steps):
    """The steps that read a table from its beginning to its end."""
    return [step for step in steps if re.fullmatch(r"SCAN (article|article_pieces|category|tag)", step)]


ORDERED = [
    *({}, {"author": "author"}, {"category": ["shelf"]}),
    *({"published_after": NOW}, {"published_before": NOW}),
]
SORTED = [
    *({"tag": ["bread"]}, {"category": ["shelf", "walks"]}, {"slug": "n-1"}, {"ordering": "title"}),
    {"author": "author", "tag": ["bread"], "published_after": NOW},
]


@pytest.mark.sqlite("its plans")
@pytest.mark.parametrize("filters", [*ORDERED, *SORTED], ids=" ".join)
def test_a_list_goes_by_an_index(app, large, filters):
    with app.app_context():
        if "author" in filters:
            filters = filters | {"author": large.author}
        for chosen in (
            selections.select_public(ArticleFilters(**filters)),
            selections.select_by_author(large.author, ArticleFilters(**filters)),
        ):
            values = {**chosen.values, "limit": 20, "offset": 40}
            page = json_reader._page(chosen.uuids, chosen.descending, json_reader.DOCUMENTED_FIELDS)
            for statement in (page, chosen.uuids, chosen.count):
                steps = plan(statement, values)
                assert not whole_tables(steps), steps


@pytest.mark.sqlite("its plans")
@pytest.mark.parametrize("filters", ORDERED, ids=" ".join)
def test_a_list_of_what_all_may_see_is_not_sorted(app, large, filters):
    with app.app_context():
        chosen = selections.select_public(
            ArticleFilters(**filters | ({"author": large.author} if "author" in filters else {}))
        )
        steps = plan(chosen.uuids, chosen.values)
    assert len(steps) == 1 and "USING COVERING INDEX" in steps[0], steps


@pytest.mark.sqlite("its plans")
def test_an_article_is_found_by_its_index(app, large):
    with app.app_context():
        values = {"uuid": large.author, "now": NOW}
        for public in (True, False):
            steps = plan(json_reader._single(json_reader.DOCUMENTED_FIELDS, public), values)
            assert not whole_tables(steps), steps
            several = json_reader._several(json_reader.DOCUMENTED_FIELDS, public)
            steps = plan(several, {"uuids": [large.author], "now": NOW})
            assert not whole_tables(steps), steps
