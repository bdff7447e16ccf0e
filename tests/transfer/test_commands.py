"""`import` on the command line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

GOOD = "---\ntitle: Bread\ndate: 2024-05-01\ntags: [rye]\n---\nFlour and time.\n"
BROKEN = "---\ntitle: [\n---\n"


@pytest.fixture
def folder(tmp_path):
    """A folder with a good file, a broken one and a picture."""
    blog = tmp_path / "blog"
    blog.mkdir()
    (blog / "bread.md").write_text(GOOD, encoding="utf-8")
    (blog / "photo.png").write_bytes(b"\x89PNG")
    return blog


@pytest.fixture
def run(app):
    """Runs a command of the application."""
    return lambda *words: app.test_cli_runner().invoke(args=[str(word) for word in words])


def test_import_takes_a_folder_and_tells_what_it_did(run, people, folder):
    result = run("import", folder, "--author", "ada")
    assert result.exit_code == 0
    assert "blog/photo.png" in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "2 files: 1 created, 0 updated, 0 unchanged, 1 skipped, 0 refused."
    )


@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)])
def test_the_report_begins_with_what_becomes_public(run, people, folder, dry_run, at):
    at(datetime(2026, 1, 1, tzinfo=UTC))
    for name, text in {
        "a.md": BROKEN,
        "diary.md": "Dear diary",
        "hidden.md": GOOD.replace("tags:", "hidden: true\ntags:"),
        "later.md": GOOD.replace("2024", "2027"),
        "over.md": GOOD.replace("tags:", "expiryDate: 2025-01-01\ntags:"),
        "README.md": "# A blog",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / ".git").mkdir()
    told = "1 public, 3 drafts, 1 scheduled, 3 skipped, 1 refused"
    report = json.loads(run("import", folder, "--author", "ada", "--json", "--dry-run").stdout)
    assert next(iter(report.items())) == ("summary", told)
    assert report["visibility"] == {"public": 1, "drafts": 3, "scheduled": 1}
    assert [file["status"] for file in report["files"]] == [
        *(None, None, None, "published", "draft", "draft", "scheduled", "archived", None)
    ]
    result = run("import", folder, "--author", "ada", *dry_run)
    assert result.stdout.splitlines()[0] == f"{told}."
    assert "skipped    blog/README.md: It is a file about a repository" in result.stdout
    assert "skipped    blog/.git: It is hidden" in result.stdout


def test_a_second_report_counts_what_is_public_now(run, people, folder):
    first = run("import", folder, "--author", "ada").stdout.splitlines()[0]
    assert run("import", folder, "--author", "ada").stdout.splitlines()[0] == first
    (folder / "bread.md").write_text(GOOD.replace("tags:", "private: true\ntags:"), encoding="utf-8")
    changed = run("import", folder, "--author", "ada").stdout.splitlines()
    assert changed[0] == "0 public, 1 drafts, 0 scheduled, 1 skipped, 0 refused."
    assert "updated    blog/bread.md: `private: true`: the article became a draft." in changed


def test_undated_texts_are_published_on_demand(run, people, folder):
    (folder / "diary.md").write_text("Dear diary", encoding="utf-8")
    assert run("import", folder, "--author", "ada").stdout.startswith("1 public, 1 drafts")
    report = run("import", folder, "--author", "ada", "--publish-undated").stdout
    assert report.startswith("2 public, 0 drafts")
    assert "1 updated, 1 unchanged" in report


def test_a_broken_file_is_told_and_stops_nothing(run, people, folder):
    (folder / "a.md").write_text(BROKEN, encoding="utf-8")
    result = run("import", folder, "--author", "ada")
    assert result.exit_code == 1
    assert "refused    blog/a.md: " in result.stdout
    assert "1 created" in result.stdout


def test_a_second_import_changes_nothing(run, people, folder):
    run("import", folder, "--author", "ada")
    assert "0 created, 0 updated, 1 unchanged" in run("import", folder, "--author", "ada").stdout


def test_a_single_file_can_be_imported(run, people, folder):
    assert run("import", folder / "bread.md", "--author", "ada").exit_code == 0


def test_json_is_for_programs(run, people, folder):
    report = json.loads(run("import", folder, "--author", "ada", "--json", "--dry-run").stdout)
    assert report["dry_run"] is True
    assert report["counts"] == {"created": 1, "updated": 0, "unchanged": 0, "skipped": 1, "refused": 0}
    assert [file["key"] for file in report["files"]] == ["blog/bread.md", "blog/photo.png"]


def test_a_dry_run_says_so(run, people, folder):
    assert run("import", folder, "--author", "ada", "--dry-run").stdout.endswith("stored (dry run).\n")
    assert "1 created" in run("import", folder, "--author", "ada").stdout


def test_without_any_admin_the_first_step_is_told(run, folder):
    result = run("import", folder)
    assert (result.exit_code, "user create" in result.stderr) == (1, True)


def test_with_one_admin_no_author_is_needed(app, folder):
    runner = app.test_cli_runner()
    runner.invoke(args=["user", "create", "ada", "--admin", "--password-stdin"], input="a long pass phrase\n")
    assert runner.invoke(args=["import", str(folder)]).exit_code == 0


def test_with_several_admins_the_author_must_be_named(run, people, folder):
    result = run("import", folder)
    assert (result.exit_code, "--author" in result.stderr) == (1, True)


def test_an_unknown_author_is_refused(run, people, folder):
    assert run("import", folder, "--author", "nobody").exit_code == 1


def test_a_path_that_is_not_there_is_a_usage_error(run, people, tmp_path):
    assert run("import", tmp_path / "gone").exit_code == 2


def test_a_folder_that_cannot_be_listed_stops_nothing(run, people, folder, monkeypatch):
    (folder / "closed").mkdir()
    listed = Path.iterdir

    def iterdir(path):
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    result = run("import", folder, "--author", "ada")
    assert (result.exit_code, "1 created" in result.stdout) == (1, True)
    assert "refused    blog/closed: The folder “" in result.stdout
    assert "cannot be listed (permission denied)" in result.stdout
