"""The commit version of a PostgreSQL database, from the row that counts its commits."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, insert, make_url, text, update

from blogapi.storage import epoch
from blogapi.storage.commit_version import PostgresCommitVersion
from blogapi.storage.database import CommitCounter, db
from blogapi.users.models import Account
from tests.conftest import TAGS
from tests.databases import SERVER_URL
from tests.response_cache.cached_blog import warm

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
def source(engine) -> Iterator[PostgresCommitVersion]:
    """The commit version source of the database."""
    source = PostgresCommitVersion(engine)
    yield source
    source.close()


@pytest.fixture
def execute(engine):
    """Executes a statement on another connection."""

    def execute(statement):
        with engine.begin() as connection:
            connection.execute(text(statement) if isinstance(statement, str) else statement)

    return execute


@pytest.fixture
def increment(execute):
    """Increments the commit counter, as every transaction does."""
    return lambda: execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))


def read_epoch(app):
    with app.app_context():
        return epoch.get_epoch()


def test_the_commit_number_grows_with_the_commit_counter(source, increment):
    first, second = source.get_version(), source.get_version()
    increment()
    third = source.get_version()
    assert first == second < third
    assert first.public == third.public


def test_the_public_number_grows_with_the_writes_that_readers_can_see(source, execute):
    first = source.get_version()
    execute(insert(Account).values(uuid=uuid4(), username="x", role="member", created=NOON))
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
    query, received_at = source._query_revision, []

    def commit_meanwhile():
        row = query()
        if not received_at:
            increment()
            received_at.append(time.monotonic())
        return row

    monkeypatch.setattr(source, "_query_revision", commit_meanwhile)
    first = source.get_version()
    assert source.get_version(since=received_at[0]) > first


def test_after_an_outage_the_version_is_new_even_if_the_counter_is_unchanged(source, execute):
    before = source.get_version()
    execute("ALTER TABLE revision RENAME TO gone")
    assert source.get_version() is None
    execute("ALTER TABLE gone RENAME TO revision")
    after = source.get_version()
    assert (after.commit > before.commit, after.public > before.public) == (True, True)


def test_a_lost_connection_is_replaced(source, engine):
    before = source.get_version()
    with engine.connect() as connection:
        connection.execute(text(TERMINATE_OTHERS))
    assert source.get_version() is None
    assert source.get_version() > before


def test_an_empty_revision_table_gives_no_version(source, execute):
    execute("CREATE TABLE kept AS SELECT * FROM revision")
    execute("DELETE FROM revision")
    try:
        assert source.get_version() is None
    finally:
        execute("INSERT INTO revision SELECT * FROM kept")
        execute("DROP TABLE kept")


def test_an_unreachable_database_has_no_version():
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        url = make_url(SERVER_URL).set(port=unused.getsockname()[1])
        source = PostgresCommitVersion(create_engine(url))
        assert source.get_version() is None
        # The failure also applies to requests that waited for the same query.
        assert source.get_version(since=0) is None


# Epochs


def test_a_changed_identity_gives_a_new_epoch_and_a_new_version(app, source, execute):
    version, before = source.get_version(), read_epoch(app)
    # A restored or promoted database has the same counters and another identity.
    execute("UPDATE revision SET identity = 'another database'")
    after = source.get_version()
    assert after.public > version.public
    assert read_epoch(app) != before
    assert source.get_version() == after


def test_the_epoch_is_renewed_without_the_response_cache(app, execute):
    before = read_epoch(app)
    assert read_epoch(app) == before
    execute("UPDATE revision SET identity = 'another database'")
    assert read_epoch(app) != before


def test_a_rewritten_revision_table_gives_a_new_epoch(app, execute):
    before = read_epoch(app)
    execute("CREATE TABLE kept AS SELECT * FROM revision; TRUNCATE revision")
    execute("INSERT INTO revision SELECT * FROM kept; DROP TABLE kept")
    assert read_epoch(app) != before


def test_the_identity_contains_the_cluster_and_the_timeline(engine):
    with engine.connect() as connection:
        identity = connection.scalar(text("SELECT database_identity()")).split("/")
        system = connection.scalar(text("SELECT system_identifier FROM pg_control_system()"))
    assert identity[2:] == [str(system), "00000001"]


def test_without_permission_the_identity_omits_the_cluster_and_the_timeline(engine):
    functions = "pg_walfile_name(pg_lsn), pg_control_system()"
    with engine.connect() as connection, connection.begin() as transaction:
        full = connection.scalar(text("SELECT database_identity()"))
        role = f"blogapi_test_{uuid4().hex}"
        for statement in (
            f"REVOKE EXECUTE ON FUNCTION {functions} FROM PUBLIC",
            f"CREATE ROLE {role}",
            f"SET LOCAL ROLE {role}",
        ):
            connection.execute(text(statement))
        assert full.startswith(connection.scalar(text("SELECT database_identity()")) + "/")
        transaction.rollback()


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
