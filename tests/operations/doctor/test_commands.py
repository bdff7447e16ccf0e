"""The `doctor` command on a healthy blog, and on one with each kind of damage."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blogapi import create_app
from blogapi.config import CannotStart
from blogapi.operations.doctor import derived_data_checks, instance_checks
from blogapi.storage import integrity
from blogapi.storage.database import db
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import ARTICLES, CATEGORIES, TAGS, close_connections
from tests.databases import open_sqlite
from tests.delivery.changes.test_routes import CHANGES
from tests.durability.test_storage import DROP_PRIVILEGE
from tests.stored_pictures import store_picture

pytestmark = pytest.mark.sqlite("its file and its index")

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows keeps no modes")

DAMAGE = {
    "HTML of an article": (
        "UPDATE article SET html = ''",
        "articles: rendered columns of articles: 3 differ",
    ),
    "JSON of an article": (
        "UPDATE article SET toc = '[broken', cover = ''",
        "articles: rendered columns of articles: 3 differ",
    ),
    "text of another program": (
        "UPDATE article SET content = '# Soup', word_count = 7, toc = '[]' WHERE content = '# Soup'",
        "articles: rendered columns of articles: 1 differ",
    ),
    "the order of categories": (
        "UPDATE category SET sort_key = ''",
        "lists: sort keys of categories: 1 differ",
    ),
    "the order of tags": ("UPDATE tag SET sort_key = 'oat'", "lists: sort keys of tags: 1 differ"),
    "the order of authors": ("UPDATE author SET sort_key = ''", "lists: sort keys of authors: 3 differ"),
    "the list of a tag": (
        "UPDATE article_tag SET listed_from = '2020-01-01 00:00:00.000000'",
        "lists: 1 entries in the lists of tags and authors and in the search differ from articles",
    ),
    "the category in the list of a tag": (
        "UPDATE article_tag SET category_id = '11111111111111111111111111111111'",
        "lists: 1 entries",
    ),
    "the list of an author": ("UPDATE article_author SET listed_from = NULL", "lists: 2 entries"),
    "missing search entries": ("DELETE FROM search_entry", "search: entries of articles: 3 differ"),
    "indexed text": (
        "UPDATE search_index SET title_words = 'other' WHERE rowid > 1",
        "search: entries of articles: 2 differ",
    ),
    "a draft that the search finds": (
        "UPDATE search_entry SET listed_from = '2020-01-01' WHERE listed_from IS NULL",
        "lists: 1 entries",
    ),
    "orphaned rows of the index": (
        "INSERT INTO search_index (rowid, title_words) VALUES (5, 'bread')",
        "search: 1 rows of the index belong to no article",
    ),
    "a damaged index": (
        "DELETE FROM search_index_docsize WHERE id > 0",
        "search: The index is damaged: ",
    ),
    "words that were never indexed": (
        "UPDATE search_index_content SET c0 = 'bread' WHERE id = 3",
        "search: The index is damaged: ",
    ),
    "an index that finds nothing": (
        # The structure of the index has no segments.
        "UPDATE search_index_data SET block = x'00000000000000' WHERE id = 10",
        "search: The index is damaged: ",
    ),
}

PATHS = (
    f"{ARTICLES}?q=bread&fields=title,html,tags&page=1&page_size=2",
    f"{ARTICLES}?page=1&page_size=2",
    f"{TAGS}?page=1&page_size=2",
    f"{CATEGORIES}?page=1&page_size=2",
)


@pytest.fixture
def run_doctor(app):
    """Runs `doctor` on the blog of the test."""
    return lambda *words: app.test_cli_runner().invoke(args=["doctor", "--full", *words])


@pytest.fixture
def blog(app, instance, make_article, make_tag):
    """A blog with two published articles, one of which has a tag, and a draft."""
    make_article(title="Bread", tags=(make_tag("rye"),), slug="bread")
    make_article(title="東京 Soup", content="# Soup", content_type="markdown")
    make_article(status="draft")
    instance.chmod(0o700)
    (instance / "blog.db").chmod(0o600)
    return instance


def execute(blog: Path, statement: str) -> None:
    with open_sqlite(blog / "blog.db") as connection, connection:
        connection.execute(statement)


def list_lines(result, level: str) -> list[str]:
    return [line for line in result.stdout.splitlines() if line.startswith(level)]


def test_a_healthy_blog_passes_all_checks(run_doctor, blog):
    result = run_doctor()
    assert (result.exit_code, list_lines(result, "wrong")) == (0, [])
    checked = {line.split(":")[0].split()[1] for line in list_lines(result, "ok")}
    assert {"settings", "disk", "clock", "database", "schema", "lists", "search"} <= checked
    # Windows has no file modes.
    assert ("files" in checked) is (os.name != "nt")


def test_an_empty_blog_passes_all_checks(run_doctor):
    assert run_doctor().exit_code == 0


@pytest.mark.parametrize(("statement", "says"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_reported_and_repaired(
    run_doctor, app, blog, as_reader, people, make_client, statement, says
):
    def read(client):
        responses = [client.get(path) for path in PATHS]
        return [(response.text, response.headers.get("X-Total-Count")) for response in responses]

    before = read(as_reader)
    assert [total for _, total in before] == ["1", "2", "1", "1"]
    execute(blog, statement)
    # The responses to this key are cached after the damage.
    reader = make_client(app, people.key(None))
    for _ in range(2):
        read(reader)
    result = run_doctor()
    assert result.exit_code == 1
    assert any(says in line and line.endswith("Do: doctor --repair.") for line in list_lines(result, "wrong"))
    repaired = run_doctor("--repair")
    assert (repaired.exit_code, list_lines(repaired, "wrong")) == (0, [])
    assert any(says in line for line in list_lines(repaired, "repaired"))
    assert run_doctor().exit_code == 0
    assert read(reader) == read(as_reader) == before


def test_missing_search_entries_are_found_without_rendering(app, blog, monkeypatch):
    monkeypatch.setattr(derived_data_checks, "render_articles", None)
    execute(blog, "DELETE FROM search_entry")
    result = app.test_cli_runner().invoke(args=["doctor"])
    assert result.exit_code == 1
    lines = list_lines(result, "wrong")
    assert any("search: entries of articles: 3 differ" in line for line in lines), result.stdout


def test_only_a_full_check_renders(app, blog, run_doctor):
    execute(blog, "UPDATE article SET html = 'Other'")
    assert app.test_cli_runner().invoke(args=["doctor"]).exit_code == 0
    assert run_doctor().exit_code == 1


def test_repaired_articles_appear_in_the_changes_feed(run_doctor, blog, as_reader):
    cursor = as_reader.get(f"{CHANGES}?since=now").json["cursor"]
    execute(blog, "UPDATE article SET html = '' WHERE slug != 'bread'")
    run_doctor("--repair")
    (change,) = as_reader.get(f"{CHANGES}?since={cursor}").json["changes"]
    assert as_reader.get(f"{ARTICLES}{change['uuid']}/").json["title"] == "東京 Soup"


def test_without_the_repair_option_nothing_is_changed(run_doctor, blog):
    execute(blog, "UPDATE article_tag SET listed_from = NULL")
    execute(blog, "UPDATE tag SET sort_key = ''")
    with open_sqlite(blog / "blog.db") as connection:
        before = list(connection.iterdump())
        run_doctor()
        assert list(connection.iterdump()) == before


def test_the_json_option_prints_the_findings(run_doctor, blog):
    execute(blog, "UPDATE article_tag SET listed_from = NULL")
    result = run_doctor("--json")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["ok"]) == (1, False)
    (wrong,) = [finding for finding in report["findings"] if finding["level"] == "wrong"]
    assert (wrong["check"], wrong["do"]) == ("lists", "doctor --repair")


def test_rows_that_refer_to_missing_rows_are_reported(run_doctor, blog):
    execute(blog, "DELETE FROM account")
    assert any("rows of article refer to missing rows" in line for line in list_lines(run_doctor(), "wrong"))


def test_rows_that_refer_to_a_deleted_user_need_a_backup(run_doctor, blog):
    execute(blog, "DELETE FROM account")
    lines = list_lines(run_doctor("--repair"), "wrong")
    assert any("rows of article refer to missing rows" in line and "restore FILE" in line for line in lines)


def test_rows_of_another_program_are_left_alone(run_doctor, monkeypatch, tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            'CREATE TABLE "the parents" (id PRIMARY KEY);'
            'CREATE TABLE children (id REFERENCES "the parents" (id) ON DELETE CASCADE);'
            "INSERT INTO children VALUES (1);"
        )
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", f"sqlite:///{path}")
    lines = list_lines(run_doctor("--repair"), "wrong")
    assert any("The file contains no blog" in line for line in lines)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM children").fetchone() == (1,)


def test_a_program_without_foreign_keys_can_delete_and_change_articles(app, run_doctor, blog, as_reader):
    cursor = as_reader.get(f"{CHANGES}?since=now").json["cursor"]
    with closing(sqlite3.connect(blog / "blog.db")) as connection, connection:
        connection.execute("DELETE FROM article WHERE slug = 'bread'")
        connection.execute("UPDATE article SET content = '# Rice' WHERE content = '# Soup'")
    assert any(
        "rows of article_author refer to missing rows" in line for line in list_lines(run_doctor(), "wrong")
    )
    assert any("rows of article_author" in line for line in list_lines(run_doctor("--repair"), "repaired"))
    again = run_doctor()
    assert (again.exit_code, list_lines(again, "wrong")) == (0, [])
    # The anonymous key stays, which refers to no user.
    (article,) = as_reader.get(f"{ARTICLES}?fields=slug,html").json
    assert "<h1" in article["html"] and "Rice</h1>" in article["html"]
    for word, found in (("bread", 0), ("soup", 1), ("rice", 1)):
        assert len(as_reader.get(f"{ARTICLES}?q={word}").json) == found, word
    changes = as_reader.get(f"{CHANGES}?since={cursor}").json["changes"]
    assert {change["kind"] for change in changes} >= {"article"}


def test_an_index_that_lacks_rows_is_found_with_full(app, run_doctor, blog):
    definition = "CREATE INDEX ix_article_editor_id ON article (editor_id)"
    with open_sqlite(blog / "blog.db") as connection, connection:
        connection.execute("DROP INDEX ix_article_editor_id")
        connection.execute(f"{definition} WHERE editor_id = ''")
        connection.execute("PRAGMA writable_schema=ON")
        update = "UPDATE sqlite_master SET sql = ? WHERE name = 'ix_article_editor_id'"
        connection.execute(update, (definition,))
    quick = app.test_cli_runner().invoke(args=["doctor"])
    assert "missing from index" not in quick.stdout and "is intact" in quick.stdout
    assert "missing from index ix_article_editor_id" in run_doctor().stdout


def test_a_damaged_file_is_reported_and_not_checked_further(run_doctor, blog, app):
    with app.app_context():
        db.session.remove()
        db.engine.dispose()
    path = blog / "blog.db"
    with allow_opening():
        content = path.read_bytes()
        path.write_bytes(content[:8192] + b"\xff" * 40960 + content[49152:])
    result = run_doctor()
    assert result.exit_code == 1
    assert "is damaged" in result.stdout and "restore FILE" in result.stdout and "json: " not in result.stdout


@pytest.mark.parametrize("fault", ["in the way", "full", "no log"])
def test_a_damaged_log_is_not_dropped_if_it_cannot_be_copied(app, run_doctor, blog, monkeypatch, fault):
    monkeypatch.setattr(integrity, "count_lost_writes", lambda path: 3)
    if fault == "full":
        # The program that copies the files fails.
        monkeypatch.setattr(integrity.raw_files, "__file__", str(blog / "missing.py"))
    elif fault == "no log":
        close_connections(app)
    else:
        (blog / "backups").write_text("in the way")
    (line,) = list_lines(run_doctor("--repair"), "wrong")
    assert "at least 3 committed writes" in line and "so nothing was repaired" in line
    assert not list(blog.glob("backups/*"))


@pytest.mark.parametrize("content", [b"", b"Dear reader, " * 100])
def test_a_file_that_is_not_a_blog_is_reported(run_doctor, instance, content):
    with allow_opening():
        (instance / "blog.db").write_bytes(content)
    result = run_doctor()
    assert result.exit_code == 1 and (
        list_lines(result, "wrong")[0].startswith(("wrong     database", "wrong     schema"))
    )


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mode", "says"),
    [
        pytest.param("", 0, "", marks=pytest.mark.release),
        ("", 0o500, ""),
        pytest.param("config.toml", 0, "config.toml", marks=pytest.mark.release),
        pytest.param("secret_key", 0, "secret_key", marks=pytest.mark.release),
        ("blog.db", 0, "blog.db"),
        pytest.param("blog.db", 0o400, "blog.db", marks=pytest.mark.release),
        ("media", 0, "media"),
        pytest.param("media/*/*.png", 0, "media", marks=pytest.mark.release),
        pytest.param("backups", 0o500, "backups", marks=pytest.mark.release),
    ],
)
def test_a_path_that_the_user_may_not_use_is_reported_as_such(app, blog, name, mode, says):
    store_picture(app, "blue")
    close_connections(app)
    (blog / "backups").mkdir()
    for secret in ("config.toml", "secret_key"):
        (blog / secret).write_text("s" * 64 if secret == "secret_key" else "", encoding="ascii")
        (blog / secret).chmod(0o600)
    environment = {**os.environ, "BLOGAPI_INSTANCE_PATH": str(blog)}
    words = ["-m", "blogapi", "doctor", "--full", "--json"]
    command = [sys.executable, "-c", DROP_PRIVILEGE, sys.executable, *words]
    path = next(blog.glob(name)) if name else blog
    old_mode = path.stat().st_mode
    try:
        path.chmod(mode)
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    finally:
        path.chmod(old_mode)
    assert (result.returncode, "Traceback" in result.stderr) == (1, False), result.stderr
    wrong = [one for one in json.loads(result.stdout)["findings"] if one["level"] == "wrong"]
    assert any(str(blog / says) in one["says"] for one in wrong)
    assert not any("damaged" in one["says"] for one in wrong)
    assert all(one["do"].startswith("give ") for one in wrong)


READ_AS_ADMIN = """
from datetime import timedelta
from blogapi import create_app
from blogapi.accounts.users import queries, service
app = create_app({"SECRET_KEY": "x" * 32})
client = app.test_client()
with app.app_context(), client.session_transaction() as session:
    session["token"] = service.start_login(queries.find_user_by_name("ada"), lifetime=timedelta(days=1))
for method, path in (("GET", "backups"), ("POST", "doctor")):
    response = client.open(f"/api/v1/{path}/", method=method)
    print(response.status_code, response.text)
"""


@POSIX
@pytest.mark.slow
def test_a_folder_of_backups_that_the_service_may_not_read_is_named(app, people, blog):
    close_connections(app)
    folder = blog / "backups"
    folder.mkdir(mode=0)
    environment = {**os.environ, "BLOGAPI_INSTANCE_PATH": str(blog)}
    command = [sys.executable, "-c", DROP_PRIVILEGE, sys.executable, "-c", READ_AS_ADMIN]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    listed, checked = result.stdout.splitlines()
    assert listed.startswith("409 ") and f"{folder}: Permission denied" in listed, result.stderr
    assert checked.startswith("200 ") and "The folder of the backups cannot be read" in checked


def test_a_schema_that_another_program_has_changed_is_reported(run_doctor, blog):
    execute(blog, "DROP INDEX ix_article_editor_id")
    execute(blog, "ALTER TABLE tag ADD COLUMN motto TEXT")
    (line,) = list_lines(run_doctor(), "wrong")
    assert "index ix_article_editor_id is missing; table tag also has: motto TEXT." in line
    assert line.endswith("or restore a backup.")


def test_a_lost_database_is_not_replaced_by_an_empty_one(app, run_doctor, blog):
    close_connections(app)
    (blog / "secret_key").write_text("s" * 64, encoding="ascii")
    (blog / "secret_key").chmod(0o600)
    with allow_opening():
        (blog / "blog.db").rename(blog.with_name("lost.db"))
    for folder in ("media", "backups"):
        (blog / folder / "file").mkdir(parents=True)
        with pytest.raises(CannotStart, match=r"blog.db is missing.*restore FILE`.*move the folders"):
            create_app()
        (blog / folder / "file").rmdir()
    assert not (blog / "blog.db").exists()
    (line,) = list_lines(run_doctor(), "wrong")
    assert "restore a backup; to begin an empty blog, move the folders `media` and `backups` away" in line
    (blog / "media").rmdir()
    (blog / "backups").rmdir()
    close_connections(create_app())
    assert (blog / "blog.db").exists() and (blog / "secret_key").exists()


def test_a_missing_blog_is_reported_and_not_created(run_doctor, instance, monkeypatch, tmp_path):
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "gone"))
    result = run_doctor()
    assert result.exit_code == 1 and "There is no blog in" in result.stderr
    assert not (tmp_path / "gone").exists()


def test_two_migrations_in_one_database_are_reported_with_what_to_do(run_doctor, blog):
    execute(blog, "INSERT INTO alembic_version VALUES ('0001')")
    (line,) = list_lines(run_doctor(), "wrong")
    assert "The table alembic_version names 2 migrations (0001, 0" in line and "restore a backup" in line


def test_an_older_schema_is_reported_as_a_hint_and_not_upgraded(run_doctor, blog):
    execute(blog, "UPDATE alembic_version SET version_num = '0001'")
    assert any("restart the service, which" in line for line in list_lines(run_doctor(), "hint"))
    execute(blog, "UPDATE alembic_version SET version_num = '9999'")
    assert any("a newer version of blogapi" in line for line in list_lines(run_doctor(), "wrong"))


def test_an_invalid_setting_is_reported(run_doctor, blog, monkeypatch):
    monkeypatch.setenv("BLOGAPI_SESSION_DAYS", "many")
    result = run_doctor()
    assert result.exit_code == 1
    assert "wrong     settings: The setting SESSION_DAYS in the environment must be" in result.stdout


def test_a_removed_setting_is_a_hint(run_doctor, blog, monkeypatch):
    assert not [line for line in list_lines(run_doctor(), "hint") if "settings:" in line]
    monkeypatch.setenv("BLOGAPI_UNREAD_MEGABYTES", "512")
    result = run_doctor()
    assert result.exit_code == 0
    (line,) = [line for line in list_lines(result, "hint") if "settings:" in line]
    assert "UNREAD_MEGABYTES in the environment" in line and "Do: remove it; version 1.2" in line


@POSIX
def test_files_that_other_users_can_read_are_reported(run_doctor, blog):
    (blog / "secret_key").write_text("x" * 64)
    for name in ("secret_key", "blog.db"):
        (blog / name).chmod(0o644)
    blog.chmod(0o777)
    result = run_doctor().stdout
    for remedy in (
        f"chmod 600 '{blog / 'secret_key'}'",
        f"chmod 600 '{blog / 'blog.db'}'",
        f"chmod 700 '{blog}'",
    ):
        assert remedy in result
    for name in ("secret_key", "blog.db"):
        (blog / name).chmod(0o600)
    blog.chmod(0o755)
    result = run_doctor()
    assert result.exit_code == 0 and "Other users can list" in result.stdout


@pytest.mark.parametrize(("free", "level"), [(10, "wrong"), (90 * 1024**2, "hint"), (10**12, "ok")])
def test_little_free_disk_space_is_reported(run_doctor, blog, monkeypatch, free, level):
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr(instance_checks.shutil, "disk_usage", lambda _: usage)
    result = run_doctor()
    assert any(" disk: " in line for line in list_lines(result, level))
    assert result.exit_code == (level == "wrong")


@pytest.mark.parametrize(("short", "level"), [(1, "hint"), (0, "ok")])
def test_too_little_disk_space_for_two_copies_of_the_blog_is_reported(tmp_path, monkeypatch, short, level):
    (tmp_path / "blog.db").write_bytes(b"\0" * 4096)
    usage = type("Usage", (), {"free": instance_checks.SPARE_BYTES + 2 * 4096 - short})
    monkeypatch.setattr(instance_checks.shutil, "disk_usage", lambda _: usage)
    found = list(instance_checks.run_checks(tmp_path, tmp_path / "blog.db"))
    assert [finding.level for finding in found if finding.check == "disk"] == [level]


def test_languages_of_texts_that_the_site_does_not_list_are_reported(run_doctor, blog, make_article):
    make_article(language="en")
    assert not any(" languages: " in line for line in list_lines(run_doctor(), "hint"))
    make_article(language="sw")
    assert [line for line in list_lines(run_doctor(), "hint") if " languages: " in line and " sw." in line]


@POSIX
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can change owners")
def test_the_owner_of_the_target_of_a_link_is_not_reported(tmp_path):
    (folder := tmp_path / "blog").mkdir()
    (other := tmp_path / "theme").mkdir()
    os.chown(other, 65534, 65534)
    (folder / "theme").symlink_to(other)
    assert not any("belongs to" in finding.says for finding in instance_checks.run_checks(folder, None))
    (folder / "own").touch(0o600)
    os.chown(folder / "own", 65534, 65534)
    assert any("belongs to" in finding.says for finding in instance_checks.run_checks(folder, None))


@POSIX
def test_a_file_that_is_deleted_after_it_was_listed_is_left_out(tmp_path, monkeypatch):
    glob, folder = Path.glob, tmp_path / "media"
    folder.mkdir()
    (upload := folder / ".upload-1").touch()

    def glob_and_delete(path, pattern):
        found = list(glob(path, pattern))
        upload.unlink(missing_ok=True)
        return iter(found)

    monkeypatch.setattr(Path, "glob", glob_and_delete)
    found = list(instance_checks.run_checks(tmp_path, None))
    assert not upload.exists() and "disk" in {finding.check for finding in found}


def test_a_clock_that_is_earlier_than_the_times_of_the_files_is_reported(run_doctor, blog, set_clock):
    set_clock(datetime.now(UTC) - timedelta(days=400))
    assert any("clock: The clock shows " in line for line in list_lines(run_doctor(), "wrong"))


@pytest.mark.parametrize(
    ("version", "loses"),
    [((3, 6, 23), False), ((3, 7, 0), True), ((3, 51, 2), True), ((3, 51, 3), False), ((3, 52, 0), False)],
)
def test_sqlite_versions_that_can_lose_commits_are_recognized(version, loses):
    assert integrity.has_wal_reset_bug(version) is loses


@POSIX
@pytest.mark.parametrize(("mode", "others"), [(0o600, False), (0o700, False), (0o640, True), (0o604, True)])
def test_file_modes_that_give_access_to_other_users_are_recognized(mode, others):
    assert instance_checks.is_accessible_to_others(mode) is others


def test_a_blog_with_many_articles_published_at_the_same_time_passes_all_checks(
    app, run_doctor, make_article
):
    for _ in range(40):
        make_article()
    assert run_doctor().exit_code == 0
