"""The command `upgrade`: what a check says, and what the upgrade does."""

from __future__ import annotations

import json
import shutil
from collections import namedtuple

import pytest

from blogapi import blog_folder
from blogapi.storage import migration_names, postgresql_dumps, releases
from blogapi.storage.database import db
from blogapi.upgrading import commands, comparison, service
from blogapi.version import __version__
from tests.live_server import serve
from tests.upgrading.conftest import dump

pytestmark = pytest.mark.sqlite("the recorded blogs are files")
LAST = migration_names.list_migrations()[-1]

CHANGELOG = """# Changelog

## [1.1.0] - 2027

- New.

## [1.0.1] - 2026

- Mended.

## [1.0.0] - 2026

- First.

### If you ran a checkout before 1.0

- Make a backup.
"""


def test_a_check_says_what_differs_and_changes_nothing(run, install):
    home = install("0030")
    before = dump(home / "blog.db")
    result = run("upgrade", "--check")
    assert result.exit_code == 0, result.output
    for text in (
        f"From a version before 1.0 (schema 0030) to {__version__} (schema {LAST}).",
        "The upgrade of a copy took ",
        "The upgrade needs ",
        "Stored articles that differ for readers, by field:\n",
        "Rights: unknown for the former version",
    ):
        assert text in result.output
    assert dump(home / "blog.db") == before
    assert [path.name for path in home.iterdir()] == ["blog.db"]


@pytest.mark.parametrize(("migration", "stored"), [("0010", None), ("0020", {"excerpt": 1}), ("0037", {})])
def test_a_check_prints_json(run, install, migration, stored):
    install(migration)
    found = json.loads(run("upgrade", "--check", "--json").stdout)
    former = ("1.0.0", migration) if migration >= "0037" else (None, migration)
    assert (found["former"], found["schema"]) == former
    # The rights of 1.0.0 are stored; operations that are new since then are named.
    assert (found["rights"] is None) == (migration < "0037")
    new = "new      GET /api/v1/blog/deleted/: authors, editors and admins, scope write"
    assert found["rights"] is None or new in found["rights"]
    assert found["stored"] == stored
    assert found["needed"] > 0 and found["free"] > 0 and found["seconds"] > 0


def test_an_upgrade_says_where_the_copy_is_and_runs_once(run, install):
    home = install("0030")
    before = dump(home / "blog.db")
    result = run("upgrade")
    copy = home / "backups" / "before-upgrade-from-0030.db"
    assert result.exit_code == 0 and f"A copy from before the upgrade is in {copy}." in result.output
    assert f"Go back with `{blog_folder.get_command()} rollback`." in result.output
    assert dump(copy) == before
    assert run("upgrade").output == "The blog is up to date.\n"
    assert service.read_blog_state(home).is_current


def test_an_upgrade_deletes_the_copy_of_a_check_that_was_killed(run, install):
    home = install("0030")
    (home / ".upgrade-check-0a").mkdir()
    (home / ".upgrade-check-0a/blog.db").touch()
    assert run("upgrade").exit_code == 0
    assert not list(home.glob(".upgrade-check-*"))


def test_an_upgrade_without_space_is_refused_before_it_begins(run, install, monkeypatch):
    home = install("0030")
    before = dump(home / "blog.db")
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(0, 0, 1000))
    for arguments in (("upgrade",), ("upgrade", "--check")):
        result = run(*arguments)
        assert result.exit_code == 1 and "The upgrade needs " in result.output, result.output
    assert dump(home / "blog.db") == before and not list(home.glob("backups/*"))


@pytest.mark.parametrize("option", [("--json",), ("--url", "http://127.0.0.1:1")])
def test_options_of_a_check_need_the_check(run, install, option):
    install("0030")
    assert run("upgrade", *option).exit_code == 2


def test_each_start_stores_the_version_and_the_rights_once(app, instance):
    with app.app_context():
        assert [row.version for row in db.session.query(releases.Release)] == [__version__]
        (rights,) = db.session.scalars(db.select(releases.Release.rights))
        found = releases.read_last_release(db.session.connection())
    assert found[:2] == (__version__, json.loads(rights))
    assert found[1]["POST /api/v1/blog/articles/"].startswith("authors, editors and admins")


def test_a_check_names_rights_that_differ(run, app, instance):
    with app.app_context():
        row = db.session.get(releases.Release, __version__)
        rights = json.loads(row.rights)
        former = {**rights, "GET /api/v1/old/": "everyone, scope read"}
        del former["GET /api/v1/blog/tags/"]
        former["GET /api/v1/blog/categories/"] = "admins, scope read"
        row.version, row.rights = "0.9.0", json.dumps(former)
        db.session.commit()
        db.session.remove()
        db.engine.dispose()
    output = run("upgrade", "--check").output
    assert "From 0.9.0 (schema" in output
    lines = [line.split()[:3] for line in output.partition("Rights that differ:\n")[2].splitlines()]
    assert lines == [
        ["changed", "GET", "/api/v1/blog/categories/:"],
        ["new", "GET", "/api/v1/blog/tags/:"],
        ["gone", "GET", "/api/v1/old/:"],
    ]


def test_a_check_compares_the_answers_of_the_running_service(run, app, instance, make_article):
    article = make_article(title="Same")
    key = run("key", "create").output.split()[-1]
    with serve(app) as port:
        url = f"http://127.0.0.1:{port}"
        arguments = ("upgrade", "--check", "--url", url, "--key", key)
        assert "Answers: unchanged.\n" in run(*arguments).output
        refused = run("upgrade", "--check", "--url", url)
        assert refused.exit_code == 1 and "needs a valid API key" in refused.output
        original = comparison._fetch_response

        def change(address, path, headers):
            status, body = original(address, path, headers)
            if path == f"/api/v1/blog/articles/{article.uuid}/":
                body = body.replace(b'"title":"Same"', b'"title":"Other","more":1', 1)
            return (404, b"") if path == "/api/v1/blog/tags/" else (status, body)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(comparison, "_fetch_response", change)
            output = run(*arguments).output
    assert output.partition("Answers that differ:\n")[2].splitlines() == [
        "  /api/v1/blog/tags/: status 404 -> 200",
        f"  /api/v1/blog/articles/{article.uuid}/: more (gone), title",
    ]
    assert "does not answer" in run(*arguments).output
    assert "does not answer" in run("upgrade", "--check", "--url", "http://[::1").output


def test_a_check_compares_the_same_part_of_answers_that_are_cut_off(run, app, make_article, monkeypatch):
    make_article(title="Same")
    key = run("key", "create").output.split()[-1]
    monkeypatch.setattr(comparison, "_MAX_ANSWER_BYTES", 100)
    with serve(app) as port:
        output = run("upgrade", "--check", "--url", f"http://127.0.0.1:{port}", "--key", key).output
        assert "Answers: unchanged.\n" in output
        monkeypatch.setattr(comparison, "_fetch_response", lambda *_: (200, b"[" + b" " * 99))
        output = run("upgrade", "--check", "--url", f"http://127.0.0.1:{port}", "--key", key).output
    assert "/api/v1/blog/articles/: the body\n" in output


@pytest.mark.parametrize("path", comparison._COMPARED_PATHS)
def test_the_compared_reads_exist(path, as_login, as_reader):
    assert as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"}).status_code == 200
    assert as_reader.get(path).status_code == 200


def test_notes_are_those_of_the_releases_since(monkeypatch, tmp_path):
    path = tmp_path / "CHANGELOG.md"
    path.write_text(CHANGELOG, encoding="utf-8")
    monkeypatch.setattr(commands, "_list_changelog_paths", lambda: [path])
    monkeypatch.setattr(commands, "__version__", "1.1.0")
    assert commands.read_release_notes("1.0.0").split("\n\n") == [
        *("## [1.1.0] - 2027", "- New.", "## [1.0.1] - 2026", "- Mended.")
    ]
    assert commands.read_release_notes("1.0.1") == "## [1.1.0] - 2027\n\n- New."
    before = commands.read_release_notes(None)
    assert before.startswith("### If you ran a checkout before 1.0\n\n- Make a backup.\n\n## [1.1.0] - 2027")
    assert "First" not in before and before.endswith("- Mended.")
    assert commands.read_release_notes("1.1.0") == ""


def test_the_changelog_has_the_section_of_this_version():
    assert commands.read_release_notes("0.9.9").startswith(f"## [{__version__}]")
    assert commands.read_release_notes(None).startswith("### If you ran a checkout before 1.0\n")


def test_a_missing_program_of_postgresql_is_said_before_the_upgrade(monkeypatch, instance):
    monkeypatch.setattr(service, "get_database_url", lambda home: db.make_url("postgresql://host/blog"))
    monkeypatch.setattr(postgresql_dumps.shutil, "which", lambda name: None if name == "psql" else name)
    assert service.find_obstacle_to_rollback(instance) == "psql is not installed"
    monkeypatch.setattr(postgresql_dumps.shutil, "which", lambda name: name)
    assert service.find_obstacle_to_rollback(instance) is None
