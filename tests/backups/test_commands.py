"""`backup` and `restore`: a restore brings everything back, and refuses incomplete files."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import stat
import zipfile
from contextlib import closing

import pytest
from sqlalchemy import create_engine

from blogapi import clock, create_app
from blogapi.backups import archive, service
from blogapi.storage import files, integrity, upgrades
from blogapi.storage.database import db
from tests.conftest import ARTICLES, TAGS, close_connections
from tests.migrations.alembic_runner import migrate_to

pytestmark = pytest.mark.sqlite("a server is backed up by its own means")

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows keeps no modes")


def dump_rows(path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def execute(path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def write_altered(backup_file, target, **manifest):
    """Write a backup with a valid digest and another manifest."""
    with zipfile.ZipFile(backup_file) as source, zipfile.ZipFile(target, "w") as zip_file:
        zip_file.comment = archive._SIGNATURE + b"0" * archive._DIGEST_LENGTH
        for name in source.namelist():
            content = source.read(name)
            if name == "manifest.json":
                content = json.dumps(json.loads(content) | manifest).encode()
            zip_file.writestr(name, content)
    archive._write_digest(target)
    return target


# --- backup


def test_a_backup_contains_the_blog_and_reports_its_contents(run, blog, tmp_path):
    result = run("backup", tmp_path / "blog.zip")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Wrote {tmp_path / 'blog.zip'}: 0.") and ": 0" in result.stdout
    assert "2 articles, as of " in result.stdout
    with zipfile.ZipFile(tmp_path / "blog.zip") as zip_file:
        assert zip_file.testzip() is None
        # Not the secret key: with it, a finder of the file could sign sessions.
        assert zip_file.namelist() == ["blog.db", "config.toml", "manifest.json"]
        manifest = json.loads(zip_file.read("manifest.json"))
    assert (manifest["rows"]["article"], manifest["rows"]["tag"]) == (2, 1)
    assert set(manifest["files"]) == {"blog.db", "config.toml"}
    assert [path.name for path in tmp_path.iterdir() if "zip" in path.name] == ["blog.zip"]


def test_a_backup_does_not_change_the_blog(run, blog, fingerprint, tmp_path):
    before = fingerprint()
    run("backup", tmp_path / "blog.zip")
    assert fingerprint() == before


@POSIX
def test_only_the_owner_can_read_a_backup(run, blog, tmp_path):
    previous = os.umask(0)
    try:
        run("backup", tmp_path / "blog.zip")
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "blog.zip").stat().st_mode) == 0o600


def test_an_existing_file_is_not_overwritten(run, blog, tmp_path):
    (tmp_path / "blog.zip").write_text("dear")
    result = run("backup", tmp_path / "blog.zip")
    assert (result.exit_code, "exists already" in result.stderr) == (1, True)
    assert (tmp_path / "blog.zip").read_text() == "dear"


def test_a_file_created_meanwhile_is_not_overwritten(run, blog, tmp_path, monkeypatch):
    pack = service.pack

    def pack_slowly(*arguments):
        (tmp_path / "blog.zip").write_text("dear", encoding="utf-8")
        return pack(*arguments)

    monkeypatch.setattr(service, "pack", pack_slowly)
    result = run("backup", tmp_path / "blog.zip")
    assert (result.exit_code, "exists already" in result.stderr) == (1, True)
    assert (tmp_path / "blog.zip").read_text(encoding="utf-8") == "dear"


def test_a_failed_backup_leaves_no_file(run, blog, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "_write_digest", fail)
    result = run("backup", tmp_path / "blog.zip")
    assert result.stderr == f"Error: The disk is full; nothing was written to {tmp_path / 'blog.zip'}.\n"
    assert [path for path in tmp_path.iterdir() if path.is_file()] == []


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["{}/no/blog.zip"], 2),
        (["{}/blog.zip", "--keep", "3"], 2),
        (["{}", "--keep", "0"], 2),
        (["{}/gone.zip", "--verify"], 2),
        (["{}", "--verify", "--keep", "1"], 2),
        ([], 2),
    ],
)
def test_wrong_usage_creates_nothing(run, blog, tmp_path, words, status):
    before = list(tmp_path.iterdir())
    assert run("backup", *(word.format(tmp_path) for word in words)).exit_code == status
    assert list(tmp_path.iterdir()) == before


def test_a_missing_blog_is_refused_and_not_created(run, instance, tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "gone"))
    result = run("backup", tmp_path / "blog.zip")
    assert (result.exit_code, "The blog cannot be backed up" in result.stderr) == (1, True)
    assert not (tmp_path / "gone").exists() and not (tmp_path / "blog.zip").exists()


def test_a_blog_on_a_database_server_is_refused(run, tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", "postgresql://localhost/blog")
    assert "pg_dump" in run("backup", tmp_path / "blog.zip").stderr


def test_a_damaged_blog_is_refused(run, blog, app, tmp_path):
    close_connections(app)
    whole = (blog / "blog.db").read_bytes()
    (blog / "blog.db").write_bytes(whole[:8192] + b"\xff" * 40960 + whole[49152:])
    result = run("backup", tmp_path / "blog.zip")
    assert (result.exit_code, "doctor" in result.stderr) == (1, True)
    assert not (tmp_path / "blog.zip").exists()


def test_keep_deletes_the_oldest_backups_in_a_folder(run, blog, tmp_path):
    (tmp_path / "blog.zip").write_text("a name that a person gave")
    for _ in range(4):
        result = run("backup", tmp_path, "--keep", "2")
    created = [path.name for path in sorted(tmp_path.glob("blogapi-*"))]
    assert len(created) == 2 and "Deleted " in result.stdout and created[-1] in result.stdout
    assert (tmp_path / "blog.zip").exists()


def test_partial_files_of_a_killed_process_are_deleted(run, blog, tmp_path):
    for name, age in ((".old.zip.0a.partial", 2 * 86_400), (".new.zip.0b.partial", 0)):
        (tmp_path / name).write_text("")
        modified_at = clock.now().timestamp() - age
        os.utime(tmp_path / name, (modified_at, modified_at))
    run("backup", tmp_path, "--keep", "2")
    assert [path.name for path in tmp_path.glob(".*.partial")] == [".new.zip.0b.partial"]


def test_a_backup_can_be_verified(run, backup_file, fingerprint):
    before = fingerprint()
    result = run("backup", "--verify", backup_file)
    assert (result.exit_code, result.stdout.split(":")[0]) == (0, f"{backup_file} can be restored")
    assert fingerprint() == before


def test_json_prints_the_manifest(run, blog, tmp_path):
    created = json.loads(run("backup", tmp_path / "blog.zip", "--json").stdout)
    read = json.loads(run("backup", "--verify", tmp_path / "blog.zip", "--json").stdout)
    assert created == read
    assert (created["file"], created["rows"]["article"]) == (str(tmp_path / "blog.zip"), 2)


# --- restore


def test_everything_comes_back(as_admin, run, blog, make_article, tmp_path):
    shown = as_admin.get(ARTICLES).json, as_admin.get(TAGS).json
    before, backup_file = dump_rows(blog / "blog.db"), tmp_path / "saved.zip"
    run("backup", backup_file)
    make_article(title="Later")
    as_admin.delete(f"{TAGS}{shown[1][0]['uuid']}/")
    result = run("restore", backup_file)
    assert result.exit_code == 0 and "2 articles" in result.stdout
    assert dump_rows(blog / "blog.db") == before
    # The application used the same connections all the time.
    assert (as_admin.get(ARTICLES).json, as_admin.get(TAGS).json) == shown
    assert [one["title"] for one in as_admin.get(f"{ARTICLES}?q=bread").json] == ["Bread"]
    assert as_admin.get(f"{ARTICLES}?q=later").json == []
    (blog / "secret_key").chmod(0o600)
    (blog / "blog.db").chmod(0o600)
    assert run("doctor").exit_code == 0


def test_the_former_state_is_saved_and_can_be_restored(run, blog, backup_file, make_article, app):
    make_article(title="Later")
    before = dump_rows(blog / "blog.db")
    result = run("restore", backup_file)
    (kept,) = (blog / "backups").iterdir()
    assert f"The former state is in {kept}." in result.stdout
    assert run("restore", kept).exit_code == 0
    assert dump_rows(blog / "blog.db") == before


def test_a_restore_without_a_blog_creates_it(run, backup_file, tmp_path, monkeypatch):
    home = tmp_path / "new" / "home"
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(home))
    result = run("restore", backup_file)
    assert result.exit_code == 0 and "The settings of the backup were restored." in result.stdout
    assert {path.name for path in home.iterdir()} - {"backups"} == {"blog.db", "config.toml"}
    if os.name != "nt":
        assert {stat.S_IMODE(path.stat().st_mode) for path in home.glob("*.*")} == {0o600}
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
    app = create_app()
    with app.app_context():
        assert db.session.scalar(db.text("SELECT count(*) FROM article")) == 2
    assert app.config["SESSION_DAYS"] == 7
    close_connections(app)


def test_existing_settings_are_not_replaced(run, blog, backup_file):
    (blog / "config.toml").write_text("SESSION_DAYS = 1\n", encoding="utf-8")
    assert "The settings were not changed; those of the backup differ." in run("restore", backup_file).stdout
    assert (blog / "config.toml").read_text(encoding="utf-8") == "SESSION_DAYS = 1\n"
    assert (blog / "secret_key").read_text(encoding="ascii") == "s" * 64


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("NONSENSE = 1", "not restored: The setting NONSENSE"),
        ('DATABASE_URL = "sqlite:///elsewhere.db"', "another DATABASE_URL"),
    ],
)
def test_unusable_settings_are_not_restored(run, blog, tmp_path, settings, says):
    backup_file = tmp_path / "saved.zip"
    (blog / "config.toml").write_text("", encoding="utf-8")
    shutil.copy(blog / "blog.db", tmp_path / "x.db")
    (tmp_path / "config.toml").write_text(settings, encoding="utf-8")
    service.copy(blog / "blog.db", tmp_path / "x.db")
    files.create_private(backup_file)
    service.pack(tmp_path / "x.db", backup_file, tmp_path)
    (blog / "config.toml").unlink()
    result = run("restore", backup_file)
    assert (result.exit_code, says in result.stdout) == (0, True)
    assert not (blog / "config.toml").exists()


def test_a_backup_of_an_older_rendering_is_upgraded(run, blog, tmp_path, app, as_admin):
    shown = as_admin.get(f"{ARTICLES}?fields=html,title").json
    execute(blog / "blog.db", "UPDATE article_tally SET renderer = 'older'")
    execute(blog / "blog.db", "UPDATE article_pieces SET html = x'00'")
    run("backup", tmp_path / "older.zip")
    assert run("restore", tmp_path / "older.zip").exit_code == 0
    assert as_admin.get(f"{ARTICLES}?fields=html,title").json == shown


def test_a_backup_of_an_older_schema_is_upgraded(run, tmp_path, monkeypatch, instance):
    shutil.rmtree(instance, ignore_errors=True)
    older = create_older_blog(tmp_path)
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(older))
    before = (older / "blog.db").read_bytes()
    assert run("backup", tmp_path / "older.zip").exit_code == 0
    assert (older / "blog.db").read_bytes() == before
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(instance))
    result = run("restore", tmp_path / "older.zip")
    assert result.exit_code == 0, result.output
    with integrity.open_database(instance / "blog.db") as connection:
        assert integrity.read_migration(connection) == upgrades.list_migrations()[-1]


def create_older_blog(tmp_path):
    """Return the instance folder of a blog with the first migration only."""
    home = tmp_path / "older"
    home.mkdir()
    engine = create_engine(f"sqlite:///{home / 'blog.db'}")
    migrate_to(engine, "0001")
    engine.dispose()
    return home


@pytest.mark.parametrize("content", [b"", b"Dear reader, " * 1000, b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_blog_that_cannot_be_read_is_moved_unchanged(run, blog, backup_file, app, content):
    shown = dump_rows(blog / "blog.db")
    close_connections(app)
    (blog / "blog.db").write_bytes(content)
    result = run("restore", backup_file)
    assert result.exit_code == 0, result.output
    assert dump_rows(blog / "blog.db") == shown
    kept = [path for path in (blog / "backups").iterdir() if path.suffix == ".db"]
    assert [path.read_bytes() for path in kept] == [content]
    assert "Restart the service." in result.stdout


def test_a_damaged_blog_is_saved_unchanged(run, blog, backup_file, app):
    shown = dump_rows(blog / "blog.db")
    close_connections(app)
    whole = (blog / "blog.db").read_bytes()
    (blog / "blog.db").write_bytes(whole[:8192] + b"\xff" * 40960 + whole[49152:])
    result = run("restore", backup_file)
    assert result.exit_code == 0 and "which is damaged" in result.stdout
    assert dump_rows(blog / "blog.db") == shown
    (kept,) = (blog / "backups").iterdir()
    assert kept.suffix == ".db" and kept.stat().st_size == len(whole)


# --- what is refused


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def flip(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << chance.randrange(8))]) + content[place + 1 :]


def blank(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content) - 600)
    return content[:place] + b"\0" * 600 + content[place + 600 :]


def lengthen(content: bytes, chance: random.Random) -> bytes:
    return content + bytes([chance.randrange(256)])


@pytest.mark.parametrize("damage", [cut, flip, blank, lengthen])
def test_a_damaged_backup_is_refused_without_changes(run, backup_file, fingerprint, tmp_path, damage):
    before, whole = fingerprint(), backup_file.read_bytes()
    for seed in range(25):
        (tmp_path / "spoilt.zip").write_bytes(damage(whole, random.Random(seed)))  # noqa: S311
        for words in (("restore",), ("backup", "--verify")):
            result = run(*words, tmp_path / "spoilt.zip")
            assert result.exit_code == 1, (seed, words)
            assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert fingerprint() == before


def write_zip(path, backup_file):
    with zipfile.ZipFile(path, "w") as zip_file:
        zip_file.writestr("manifest.json", '{"format": "blogapi-backup"}')


def write_database(path, backup_file):
    execute(path, "CREATE TABLE article (x)")


def write_own_database(path, backup_file):
    with zipfile.ZipFile(backup_file) as source:
        path.write_bytes(source.read("blog.db"))


def write_other_program(path, backup_file):
    write_altered(backup_file, path, format="other")


def write_newer_format(path, backup_file):
    write_altered(backup_file, path, version=2)


def write_newer_migration(path, backup_file):
    write_altered(backup_file, path, step="9999")


def write_other_counts(path, backup_file):
    write_altered(backup_file, path, rows={"article": 3})


def write_other_size(path, backup_file):
    write_altered(backup_file, path, files={"blog.db": {"size": 1, "sha256": "0" * 64}})


def write_other_digest(path, backup_file):
    with zipfile.ZipFile(backup_file) as source:
        size = source.getinfo("blog.db").file_size
    write_altered(backup_file, path, files={"blog.db": {"size": size, "sha256": "0" * 64}})


def write_without_database(path, backup_file):
    write_altered(backup_file, path, files={})


def write_without_manifest(path, backup_file):
    write_altered(backup_file, path, created=None, unknown=1)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path, _: path.write_bytes(b""), "not a complete backup"),
        (lambda path, _: path.write_bytes(b"Dear reader, " * 100), "not a complete backup"),
        (write_zip, "not a complete backup"),
        (write_database, "not a complete backup"),
        (write_own_database, "not a complete backup"),
        (write_other_program, "not a backup of blogapi"),
        (write_newer_format, "newer than this version"),
        (write_newer_migration, "newer version of blogapi (migration 9999)"),
        (write_other_counts, "does not match its manifest"),
        (write_other_size, "damaged"),
        (write_other_digest, "damaged"),
        (write_without_database, "contains no database"),
        (write_without_manifest, "manifest cannot be read"),
    ],
)
def test_a_file_that_is_not_a_backup_is_refused_without_changes(
    run, backup_file, fingerprint, tmp_path, make, reason
):
    make(tmp_path / "other", backup_file)
    before = fingerprint()
    for words in (("restore",), ("backup", "--verify")):
        result = run(*words, tmp_path / "other")
        assert (result.exit_code, reason in result.stderr) == (1, True), result.output
    assert fingerprint() == before


OTHER_SCHEMAS = {
    "a trigger": (
        "CREATE TRIGGER other AFTER INSERT ON api_key BEGIN UPDATE account SET role = 'admin'; END",
        "trigger other is unknown",
    ),
    "a view": ("CREATE VIEW other AS SELECT * FROM account", "view other is unknown"),
    "a table": ("CREATE TABLE other (x)", "table other is unknown"),
    "a column less": ("ALTER TABLE seo DROP COLUMN og_image", "table seo lacks: og_image"),
    "a column more": ("ALTER TABLE tag ADD COLUMN motto TEXT", "table tag also has: motto TEXT"),
    "an index less": ("DROP INDEX ix_change_due", "index ix_change_due is missing"),
    "a trigger less": ("DROP TRIGGER search_entry_gone", "trigger search_entry_gone is missing"),
    "a view in the place of a table": (
        "ALTER TABLE article_tally RENAME TO article_count; "
        "CREATE VIEW article_tally AS SELECT * FROM article_count",
        "view article_tally is unknown",
    ),
}


def make_backup_of(path, target, statement):
    """Write a backup of the blog's database, changed by the statement, with a valid digest."""
    service.copy(path, target.with_suffix(".db"))
    with closing(sqlite3.connect(target.with_suffix(".db"))) as connection:
        connection.executescript(statement)
    files.create_private(target)
    service.pack(target.with_suffix(".db"), target, target.parent / "no settings")


@pytest.mark.parametrize(("statement", "says"), OTHER_SCHEMAS.values(), ids=OTHER_SCHEMAS)
def test_a_backup_of_another_schema_is_refused_without_changes(
    run, blog, fingerprint, tmp_path, statement, says
):
    make_backup_of(blog / "blog.db", tmp_path / "other.zip", statement)
    before = fingerprint()
    for words in (("restore",), ("backup", "--verify")):
        result = run(*words, tmp_path / "other.zip")
        assert (result.exit_code, says in result.stderr) == (1, True), result.output
        assert result.stderr.count("\n") == 1
    assert fingerprint() == before


def test_an_older_backup_of_another_schema_is_refused_without_changes(run, blog, fingerprint, tmp_path):
    older = create_older_blog(tmp_path) / "blog.db"
    make_backup_of(
        older, tmp_path / "other.zip", "CREATE TRIGGER other AFTER INSERT ON tag BEGIN SELECT 1; END"
    )
    before = fingerprint()
    for words in (("restore",), ("backup", "--verify")):
        result = run(*words, tmp_path / "other.zip")
        assert (result.exit_code, "trigger other is unknown" in result.stderr) == (1, True), result.output
    assert fingerprint() == before


def test_an_upgrade_copy_of_another_schema_is_refused_without_changes(run, blog, fingerprint, tmp_path):
    aside = tmp_path / "before-upgrade-from-0003-20260101T000000.db"
    service.copy(blog / "blog.db", aside)
    execute(aside, "CREATE VIEW other AS SELECT 1")
    before = fingerprint()
    result = run("restore", aside)
    assert (result.exit_code, "view other is unknown" in result.stderr) == (1, True), result.output
    assert fingerprint() == before


@pytest.mark.parametrize("content", [b"", b"Dear reader, " * 1000, b"SQLite format 3\0" + b"\xff" * 9000])
def test_an_upgrade_copy_that_cannot_be_read_is_refused(run, blog, fingerprint, tmp_path, content):
    aside = tmp_path / "before-upgrade-from-0003-20260101T000000.db"
    aside.write_bytes(content)
    before = fingerprint()
    result = run("restore", aside)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1), result.output
    assert fingerprint() == before


def test_a_full_disk_does_not_change_the_blog(run, blog, backup_file, fingerprint, monkeypatch):
    before = fingerprint()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(service, "copy", fail)
    result = run("restore", backup_file)
    assert (result.exit_code, "The disk is full" in result.stderr) == (1, True)
    assert {name: held for name, held in fingerprint().items() if name != "backups"} == before


def test_a_restore_gives_up_on_a_database_that_stays_locked(run, blog, backup_file, fingerprint, monkeypatch):
    monkeypatch.setattr("blogapi.backups.restoring._WAIT_SECONDS", 0)
    before = fingerprint()
    with integrity.open_database(blog / "blog.db") as connection:
        connection.execute("BEGIN IMMEDIATE")
        result = run("restore", backup_file)
        connection.execute("ROLLBACK")
    assert (result.exit_code, "The database is busy" in result.stderr) == (1, True)
    assert {name: held for name, held in fingerprint().items() if name != "backups"} == before


def test_a_missing_file_is_wrong_usage(run, blog, tmp_path):
    assert run("restore", tmp_path / "gone.zip").exit_code == 2
