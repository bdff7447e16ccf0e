"""What PostgreSQL needs beyond what the whole suite shows: starts, locks, lost connections, languages."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest
from sqlalchemy import create_engine, func, make_url, select, text

from blogapi import create_app
from blogapi.api_keys import service as api_keys
from blogapi.articles.models import Article
from blogapi.config import CannotStart
from blogapi.storage import commit_version, upgrades
from blogapi.storage.database import db, transaction
from blogapi.users import service as users
from blogapi.users.models import Account, Role
from tests.conftest import ARTICLES, TAGS, release
from tests.engines import SERVER, elsewhere
from tests.storage.test_upgrades import (
    BREAKS_REFERENCES,
    FAILS_HALF_WAY,
    FORGETS_AN_INDEX,
    LEAVES_A_COLUMN,
    NEXT,
    write_step,
)

pytestmark = pytest.mark.skipif(not SERVER, reason="BLOGAPI_TEST_DATABASE_URL names no server")

START = "from blogapi import create_app; c = create_app().test_client(); print(c.get('/health').json)"
CUT_OFF = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
OTHERS = CUT_OFF + "AND pid != pg_backend_pid()"


def refusal(**settings):
    with pytest.raises(CannotStart) as raised:
        create_app(settings)
    assert raised.value.message.endswith(".") and "\n" not in raised.value.message
    return raised.value.message


def starts(number, code, url, monkeypatch):
    """Run the program several times at once on the database; return what each printed."""
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", url)
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(number)
    ]
    return [process.communicate(timeout=100) for process in started]


def scripts_with(tmp_path, body):
    scripts = tmp_path / "scripts"
    shutil.copytree(upgrades.SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    write_step(scripts, body)
    return scripts


@contextmanager
def connected(url):
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def test_four_processes_that_start_at_once_on_nothing_all_come_up(blogs, tmp_path, monkeypatch):
    told = starts(4, START, blogs.nothing(tmp_path), monkeypatch)
    assert [out.strip() for out, _ in told] == [b"{'status': 'ok'}"] * 4, told


def test_four_processes_that_upgrade_at_once_take_the_step_once(blogs, app, tmp_path, monkeypatch):
    # A step that is not done twice without being noticed, and takes a while.
    body = 'op.execute("SELECT pg_sleep(1)")\n    op.execute("INSERT INTO change_counter VALUES (2, 0, 0)")'
    scripts = scripts_with(tmp_path, body)
    with connected(blogs.settings()["BLOGAPI_DATABASE_URL"]):
        copy = blogs.keep(app)
    code = (
        "from pathlib import Path; from blogapi.storage import upgrades; "
        f"upgrades.SCRIPTS = Path({str(scripts)!r}); {START}"
    )
    told = starts(4, code, blogs.url(copy), monkeypatch)
    assert [out.strip() for out, _ in told] == [b"{'status': 'ok'}"] * 4, told
    with connected(blogs.url(copy)) as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == NEXT


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (FAILS_HALF_WAY, "nowhere"),
        (BREAKS_REFERENCES, "foreign key constraint"),
        (LEAVES_A_COLUMN, "Differences: table tag also has: motto text."),
        (FORGETS_AN_INDEX, "Differences: index ix_change_due is missing."),
    ],
)
def test_a_step_that_fails_leaves_all_as_it_was(app, make_tag, tmp_path, monkeypatch, body, reason):
    make_tag("kept")
    monkeypatch.setattr(upgrades, "SCRIPTS", scripts_with(tmp_path, body))
    upgrades.list_migrations.cache_clear()
    for _ in range(2):
        assert reason in refusal()
    monkeypatch.undo()
    upgrades.list_migrations.cache_clear()
    with elsewhere(app) as other:
        assert other.scalar(text("SELECT version_num FROM alembic_version")) == upgrades.list_migrations()[-1]
        assert "motto" not in list(other.exec_driver_sql("SELECT * FROM tag").keys())
        assert other.scalar(text("SELECT count(*) FROM account")) == 3


def test_a_newer_schema_and_the_tables_of_another_program_are_refused(blogs, tmp_path):
    url = blogs.nothing(tmp_path)
    with connected(url) as connection:
        connection.exec_driver_sql("CREATE TABLE theirs (x int)")
    assert "tables of another program" in refusal(DATABASE_URL=url)
    with connected(url) as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num text)")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('9999')")
    assert "newer version or another program (migration 9999)" in refusal(DATABASE_URL=url)


def test_a_server_that_is_not_there_is_told_in_one_sentence_without_the_password():
    url = make_url(SERVER).set(port=1, password="secret")
    told = refusal(DATABASE_URL=url.render_as_string(hide_password=False))
    assert "refused" in told and "secret" not in told


def test_a_database_that_is_not_there_is_told_in_one_sentence():
    told = refusal(DATABASE_URL=make_url(SERVER).set(database="blogapi_test_no").render_as_string(False))
    assert "does not exist" in told


def test_a_read_sees_one_state_until_its_end(app):
    with app.app_context():
        with transaction():
            users.create("ada", None, role=Role.ADMIN)
        assert db.session.scalar(select(func.count()).select_from(Account)) == 1
        with elsewhere(app) as other:
            other.exec_driver_sql("DELETE FROM account")
        assert db.session.scalar(select(func.count()).select_from(Account)) == 1
        db.session.rollback()
        assert db.session.scalar(select(func.count()).select_from(Account)) == 0


def test_a_write_while_another_process_writes_is_a_503_that_says_when_to_come_back(app, as_admin, make_tag):
    as_admin.get(TAGS)
    with elsewhere(app, writing=True):
        answer = as_admin.post(TAGS, json={"name": "late"})
        assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
        assert answer.headers["Retry-After"] == "1"
    assert as_admin.post(TAGS, json={"name": "late"}).status_code == 201


def test_lost_connections_are_made_anew(app, as_reader, as_admin):
    for number in range(2):
        assert as_reader.get(ARTICLES).json == []
        with elsewhere(app) as other:
            other.exec_driver_sql(OTHERS)
        assert as_reader.get(ARTICLES).json == []
        with elsewhere(app) as other:
            other.exec_driver_sql(OTHERS)
        assert as_admin.post(TAGS, json={"name": f"new {number}"}).json["name"] == f"new {number}"


def test_a_connection_that_is_lost_in_a_write_is_a_503_and_nothing_is_stored(app, as_admin, monkeypatch):
    with monkeypatch.context() as patch:
        chosen = "blogapi.content.slugs.chosen"

        def cut_off(*_):
            with elsewhere(app) as other:
                other.exec_driver_sql(OTHERS)
            return "cut-off"

        patch.setattr(chosen, cut_off)
        answer = as_admin.post(TAGS, json={"name": "lost"})
        assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert as_admin.get(TAGS).json == []
    assert as_admin.post(TAGS, json={"name": "found"}).status_code == 201


def test_each_connection_has_its_limits(app):
    with app.app_context(), db.engine.connect() as connection:
        for name, limit in (("lock_timeout", "5s"), ("statement_timeout", "1min")):
            assert connection.scalar(text(f"SHOW {name}")) == limit
        assert connection.scalar(text("SHOW idle_in_transaction_session_timeout")) == "1min"


def test_the_state_is_another_after_a_backup_was_restored(app, make_tag):
    source = commit_version.get_source(app)
    with app.app_context():
        make_tag()
        before = source.state()
        assert source.state() == before
        make_tag()
        later = source.state()
        assert later > before
        with elsewhere(app) as other:
            other.exec_driver_sql("UPDATE revision SET commits = commits - 2")
        restored = source.state()
        assert restored > later
        assert source.state(since=0) == restored


def test_the_state_cannot_be_told_where_the_server_is_away(app):
    source = commit_version.get_source(app)
    with app.app_context():
        before = source.state()
        release(app)
        with elsewhere(app) as other:
            other.exec_driver_sql("ALTER TABLE revision RENAME TO away")
            try:
                assert source.state() is None
            finally:
                other.exec_driver_sql("ALTER TABLE away RENAME TO revision")
        assert source.state() > before


@pytest.mark.parametrize("language", ["en", "sv"])
def test_lists_have_one_order_whatever_the_language_of_the_database(
    blogs, tmp_path, make_app, make_client, language
):
    url = blogs.nothing(tmp_path, language=language)
    names = ["b", "A", "ä", "Z", "a c", "ab", "a-b", "É", "_"]
    app = make_app(SQLALCHEMY_DATABASE_URI=url)
    with app.app_context():
        ada = users.create("ada", None, role=Role.ADMIN)
        key = api_keys.issue(ada.uuid, scopes=frozenset({"read", "write"})).value
    client = make_client(app, key)
    for name in names:
        assert client.post(TAGS, json={"name": name}).status_code == 201
    shown = [tag["name"] for tag in client.get(TAGS).json]
    folded = {name: "".join(sign.lower() if sign.isascii() else sign for sign in name) for name in names}
    assert shown == sorted(names, key=folded.__getitem__)


def test_a_text_that_no_vector_holds_is_stored_and_found_by_its_first_words(as_admin, make_article):
    words = " ".join(f"w{number}" for number in range(120_000))
    article = make_article(title="Long", content=f"beginning {words} {'x' * 5000} end")
    assert [hit["title"] for hit in as_admin.get(ARTICLES + "?q=beginning w17").json] == ["Long"]
    assert as_admin.get(f"{ARTICLES}{article.uuid}/").status_code == 200
    found = as_admin.get(ARTICLES + "?q=w30000&fields=title,snippet").json
    assert "<mark>w30000</mark>" in found[0]["snippet"]


def test_there_is_an_index_for_the_lists(app, make_article):
    make_article()
    with app.app_context():
        db.session.execute(text("SET LOCAL enable_seqscan = off"))
        listed = select(Article.uuid).where(Article.status == "published")
        listed = listed.order_by(Article.published_at.desc(), Article.uuid).limit(20)
        written = str(listed.compile(db.engine, compile_kwargs={"literal_binds": True}))
        plan = "\n".join(db.session.scalars(text(f"EXPLAIN {written}")))
        assert "ix_article_visible" in plan and "Sort" not in plan


def test_commands_of_sqlite_alone_say_so_in_one_sentence(app, tmp_path):
    told = app.test_cli_runner().invoke(args=["backup", str(tmp_path / "blog.zip")])
    assert (told.exit_code, told.stdout) == (1, "")
    assert told.stderr.startswith("Error: The content is kept by a database server; ")
    assert told.stderr.count("\n") == 1 and "pg_dump" in told.stderr


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE article_pieces SET html = ''", "pieces: article: 2 differ"),
        ("UPDATE article_tally SET published = 7", "tally: "),
        ("DELETE FROM search_entry", "search: "),
        ("UPDATE search_index SET title = 'other'", "search: "),
    ],
)
def test_doctor_tells_and_mends_what_differs(app, make_article, instance, statement, says):
    make_article(title="Bread")
    make_article(status="draft")
    instance.chmod(0o700)
    run = app.test_cli_runner().invoke
    assert run(args=["doctor"]).exit_code == 0
    with elsewhere(app) as other:
        other.exec_driver_sql(statement)
    told = run(args=["doctor"])
    assert told.exit_code == 1 and f"wrong   {says}" in told.stdout
    assert run(args=["doctor", "--mend"]).exit_code == 0
    assert run(args=["doctor"]).exit_code == 0


def test_a_service_whose_server_is_away_says_so_and_recovers(app, as_stranger):
    assert as_stranger.get("/health/").json == {"status": "ok"}
    with elsewhere(app) as other:
        other.exec_driver_sql("ALTER TABLE article RENAME TO away")
        try:
            answer = as_stranger.get("/health/")
        finally:
            other.exec_driver_sql("ALTER TABLE away RENAME TO article")
    assert (answer.status_code, answer.json["code"]) == (503, "database")
    assert as_stranger.get("/health/").json == {"status": "ok"}
