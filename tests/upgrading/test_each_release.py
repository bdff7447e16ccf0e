"""Each recorded blog is upgraded to this version and goes back to the version that recorded it."""

from __future__ import annotations

import json

import pytest

from blogapi.storage import migration_names
from tests.databases import open_sqlite
from tests.migrations.test_landed import MIGRATIONS, read_text
from tests.upgrading.conftest import dump, write_post
from tests.upgrading.former_versions import check_out, find_commit

pytestmark = [
    pytest.mark.slow,
    pytest.mark.release,
    pytest.mark.once,
    pytest.mark.sqlite("the recorded blogs are files"),
]
# The first version that imports what this version exports.
IMPORTS_EXPORTS = "0016"
LAST = migration_names.list_migrations()[-1]


@pytest.fixture(scope="session")
def checkouts(tmp_path_factory):
    return tmp_path_factory.mktemp("former-versions")


@pytest.mark.parametrize("migration", MIGRATIONS)
def test_a_blog_is_upgraded_and_its_former_version_goes_on(migration, run, install, tmp_path, checkouts):
    commit = find_commit(migration)
    home = install(migration)
    before = dump(home / "blog.db")
    assert run("upgrade").exit_code == 0
    if migration != LAST:
        imported = run("import", write_post(tmp_path, "After the upgrade"), "--author", "ada")
        assert imported.exit_code == 0, imported.output
        result = run("rollback")
        assert result.exit_code == 0, result.output
        assert (
            "Written since the upgrade: articles and pages: 1, working copies: 0, files: 0." in result.output
        )
        (exported,) = home.glob("backups/since-upgrade-*/articles/**/*.md")
        assert "New *words*." in exported.read_text(encoding="utf-8")
        assert dump(home / "blog.db") == before
    if commit is None:
        return
    recorded = json.loads(read_text(f"{migration}.json"))
    former = check_out(commit, checkouts)
    answers = former.read_and_write(recorded)
    assert answers == {name: recorded[name] for name in answers}
    titles = {"Changed"}
    if IMPORTS_EXPORTS <= migration < LAST:
        (folder,) = home.glob("backups/since-upgrade-*")
        assert "1 created" in former.import_export(folder)
        titles.add("After the upgrade")
    # What the former version has written since is upgraded, too.
    again = run("upgrade")
    assert again.exit_code == 0, again.output
    with open_sqlite(home / "blog.db") as connection:
        assert titles <= {title for (title,) in connection.execute("SELECT title FROM article")}
    assert run("doctor").exit_code == 0
