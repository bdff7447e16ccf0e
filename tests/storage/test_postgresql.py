"""Behaviour specific to PostgreSQL: concurrent starts, locks, lost connections and locales."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import create_engine, func, make_url, select, text

from blogapi import clock, create_app
from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import service as users
from blogapi.accounts.users.models import Account
from blogapi.config import CannotStart
from blogapi.content.articles.models import Article
from blogapi.delivery.response_cache import commit_version
from blogapi.storage import connections, migration_names
from blogapi.storage.database import db, transaction
from blogapi.web.access import Role
from tests.conftest import ARTICLES, TAGS, close_connections
from tests.databases import SERVER_URL, other_connection
from tests.serving.sockets import wait_until
from tests.storage.test_upgrades import (
    BREAKS_REFERENCES,
    FAILS_HALF_WAY,
    FORGETS_AN_INDEX,
    LEAVES_A_COLUMN,
    NEXT,
    write_migration,
)

pytestmark = pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server")

START = "from blogapi import create_app; c = create_app().test_client(); print(c.get('/health').json)"
TERMINATE_CONNECTIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
)
TERMINATE_OTHERS = TERMINATE_CONNECTIONS + "AND pid != pg_backend_pid()"


def get_start_error(**settings):
    with pytest.raises(CannotStart) as raised:
        create_app(settings)
    assert raised.value.message.endswith(".") and "\n" not in raised.value.message
    return raised.value.message


def run_in_processes(number, code, url, monkeypatch):
    """Run the program in several processes at the same time; return the output of each."""
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", url)
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(number)
    ]
    return [process.communicate(timeout=300) for process in processes]


def copy_scripts(tmp_path, body):
    scripts = tmp_path / "scripts"
    shutil.copytree(migration_names.MIGRATIONS_FOLDER, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    write_migration(scripts, body)
    return scripts


@contextmanager
def connect(url):
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def test_four_processes_can_start_at_the_same_time_on_an_empty_database(databases, tmp_path, monkeypatch):
    outputs = run_in_processes(4, START, databases.create_empty(tmp_path), monkeypatch)
    assert [out.strip() for out, _ in outputs] == [b"{'status': 'ok'}"] * 4, outputs


def test_four_processes_that_upgrade_together_run_the_migration_once(databases, app, tmp_path, monkeypatch):
    # A slow migration that fails when it runs twice.
    row = "SELECT 2, tag, visible, 0, 0, NULL FROM commit_counter"
    body = f'op.execute("SELECT pg_sleep(1)")\n    op.execute("INSERT INTO commit_counter {row}")'
    scripts = copy_scripts(tmp_path, body)
    with connect(databases.environment()["BLOGAPI_DATABASE_URL"]):
        copy = databases.copy_database(app)
    code = (
        "from pathlib import Path; from blogapi.storage import migration_names; "
        f"migration_names.MIGRATIONS_FOLDER = Path({str(scripts)!r}); {START}"
    )
    outputs = run_in_processes(4, code, databases.url(copy), monkeypatch)
    assert [out.strip() for out, _ in outputs] == [b"{'status': 'ok'}"] * 4, outputs
    with connect(databases.url(copy)) as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == NEXT


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (FAILS_HALF_WAY, "nowhere"),
        (BREAKS_REFERENCES, "foreign key constraint"),
        (LEAVES_A_COLUMN, "Differences: table tag also has: motto text."),
        (FORGETS_AN_INDEX, "Differences: index ix_event_due is missing."),
    ],
)
def test_a_failed_migration_leaves_the_database_unchanged(app, make_tag, tmp_path, monkeypatch, body, reason):
    make_tag("kept")
    monkeypatch.setattr(migration_names, "MIGRATIONS_FOLDER", copy_scripts(tmp_path, body))
    migration_names.list_migrations.cache_clear()
    for _ in range(2):
        assert reason in get_start_error()
    monkeypatch.undo()
    migration_names.list_migrations.cache_clear()
    with other_connection(app) as other:
        assert (
            other.scalar(text("SELECT version_num FROM alembic_version"))
            == migration_names.list_migrations()[-1]
        )
        assert "motto" not in list(other.exec_driver_sql("SELECT * FROM tag").keys())
        assert other.scalar(text("SELECT count(*) FROM account")) == 3


def test_a_newer_schema_and_the_tables_of_another_program_are_refused(databases, tmp_path):
    url = databases.create_empty(tmp_path)
    with connect(url) as connection:
        connection.exec_driver_sql("CREATE TABLE theirs (x int)")
    assert "tables of another program" in get_start_error(DATABASE_URL=url)
    with connect(url) as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num text)")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('9999')")
    assert "newer version or another program (migration 9999)" in get_start_error(DATABASE_URL=url)


@pytest.mark.parametrize("options", [{}, {"password": "secret", "sslpassword": "secret"}])
def test_the_error_for_an_unreachable_server_is_one_sentence_without_the_password(options):
    url = make_url(SERVER_URL).set(port=1, password="secret").update_query_dict(options)
    message = get_start_error(DATABASE_URL=url.render_as_string(hide_password=False))
    assert "refused" in message and "secret" not in message


def test_the_error_for_a_missing_database_is_one_sentence():
    message = get_start_error(
        DATABASE_URL=make_url(SERVER_URL).set(database="blogapi_test_no").render_as_string(False)
    )
    assert "does not exist" in message


@pytest.mark.parametrize(("value", "threshold"), [("0", 0), ("none", None), ("7", 7)])
def test_a_typed_option_of_the_driver_can_be_set_in_the_url(databases, tmp_path, make_app, value, threshold):
    url = make_url(databases.create_empty(tmp_path)).update_query_dict(
        {"prepare_threshold": value, "connect_timeout": "3", "application_name": "tests"}
    )
    app = make_app(SQLALCHEMY_DATABASE_URI=url.render_as_string(hide_password=False))
    with app.app_context(), transaction(wait=False):
        users.create_user("ada", None, role=Role.ADMIN)
    with app.app_context(), db.engine.connect() as connection:
        for _ in range(8):
            assert connection.scalar(text("SHOW application_name")) == "tests"
        assert connection.connection.driver_connection.prepare_threshold == threshold


def test_the_error_for_an_invalid_option_of_the_driver_is_one_sentence():
    url = make_url(SERVER_URL).update_query_dict({"prepare_threshold": "x"})
    message = get_start_error(DATABASE_URL=url.render_as_string(hide_password=False))
    assert message == "In DATABASE_URL, prepare_threshold must be a number or none."


def test_while_the_database_server_is_down_requests_get_a_503_with_this_reason(app, as_reader, monkeypatch):
    as_reader.get(TAGS)
    close_connections(app)
    with app.app_context():
        connect = db.engine.dialect.connect
        # Nothing listens on this port.
        monkeypatch.setattr(
            db.engine.dialect, "connect", lambda *given, **options: connect(**{**options, "port": 1})
        )
    response = as_reader.get(TAGS)
    assert (response.status_code, response.json["code"]) == (503, "unavailable")
    assert response.json["detail"].startswith("The database cannot be reached;")


def test_reads_see_one_snapshot_until_the_end_of_the_request(app):
    with app.app_context():
        with transaction():
            users.create_user("ada", None, role=Role.ADMIN)
        assert db.session.scalar(select(func.count()).select_from(Account)) == 1
        with other_connection(app) as other:
            other.exec_driver_sql("DELETE FROM account")
        assert db.session.scalar(select(func.count()).select_from(Account)) == 1
        db.session.rollback()
        assert db.session.scalar(select(func.count()).select_from(Account)) == 0


def test_a_write_gets_503_with_retry_after_while_another_process_writes(app, as_admin, make_tag):
    as_admin.get(TAGS)
    with other_connection(app, writing=True):
        response = as_admin.post(TAGS, json={"name": "late"})
        assert (response.status_code, response.json["code"]) == (503, "unavailable")
        assert response.headers["Retry-After"] == "1"
    assert as_admin.post(TAGS, json={"name": "late"}).status_code == 201


def test_lost_connections_are_replaced(app, as_reader, as_admin):
    for number in range(2):
        assert as_reader.get(ARTICLES).json == []
        with other_connection(app) as other:
            other.exec_driver_sql(TERMINATE_OTHERS)
        assert as_reader.get(ARTICLES).json == []
        with other_connection(app) as other:
            other.exec_driver_sql(TERMINATE_OTHERS)
        assert as_admin.post(TAGS, json={"name": f"new {number}"}).json["name"] == f"new {number}"


def test_a_write_whose_connection_is_lost_gets_503_and_stores_nothing(app, as_admin, monkeypatch):
    with monkeypatch.context() as patch:

        def cut_off(*_):
            with other_connection(app) as other:
                other.exec_driver_sql(TERMINATE_OTHERS)
            return "cut-off"

        patch.setattr("blogapi.content.taxonomies.service.choose_slug", cut_off)
        response = as_admin.post(TAGS, json={"name": "lost"})
        assert (response.status_code, response.json["code"]) == (503, "unavailable")
    assert as_admin.get(TAGS).json == []
    assert as_admin.post(TAGS, json={"name": "found"}).status_code == 201


def test_only_the_write_of_a_request_may_not_be_idle_for_long(pushed_app, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_IDLE_SECONDS", 5)
    show = text("SHOW idle_in_transaction_session_timeout")
    with transaction():
        assert db.session.scalar(show) == "1min"
    with pushed_app.test_request_context(), transaction():
        assert db.session.scalar(show) == "5s"
    assert db.session.scalar(show) == "1min"


def test_a_write_that_was_idle_for_too_long_gets_503_and_stores_nothing(app, as_admin, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_IDLE_SECONDS", 1)

    def pause(*_):
        pid = db.session.scalar(text("SELECT pg_backend_pid()"))
        with other_connection(app) as other:
            is_alive = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
            wait_until(lambda: not other.scalar(is_alive, {"pid": pid}))
        return "paused"

    with monkeypatch.context() as patch:
        patch.setattr("blogapi.content.taxonomies.service.choose_slug", pause)
        response = as_admin.post(TAGS, json={"name": "paused"})
    assert (response.status_code, response.json["code"]) == (503, "unavailable")
    assert response.headers["Retry-After"] == "1"
    assert as_admin.get(TAGS).json == []
    assert as_admin.post(TAGS, json={"name": "again"}).status_code == 201


def test_each_connection_has_timeouts(app):
    with app.app_context(), db.engine.connect() as connection:
        for name, limit in (("lock_timeout", "5s"), ("statement_timeout", "1min")):
            assert connection.scalar(text(f"SHOW {name}")) == limit
        assert connection.scalar(text("SHOW idle_in_transaction_session_timeout")) == "1min"


def test_the_commit_version_is_new_after_a_backup_is_restored(app, make_tag):
    source = commit_version.create_version_source(app)
    with app.app_context():
        make_tag()
        before = source.get_version()
        assert source.get_version() == before
        make_tag()
        later = source.get_version()
        assert later > before
        with other_connection(app) as other:
            other.exec_driver_sql("UPDATE commit_counter SET tag = 'restored'")
        restored = source.get_version()
        assert restored > later
        assert source.get_version(since=0) == restored


def test_an_unreachable_server_has_no_commit_version(app):
    source = commit_version.create_version_source(app)
    with app.app_context():
        before = source.get_version()
        close_connections(app)
        with other_connection(app) as other:
            other.exec_driver_sql("ALTER TABLE commit_counter RENAME TO away")
            try:
                assert source.get_version() is None
            finally:
                other.exec_driver_sql("ALTER TABLE away RENAME TO commit_counter")
        assert source.get_version() > before


@pytest.mark.parametrize("language", ["en", "sv"])
def test_lists_have_the_same_order_in_every_locale(databases, tmp_path, make_app, make_client, language):
    url = databases.create_empty(tmp_path, language=language)
    names = ["b", "A", "äc", "Z", "a c", "ab", "a-b", "É", "_"]
    app = make_app(SQLALCHEMY_DATABASE_URI=url)
    with app.app_context():
        ada = users.create_user("ada", None, role=Role.ADMIN)
        key = api_keys.issue_key(ada.uuid, "write").value
    client = make_client(app, key)
    for name in names:
        assert client.post(TAGS, json={"name": name}).status_code == 201
    shown = [tag["name"] for tag in client.get(TAGS).json]
    assert shown == ["_", "A", "a-b", "a c", "ab", "äc", "b", "É", "Z"]


def test_a_text_too_long_for_a_tsvector_is_stored_and_can_be_found_by_its_first_words(as_admin, make_article):
    words = " ".join(f"w{number}" for number in range(120_000))
    article = make_article(title="Long", content=f"beginning {words} {'x' * 5000} end")
    assert [hit["title"] for hit in as_admin.get(ARTICLES + "?q=beginning w17").json] == ["Long"]
    assert as_admin.get(f"{ARTICLES}{article.uuid}/").status_code == 200
    found = as_admin.get(ARTICLES + "?q=w30000&fields=title,snippet").json
    assert "<mark>w30000</mark>" in found[0]["snippet"]


def test_article_lists_use_an_index(app, make_article):
    make_article()
    with app.app_context():
        # The planner prefers other plans for a table with a single row.
        for plan in ("seqscan", "bitmapscan", "sort"):
            db.session.execute(text(f"SET LOCAL enable_{plan} = off"))
        listed = select(Article.uuid).where(Article.status == "published")
        listed = listed.order_by(Article.published_at.desc(), Article.uuid).limit(20)
        written = str(listed.compile(db.engine, compile_kwargs={"literal_binds": True}))
        plan = "\n".join(db.session.scalars(text(f"EXPLAIN {written}")))
        assert "ix_article_visible" in plan and "Sort" not in plan


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE article SET html = ''", "articles: rendered columns of articles: 2 differ"),
        ("UPDATE article_author SET listed_from = NULL", "lists: "),
        ("DELETE FROM search_entry", "search: "),
        ("UPDATE search_index SET vector = 'other'", "search: "),
    ],
)
def test_doctor_reports_and_repairs_derived_data(app, make_article, instance, statement, says):
    make_article(title="Bread")
    make_article(status="draft")
    instance.chmod(0o700)
    run = app.test_cli_runner().invoke
    assert run(args=["doctor", "--full"]).exit_code == 0
    with other_connection(app) as other:
        other.exec_driver_sql(statement)
    result = run(args=["doctor", "--full"])
    assert result.exit_code == 1 and f"wrong     {says}" in result.stdout
    assert run(args=["doctor", "--repair"]).exit_code == 0
    assert run(args=["doctor", "--full"]).exit_code == 0


@pytest.mark.parametrize(
    ("seconds", "exit_code", "says"),
    [
        (0.5, 0, "ok        clocks: The clocks of this machine and of the database server agree."),
        (
            3,
            1,
            "wrong     clocks: The clock of this machine is 3.0 seconds ahead of the clock of the database",
        ),
        (
            -30,
            1,
            "wrong     clocks: The clock of this machine is 30.0 seconds behind the clock of the database",
        ),
    ],
)
def test_doctor_compares_the_clocks(app, instance, monkeypatch, seconds, exit_code, says):
    now = datetime.now(UTC)
    monkeypatch.setattr(clock, "now", lambda: now)
    monkeypatch.setattr(clock, "accept_database_time", lambda _: now - timedelta(seconds=seconds))
    instance.chmod(0o700)
    result = app.test_cli_runner().invoke(args=["doctor", "--full"])
    assert result.exit_code == exit_code and says in result.stdout


def test_the_health_check_reports_a_missing_table_and_recovers(app, as_stranger):
    assert as_stranger.get("/health/").json == {"status": "ok"}
    with other_connection(app) as other:
        other.exec_driver_sql("ALTER TABLE article RENAME TO away")
        try:
            response = as_stranger.get("/health/")
        finally:
            other.exec_driver_sql("ALTER TABLE away RENAME TO article")
    assert (response.status_code, response.json["code"]) == (503, "database")
    assert as_stranger.get("/health/").json == {"status": "ok"}
