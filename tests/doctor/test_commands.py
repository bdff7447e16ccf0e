"""`doctor` on the command line: a blog that is well, and each way in which one can be ill."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blogapi.doctor import instance_checks
from blogapi.doctor import instance_checks as doctor_folder
from blogapi.storage import integrity
from blogapi.storage.database import db
from tests.conftest import ARTICLES

pytestmark = pytest.mark.sqlite("its file and its index")

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows keeps no modes")

ILL = {
    "pieces of an article": (
        "UPDATE article_pieces SET html = x'00'",
        "pieces: article: 3 differ",
    ),
    "pieces that are gone": ("DELETE FROM article_pieces", "pieces: article: 3 differ"),
    "pieces of a category": ("UPDATE category SET pieces = ''", "pieces: category: 1 differ"),
    "pieces of a tag": ("UPDATE tag SET pieces = replace(pieces, 'rye', 'oat')", "pieces: tag: 1 differ"),
    "tally": ("UPDATE article_tally SET published = 7", "tally: 2 articles are published or scheduled, but"),
    "entries that are gone": ("DELETE FROM search_entry", "search: entries of articles: 3 differ"),
    "words": (
        "UPDATE search_index SET title = 'other' WHERE rowid > 0",
        "search: entries of articles: 2 differ",
    ),
    "a draft that counts as published": (
        "UPDATE search_entry SET number = 99 WHERE number < 0",
        "search: entries of articles: 1 differ",
    ),
    "lone rows": (
        "INSERT INTO search_index (rowid, title) VALUES (5, 'lone')",
        "search: 1 rows of the index belong to no article",
    ),
    "a damaged index": (
        "DELETE FROM search_index_content WHERE id > 0",
        "search: The index is damaged: ",
    ),
}


@pytest.fixture
def doctor(app):
    """Runs `doctor` on the blog of the test."""
    return lambda *words: app.test_cli_runner().invoke(args=["doctor", *words])


@pytest.fixture
def blog(app, instance, make_article, make_tag):
    """Two published articles, one of them with a tag, and a draft."""
    make_article(title="Bread", tags=(make_tag("rye"),), slug="bread")
    make_article(title="東京 Soup", content="# Soup", content_type="markdown")
    make_article(status="draft")
    instance.chmod(0o700)
    (instance / "blog.db").chmod(0o600)
    return instance


def damage(blog: Path, statement: str) -> None:
    with closing(sqlite3.connect(blog / "blog.db")) as connection, connection:
        connection.execute(statement)


def lines(result, level: str) -> list[str]:
    return [line for line in result.stdout.splitlines() if line.startswith(level)]


def test_a_blog_that_is_well_is_told_so(doctor, blog):
    told = doctor()
    assert (told.exit_code, lines(told, "wrong")) == (0, [])
    checked = {line.split(":")[0].split()[1] for line in lines(told, "ok")}
    assert {
        "settings",
        "files",
        "disk",
        "clock",
        "database",
        "schema",
        "pieces",
        "tally",
        "search",
    } <= checked


def test_an_empty_blog_is_well(doctor):
    assert doctor().exit_code == 0


@pytest.mark.parametrize(("statement", "says"), ILL.values(), ids=ILL)
def test_what_differs_is_told_and_mended(doctor, blog, as_admin, statement, says):
    shown = as_admin.get(f"{ARTICLES}?q=bread&fields=title,html,tags").json
    damage(blog, statement)
    told = doctor()
    assert told.exit_code == 1
    assert any(says in line and line.endswith("Do: doctor --mend.") for line in lines(told, "wrong"))
    mended = doctor("--mend")
    assert (mended.exit_code, lines(mended, "wrong")) == (0, [])
    assert any(says in line for line in lines(mended, "mended"))
    assert doctor().exit_code == 0
    assert as_admin.get(f"{ARTICLES}?q=bread&fields=title,html,tags").json == shown != []


def test_nothing_is_changed_without_being_asked(doctor, blog):
    damage(blog, "UPDATE article_tally SET published = 7")
    damage(blog, "UPDATE tag SET pieces = ''")
    with closing(sqlite3.connect(blog / "blog.db")) as connection:
        before = list(connection.iterdump())
        doctor()
        assert list(connection.iterdump()) == before


def test_json_is_for_programs(doctor, blog):
    damage(blog, "UPDATE article_tally SET published = 7")
    told = doctor("--json")
    report = json.loads(told.stdout)
    assert (told.exit_code, report["ok"]) == (1, False)
    (wrong,) = [finding for finding in report["findings"] if finding["level"] == "wrong"]
    assert (wrong["check"], wrong["do"]) == ("tally", "doctor --mend")


def test_rows_that_refer_to_nothing_are_told(doctor, blog):
    damage(blog, "DELETE FROM account")
    assert any("rows of article refer to rows that are gone" in line for line in lines(doctor(), "wrong"))


def test_an_article_without_its_seo_record_is_told(doctor, blog):
    damage(blog, "DELETE FROM seo WHERE article_id = (SELECT uuid FROM article WHERE slug = 'bread')")
    assert any("1 articles have no SEO record (bread)" in line for line in lines(doctor(), "wrong"))


def test_a_damaged_file_is_told_and_nothing_else_is_asked_of_it(doctor, blog, app):
    with app.app_context():
        db.session.remove()
        db.engine.dispose()
    path = blog / "blog.db"
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * 40960 + whole[49152:])
    told = doctor()
    assert told.exit_code == 1
    assert "is damaged" in told.stdout and "restore FILE" in told.stdout and "pieces" not in told.stdout


@pytest.mark.parametrize("content", [b"", b"Dear reader, " * 100])
def test_a_file_that_is_no_blog_is_told(doctor, instance, content):
    (instance / "blog.db").write_bytes(content)
    told = doctor()
    assert told.exit_code == 1 and (
        lines(told, "wrong")[0].startswith(("wrong   database", "wrong   schema"))
    )


def test_a_blog_that_is_not_there_is_told_and_not_made(doctor, instance, monkeypatch, tmp_path):
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "gone"))
    told = doctor()
    assert told.exit_code == 1 and "is not there" in told.stdout
    assert not (tmp_path / "gone").exists()


def test_an_older_schema_is_a_hint_and_not_upgraded(doctor, blog):
    damage(blog, "UPDATE alembic_version SET version_num = '0001'")
    assert any("the next start upgrades it" in line for line in lines(doctor(), "hint"))
    damage(blog, "UPDATE alembic_version SET version_num = '9999'")
    assert any("of a newer version" in line for line in lines(doctor(), "wrong"))


def test_a_wrong_setting_is_told(doctor, blog, monkeypatch):
    monkeypatch.setenv("BLOGAPI_SESSION_DAYS", "many")
    told = doctor()
    assert told.exit_code == 1
    assert "wrong   settings: The setting SESSION_DAYS in the environment must be" in told.stdout


@POSIX
def test_files_that_others_may_read_are_told(doctor, blog):
    (blog / "secret_key").write_text("x" * 64)
    for name in ("secret_key", "blog.db"):
        (blog / name).chmod(0o644)
    blog.chmod(0o777)
    told = doctor().stdout
    for remedy in (
        f"chmod 600 '{blog / 'secret_key'}'",
        f"chmod 600 '{blog / 'blog.db'}'",
        f"chmod 700 '{blog}'",
    ):
        assert remedy in told
    for name in ("secret_key", "blog.db"):
        (blog / name).chmod(0o600)
    blog.chmod(0o755)
    told = doctor()
    assert told.exit_code == 0 and "Others may look into" in told.stdout


@pytest.mark.parametrize(("free", "level"), [(10, "wrong"), (90 * 1024**2, "hint"), (10**12, "ok")])
def test_room_on_the_disk_is_told(doctor, blog, monkeypatch, free, level):
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr(doctor_folder.shutil, "disk_usage", lambda _: usage)
    told = doctor()
    assert any(" disk: " in line for line in lines(told, level))
    assert told.exit_code == (level == "wrong")


@pytest.mark.parametrize(("short", "level"), [(1, "hint"), (0, "ok")])
def test_room_for_two_copies_of_the_blog_is_asked_for(tmp_path, monkeypatch, short, level):
    (tmp_path / "blog.db").write_bytes(b"\0" * 4096)
    usage = type("Usage", (), {"free": instance_checks.SPARE + 2 * 4096 - short})
    monkeypatch.setattr(doctor_folder.shutil, "disk_usage", lambda _: usage)
    found = list(doctor_folder.run_checks(tmp_path, tmp_path / "blog.db"))
    assert [one.level for one in found if one.check == "disk"] == [level]


def test_a_clock_behind_the_files_is_told(doctor, blog, at):
    at(datetime.now(UTC) - timedelta(days=400))
    assert any("clock: The clock shows " in line for line in lines(doctor(), "wrong"))


@pytest.mark.parametrize(
    ("version", "loses"),
    [((3, 6, 23), False), ((3, 7, 0), True), ((3, 51, 2), True), ((3, 51, 3), False), ((3, 52, 0), False)],
)
def test_the_versions_that_can_lose_commits(version, loses):
    assert integrity.has_wal_reset_bug(version) is loses


@POSIX
@pytest.mark.parametrize(("mode", "others"), [(0o600, False), (0o700, False), (0o640, True), (0o604, True)])
def test_modes(mode, others):
    assert instance_checks.open_to_others(mode) is others


def test_many_articles_of_one_moment_are_numbered_well(app, doctor, make_article):
    for _ in range(40):
        make_article()
    assert doctor().exit_code == 0
