"""Backups of a blog on PostgreSQL contain a dump, and are restored into an empty database."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from subprocess import CompletedProcess

import pytest
from sqlalchemy import MetaData, create_engine, inspect, make_url, select, text

from blogapi import create_app
from blogapi.content.media import stored_files
from blogapi.delivery.webhooks import queries as webhooks
from blogapi.operations.backups import dumps, restoring, service
from blogapi.storage import migration_names, postgresql_dumps
from blogapi.storage.database import CommitCounter
from tests.conftest import close_connections
from tests.content.media.rows import add_media
from tests.contracts.client import outcome
from tests.databases import DUMP_MARKS, SERVER_URL
from tests.delivery.webhooks.rows import add_webhook
from tests.migrations.alembic_runner import migrate_to
from tests.operations.backups.databases import create_older_blog
from tests.operations.backups.test_refused_backups import write_altered
from tests.stored_pictures import list_stored_files, store_picture

URL = "BLOGAPI_DATABASE_URL"
BACKUPS = "/api/v1/backups/"
LAST = migration_names.list_migrations()[-1]
FORMER = migration_names.list_migrations()[-2]
pytestmark = DUMP_MARKS


@pytest.fixture
def use_empty(databases, tmp_path, monkeypatch):
    """Makes an instance folder with a new, empty database the blog of the next commands; returns both."""

    def use():
        url, home = databases.create_empty(tmp_path), tmp_path / "other" / "instance"
        monkeypatch.setenv(URL, url)
        monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(home))
        return url, home

    return use


@pytest.fixture
def saved_names(monkeypatch):
    """The names of the databases that were created on the server."""
    names, execute = [], postgresql_dumps._execute_statement

    def record(url, statement):
        if statement.startswith("CREATE DATABASE "):
            names.append(statement.removeprefix("CREATE DATABASE "))
        execute(url, statement)

    monkeypatch.setattr(postgresql_dumps, "_execute_statement", record)
    return names


def query(url, statement, **values):
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            result = connection.execute(text(statement), values)
            return list(result) if result.returns_rows else []
    finally:
        engine.dispose()


def list_tables(url) -> list[str]:
    engine = create_engine(url)
    try:
        return inspect(engine).get_table_names()
    finally:
        engine.dispose()


def read_rows(url) -> dict[str, list[str]]:
    """Return the rows of each table, except the one whose tags change with each restore."""
    engine, metadata = create_engine(url), MetaData()
    try:
        with engine.connect() as connection:
            metadata.reflect(connection)
            return {
                table.name: sorted(map(repr, connection.execute(select(table)).mappings()))
                for table in metadata.sorted_tables
                if table.name != CommitCounter.__tablename__
            }
    finally:
        engine.dispose()


def read_tags(url) -> set[str]:
    (row,) = query(url, "SELECT tag, visible FROM commit_counter")
    return set(row)


def is_left(url, names) -> bool:
    found = query(url, "SELECT count(*) FROM pg_database WHERE datname = ANY(:names)", names=names)
    return bool(found[0][0])


def shorten_dump(backup_file, target):
    """Write a copy of the backup whose dump lacks its last bytes."""
    write_altered(backup_file, target, without_files={"blog.dump"})
    with zipfile.ZipFile(backup_file) as source, zipfile.ZipFile(target, "a") as zip_file:
        zip_file.writestr("blog.dump", source.read("blog.dump")[:-2000])


def alter_media_list(backup_file, target):
    write_altered(backup_file, target, without_files={"media.json"})
    with zipfile.ZipFile(target, "a") as zip_file:
        zip_file.writestr("media.json", json.dumps({"saved": {}, "missing": []}))


def name_impossible_file(backup_file, target):
    write_altered(backup_file, target, without_files={"media.json"})
    with zipfile.ZipFile(target, "a") as zip_file:
        zip_file.writestr("media.json", json.dumps({"saved": {"../../evil.png": 4}, "missing": []}))


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_backup_is_restored_into_an_empty_database(app, run, blog, use_empty, tmp_path, is_folder):
    for colour in ("blue", "red"):
        store_picture(app, colour)
    webhook, _ = add_webhook(app)
    files, url = list_stored_files(app), os.environ[URL]
    saved = tmp_path / ("saved" if is_folder else "saved.zip")
    if is_folder:
        saved.mkdir()
    made = run("backup", saved)
    assert made.exit_code == 0 and "2 articles and 2 media files" in made.stdout, made.output
    path = next(saved.glob("*.zip")) if is_folder else saved
    with zipfile.ZipFile(path) as zip_file:
        manifest = json.loads(zip_file.read("manifest.json"))
        assert {"blog.dump", "config.toml", "media.json"} < {*zip_file.namelist()}
    before = read_rows(url)
    assert (manifest["version"], manifest["database"], manifest["step"]) == (4, "PostgreSQL", LAST)
    assert {name: len(rows) for name, rows in before.items()}.items() <= manifest["rows"].items()
    target, home = use_empty()
    result = run("restore", path)
    assert result.exit_code == 0 and "2 articles and 2 media files" in result.stdout, result.output
    assert "The settings of the backup were restored." in result.stdout
    assert "former" not in result.stdout
    assert {path.name for path in home.iterdir()} == {"config.toml", "media"}
    assert {path.name for path in stored_files.list_stored_paths(home / "media")} == {
        file.path.rpartition("/")[2] for file in files
    }
    after = read_rows(target)
    assert after.pop("webhook") != before.pop("webhook")
    assert after == before
    assert read_tags(target).isdisjoint(read_tags(url))
    restored = create_app({"SECRET_KEY": "x" * 32})
    with restored.app_context():
        assert webhooks.get_webhook(webhook).paused == "copied"
    assert restored.test_cli_runner().invoke(args=["doctor", "--full"]).exit_code == 0
    close_connections(restored)


def test_a_write_during_the_backup_is_not_in_it(app, run, blog, make_article, monkeypatch, tmp_path):
    original = postgresql_dumps.dump_database

    def write_before(*arguments):
        make_article(title="Later")
        original(*arguments)

    monkeypatch.setattr(postgresql_dumps, "dump_database", write_before)
    made = run("backup", tmp_path / "saved.zip", "--json")
    assert json.loads(made.stdout)["rows"]["article"] == 2
    verified = run("backup", "--verify", tmp_path / "saved.zip")
    assert verified.exit_code == 0, verified.output
    assert query(os.environ[URL], "SELECT count(*) FROM article") == [(3,)]


def test_a_file_that_the_service_deletes_during_the_backup_is_not_missing(
    app, run, blog, monkeypatch, tmp_path
):
    for colour in ("blue", "red"):
        store_picture(app, colour)
    gone, kept = list_stored_files(app)
    original = postgresql_dumps.dump_database

    def delete_after(*arguments):
        original(*arguments)
        if (blog / "media" / gone.path).exists():
            (blog / "media" / gone.path).unlink()
            query(os.environ[URL], "DELETE FROM media WHERE hash = :hash", hash=gone.hash)

    monkeypatch.setattr(postgresql_dumps, "dump_database", delete_after)
    made = run("backup", tmp_path / "saved.zip", "--json")
    assert made.exit_code == 0, made.output
    report = json.loads(made.stdout)
    assert (report["missing"], report["media"]["files"], report["rows"]["media"]) == ([], 1, 1)
    with zipfile.ZipFile(tmp_path / "saved.zip") as zip_file:
        assert f"media/{kept.path}" in zip_file.namelist()
    assert run("backup", "--verify", tmp_path / "saved.zip").exit_code == 0


def test_missing_media_files_are_reported_by_the_backup_and_the_restore(app, run, blog, use_empty, tmp_path):
    store_picture(app, "blue")
    add_media(app, name="lost.png")
    made = run("backup", tmp_path / "saved.zip")
    assert made.exit_code == 1 and "lost.png" in made.stderr
    assert run("backup", "--verify", tmp_path / "saved.zip").exit_code == 1
    use_empty()
    result = run("restore", tmp_path / "saved.zip")
    assert result.exit_code == 0, result.output
    assert "The blog lacks 1 media files:" in result.stderr and "(lost.png): missing" in result.stderr


def test_a_backup_without_its_media_files_beside_it_is_refused(app, run, blog, use_empty, tmp_path):
    store_picture(app, "blue")
    (tmp_path / "saved").mkdir()
    assert run("backup", tmp_path / "saved").exit_code == 0
    (path,) = (tmp_path / "saved").glob("*.zip")
    shutil.rmtree(tmp_path / "saved" / "media")
    assert "media files are missing or damaged" in run("backup", "--verify", path).stderr
    target, _ = use_empty()
    result = run("restore", path)
    assert result.exit_code == 1 and f"in the folder {path.parent / 'media'}" in result.stderr
    assert list_tables(target) == []
    allowed = run("restore", path, "--allow-missing-media")
    assert allowed.exit_code == 0, allowed.output
    assert query(target, "SELECT count(*) FROM article") == [(2,)]


def test_a_check_leaves_no_database(app, run, as_login, blog, backup_file, saved_names):
    result = run("backup", "--verify", backup_file)
    assert result.exit_code == 0 and "can be restored" in result.stdout
    assert json.loads(run("backup", "--verify", backup_file, "--json").stdout)["is_only_read"] is False
    made = as_login.post(BACKUPS).json
    verified = as_login.post(f"{BACKUPS}{made['name']}/verify/").json
    assert (verified["ok"], verified["detail"]) == (True, "The backup can be restored.")
    assert len(saved_names) == 3 and not is_left(SERVER_URL, saved_names)


@pytest.fixture
def limited(databases, instance, tmp_path, monkeypatch):
    """A blog whose database user may not create a database. The server of `.ci/run` asks for the password."""
    url, role = databases.create_empty(tmp_path), f"{databases.prefix}_limited"
    name = make_url(url).database
    create_role = f"CREATE ROLE \"{role}\" LOGIN PASSWORD 'p@ss/word' IN ROLE pg_monitor"
    for statement in (create_role, f'ALTER DATABASE "{name}" OWNER TO "{role}"'):
        query(SERVER_URL, statement)
    address = make_url(url).set(username=role, password="p@ss/word")
    monkeypatch.setenv(URL, address.render_as_string(hide_password=False))
    app = create_app({"SECRET_KEY": "x" * 32})
    yield app
    close_connections(app)
    query(SERVER_URL, f'DROP DATABASE "{name}" WITH (FORCE)')
    query(SERVER_URL, f'DROP ROLE "{role}"')


def test_a_user_without_createdb_makes_reads_and_restores_backups(limited, instance, saved_names, tmp_path):
    path = tmp_path / "saved.zip"
    run = limited.test_cli_runner().invoke
    assert run(args=["backup", str(path)]).exit_code == 0
    result = run(args=["backup", "--verify", str(path)])
    assert result.exit_code == 0, result.output
    assert f"{path} was read, but not restored, because the database user may not create" in result.stdout
    assert json.loads(run(args=["backup", "--verify", str(path), "--json"]).stdout)["is_only_read"] is True
    shorten_dump(path, tmp_path / "short.zip")
    result = run(args=["backup", "--verify", str(tmp_path / "short.zip")])
    assert result.exit_code == 1 and "pg_restore failed" in result.stderr, result.output
    assert saved_names == []
    engine = create_engine(os.environ[URL])
    tables = ", ".join(inspect(engine).get_table_names())
    engine.dispose()
    query(os.environ[URL], f"DROP TABLE {tables} CASCADE")
    result = run(args=["restore", str(path)])
    assert result.exit_code == 0, result.output
    assert query(os.environ[URL], "SELECT version_num FROM alembic_version") == [(LAST,)]


def test_the_api_says_that_a_dump_was_only_read(as_login, blog, monkeypatch):
    made = as_login.post(BACKUPS).json
    monkeypatch.setattr(dumps, "text", lambda statement: text("SELECT false"))
    verified = as_login.post(f"{BACKUPS}{made['name']}/verify/").json
    assert verified["ok"] and "was read, but not restored" in verified["detail"]


DAMAGED = {
    "other counts": (lambda a, b: write_altered(a, b, rows={"article": 7}), "does not match its manifest"),
    "another migration": (lambda a, b: write_altered(a, b, step=FORMER), "does not match its manifest"),
    "a newer migration": (lambda a, b: write_altered(a, b, step="9999"), "newer version of blogapi"),
    "a newer format": (lambda a, b: write_altered(a, b, version=6), "newer than this version"),
    "another database": (lambda a, b: write_altered(a, b, database="Oracle"), "manifest cannot be read"),
    "no dump": (lambda a, b: write_altered(a, b, without_files={"blog.dump"}), "contains no database"),
    "a short dump": (shorten_dump, "pg_restore failed"),
    "other media": (alter_media_list, "does not match its list of media files"),
    "an impossible path": (name_impossible_file, "a file that cannot exist"),
    "a cut file": (lambda a, b: b.write_bytes(a.read_bytes()[:-3000]), "not a complete backup"),
}


@pytest.mark.parametrize(("alter", "says"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_backup_is_refused_and_the_database_stays_empty(
    app, run, blog, use_empty, saved_names, tmp_path, alter, says
):
    store_picture(app, "blue")
    saved, damaged = tmp_path / "saved.zip", tmp_path / "damaged.zip"
    assert run("backup", saved).exit_code == 0
    alter(saved, damaged)
    result = run("backup", "--verify", damaged)
    assert (result.exit_code, says in result.stderr) == (1, True), result.output
    assert result.stderr.count("\n") == 1
    assert not saved_names or not is_left(SERVER_URL, saved_names)
    target, _ = use_empty()
    result = run("restore", damaged)
    assert (result.exit_code, says in result.stderr) == (1, True), result.output
    assert list_tables(target) == []
    assert run("restore", saved).exit_code == 0
    assert list_tables(target)


@pytest.mark.parametrize(
    ("statement", "says"),
    [("CREATE TABLE note (x integer)", "tables of another program"), ("SELECT 1", "contains no blog")],
)
def test_a_dump_of_another_program_is_refused(
    run, as_login, blog, use_empty, databases, tmp_path, statement, says
):
    other, name = databases.create_empty(tmp_path), as_login.post(BACKUPS).json["name"]
    path = blog / "backups" / name
    query(other, statement)
    postgresql_dumps.dump_database(make_url(other), tmp_path / "other.dump")
    write_altered(path, tmp_path / "altered.zip", without_files={"blog.dump"})
    with zipfile.ZipFile(tmp_path / "altered.zip", "a") as zip_file:
        zip_file.write(tmp_path / "other.dump", "blog.dump")
    path.write_bytes((tmp_path / "altered.zip").read_bytes())
    verified = as_login.post(f"{BACKUPS}{name}/verify/").json
    assert (verified["ok"], says in verified["detail"]) == (False, True), verified
    target, _ = use_empty()
    result = run("restore", path)
    assert result.exit_code == 1 and says in result.stderr and list_tables(target) == []


def test_a_database_with_tables_is_not_changed(run, blog, backup_file, make_article, monkeypatch):
    make_article(title="Later")
    before = read_rows(os.environ[URL])
    result = run("restore", backup_file)
    assert result.exit_code == 1 and "is not empty; name a database without tables" in result.stderr
    assert "createdb --encoding UTF8" in result.stderr
    # Another restore can fill the database after this check.
    monkeypatch.setattr(dumps, "refuse_nonempty_database", lambda url: None)
    result = run("restore", backup_file)
    assert result.exit_code == 1 and "already exists" in result.stderr
    assert read_rows(os.environ[URL]) == before


def test_a_restore_that_fails_after_the_dump_leaves_no_tables(run, blog, use_empty, tmp_path):
    query(os.environ[URL], "ALTER TABLE tag ADD COLUMN other INTEGER")
    try:
        assert run("backup", tmp_path / "saved.zip").exit_code == 0
    finally:
        query(os.environ[URL], "ALTER TABLE tag DROP COLUMN other")
    target, _ = use_empty()
    for words in (("restore",), ("backup", "--verify")):
        result = run(*words, tmp_path / "saved.zip")
        assert result.exit_code == 1 and "The schema of the database differs" in result.stderr
    assert list_tables(target) == []


def test_an_older_backup_is_upgraded(run, use_empty, tmp_path):
    url, home = use_empty()
    engine = create_engine(url)
    migrate_to(engine, FORMER)
    engine.dispose()
    home.mkdir(parents=True)
    service.create_backup(home, tmp_path / "old.zip")
    assert query(url, "SELECT version_num FROM alembic_version") == [(FORMER,)]
    target, _ = use_empty()
    assert run("backup", "--verify", tmp_path / "old.zip").exit_code == 0
    result = run("restore", tmp_path / "old.zip")
    assert result.exit_code == 0 and f"migration {FORMER}" in result.stdout, result.output
    assert query(target, "SELECT version_num FROM alembic_version") == [(LAST,)]


def test_a_backup_of_the_other_kind_of_database_is_refused(
    run, blog, backup_file, use_empty, monkeypatch, tmp_path
):
    target, _ = use_empty()
    monkeypatch.delenv(URL)
    service.create_backup(create_older_blog(tmp_path), tmp_path / "sqlite.zip")
    for words in (("restore",), ("backup", "--verify")):
        (tmp_path / "config.toml").touch()
        monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "older"))
        result = run(*words, backup_file)
        assert result.exit_code == 1 and re.search(
            r"on PostgreSQL, but .* on SQLite;.* db copy", result.stderr
        )
    monkeypatch.setenv(URL, target)
    result = run("restore", tmp_path / "sqlite.zip")
    assert result.exit_code == 1 and re.search(r"on SQLite, but .* on PostgreSQL;.* db copy", result.stderr)
    assert list_tables(target) == []
    # The check of a SQLite backup needs no server.
    assert run("backup", "--verify", tmp_path / "sqlite.zip").exit_code == 0


def test_without_the_programs_an_error_names_them(run, as_login, blog, backup_file, use_empty, monkeypatch):
    monkeypatch.setenv("PATH", str(blog / "empty"))
    before = sorted(blog.iterdir())
    result = run("backup", backup_file.with_name("other.zip"))
    assert result.exit_code == 1 and "pg_dump is not installed." in result.stderr
    assert sorted(blog.iterdir()) == before and not backup_file.with_name("other.zip").exists()
    answer = as_login.post(BACKUPS)
    assert outcome(answer) == (409, "conflict") and "pg_dump is not installed." in answer.json["detail"]
    assert str(blog) not in answer.json["detail"]
    assert "pg_restore is not installed." in run("backup", "--verify", backup_file).stderr
    target, _ = use_empty()
    assert "pg_restore is not installed." in run("restore", backup_file).stderr
    assert list_tables(target) == []


MISMATCH = (
    "pg_dump: error: aborting because of server version mismatch\n"
    "pg_dump: detail: server version: 19.1; pg_dump version: 15.20\n"
)
FULL = "pg_dump: error: could not write to output file: No space left on device\n"


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (MISMATCH, 409, "aborting because of server version mismatch"),
        (FULL, 507, "The disk is full; "),
    ],
)
def test_the_error_of_a_program_is_reported_and_no_file_is_left(
    run, as_login, blog, monkeypatch, tmp_path, words, status, says
):
    def fail(arguments, **options):
        (path,) = (word.removeprefix("--file=") for word in arguments if word.startswith("--file="))
        with open(path, "wb") as file:  # noqa: PTH123, as the program does
            file.write(b"half")
        return CompletedProcess(arguments, 1, b"", words.encode())

    address = make_url(os.environ[URL]).set(password="secret-word")
    monkeypatch.setenv(URL, address.render_as_string(hide_password=False))
    (tmp_path / "saved").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", fail)
        result = run("backup", tmp_path / "saved")
        assert result.exit_code == 1 and says in result.stderr and result.stderr.count("\n") == 1
        response = as_login.post(BACKUPS)
    assert response.status_code == status and says in response.json["detail"]
    assert "secret-word" not in result.output + response.text
    assert list((tmp_path / "saved").iterdir()) == [] and list((blog / "backups").glob("*.zip*")) == []
    assert run("backup", tmp_path / "saved").exit_code == 0


def test_an_interrupted_backup_leaves_no_file(app, run, blog, monkeypatch, tmp_path):
    (tmp_path / "saved").mkdir()

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", interrupt)
        assert run("backup", tmp_path / "saved").exit_code == 1
    assert list((tmp_path / "saved").iterdir()) == []
    assert run("backup", tmp_path / "saved").exit_code == 0


def test_the_password_is_not_in_the_arguments_of_the_programs(run, blog, use_empty, monkeypatch, tmp_path):
    calls, original = [], subprocess.run

    def record(arguments, **options):
        calls.append((arguments, options.get("env") or {}))
        return original(arguments, **options)

    monkeypatch.setattr(subprocess, "run", record)
    commands = ["backup"], ["backup", "--verify"], ["restore"]
    for words in commands:
        if words == ["restore"]:
            use_empty()
        address = make_url(os.environ[URL]).set(password="secret-word")
        monkeypatch.setenv(URL, address.render_as_string(hide_password=False))
        result = run(*words, tmp_path / "saved.zip")
        assert result.exit_code == 0 and "secret-word" not in result.output, result.output
    assert [os.path.basename(arguments[0]) for arguments, _ in calls] == [  # noqa: PTH119
        "pg_dump",
        "pg_restore",
        "pg_restore",
    ]
    # A hidden password in the URL would be preferred to PGPASSWORD.
    assert not any("secret-word" in word or "***" in word for arguments, _ in calls for word in arguments)
    assert {options["PGPASSWORD"] for _, options in calls} == {"secret-word"}


def test_a_server_that_cannot_be_reached_is_reported_in_one_line(run, blog, monkeypatch, tmp_path):
    monkeypatch.setenv(URL, "postgresql+psycopg://ada:secret-word@127.0.0.1:1/blog")
    result = run("backup", tmp_path / "saved.zip")
    assert result.exit_code == 1 and "The database cannot be copied: connection failed" in result.stderr
    assert "secret-word" not in result.output and result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_start_deletes_the_folder_of_a_killed_restore(app, run, blog, backup_file, use_empty, monkeypatch):
    _, home = use_empty()
    script = (
        "import os, pathlib, sys\n"
        "from blogapi import application\n"
        "from blogapi.operations.backups import dumps, restoring\n"
        "dumps.restore_dump = lambda *arguments: os._exit(9)\n"
        "restoring.restore_backup(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, backup_file, home], check=False)
    assert killed.returncode == 9 and list(home.glob(f"{restoring._STAGING_PREFIX}*"))
    # Repeat the command: the database is still empty.
    assert run("restore", backup_file).exit_code == 0
    leftover = home / f"{restoring._STAGING_PREFIX}0"
    leftover.mkdir()
    close_connections(create_app({"SECRET_KEY": "x" * 32}))
    assert not list(home.glob(f"{restoring._STAGING_PREFIX}*"))
