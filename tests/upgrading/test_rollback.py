"""The command `rollback`: the state before the upgrade comes back, and what was written since is kept."""

from __future__ import annotations

import json
import os
import time
from urllib.parse import quote

import pytest

from blogapi import __version__, blog_folder
from tests.databases import open_sqlite
from tests.pictures import make_picture
from tests.upgrading.conftest import dump, write_post

pytestmark = pytest.mark.sqlite("the recorded blogs are files")


@pytest.fixture
def upgraded(run, install, tmp_path):
    """A blog that was upgraded a minute ago, and the content of its database before."""
    home = install("0030")
    before = dump(home / "blog.db")
    assert run("upgrade").exit_code == 0
    copy = home / "backups" / "before-upgrade-from-0030.db"
    earlier = copy.stat().st_mtime - 60
    os.utime(copy, (earlier, earlier))
    return home, before


def test_the_database_is_as_before_and_new_content_can_be_imported_again(run, upgraded, tmp_path):
    home, before = upgraded
    assert run("import", write_post(tmp_path, "After the upgrade"), "--author", "ada").exit_code == 0
    result = run("rollback")
    assert result.exit_code == 0, result.output
    assert dump(home / "blog.db") == before
    (folder,) = home.glob("backups/since-upgrade-*")
    assert "Written since the upgrade: articles and pages: 1, working copies: 0, files: 0." in result.output
    assert f"Then run `{blog_folder.get_command()} import {folder}`." in result.output
    assert "Now install the version of blogapi that you used before the upgrade" in result.output
    # The state after the upgrade is kept too.
    (saved,) = home.glob("backups/before-rollback-*.db")
    with open_sqlite(saved) as connection:
        titles = {title for (title,) in connection.execute("SELECT title FROM article")}
    assert "After the upgrade" in titles
    assert run("upgrade").exit_code == 0
    imported = run("import", folder, "--author", "ada")
    assert imported.exit_code == 0, imported.output
    with open_sqlite(home / "blog.db") as connection:
        found = {title for (title,) in connection.execute("SELECT title FROM article")}
    assert found == titles


def test_changes_redirects_and_names_are_kept_and_said(run, upgraded, tmp_path):
    home, _ = upgraded
    file = tmp_path / "_redirects"
    file.write_text("/here /there 301\n/gone / 410\n", encoding="utf-8")
    assert run("redirect", "import", file).exit_code == 0
    assert run("key", "create", "--user", "ada", "--name", "new site").exit_code == 0
    (tmp_path / "red.png").write_bytes(make_picture("red"))
    post = write_post(tmp_path, "With a picture")
    post.write_text(f"{post.read_text('utf-8')}\n![red](red.png)\n", encoding="utf-8")
    assert run("import", tmp_path, "--author", "ada").exit_code == 0
    with open_sqlite(home / "blog.db") as connection, connection:
        connection.execute(
            "UPDATE article SET title = 'Changed since', last_updated = datetime('now') WHERE slug = 'text'"
        )
        assert connection.total_changes == 1
        assert (
            connection.execute("UPDATE media SET last_updated = '2020-01-01 00:00:00.000000'").rowcount == 1
        )
    result = run("rollback")
    assert result.exit_code == 0, result.output
    numbers = "articles and pages: 2, working copies: 0, files: 0."
    assert f"Written since the upgrade: {numbers}" in result.output
    (picture,) = home.glob("backups/since-upgrade-*/media/*")
    assert picture.name == "red.png"
    assert "New keys, which are lost: " in result.output and "new site" in result.output
    (path,) = home.glob("backups/since-upgrade-*-redirects.txt")
    said = run("redirect", "import", "--dry-run", path).output
    assert said == f"{path.name}: 2 redirects, 0 skipped; nothing was stored\n"
    (article,) = home.glob("backups/since-upgrade-*/articles/**/text.*")
    assert "Changed since" in article.read_text(encoding="utf-8")


def test_redirects_from_unusual_paths_are_stored_again(run, upgraded, tmp_path):
    home, _ = upgraded
    paths = ["/old page/", "/x*y/", "/a #b", "/a%20b", "/ä?b\u2028c", "/:d/$1"]
    file = tmp_path / "_redirects"
    file.write_text("".join(f"{quote(path)} /new 302\n" for path in paths), encoding="utf-8")
    assert "6 new, 0 changed, 0 skipped" in run("redirect", "import", file).output
    assert run("rollback").exit_code == 0
    assert run("upgrade").exit_code == 0
    (written,) = home.glob("backups/since-upgrade-*-redirects.txt")
    assert "6 new, 0 changed, 0 skipped" in run("redirect", "import", written).output
    rows = json.loads(run("redirect", "list", "--json").output)
    stored = [(row["path"], row["target"], row["status"]) for row in rows]
    assert sorted(stored) == sorted((path, "/new", 302) for path in paths)


def test_the_time_of_the_upgrade_is_known_after_the_blog_was_moved(run, upgraded, tmp_path):
    home, before = upgraded
    assert run("import", write_post(tmp_path, "Before the move"), "--author", "ada").exit_code == 0
    # `cp -r` gives each file a new time; the copy of an earlier upgrade can then be the newest file.
    (home / "backups" / "before-upgrade-from-0020.db").write_bytes(b"")
    for number, migration in enumerate(("0030", "0020"), 1):
        later = time.time() + 60 * number
        os.utime(home / "backups" / f"before-upgrade-from-{migration}.db", (later, later))
    result = run("rollback")
    assert result.exit_code == 0, result.output
    assert "Written since the upgrade: articles and pages: 1, " in result.output
    assert dump(home / "blog.db") == before


def test_a_blog_in_use_is_not_changed(run, upgraded):
    home, _ = upgraded
    after = dump(home / "blog.db")
    with open_sqlite(home / "blog.db") as connection:
        connection.execute("SELECT count(*) FROM article").fetchone()
        result = run("rollback")
    assert result.exit_code == 1 and "The blog is in use; stop the service" in result.output
    assert dump(home / "blog.db") == after
    assert not list(home.glob("backups/since-*")) and not list(home.glob("backups/before-rollback-*"))


def test_without_a_copy_or_a_second_time_it_is_refused(run, install, upgraded):
    home, before = upgraded
    assert run("rollback", "--no-export").exit_code == 0
    assert not list(home.glob("backups/since-*"))
    again = run("rollback")
    assert again.exit_code == 1 and "already in the state before the upgrade (schema 0030)" in again.output
    (home / "backups" / "before-upgrade-from-0030.db").unlink()
    missing = run("rollback")
    assert missing.exit_code == 1 and "contains no copy from before an upgrade" in missing.output
    assert dump(home / "blog.db") == before


def test_a_damaged_copy_changes_nothing(run, upgraded):
    home, _ = upgraded
    after = dump(home / "blog.db")
    (home / "backups" / "before-upgrade-from-0030.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    result = run("rollback", "--no-export")
    assert result.exit_code == 1 and "Traceback" not in result.output, result.output
    assert dump(home / "blog.db") == after


def test_the_version_to_install_is_the_one_that_was_started_before(run, upgraded):
    home, _ = upgraded
    copy = home / "backups" / "before-upgrade-from-0030.db"
    with open_sqlite(home / "blog.db") as connection, connection:
        connection.execute("INSERT INTO release VALUES ('0.9.7', '{}', '2026-01-01 00:00:00')")
    assert copy.exists()
    assert "Now install blogapi==0.9.7;" in run("rollback").output


def test_the_copy_of_an_earlier_upgrade_needs_force(run, upgraded):
    home, before = upgraded
    with open_sqlite(home / "blog.db") as connection, connection:
        connection.execute("INSERT INTO release VALUES ('1.0.1', '{}', '2999-01-01 00:00:00')")
    refused = run("rollback")
    assert refused.exit_code == 1, refused.output
    assert f"is from before the versions {__version__}, 1.0.1. To go back to {__version__}," in refused.output
    assert dump(home / "blog.db") != before and not list(home.glob("backups/since-*"))
    assert run("rollback", "--force").exit_code == 0
    assert dump(home / "blog.db") == before


def test_an_upgrade_without_a_new_schema_names_no_copy(run, upgraded):
    home, _ = upgraded
    with open_sqlite(home / "blog.db") as connection, connection:
        connection.execute("UPDATE article_stats SET renderer = 'older'")
    result = run("upgrade")
    assert (result.exit_code, "Upgraded the blog" in result.output) == (0, True)
    assert "rollback" not in result.output


def test_a_full_disk_changes_nothing(run, upgraded, monkeypatch):
    home, _ = upgraded
    after = dump(home / "blog.db")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("blogapi.operations.backups.service.copy_database", fail)
    result = run("rollback", "--no-export")
    assert result.exit_code == 1 and "The disk is full" in result.output, result.output
    assert dump(home / "blog.db") == after
