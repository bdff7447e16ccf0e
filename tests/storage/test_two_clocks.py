"""Two servers with different clocks on one PostgreSQL database agree on which articles are due."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from blogapi import clock
from tests.conftest import ARTICLES
from tests.databases import SERVER_URL, other_connection
from tests.delivery.changes.test_routes import CHANGES

pytestmark = pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server")

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DUE = NOON + 60 * SECOND

offset: ContextVar[timedelta] = ContextVar("offset", default=timedelta())


@dataclass
class Server:
    """A server whose clock may differ from that of the database, and two clients: an admin and a reader."""

    admin: Any
    reader: Any
    cursor: str = "0"

    def read_changes(self, client: Any = None) -> list[tuple[str, str]]:
        """Return the changes of articles and categories since the last call.

        The reader requests them unless a client is given. Authors change together with their articles.
        """
        response = (client or self.reader).get(f"{CHANGES}?since={self.cursor}").json
        self.cursor = response["cursor"]
        changes = [(change["kind"], change["action"]) for change in response["changes"]]
        return [change for change in changes if change[0] != "author"]


class Offset:
    """A WSGI application with a clock that differs from that of the database."""

    def __init__(self, application: Any, seconds: int) -> None:
        self.application, self.seconds = application, seconds

    def __call__(self, environ: Any, start_response: Any) -> Any:
        token = offset.set(self.seconds * SECOND)
        try:
            return self.application(environ, start_response)
        finally:
            offset.reset(token)


@pytest.fixture
def set_server_time(monkeypatch):
    """Return a function that sets the clock of the database; the servers' clocks keep their offsets."""

    def set_to(time):
        monkeypatch.setattr(clock, "now", lambda: time + offset.get())
        monkeypatch.setattr(clock, "accept_database_time", lambda _: time)

    set_to(NOON)
    return set_to


@pytest.fixture(params=[3, -3, 30, -30])
def servers(request, app, people, set_server_time, make_app, make_client, make_article):
    """Two servers: the first has the same clock as the database, and the clock of the second differs."""
    admin, reader = people.key(people.admin, "write"), people.key(None)
    found = []
    for seconds in (0, request.param):
        app = make_app()
        app.wsgi_app = Offset(app.wsgi_app, seconds)
        found.append(Server(make_client(app, admin), make_client(app, reader)))
    make_article(title="Known")
    for server in found:
        assert server.read_changes() == [("category", "fetch"), ("article", "fetch")]
        server.reader.get(ARTICLES)
    return found


def schedule(server, category, time=DUE):
    body = {"title": "Bread", "category": {"uuid": category}, "published_at": time.isoformat()}
    response = server.admin.post(ARTICLES, json=body | {"status": "scheduled"})
    assert (response.status_code, response.json["status"]) == (201, "scheduled")
    return f"{ARTICLES}{response.json['uuid']}/"


def get_category(server):
    return server.reader.get(ARTICLES).json[0]["category"]["uuid"]


@pytest.mark.parametrize("writer", [0, 1])
def test_an_article_is_in_the_feed_of_both_servers_when_both_show_it(servers, set_server_time, writer):
    path = schedule(servers[writer], get_category(servers[0]))
    for seconds in (-31, -4, -3, -0.000001, 0, 1, 3, 31):
        set_server_time(DUE + seconds * SECOND)
        for server in servers:
            visible = seconds >= 0
            assert server.reader.get(path).status_code == (200 if visible else 404)
            assert len(server.reader.get(ARTICLES).json) == 1 + visible
            assert len(server.reader.get(f"{ARTICLES}?q=bread").json) == visible
            assert server.admin.get(path).json["status"] == ("published" if visible else "scheduled")
            assert server.read_changes() == ([("article", "fetch")] if seconds == 0 else [])


def test_a_client_that_switches_servers_gets_each_article_once(servers, set_server_time):
    category = get_category(servers[0])
    for number in range(5):
        schedule(servers[number % 2], category, DUE + 10 * number * SECOND)
    cursor, announced = servers[0].cursor, 0
    for seconds in range(-40, 80, 5):
        set_server_time(DUE + seconds * SECOND)
        for server in servers:
            server.cursor = cursor
            announced += len(server.read_changes())
            cursor = server.cursor
            assert announced == max(0, min(5, 1 + seconds // 10))


def test_an_article_published_on_one_server_is_visible_on_the_other_server(servers, set_server_time):
    category = get_category(servers[0])
    for seconds, (writer, reader) in enumerate((servers, servers[::-1])):
        set_server_time(NOON + seconds * SECOND)
        body = {"title": "Now", "category": {"uuid": category}, "status": "published"}
        created = writer.admin.post(ARTICLES, json=body).json
        path = f"{ARTICLES}{created['uuid']}/"
        assert reader.reader.get(path).json["status"] == "published"
        assert reader.reader.get(ARTICLES).json[0]["uuid"] == created["uuid"]
        assert reader.read_changes() == [("article", "fetch")]
        assert writer.read_changes() == [("article", "fetch")]
        stamps = reader.admin.get(f"{path}?fields=published_at,created,last_updated").json.values()
        assert {stamp[:19] for stamp in stamps} == {f"2030-01-01T12:00:0{seconds}"}


def test_each_article_has_one_event_whichever_server_reads_first(servers, app, set_server_time):
    schedule(servers[0], get_category(servers[0]))
    for seconds in (-31, 0, 31):
        set_server_time(DUE + seconds * SECOND)
        for server in servers * 3:
            server.read_changes()
            server.reader.get(ARTICLES)
    with other_connection(app) as other:
        events = other.exec_driver_sql("SELECT time FROM event WHERE what = 'published' AND kind = 'article'")
        assert [time for (time,) in events].count(DUE.replace(tzinfo=None)) == 1


def test_stored_times_come_from_the_clock_of_the_database(app, make_tag, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOON)
    with other_connection(app) as other:
        before = other.exec_driver_sql("SELECT clock_timestamp()").scalar()
        created = make_tag().created
        after = other.exec_driver_sql("SELECT clock_timestamp()").scalar()
    assert before <= created <= after
