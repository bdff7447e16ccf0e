"""`restore` replaces the blog with a backup and saves the former state."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from blogapi import create_app
from blogapi.delivery.webhooks import queries as webhooks
from blogapi.operations.backups import archive, commands, restoring, service
from blogapi.storage import files, integrity, migration_names
from blogapi.storage.database import db
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import ARTICLES, TAGS, close_connections
from tests.content.media.rows import MEDIA
from tests.databases import open_sqlite
from tests.delivery.response_cache.cached_blog import warm
from tests.delivery.webhooks.rows import add_webhook
from tests.operations.backups.databases import create_older_blog, dump_rows, execute, read_row
from tests.stored_pictures import store_picture

CHANGES = "/api/v1/blog/changes/"
PAGES = "/api/v1/blog/pages/"
ROOT = Path(__file__).parent.parent.parent.parent

pytestmark = pytest.mark.sqlite("a server is backed up by its own means")


def list_without_backups(fingerprint):
    return {name: held for name, held in fingerprint().items() if not name.startswith("backups")}


def test_a_restore_brings_back_all_data_and_settings(as_admin, run, blog, make_article, tmp_path):
    shown = as_admin.get(ARTICLES).json, as_admin.get(TAGS).json
    before, backup_file = dump_rows(blog / "blog.db"), tmp_path / "saved.zip"
    run("backup", backup_file)
    make_article(title="Later")
    as_admin.delete(f"{TAGS}{shown[1][0]['uuid']}/")
    result = run("restore", backup_file)
    assert result.exit_code == 0 and "2 articles" in result.stdout
    assert dump_rows(blog / "blog.db") == before
    # The application shows the restored data without a restart.
    assert (as_admin.get(ARTICLES).json, as_admin.get(TAGS).json) == shown
    assert [one["title"] for one in as_admin.get(f"{ARTICLES}?q=bread").json] == ["Bread"]
    assert as_admin.get(f"{ARTICLES}?q=later").json == []
    (blog / "secret_key").chmod(0o600)
    (blog / "blog.db").chmod(0o600)
    assert run("doctor").exit_code == 0


def test_a_restore_keeps_the_cursors_of_changes_that_the_backup_contains(
    as_admin, run, backup_file, make_article
):
    kept = as_admin.get(CHANGES).json["cursor"]
    make_article(title="Lost")
    lost = as_admin.get(CHANGES).json["cursor"]
    assert run("restore", backup_file).exit_code == 0
    for _ in range(2):
        # Without a tag, the cursor would be valid after the second write and skip both.
        created = str(make_article(title="Later").uuid)
        response = as_admin.get(f"{CHANGES}?since={lost}")
        assert (response.status_code, response.json["code"]) == (400, "cursor_unknown")
    assert created in {change["uuid"] for change in as_admin.get(f"{CHANGES}?since={kept}").json["changes"]}


def test_a_restore_pauses_the_webhooks(app, run, blog, tmp_path):
    uuid, _ = add_webhook(app)
    run("backup", tmp_path / "saved.zip")
    assert run("restore", tmp_path / "saved.zip").exit_code == 0
    with app.app_context():
        assert webhooks.get_webhook(uuid).paused == "copied"


def test_a_restore_invalidates_cached_responses(as_reader, run, backup_file, make_article):
    make_article(title="Later")
    titles = [{one["title"] for one in warm(as_reader, ARTICLES).json}]
    assert run("restore", backup_file).exit_code == 0
    titles.append({one["title"] for one in as_reader.get(ARTICLES).json})
    assert titles == [{"Later", "Bread"}, {"Bread"}]


def test_a_restore_changes_the_tags(run, blog, backup_file):
    query = "SELECT tag, visible FROM commit_counter"
    before = read_row(blog / "blog.db", query)
    assert run("restore", backup_file).exit_code == 0
    assert {*before}.isdisjoint(read_row(blog / "blog.db", query))


def test_the_former_state_is_saved_and_can_be_restored(run, blog, backup_file, make_article, app):
    make_article(title="Later")
    before = dump_rows(blog / "blog.db")
    result = run("restore", backup_file)
    (kept,) = (blog / "backups").glob("*.db")
    assert f"The former state is in {kept}." in result.stdout
    assert run("restore", kept).exit_code == 0
    assert dump_rows(blog / "blog.db") == before


@pytest.mark.parametrize("sizes", [(4096, 8192), (8192, 4096)])
def test_a_backup_with_another_page_size_is_restored(as_reader, run, blog, app, tmp_path, sizes):
    # A file of an earlier version has pages of 4 kB, until its owner changes the size.
    for size, command in zip(sizes, ("backup", "restore"), strict=True):
        close_connections(app)
        with open_sqlite(blog / "blog.db", isolation_level=None) as connection:
            connection.executescript(f"PRAGMA journal_mode=DELETE; PRAGMA page_size={size}; VACUUM")
            connection.execute("PRAGMA journal_mode=WAL")
        result = run(command, tmp_path / "saved.zip")
        assert result.exit_code == 0, result.output
        assert integrity.read_page_size(blog / "blog.db") == size
    assert [one["title"] for one in as_reader.get(f"{ARTICLES}?q=bread").json] == ["Bread"]


def test_a_restore_creates_the_blog_if_there_is_none(run, backup_file, tmp_path, monkeypatch):
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


def test_a_restored_blog_that_was_not_started_is_replaced(run, backup_file, tmp_path, monkeypatch):
    home = tmp_path / "new"
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(home))
    assert run("restore", backup_file).exit_code == 0
    execute(home / "blog.db", "DELETE FROM article WHERE title = 'Soup'")
    assert run("restore", backup_file).exit_code == 0
    (former,) = (home / "backups").glob("*.db")
    assert read_titles(home / "blog.db") == {"Bread", "Soup"} and read_titles(former) == {"Bread"}


@pytest.fixture
def write_during_copy(blog, monkeypatch):
    """Lets another connection write after each of the next copies of the live database."""
    report, titles = service.report_full_disk, []

    @contextmanager
    def write(path: Path) -> Iterator[None]:
        with report(path):
            yield
        if path.name.startswith("before-restore-") and titles:
            # SQLite writes nothing for a row that stays equal.
            change = "UPDATE article SET title = ?, version = version + 1 WHERE title = 'Soup'"
            execute(blog / "blog.db", change, titles.pop())

    monkeypatch.setattr(service, "report_full_disk", write)
    return titles


def test_a_write_that_follows_the_copy_of_the_former_state_is_in_another_copy(
    run, blog, backup_file, write_during_copy
):
    write_during_copy += ["Salad", "Soup"]
    assert run("restore", backup_file).exit_code == 0
    (former,) = (blog / "backups").glob("*.db")
    assert read_titles(former) == {"Bread", "Salad"}
    assert read_titles(blog / "blog.db") == {"Bread", "Soup"}


def test_a_restore_fails_if_the_blog_is_changed_during_each_attempt(
    run, blog, backup_file, write_during_copy
):
    write_during_copy += ["Salad", "Soup", "Soup"]
    result = run("restore", backup_file)
    assert (result.exit_code, "The database is busy" in result.stderr) == (1, True)
    assert read_titles(blog / "blog.db") == {"Bread", "Salad"}
    assert list((blog / "backups").glob("*.db")) == []


def write_theme(home, **texts):
    """Write files of a theme; `__` in a name stands for a slash."""
    for name, text in texts.items():
        path = home / "theme" / f"{name.replace('__', '/')}.css"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def read_theme(home):
    return {
        path.relative_to(home / "theme").as_posix(): path.read_text(encoding="utf-8")
        for path in (home / "theme").rglob("*")
        if path.is_file()
    }


def test_a_theme_is_restored_if_the_blog_has_none(run, blog, tmp_path):
    write_theme(blog, style=":root {}", fonts__a="font", hidden__x="x")
    (blog / "theme/hidden").rename(blog / "theme/.git")
    if os.name != "nt":
        (blog / "theme/link.css").symlink_to(blog / "secret_key")
    assert run("backup", tmp_path / "saved.zip").exit_code == 0
    shutil.rmtree(blog / "theme")
    assert "The theme of the backup was restored." in run("restore", tmp_path / "saved.zip").stdout
    assert read_theme(blog) == {"style.css": ":root {}", "fonts/a.css": "font"}
    assert "The theme" not in run("restore", tmp_path / "saved.zip").stdout


def test_an_existing_theme_stays(run, blog, tmp_path):
    write_theme(blog, style="old", other="old")
    assert run("backup", tmp_path / "saved.zip").exit_code == 0
    write_theme(blog, style="new")
    output = run("restore", tmp_path / "saved.zip").stdout
    assert "The theme was not changed; the backup has another theme." in output
    assert read_theme(blog) == {"style.css": "new", "other.css": "old"}


@pytest.mark.parametrize("has_theme", [True, False])
def test_older_versions_refuse_only_a_backup_with_a_theme(run, blog, tmp_path, has_theme):
    if has_theme:
        write_theme(blog, style="a")
    assert run("backup", tmp_path / "saved.zip").exit_code == 0
    with zipfile.ZipFile(tmp_path / "saved.zip") as saved:
        manifest = json.loads(saved.read("manifest.json"))
        assert ("theme/style.css" in saved.namelist()) is has_theme
    assert (manifest["version"], manifest.get("has_theme", False)) == ((5, True) if has_theme else (3, False))


@pytest.mark.parametrize(
    "name", ["theme/../../x.css", "theme/..", "theme//x", "theme/.git/config", "theme", "theme/a\\..\\b"]
)
def test_a_theme_with_a_path_outside_of_its_folder_is_refused(run, blog, backup_file, tmp_path, name):
    with zipfile.ZipFile(backup_file, "a") as saved:
        saved.writestr(name, "x")
    result = run("restore", backup_file)
    assert result.exit_code == 1 and "unknown file" in result.stderr
    assert not list(tmp_path.rglob("x*")) and not (blog / "theme").exists()


def test_existing_settings_are_not_replaced(run, blog, backup_file):
    (blog / "config.toml").write_text("SESSION_DAYS = 1\n", encoding="utf-8")
    output = run("restore", backup_file).stdout
    assert "The settings were not changed; the backup has other settings." in output
    assert (blog / "config.toml").read_text(encoding="utf-8") == "SESSION_DAYS = 1\n"
    assert (blog / "secret_key").read_text(encoding="ascii") == "s" * 64


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("NONSENSE = 1", "not restored: The setting NONSENSE"),
        ('DATABASE_URL = "sqlite:///elsewhere.db"', "their DATABASE_URL differs"),
    ],
)
def test_unusable_settings_are_not_restored(run, blog, tmp_path, settings, says):
    backup_file = tmp_path / "saved.zip"
    (blog / "config.toml").write_text("", encoding="utf-8")
    with archive.create_archive(backup_file) as other:
        run("backup", tmp_path / "blog.zip")
        with zipfile.ZipFile(tmp_path / "blog.zip") as saved:
            for name in ("blog.db", "manifest.json"):
                other.writestr(name, saved.read(name))
        other.writestr("config.toml", settings)
    (blog / "config.toml").unlink()
    result = run("restore", backup_file)
    assert (result.exit_code, says in result.stdout) == (0, True)
    assert not (blog / "config.toml").exists()


def test_html_that_an_older_version_rendered_is_rendered_again_after_a_restore(
    run, blog, tmp_path, app, as_admin
):
    shown = as_admin.get(f"{ARTICLES}?fields=html,title").json
    let_older_version_render(blog)
    run("backup", tmp_path / "older.zip")
    assert run("restore", tmp_path / "older.zip").exit_code == 0
    assert as_admin.get(f"{ARTICLES}?fields=html,title").json == shown


def test_a_page_that_an_older_version_rendered_is_rendered_again_after_a_restore(
    run, blog, tmp_path, as_admin
):
    page = as_admin.post(PAGES, json={"title": "Imprint", "content": "We.", "status": "published"}).json
    path = f"{PAGES}{page['uuid']}/?fields=html,title"
    shown = as_admin.get(path).json
    let_older_version_render(blog)
    run("backup", tmp_path / "older.zip")
    result = run("restore", tmp_path / "older.zip")
    assert result.exit_code == 0, result.exception
    assert as_admin.get(path).json == shown


@pytest.mark.slow
def test_a_restore_stores_the_addresses_of_pictures_below_that_of_the_service(
    app, run, blog, tmp_path, as_admin
):
    store_picture(app, "red")
    assert run("site", "set", "service_url=https://api.blog.example").exit_code == 0
    let_older_version_render(blog)
    run("backup", tmp_path / "older.zip")
    # In a process of its own, no other application exists.
    command = [sys.executable, "-m", "blogapi", "restore", str(tmp_path / "older.zip")]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    (picture,) = as_admin.get(MEDIA).json
    assert picture["url"].startswith("https://api.blog.example/media/")


def read_titles(path: Path) -> set[str]:
    with open_sqlite(path) as connection:
        return {title for (title,) in connection.execute("SELECT title FROM article")}


def let_older_version_render(blog: Path) -> None:
    """Remove the stored HTML, and store that an older version has rendered it."""
    execute(blog / "blog.db", "UPDATE article_stats SET renderer = 'older'")
    execute(blog / "blog.db", "UPDATE article SET html = ''")


def test_a_backup_with_an_older_schema_is_upgraded(run, tmp_path, monkeypatch, instance):
    shutil.rmtree(instance, ignore_errors=True)
    older = create_older_blog(tmp_path)
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(older))
    with allow_opening():
        before = (older / "blog.db").read_bytes()
    assert run("backup", tmp_path / "older.zip").exit_code == 0
    with allow_opening():
        assert (older / "blog.db").read_bytes() == before
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(instance))
    result = run("restore", tmp_path / "older.zip")
    assert result.exit_code == 0, result.output
    with integrity.open_database(instance / "blog.db") as connection:
        assert integrity.read_last_migration(connection) == migration_names.list_migrations()[-1]


@pytest.mark.parametrize("content", [b"", b"Dear reader, " * 1000, b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_restore_keeps_the_unchanged_file_of_a_blog_that_cannot_be_read(
    run, blog, backup_file, app, content
):
    shown = dump_rows(blog / "blog.db")
    close_connections(app)
    with allow_opening():
        (blog / "blog.db").write_bytes(content)
    result = run("restore", backup_file)
    assert result.exit_code == 0, result.output
    assert dump_rows(blog / "blog.db") == shown
    kept = [path for path in (blog / "backups").glob("*.db") if path.suffix == ".db"]
    assert [path.read_bytes() for path in kept] == [content]
    assert "Restart the service." in result.stdout


def test_a_restore_keeps_the_unchanged_file_of_a_damaged_blog(run, blog, backup_file, app):
    shown = dump_rows(blog / "blog.db")
    close_connections(app)
    with allow_opening():
        whole = (blog / "blog.db").read_bytes()
        (blog / "blog.db").write_bytes(whole[:8192] + b"\xff" * 40960 + whole[49152:])
    result = run("restore", backup_file)
    assert result.exit_code == 0
    assert dump_rows(blog / "blog.db") == shown
    (kept,) = (blog / "backups").glob("*.db")
    assert kept.suffix == ".db" and kept.stat().st_size == len(whole)
    assert run("restore", kept).exit_code == 1
    assert dump_rows(blog / "blog.db") == shown


def test_a_full_disk_does_not_change_the_blog(run, blog, backup_file, fingerprint, monkeypatch):
    before = list_without_backups(fingerprint)

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace_file", fail)
        result = run("restore", backup_file)
    full = rf"Error: The disk is full; {re.escape(str(blog / 'backups'))}\S+\.db cannot be written.\n"
    assert result.exit_code == 1 and re.fullmatch(full, result.stderr), result.output
    assert list_without_backups(fingerprint) == before


def test_a_restore_fails_if_the_database_stays_locked(run, blog, backup_file, fingerprint, monkeypatch):
    monkeypatch.setattr(restoring, "_LOCK_SECONDS", 0)
    before = list_without_backups(fingerprint)
    with integrity.open_database(blog / "blog.db") as connection:
        connection.execute("BEGIN IMMEDIATE")
        result = run("restore", backup_file)
        connection.execute("ROLLBACK")
    assert (result.exit_code, "The database is busy" in result.stderr) == (1, True)
    assert list_without_backups(fingerprint) == before


@pytest.mark.parametrize(
    ("words", "typed", "status"), [([], "n\n", 1), ([], "y\n", 0), (["--yes"], "", 0), (None, "", 0)]
)
def test_a_restore_asks_on_a_terminal(
    app, run, blog, backup_file, make_article, monkeypatch, words, typed, status
):
    """Without a terminal (None), the command prints the same lines and asks nothing."""
    make_article(title="Later")
    monkeypatch.setattr(commands, "is_stdin_terminal", lambda: words is not None)
    before = read_row(blog / "blog.db", "SELECT count(*) FROM article")
    runner = app.test_cli_runner()
    result = runner.invoke(args=["restore", str(backup_file), *(words or [])], input=typed)
    assert result.exit_code == status, result.output
    number = before[0]
    assert "A backup of 20" in result.output
    assert f"replaces the blog in {blog.parent} (articles and pages: {number})" in result.output
    assert f"is saved in {blog / 'backups'}." in result.output
    assert ("Replace it?" in result.output) is (words == [])
    after = read_row(blog / "blog.db", "SELECT count(*) FROM article")
    assert (after == before) is bool(status)


def test_a_restore_into_an_empty_blog_that_cannot_be_written_is_refused(run, blog, backup_file, monkeypatch):
    def refuse(path):
        raise sqlite3.OperationalError("attempt to write a readonly database")

    execute(blog / "blog.db", "DELETE FROM article")
    monkeypatch.setattr(integrity, "is_database_in_use", refuse)
    result = run("restore", backup_file)
    assert (result.exit_code, "readonly database" in result.stderr) == (1, True), result.exception


def test_a_missing_file_is_a_usage_error(run, blog, tmp_path):
    assert run("restore", tmp_path / "gone.zip").exit_code == 2
