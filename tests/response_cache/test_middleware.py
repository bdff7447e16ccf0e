"""Answers given again: what comes from memory, what never does, and that nobody can tell which it was."""

from __future__ import annotations

import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import OperationalError
from werkzeug.test import create_environ, run_wsgi_app

from blogapi import clock
from blogapi.api_keys import service as api_keys
from blogapi.articles import json_reader
from blogapi.articles import queries as article_queries
from blogapi.articles import service as article_service
from blogapi.articles.models import Article
from blogapi.articles.schemas import ArticleBodySchema
from blogapi.categories import taxonomy as categories_definition
from blogapi.response_cache import middleware
from blogapi.response_cache.lru_cache import GIVE_UP, LRUCache
from blogapi.storage.change_log import TracksChanges
from blogapi.storage.database import db, transaction
from blogapi.tags import taxonomy as tags_definition
from blogapi.taxonomies import service as taxonomies
from blogapi.users import service as users
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS, People
from tests.contracts.client import outcome
from tests.engines import write_elsewhere
from tests.live import running

ME = "/api/v1/auth/me/"
FRONT, EVIL = "https://front.example", "https://evil.example"
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def shelf(app, monkeypatch):
    """Where the application's answers are kept, with nothing in it."""
    monkeypatch.setattr(
        app.extensions["blogapi-replay"], "shelf", LRUCache(app.extensions["blogapi-replay"].shelf.size)
    )
    return app.extensions["blogapi-replay"].shelf


@pytest.fixture
def fresh(app, monkeypatch):
    """The requests that came through to the application behind the memory."""
    return passed(app, monkeypatch)


def passed(app, monkeypatch, *, slowly=0.0):
    seen, application = [], app.extensions["blogapi-replay"]._application

    def noting(environ, start_response):
        seen.append(environ["PATH_INFO"])
        time.sleep(slowly)
        return application(environ, start_response)

    monkeypatch.setattr(app.extensions["blogapi-replay"], "_application", noting)
    return seen


@pytest.fixture
def costs(statements):
    """Asks, and tells what the answer was and how many statements it took."""

    def ask(client, path, method="GET", **options):
        with statements() as seen:
            answer = client.open(path, method=method, **options)
            assert answer.data is not None
        return answer, len(seen)

    return ask


def warm(client, path, **options):
    """Ask until the answer is kept: the first request with a key also notes its use."""
    for _ in range(2):
        answer = client.get(path, **options)
        assert answer.data is not None
    return answer


def sent(app, path, key=None, method="GET", query="", **headers):
    """Return status, headers and body of the answer, by way of a plain WSGI call."""
    return called(app.extensions["blogapi-replay"], environ_of(path, key, method, query, **headers))


def environ_of(path, key=None, method="GET", query="", **headers):
    given = {"X-API-KEY": key} if key else {}
    return create_environ(path, method=method, query_string=query, headers=given | headers)


def called(application, environ):
    chunks, status, headers = run_wsgi_app(application, dict(environ), buffered=True)
    return status, list(headers), b"".join(chunks)


def kept(answer):
    """Return the headers but the id, which each request has of its own."""
    return [(name, value) for name, value in answer.headers if name != "X-Request-ID"]


# What comes from memory

KEPT = [
    *(ARTICLES, f"{ARTICLES}?page=1&page_size=2", f"{ARTICLES}?q=words&fields=title"),
    *(
        f"{ARTICLES}{{article}}/",
        f"{ARTICLES}author/me/",
        CATEGORIES,
        f"{CATEGORIES}{{category}}/",
        TAGS,
        f"{TAGS}{{tag}}/",
    ),
]


@pytest.mark.parametrize("template", KEPT)
def test_a_read_is_answered_from_memory(as_admin, make_article, make_category, make_tag, costs, template):
    category, tag = make_category(), make_tag()
    article = make_article(category=category, tags=(tag,))
    path = template.format(article=article.uuid, category=category.uuid, tag=tag.uuid)
    before = warm(as_admin, path)
    again, cost = costs(as_admin, path)
    assert (again.status, kept(again), again.data) == (
        before.status,
        kept(before),
        before.data,
    )
    assert (again.status_code, cost) == (200, 0)


def test_a_head_is_answered_from_memory(as_reader, make_article, costs):
    make_article()
    get, _ = warm(as_reader, ARTICLES), as_reader.head(ARTICLES)
    head, cost = costs(as_reader, ARTICLES, method="HEAD")
    assert (head.data, kept(head), cost) == (b"", kept(get), 0)


def test_a_304_is_answered_from_memory(as_reader, make_article, costs):
    make_article()
    headers = {"If-None-Match": warm(as_reader, ARTICLES).headers["ETag"]}
    before = as_reader.get(ARTICLES, headers=headers)
    again, cost = costs(as_reader, ARTICLES, headers=headers)
    assert (again.status_code, again.data, kept(again), cost) == (304, b"", kept(before), 0)
    assert costs(as_reader, ARTICLES, headers={"If-None-Match": '"other"'})[0].status_code == 200
    assert costs(as_reader, ARTICLES)[0].status_code == 200


def test_what_was_asked_for_in_another_order_is_another_request(as_reader, make_article, costs):
    make_article()
    first = warm(as_reader, f"{ARTICLES}?page=1&page_size=5")
    other, cost = costs(as_reader, f"{ARTICLES}?page_size=5&page=1")
    assert (other.data, cost > 0) == (first.data, True)


def test_the_two_spellings_of_a_path_are_two_requests(as_reader, make_article, costs):
    make_article()
    slashed = warm(as_reader, f"{TAGS}?page=1")
    bare = warm(as_reader, f"{TAGS[:-1]}?page=1")
    assert (f"<{TAGS}?" in slashed.headers["Link"], f"<{TAGS[:-1]}?" in bare.headers["Link"]) == (True, True)
    assert costs(as_reader, f"{TAGS[:-1]}?page=1")[0].headers["Link"] == bare.headers["Link"]


def test_the_header_that_names_nobody_is_no_part_of_the_request(as_reader, costs):
    warm(as_reader, TAGS)
    for headers in ({"Accept": "text/html"}, {"User-Agent": "x"}, {"Cookie": "a=b"}, {"Range": "bytes=0-1"}):
        answer, cost = costs(as_reader, TAGS, headers=headers)
        assert (answer.status_code, answer.json, cost) == (200, [], 0)


def test_a_body_that_several_callers_see_is_held_once(
    as_reader, as_published_admin, as_member, make_article, shelf, costs
):
    make_article(content="x" * 10_000)
    clients = (as_reader, as_published_admin, as_member)
    for client in clients:
        client.get(ME)
    assert len({warm(client, ARTICLES).data for client in clients}) == 1
    assert len(shelf) == 3
    assert shelf.held < 20_000
    assert [costs(client, ARTICLES)[1] for client in clients] == [0, 0, 0]


def test_the_memory_is_bounded_by_the_setting(make_app):
    app = make_app(CACHE_MEGABYTES=1)
    key, shelf = People(app).key(None), app.extensions["blogapi-replay"].shelf
    for number in range(200):
        # The Link of the answer names the query twice.
        query = f"page=1&tag={number}{f'&tag={number:0100}' * 25}"
        assert sent(app, ARTICLES, key, query=query)[0] == "200 OK"
    assert (shelf.size, shelf.largest) == (2**20, 2**17)
    assert 50 < len(shelf) < 199
    assert shelf.held <= shelf.size


# What is never kept


def unknown(app):
    """Return a key that is written as one and that nobody has."""
    with app.app_context():
        made = api_keys.issue(None)
        api_keys.delete_by_uuid(made.uuid)
        return made.value


@pytest.mark.parametrize("who", ["as_stranger", "as_login"])
@pytest.mark.parametrize("path", [ARTICLES, TAGS, ME, "/health/", "/nowhere"])
def test_nothing_is_kept_for_whom_no_key_identifies(request, shelf, who, path):
    client = request.getfixturevalue(who)
    answers = [client.get(path) for _ in range(3)]
    assert len({answer.status_code for answer in answers}) == 1
    assert len(shelf) == 0


def test_nothing_is_kept_for_a_wrong_key(app, as_stranger, shelf):
    for key in ("", "x", unknown(app)):
        for _ in range(3):
            assert as_stranger.get(ARTICLES, headers={"X-API-KEY": key}).status_code == 401
    assert len(shelf) == 0


NOT_KEPT = [
    *((ME, 200), (KEYS, 200), ("/api/v1/blog/changes/", 200), ("/api/v1/blog/redirects/", 200)),
    *(("/health/", 200), ("/openapi.json", 200), ("/docs/", 200)),
    *((f"{ARTICLES}{{article}}/revisions/", 200), (f"{ARTICLES}{{article}}/preview/", 200)),
    *(("{link}", 200), ("/nowhere", 404), (f"{ARTICLES}{KEYS.encode().hex()}/", 404), (f"{TAGS}x/", 404)),
    *((f"{TAGS}?x=1", 400), (f"{ARTICLES}?page=0", 400), ("/api/v1/auth/login/", 405)),
]


@pytest.mark.parametrize(("template", "status"), NOT_KEPT)
def test_no_other_answer_is_kept(as_admin, make_article, shelf, template, status):
    path = f"{ARTICLES}{make_article().uuid}/"
    link = as_admin.post(f"{path}preview/").json["url"]
    path = template.format(article=path.removeprefix(ARTICLES)[:-1], link=link)
    for method in ("GET", "HEAD"):
        assert {as_admin.open(path, method=method).status_code for _ in range(3)} == {status}
    assert len(shelf) == 0


def test_no_refusal_is_kept(as_member, shelf):
    assert {as_member.get(f"{ARTICLES}author/me/").status_code for _ in range(3)} == {403}
    assert len(shelf) == 0


def test_no_write_is_kept(as_admin, shelf):
    names = [as_admin.post(TAGS, json={"name": f"tag {number}"}).json["name"] for number in range(3)]
    assert (names, len(shelf)) == (["tag 0", "tag 1", "tag 2"], 0)


def test_a_read_with_a_body_is_not_answered_from_memory(as_reader, shelf, fresh):
    warm(as_reader, TAGS)
    held, before = len(shelf), len(fresh)
    for _ in range(2):
        as_reader.get(TAGS, json={})
        as_reader.get(TAGS, headers={"Transfer-Encoding": "chunked"})
    assert (len(shelf), len(fresh) - before) == (held, 4)


def test_a_key_beside_a_login_is_judged_as_the_key(as_login, people, shelf):
    headers = {"X-API-KEY": people.key(people.member)}
    own = f"{ARTICLES}author/me/"
    assert as_login.get(own).status_code == 200
    assert [as_login.get(own, headers=headers).status_code for _ in range(2)] == [403, 403]
    assert warm(as_login, TAGS, headers=headers).headers.getlist("Set-Cookie") == []


def test_no_caller_hears_what_another_heard(
    as_reader, as_published_admin, as_member, as_admin, as_stranger, make_article
):
    draft = f"{ARTICLES}{make_article(status='draft').uuid}/"
    others = (as_reader, as_published_admin, as_member, as_stranger)
    for _ in range(3):
        assert as_admin.get(draft).status_code == 200
        assert [client.get(draft).status_code for client in others] == [404, 404, 404, 401]
        assert as_admin.get(f"{ARTICLES}author/me/").status_code == 200
        assert outcome(as_member.get(f"{ARTICLES}author/me/")) == (403, "forbidden")
        assert outcome(as_published_admin.get(f"{ARTICLES}author/me/"))[0] == 403


# Keys


def test_a_key_that_was_deleted_is_dead(as_reader, people):
    key = people.uuid(as_reader.key)
    warm(as_reader, ARTICLES)
    assert as_reader.delete(f"{KEYS}{key}/").status_code == 204
    assert outcome(as_reader.get(ARTICLES)) == (401, "key_invalid")


def test_a_key_that_was_deleted_by_a_command_is_dead(app, as_reader, people):
    key = people.uuid(as_reader.key)
    warm(as_reader, ARTICLES)
    assert app.test_cli_runner().invoke(args=["key", "delete", key]).exit_code == 0
    assert as_reader.get(ARTICLES).status_code == 401


def test_a_key_is_dead_with_its_user(app, as_member):
    warm(as_member, ARTICLES)
    assert app.test_cli_runner().invoke(args=["user", "delete", "mel", "--yes"]).exit_code == 0
    assert as_member.get(ARTICLES).status_code == 401


def test_a_key_expires_at_its_moment(app, as_stranger, at, costs):
    at(NOON)
    with app.app_context():
        key = api_keys.issue(None, expires=NOON + 10 * MINUTE).value
    headers = {"X-API-KEY": key}
    warm(as_stranger, TAGS, headers=headers)
    at(NOON + 10 * MINUTE - timedelta.resolution)
    answer, cost = costs(as_stranger, TAGS, headers=headers)
    assert (answer.status_code, cost) == (200, 0)
    at(NOON + 10 * MINUTE)
    assert as_stranger.get(TAGS, headers=headers).json["code"] == "key_expired"


def test_a_key_that_was_rotated_lives_through_the_overlap(as_reader, as_admin, people, at):
    at(NOON)
    key = people.uuid(as_reader.key)
    warm(as_reader, TAGS)
    assert as_admin.post(f"{KEYS}{key}/rotate/", json={"overlap_seconds": 60}).status_code == 201
    warm(as_reader, TAGS)
    at(NOON + timedelta(seconds=59))
    assert as_reader.get(TAGS).status_code == 200
    at(NOON + timedelta(seconds=60))
    assert outcome(as_reader.get(TAGS)) == (401, "key_expired")


def test_the_use_of_a_key_is_noted_every_hour(as_reader, as_admin, people, at):
    at(NOON)
    as_reader.get(TAGS)
    key = people.uuid(as_reader.key)

    def noted():
        return as_admin.get(f"{KEYS}{key}/").json["last_used"][:16]

    for minutes, last in ((1, "12:00"), (59, "12:00"), (60, "13:00"), (119, "13:00"), (120, "14:00")):
        at(NOON + minutes * MINUTE)
        for _ in range(2):
            as_reader.get(TAGS)
        assert noted() == f"2030-01-01T{last}"


@pytest.mark.parametrize("role", ["member", "admin"])
def test_another_role_counts_at_once(app, people, as_member, as_admin, role):
    own = f"{ARTICLES}author/me/"
    client = as_admin if role == "member" else as_member
    found = [outcome(warm(client, own))]
    write_elsewhere(app, "UPDATE account SET role = :role", role=role)
    found.append(outcome(client.get(own)))
    admin, member = (200, None), (403, "forbidden")
    assert found == ([admin, member] if role == "member" else [member, admin])


def test_another_scope_counts_at_once(app, as_admin):
    for scope, expected in (("write", (201, None)), ("read", (403, "scope_missing")), ("write", (201, None))):
        write_elsewhere(app, "UPDATE api_key SET scope = :scope", scope=scope)
        warm(as_admin, TAGS)
        answer = as_admin.post(TAGS, json={"name": f"{scope} {time.monotonic_ns()}"})
        assert outcome(answer) == expected


# What is shown


def test_an_unpublished_article_is_gone(as_reader, as_admin, make_article):
    path = f"{ARTICLES}{make_article().uuid}/"
    assert (warm(as_reader, path).status_code, len(warm(as_reader, ARTICLES).json)) == (200, 1)
    assert as_admin.patch(path, json={"status": "draft"}).status_code == 200
    assert (as_reader.get(path).status_code, as_reader.get(ARTICLES).json) == (404, [])


def test_a_renamed_tag_has_its_name_everywhere(as_reader, as_admin, make_article, make_tag):
    tag = make_tag("old")
    path = f"{ARTICLES}{make_article(tags=(tag,)).uuid}/"
    for each in (ARTICLES, path, TAGS, f"{TAGS}{tag.uuid}/"):
        assert '"name":"old"' in warm(as_reader, each).text
    as_admin.patch(f"{TAGS}{tag.uuid}/", json={"name": "new"})
    for each in (ARTICLES, path, TAGS, f"{TAGS}{tag.uuid}/"):
        text = as_reader.get(each).text
        assert '"name":"new"' in text and '"name":"old"' not in text


def test_what_another_process_wrote_is_shown(app, as_reader, make_article):
    path = f"{ARTICLES}{make_article().uuid}/"
    assert warm(as_reader, path).status_code == 200
    write_elsewhere(app, "UPDATE article SET status = 'draft'")
    assert outcome(as_reader.get(path)) == (404, "not_found")


@pytest.mark.sqlite("its file")
def test_a_file_that_is_gone_is_not_served_from_memory(app, as_reader, make_article, instance):
    make_article()
    warm(as_reader, ARTICLES)
    with app.app_context():
        db.session.remove()
        db.engine.dispose()
    for path in instance.glob("blog.db*"):
        path.unlink()
    assert outcome(as_reader.get(ARTICLES)) == (503, "unavailable")


# Schedules


def test_scheduled_articles_appear_at_their_moments(as_reader, make_article, make_tag, make_category, at):
    at(NOON)
    tag, category = make_tag(), make_category()
    items = []
    for minutes in (5, 10, 10, 15):
        when = (NOON + minutes * MINUTE).isoformat()
        made = make_article(category=category, tags=(tag,), status="scheduled", published_at=when)
        items.append(f"{ARTICLES}{made.uuid}/")
    lists = (ARTICLES, f"{ARTICLES}?tag={tag.uuid}", f"{CATEGORIES}{category.uuid}/", f"{TAGS}{tag.uuid}/")
    for minutes, visible in ((0, 0), (4, 0), (5, 1), (9, 1), (10, 3), (14, 3), (15, 4), (40, 4)):
        at(NOON + minutes * MINUTE)
        for _ in range(2):
            assert [as_reader.get(path).status_code for path in items].count(200) == visible
            shown = [as_reader.get(path).json for path in lists]
            counted = [len(each) if isinstance(each, list) else len(each["articles"]) for each in shown]
            assert counted == [visible] * 4


def test_answers_come_from_memory_before_and_after_each_moment(as_reader, make_article, at, costs):
    at(NOON)
    for minutes in (5, 10):
        make_article(status="scheduled", published_at=(NOON + minutes * MINUTE).isoformat())
    for minutes, visible in ((0, 0), (4, 0), (5, 1), (9, 1), (10, 2), (50, 2)):
        at(NOON + minutes * MINUTE)
        assert len(warm(as_reader, ARTICLES).json) == visible
        assert costs(as_reader, ARTICLES)[1] == 0


def test_an_article_that_appears_while_the_answer_is_made_is_in_the_next(
    app, as_reader, make_article, at, monkeypatch
):
    at(NOON)
    make_article(status="scheduled", published_at=(NOON + MINUTE).isoformat())
    as_reader.get(ME)
    application = app.extensions["blogapi-replay"]._application

    def slow(environ, start_response):
        chunks = application(environ, start_response)
        at(NOON + MINUTE)
        return chunks

    monkeypatch.setattr(app.extensions["blogapi-replay"], "_application", slow)
    assert as_reader.get(ARTICLES).json == []
    assert len(as_reader.get(ARTICLES).json) == 1


def test_what_a_clock_that_is_ahead_published_appears_when_ours_is_there(as_reader, make_article, at):
    at(NOON + MINUTE)
    make_article(status="published", published_at=(NOON + MINUTE).isoformat())
    at(NOON)
    assert warm(as_reader, ARTICLES).json == []
    at(NOON + MINUTE)
    assert len(as_reader.get(ARTICLES).json) == 1


def test_a_clock_that_is_set_back_shows_what_its_time_shows(as_reader, make_article, at):
    at(NOON)
    make_article(status="scheduled", published_at=(NOON + MINUTE).isoformat())
    for minutes, visible in ((2, 1), (0, 0), (2, 1), (0, 0)):
        at(NOON + minutes * MINUTE)
        assert len(warm(as_reader, ARTICLES).json) == visible


def test_only_articles_appear_by_the_clock_alone():
    late = [
        kind for kind in TracksChanges.__subclasses__() if kind.visible_from is not TracksChanges.visible_from
    ]
    assert late == [Article]


# Browsers of other sites, and other names of ours


def test_each_origin_hears_its_own_answer(make_app, monkeypatch):
    app = make_app(CORS_ORIGINS=FRONT)
    key, past, seen = (
        People(app).key(None),
        app.extensions["blogapi-replay"]._application,
        passed(app, monkeypatch),
    )
    for _ in range(3):
        for headers, allowed in (({"Origin": FRONT}, FRONT), ({"Origin": EVIL}, None), ({}, FRONT)):
            answer = sent(app, TAGS, key, **headers)
            assert dict(answer[1]).get("Access-Control-Allow-Origin") == allowed
            assert answer == called(past, environ_of(TAGS, key, **headers))
    # The first notes the use of the key.
    assert len(seen) == 4


def test_each_name_of_the_blog_has_its_own_answers(app, people, fresh):
    key = people.key(None)
    for _ in range(3):
        for host in ("a.example", "b.example"):
            assert sent(app, TAGS, key, Host=host)[0] == "200 OK"
    assert len(fresh) == 3


# Crowds


def crowd(app, path, key, size=16):
    """Ask for the page from many threads at once; return the different answers."""
    barrier, answers, failures = threading.Barrier(size), [], []
    environ = environ_of(path, key)

    def ask():
        try:
            barrier.wait(10)
            answers.append(called(app.extensions["blogapi-replay"], environ))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert (len(answers), failures) == (size, [])
    return {(status, tuple(headers), body) for status, headers, body in answers}


@pytest.mark.parametrize("slowly", [0.0, 0.05])
def test_a_crowd_has_a_cold_page_made_once(app, people, make_article, monkeypatch, slowly):
    key, path = people.key(None), f"{ARTICLES}{make_article().uuid}/"
    sent(app, ME, key)
    seen = passed(app, monkeypatch, slowly=slowly)
    for turn in range(10):
        write_elsewhere(app, "UPDATE account SET username = username || :turn", turn=str(turn))
        before = len(seen)
        assert len(crowd(app, path, key)) == 1
        assert len(seen) - before == 1


def test_a_crowd_costs_the_statements_of_one(app, people, make_article, statements):
    key, path = people.key(None), f"{ARTICLES}{make_article().uuid}/"
    sent(app, ME, key)
    with statements() as seen:
        crowd(app, path, key)
    # Who asks, what is shown, and what is due next.
    assert len(seen) == 3


def test_who_asks_a_moment_before_the_one_that_is_waited_for_is_answered_too(app, people, fresh, at):
    key = people.key(None)
    sent(app, ME, key)
    at(NOON)
    state = app.extensions["blogapi-replay"]._source.state()
    made = app.extensions["blogapi-replay"]._made[middleware._request(environ_of(TAGS, key), key), state] = (
        threading.Event()
    )
    answers = []
    at(NOON - MINUTE)
    waiting = threading.Thread(target=lambda: answers.append(sent(app, TAGS, key)))
    waiting.start()
    at(NOON)
    time.sleep(0.1)
    asked = middleware._Asked(middleware._request(environ_of(TAGS, key), key), state, NOON, "200 OK")
    app.extensions["blogapi-replay"]._keep(asked, NOON + MINUTE, b"made by the other")
    waiting.join(10)
    assert (answers[0][2], made.is_set(), len(fresh)) == (b"made by the other", True, 1)


def test_refusals_hold_nobody_up(app, monkeypatch):
    key = unknown(app)
    seen = passed(app, monkeypatch, slowly=0.05)
    began = time.monotonic()
    assert {status for status, *_ in crowd(app, TAGS, key)} == {"401 UNAUTHORIZED"}
    assert (len(seen), time.monotonic() - began < 4) == (16, True)


# Clients that leave, and failures


@pytest.fixture
def asked(app, people):
    """The application, and the environment of a request whose answer is not yet kept."""
    key = people.key(None)
    sent(app, ME, key)
    return app.extensions["blogapi-replay"], environ_of(TAGS, key)


def quickly(application, environ):
    """Ask, and see that nobody was waited for."""
    began = time.monotonic()
    answer = called(application, environ)
    assert time.monotonic() - began < 2
    return answer


def begun(application, environ):
    return application(dict(environ), lambda status, headers, *_: None)


def test_a_client_that_leaves_before_the_first_byte_holds_nobody_up(asked, shelf):
    begun(*asked).close()
    assert len(shelf) == 0
    assert quickly(*asked)[2] == b"[]"


def test_a_client_that_leaves_in_the_middle_holds_nobody_up(app, asked, shelf, monkeypatch):
    application, environ = asked
    real = application._application

    def in_pieces(environ, start_response):
        status, headers, body = called(real, environ)
        start_response(status, [pair for pair in headers if pair[0] != "Content-Length"])
        environ[middleware.CACHEABLE_UNTIL_KEY] = middleware.NO_EXPIRY
        return iter([body, b" ", b" "])

    # As a streamed list: its length is not told.
    monkeypatch.setattr(application, "_application", in_pieces)
    chunks = begun(application, environ)
    assert next(chunks) == b"[]"
    chunks.close()
    assert len(shelf) == 0
    assert b"".join(begun(application, environ)) == b"[]  "


def test_a_client_that_reads_slowly_holds_nobody_up(asked):
    chunks = begun(*asked)
    assert next(chunks) == b"[]"
    assert quickly(*asked)[2] == b"[]"
    chunks.close()


def test_who_asks_the_same_is_not_made_to_wait_for_a_client_that_the_server_waits_for(asked):
    application, environ = asked
    first = dict(environ)
    chunks = application(first, lambda status, headers, *_: None)
    first[GIVE_UP]()
    assert quickly(application, environ)[2] == b"[]"
    chunks.close()


def test_a_client_that_never_reads_is_waited_for_a_bounded_time(asked, monkeypatch):
    monkeypatch.setattr(middleware, "WAIT_SECONDS", 0.2)
    chunks = begun(*asked)
    began = time.monotonic()
    assert called(*asked)[2] == b"[]"
    assert time.monotonic() - began >= 0.2
    chunks.close()


def test_a_failure_is_not_kept(app, as_reader, shelf, monkeypatch):
    as_reader.get(ME)
    with monkeypatch.context() as patch:
        patch.setattr(article_queries, "list_published", lambda *_, **__: 1 / 0)
        assert [as_reader.get(ARTICLES).status_code for _ in range(2)] == [500, 500]
    assert (len(shelf), app.extensions["blogapi-replay"]._made) == (0, {})
    assert as_reader.get(ARTICLES).status_code == 200


@pytest.mark.parametrize("failure", [ZeroDivisionError, SystemExit, KeyboardInterrupt])
def test_an_application_that_raises_holds_nobody_up(asked, shelf, monkeypatch, failure):
    application, environ = asked

    def fail(environ, start_response):
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr(application, "_application", fail)
        with pytest.raises(failure):
            called(application, environ)
    monkeypatch.setattr(middleware, "WAIT_SECONDS", 0.01)
    # Who has to wait for another's answer keeps none of its own.
    assert (called(application, environ)[0], len(shelf)) == ("200 OK", 1)


def test_who_finds_the_answer_after_all_holds_nobody_up(app, asked, make_article, monkeypatch, at):
    application, environ = asked
    at(NOON)
    make_article(status="scheduled", published_at=(NOON + MINUTE).isoformat())
    for _ in range(2):
        called(application, environ)
    seen = passed(app, monkeypatch)
    # The clock stood a minute back when this one came in, as if the answer had been made meanwhile.
    moments = iter([NOON - MINUTE])
    monkeypatch.setattr(clock, "now", lambda: next(moments, NOON))
    assert (called(application, environ)[2], seen) == (b"[]", [])
    monkeypatch.setattr(middleware, "WAIT_SECONDS", 0.01)
    at(NOON + MINUTE)
    for _ in range(3):
        assert called(application, environ)[2] == b"[]"
    assert len(seen) == 1


def test_an_answer_that_breaks_off_is_not_kept(asked, shelf, monkeypatch):
    application, environ = asked

    def broken(environ, start_response):
        environ[middleware.CACHEABLE_UNTIL_KEY] = middleware.NO_EXPIRY
        start_response("200 OK", [])
        yield b"half"
        raise RuntimeError

    def breaking(environ, start_response):
        chunks = broken(environ, start_response)
        return [next(chunks), *()] and _after(b"half", chunks)

    with monkeypatch.context() as patch:
        patch.setattr(application, "_application", breaking)
        with pytest.raises(RuntimeError):
            called(application, environ)
    assert len(shelf) == 0
    assert quickly(application, environ)[2] == b"[]"


def _after(first, rest):
    yield first
    yield from rest


def test_a_database_that_fails_after_the_answer_does_not_break_it(asked, shelf, monkeypatch):
    def fail(now):
        raise OperationalError("", {}, Exception("the disk is gone"))

    with monkeypatch.context() as patch:
        patch.setattr(article_queries, "next_publication", fail)
        assert quickly(*asked)[2] == b"[]"
    assert len(shelf) == 0
    assert quickly(*asked)[2] == b"[]"
    assert len(shelf) == 1


def test_nobody_outside_can_change_what_is_kept(asked):
    application, environ = asked

    def spoiling(status, headers, *_):
        headers.append(("X-Spoilt", "yes"))

    for _ in range(3):
        assert b"".join(application(dict(environ), spoiling)) == b"[]"
    assert "X-Spoilt" not in dict(called(application, environ)[1])


# Long lists


@pytest.fixture
def long_list(make_app, monkeypatch):
    """Makes a blog with a list of three chunks, whose articles have that length; it keeps up to 128 kB."""

    def make(length):
        monkeypatch.setattr(json_reader, "CHUNK_SIZE", 4)
        app = make_app(CACHE_MEGABYTES=1)
        people = People(app)
        with app.app_context(), transaction():
            category = taxonomies.create(
                categories_definition.CATEGORIES, people.admin.uuid, {"name": "Shelf"}
            )
            for number in range(10):
                article(people, category.uuid, title=f"Article {number}", content="x" * length)
        key = people.key(None)
        sent(app, ME, key)
        return app, key, passed(app, monkeypatch)

    return make


def article(people, category, **fields):
    given = {"status": "published", "published_at": "2026-01-01T00:00:00Z"}
    given["category"] = {"uuid": str(category)}
    return article_service.create(people.admin.uuid, ArticleBodySchema().load(given | fields))


def test_a_long_list_is_kept_where_it_is_small_enough(long_list):
    app, key, seen = long_list(1)
    answers = [sent(app, ARTICLES, key) for _ in range(3)]
    assert "Content-Length" not in dict(answers[0][1])
    assert len(answers[0][2]) < 2**17
    assert answers[0] == answers[1] == answers[2]
    assert len(seen) == 1


def test_a_long_list_is_not_kept_where_it_is_too_large(long_list):
    app, key, seen = long_list(20_000)
    answers = [sent(app, ARTICLES, key) for _ in range(3)]
    assert len(answers[0][2]) > 2**17
    assert answers[0] == answers[1] == answers[2]
    assert (len(seen), len(app.extensions["blogapi-replay"].shelf)) == (3, 0)


def test_a_list_that_is_too_large_holds_nobody_up(long_list):
    app, key, _ = long_list(20_000)
    environ = environ_of(ARTICLES, key)
    reading = begun(app.extensions["blogapi-replay"], environ)
    next(reading), next(reading)
    assert quickly(app.extensions["blogapi-replay"], environ)[0] == "200 OK"
    reading.close()


# On a socket


def heard(port, *requests):
    """Send the requests at once; return all that is answered until the connection ends."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
        sock.sendall("".join(requests).encode())
        pieces = []
        while piece := sock.recv(65536):
            pieces.append(piece)
    return b"".join(pieces).decode("latin-1")


def request_of(method, path, key, *headers):
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: blog", f"X-API-KEY: {key}", *headers, "", ""))


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("condition", [(), ("If-None-Match: *",)])
@pytest.mark.parametrize("path", [ARTICLES, f"{ARTICLES}?page=1"])
def test_the_headers_on_the_wire_are_the_same_from_memory(long_list, method, condition, path):
    app, key, seen = long_list(1)
    with running(app) as port:
        request = request_of(method, path, key, "Connection: close", *condition)
        heads = [heard(port, request).partition("\r\n\r\n")[0].split("\r\n") for _ in range(3)]
    # How a long list of unknown length is framed may differ, the date and the id of the request.
    whole = method == "GET" and not condition
    differing = ("Transfer-Encoding", "Date", "X-Request-Id", *(["Content-Length"] if whole else []))
    first, *others = [[line for line in head if not line.startswith(differing)] for head in heads]
    assert [*others] == [first, first]
    assert len(seen) == 1


def test_a_read_that_was_sent_right_behind_a_write_sees_it(make_app, monkeypatch):
    app = make_app()
    people = People(app)
    key = people.key(None)
    uuid = people.uuid(key)
    assert sent(app, TAGS, key, Host="blog")[0] == "200 OK"
    application = app.extensions["blogapi-replay"]._application

    def overtaken(environ, start_response):
        # Meanwhile another request has the state looked up.
        assert app.extensions["blogapi-replay"]._source.state() is not None
        return application(environ, start_response)

    monkeypatch.setattr(app.extensions["blogapi-replay"], "_application", overtaken)
    with running(app) as port:
        answers = heard(
            port,
            request_of("DELETE", f"{KEYS}{uuid}/", key),
            request_of("GET", TAGS, key, "Connection: close"),
        )
    assert [line for line in answers.split("\r\n") if line.startswith("HTTP/")] == [
        "HTTP/1.1 204 NO CONTENT",
        "HTTP/1.1 401 UNAUTHORIZED",
    ]


# Whatever anybody asks, and whatever is written meanwhile


class World:
    """A blog, its callers, and two ways in: by the memory, and past it."""

    def __init__(self, app, at):
        self.app, self.at, self.now = app, at, NOON
        at(NOON)
        self.people = people = People(app)
        self.past = app.extensions["blogapi-replay"]._application
        self.hits = self.reads = self.number = 0
        app.extensions["blogapi-replay"]._application = self._noted
        with app.app_context():
            self.category = taxonomies.create(
                categories_definition.CATEGORIES, people.admin.uuid, {"name": "Shelf"}
            ).uuid
            self.tag = taxonomies.create(tags_definition.TAGS, people.admin.uuid, {"name": "tag"}).uuid
            token = users.log_in(people.admin, lasts=timedelta(days=3650))
        client = app.test_client()
        with client.session_transaction() as session:
            session["token"] = token
        self.cookie = client.get_cookie("blogapi_session").value
        self.callers = {
            "stranger": None,
            "wrong": unknown(app),
            "ownerless": people.key(None),
            "member": people.key(people.member, "write"),
            "reading admin": people.key(people.admin),
            "writing admin": people.key(people.admin, "write"),
            "other admin": people.key(people.other_admin, "write"),
            "passing": people.key(people.admin, "write"),
            "login": None,
        }
        self.articles, self.last = [], None
        self.etag = '"none"'
        for _ in range(3):
            self.write("publish", 0)

    def _noted(self, environ, start_response):
        self.hits -= 1
        return self.past(environ, start_response)

    def paths(self):
        articles = [f"{ARTICLES}{uuid}/" for uuid in self.articles[-3:]]
        return [
            *(ARTICLES, f"{ARTICLES}author/me/", CATEGORIES, TAGS, f"{CATEGORIES}{self.category}/"),
            *(f"{TAGS}{self.tag}/", KEYS, ME, "/api/v1/blog/changes/", "/nowhere", TAGS[:-1], *articles),
        ]

    def ask(self, callers, place, method, query, variants, body=None):
        """Let all of them ask again and again, and see that nobody can tell what came from memory."""
        self.last = (callers, place, method, query, variants)
        path, etag = self.paths()[place % len(self.paths())], self.etag
        for who, headers in [*product(callers, variants)] * 3:
            mine = {"Cookie": f"blogapi_session={self.cookie}"} if who == "login" else {}
            key = {"X-API-KEY": self.callers[who]} if self.callers[who] else {}
            told = {name: etag if value == "the last" else value for name, value in headers.items()}
            environ = create_environ(
                path, query_string=query, method=method, headers=told | mine | key, data=body
            )
            self.hits += 1
            self.reads += 1
            again, new = called(self.app.extensions["blogapi-replay"], environ), called(self.past, environ)
            assert again == new
            assert not new[0].startswith("5")
            self.etag = dict(new[1]).get("ETag", self.etag)

    def publish(self, *, ahead=0):
        self.number += 1
        when = (self.now + ahead * MINUTE).isoformat()
        status = "scheduled" if ahead else "published"
        fields = {"title": f"Article {self.number}", "status": status, "published_at": when}
        named = {"tags": [{"uuid": str(self.tag)}]}
        self.articles.append(article(self.people, self.category, **fields, **named).uuid)

    def write(self, what, number):
        with self.app.app_context():
            self._write(what, number)
        if self.last:
            self.ask(*self.last)

    def _write(self, what, number):
        admin, which = self.people.admin.uuid, (self.articles or [None])[number % max(1, len(self.articles))]
        if what == "publish":
            self.publish()
        elif what == "schedule":
            self.publish(ahead=1 + number)
        elif what == "unpublish":
            fields = {"status": "draft"}
            if article_queries.get_by_uuid(which).status == "published":
                article_service.change(admin, which, ArticleBodySchema(partial=True).load(fields))
        elif what == "retitle":
            self.number += 1
            fields = {"title": f"Title {self.number}"}
            article_service.change(admin, which, ArticleBodySchema(partial=True).load(fields))
        elif what == "delete":
            if len(self.articles) > 3:
                article_service.delete(which)
                self.articles.remove(which)
        elif what == "tag":
            self.number += 1
            taxonomies.change(tags_definition.TAGS, self.tag, {"name": f"tag {self.number}"})
        elif what == "category":
            self.number += 1
            taxonomies.change(
                categories_definition.CATEGORIES, self.category, {"name": f"category {self.number}"}
            )
        elif what == "role":
            role = ["member", "admin"][number % 2]
            write_elsewhere(self.app, "UPDATE account SET role = :role WHERE username = 'mel'", role=role)
        elif what == "key":
            api_keys.delete_by_uuid(by_value(self.callers["passing"]))
            expires = self.now + number * MINUTE if number % 3 else None
            self.callers["passing"] = api_keys.issue(
                [admin, None][number % 2], scopes={["read", "published"][number % 2]}, expires=expires
            ).value
        else:
            self.now += number * MINUTE
            self.at(self.now)


def by_value(value):
    return next(key.uuid for key in db.session.query(api_keys.ApiKey) if value.startswith(key.prefix))


CALLERS = ["stranger", "wrong", "ownerless", "member", "reading admin", "writing admin", "other admin"]
QUERIES = [
    *("page=1&page_size=2", "page_size=2&page=1", "fields=title", "fields=uuid,status", "q=article"),
    *("page=0", "x=1", "status=draft", "ordering=title", "page=2"),
]
HEADERS = [
    *({}, {"Origin": FRONT}, {"Origin": EVIL}, {"If-None-Match": "the last"}, {"If-None-Match": "*"}),
    *({"If-None-Match": '"x"', "Origin": FRONT}, {"If-Match": '"x"'}, {"Accept": "text/html"}),
    *({"If-Modified-Since": "Tue, 01 Jan 2030 12:00:00 GMT"}, {"Range": "bytes=0-1"}, {"Cookie": "a=b"}),
    *({"Host": "other.example"}, {"Idempotency-Key": "a"}),
]
WRITES = ["publish", "schedule", "unpublish", "retitle", "delete", "tag", "category", "role", "key", "wait"]
READ = st.tuples(
    st.lists(st.sampled_from([*CALLERS, "passing", "login"]), min_size=1, max_size=3, unique=True),
    st.integers(0, 13),
    st.sampled_from(["GET", "GET", "GET", "HEAD"]),
    st.just("") | st.sampled_from(QUERIES),
    st.lists(st.sampled_from(HEADERS), min_size=1, max_size=3),
    st.sampled_from([None] * 9 + [b"{}"]),
)
WRITE = st.tuples(st.sampled_from(WRITES), st.integers(0, 40))


def test_nobody_can_tell_an_answer_that_is_given_again(make_app, at):
    world = World(make_app(CORS_ORIGINS=[FRONT, "https://second.example"]), at)

    # What an example finds depends on those before it, so that none can be made smaller.
    @settings(max_examples=6, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.lists(READ | WRITE, min_size=10, max_size=20))
    def try_all(steps):
        for step in steps:
            (world.write if len(step) == 2 else world.ask)(*step)

    # These are tried whatever chance says.
    everyone = [*CALLERS, "passing", "login"]
    for place in (0, 1, 4, 13):
        world.ask(everyone, place, "GET", "", [{}, {"Origin": FRONT}, {"Origin": EVIL}])
    for what in WRITES:
        world.write(what, 1)
    world.ask(everyone[2:6], 0, "GET", "", [{}, {"If-None-Match": "the last"}, {"Host": "other.example"}])
    world.ask(everyone[2:6], 0, "GET", "page=1&page_size=1", [{}])
    try_all()
    assert world.hits > world.reads / 10
