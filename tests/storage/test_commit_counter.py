"""The commit version of a PostgreSQL database, from the row that counts its commits."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from operator import add

import pytest
from sqlalchemy import create_engine, make_url, text, update

from blogapi.delivery.response_cache.commit_version import PostgresVersionSource
from blogapi.storage.checkpoint import WriteLock
from blogapi.storage.database import WRITE_LOCK, CommitCounter, db, transaction
from tests.conftest import TAGS
from tests.databases import SERVER_URL
from tests.delivery.response_cache.cached_blog import warm

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server")

TERMINATE_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid != pg_backend_pid()"
)


@pytest.fixture
def engine(app):
    with app.app_context():
        return db.engine


@pytest.fixture
def make_source(app, engine):
    """Makes commit version sources of the database."""
    with ExitStack() as stack:

        def make(**options) -> PostgresVersionSource:
            source = PostgresVersionSource(engine, WRITE_LOCK.get(app), **options)
            stack.callback(source.close)
            return source

        yield make


@pytest.fixture
def source(make_source) -> PostgresVersionSource:
    """The commit version source of the database."""
    return make_source()


@pytest.fixture
def execute(engine):
    """Executes a statement on another connection."""

    def execute(statement):
        with engine.begin() as connection:
            connection.execute(text(statement) if isinstance(statement, str) else statement)

    return execute


@pytest.fixture
def increment(execute):
    """Changes the tag, as every transaction does."""
    return lambda: execute(update(CommitCounter).values(tag=secrets.token_hex(4)))


def test_the_commit_number_grows_with_the_commit_counter(source, increment):
    first, second = source.get_version(), source.get_version()
    increment()
    third = source.get_version()
    assert first == second < third
    assert first.public == third.public


def test_the_public_number_grows_with_the_writes_that_readers_can_see(app, source):
    first = source.get_version()
    with app.app_context(), transaction(visible=False):
        pass
    hidden = source.get_version()
    with app.app_context(), transaction():
        pass
    assert (hidden > first, hidden.public == first.public) == (True, True)
    assert source.get_version().public > first.public


def test_the_version_contains_the_time_of_the_server(source, engine):
    with engine.connect() as connection:
        before = connection.scalar(text("SELECT clock_timestamp()"))
    assert source.get_version().time >= before


def test_a_counter_read_after_the_arrival_of_a_request_is_reused(source, increment):
    received_at = time.monotonic()
    first = source.get_version()
    increment()
    assert source.get_version(since=received_at) == first
    assert source.get_version(since=time.monotonic()) > first


def test_an_increment_during_a_read_is_seen_by_later_requests(source, increment, monkeypatch):
    query, received_at = source._read_commit_counter, []

    def commit_meanwhile():
        row = query()
        if not received_at:
            increment()
            received_at.append(time.monotonic())
        return row

    monkeypatch.setattr(source, "_read_commit_counter", commit_meanwhile)
    first = source.get_version()
    assert source.get_version(since=received_at[0]) > first


def test_after_an_outage_the_version_is_new_even_if_the_counter_is_unchanged(source, execute):
    before = source.get_version()
    execute("ALTER TABLE commit_counter RENAME TO gone")
    assert source.get_version() is None
    execute("ALTER TABLE gone RENAME TO commit_counter")
    after = source.get_version()
    assert (after.commit > before.commit, after.public > before.public) == (True, True)


def test_a_lost_connection_is_replaced(source, engine):
    before = source.get_version()
    with engine.connect() as connection:
        connection.execute(text(TERMINATE_OTHERS))
    assert source.get_version() is None
    assert source.get_version() > before


def test_an_empty_commit_counter_table_gives_no_version(source, execute):
    execute("CREATE TABLE kept AS SELECT * FROM commit_counter")
    execute("DELETE FROM commit_counter")
    try:
        assert source.get_version() is None
    finally:
        execute("INSERT INTO commit_counter SELECT * FROM kept")
        execute("DROP TABLE kept")


def test_an_unreachable_database_has_no_version():
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        url = make_url(SERVER_URL).set(port=unused.getsockname()[1])
        source = PostgresVersionSource(create_engine(url), WriteLock())
        assert source.get_version() is None
        # The failure also applies to requests that waited for the same query.
        assert source.get_version(since=0) is None


# Staleness


def test_a_version_that_is_not_strict_is_read_again_when_it_is_too_old(make_source, increment, monkeypatch):
    source = make_source(staleness=60)
    first = source.get_version()
    increment()
    assert source.get_version(strict=False) == first
    assert source.get_version(strict=True) > first
    second = source.get_version(strict=False)
    increment()
    monkeypatch.setattr(time, "monotonic", partial(add, time.monotonic(), 60))
    assert source.get_version(strict=False) > second


def test_a_version_is_forgotten_after_an_own_write(app, make_source):
    source = make_source(staleness=60)
    first = source.get_version()
    with app.app_context(), transaction():
        pass
    assert source.get_version(strict=False) > first


# Round trips


class Relay:
    """A TCP relay to the database server; it counts the requests of the client."""

    def __init__(self) -> None:
        self.round_trips = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        server = make_url(SERVER_URL)
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            upstream = socket.create_connection((server.host, server.port or 5432))
            for source, target in ((client, upstream), (upstream, client)):
                arguments = (source, target, source is client)
                threading.Thread(target=self._copy, args=arguments, daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket, from_client: bool) -> None:
        with suppress(OSError), source, target:
            while data := source.recv(65536):
                # Requests are short, so each call of recv() returns one whole request.
                self.round_trips += from_client
                target.sendall(data)


@contextmanager
def relay_to_server() -> Iterator[Relay]:
    with closing(Relay()) as relay:
        yield relay


def test_a_read_from_the_cache_costs_one_round_trip(app, make_app, people, make_client):
    with relay_to_server() as relay, app.app_context():
        url = db.engine.url.set(host="127.0.0.1", port=relay.port)
        key = people.key(None)
        relayed = make_app(SQLALCHEMY_DATABASE_URI=url.render_as_string(hide_password=False))
        client = make_client(relayed, key)
        warm(client, TAGS)
        before = relay.round_trips
        for _ in range(5):
            assert client.get(TAGS).json == []
        assert relay.round_trips - before == 5
