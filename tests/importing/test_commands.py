"""The `import` command."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import delete

from blogapi.content.articles.models import FormerPath
from blogapi.importing.formats.registry import BUILT_IN_FORMATS
from blogapi.importing.storing import service
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES
from tests.importing.formats.wordpress.exports import make_export, make_item

GOOD = "---\ntitle: Bread\ndate: 2024-05-01\ntags: [rye]\n---\nFlour and time.\n"
REDIRECTS = "/api/v1/blog/redirects/"
BROKEN = "---\ntitle: [\n---\n"


@pytest.fixture
def folder(tmp_path):
    """A folder with an article and a file that is no article."""
    blog = tmp_path / "blog"
    blog.mkdir()
    (blog / "bread.md").write_text(GOOD, encoding="utf-8")
    (blog / "photo.zip").write_bytes(b"PK")
    return blog


@pytest.fixture
def run(app):
    """Runs a command of the application."""
    return lambda *words: app.test_cli_runner().invoke(args=[str(word) for word in words])


def test_import_reports_the_result_for_each_file(run, people, folder):
    result = run("import", folder, "--author", "ada")
    assert result.exit_code == 0
    assert "blog/photo.zip" in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "2 articles and files: 1 created, 0 updated, 0 unchanged, 1 skipped, 0 refused."
    )


def test_the_categories_of_hexo_have_their_places(run, people, as_reader, tmp_path):
    posts = tmp_path / "source/_posts"
    posts.mkdir(parents=True)
    for name, categories in {"a": "[Diary, Games]", "b": "[[Life, Games], [Diary]]", "c": "Diary"}.items():
        text = f"---\ntitle: {name}\ndate: 2020-01-02\ncategories: {categories}\n---\nText"
        (posts / f"{name}.md").write_text(text, encoding="utf-8")
    output = run("import", tmp_path / "source", "--author", "ada").stdout
    assert (
        "The category “Games” has several parents in the old blog; here it is only below “Diary”." in output
    )
    terms = as_reader.get("/api/v1/blog/categories/?fields=uuid,name,parent").json
    found = {term["name"]: term for term in terms}
    assert found.keys() == {"Diary", "Games", "Life"}
    above = {term["uuid"]: term["name"] for term in terms}
    assert {name: above.get(term["parent"]) for name, term in found.items()} == {
        "Diary": None,
        "Games": "Diary",
        "Life": None,
    }


def test_pictures_in_a_folder_are_not_reported_as_skipped(run, people, folder):
    for name in ("photo.png", "PHOTO.JPEG"):
        (folder / name).write_bytes(b"")
    assert (
        run("import", folder, "--author", "ada").stdout.splitlines()[-1].startswith("2 articles and files: ")
    )
    assert "photo.png" in run("import", folder / "photo.png", "--author", "ada").stdout


@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)])
def test_the_report_begins_with_the_numbers_of_public_draft_and_scheduled_articles(
    run, people, folder, dry_run, set_clock
):
    set_clock(datetime(2026, 1, 1, tzinfo=UTC))
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
    summary = "1 public, 3 drafts, 1 scheduled, 3 skipped, 1 refused"
    report = json.loads(run("import", folder, "--author", "ada", "--json", "--dry-run").stdout)
    assert next(iter(report.items())) == ("summary", summary)
    assert report["visibility"] == {"public": 1, "drafts": 3, "scheduled": 1}
    assert [file["status"] for file in report["files"]] == [
        *(None, None, None, "published", "draft", "draft", "scheduled", "archived", None)
    ]
    result = run("import", folder, "--author", "ada", *dry_run)
    assert result.stdout.splitlines()[0] == f"{summary}."
    assert "skipped    blog/README.md: It has the name of a repository file" in result.stdout
    assert "skipped    blog/.git: It is hidden" in result.stdout


def test_the_report_of_a_second_import_counts_articles_by_their_current_visibility(run, people, folder):
    first = run("import", folder, "--author", "ada").stdout.splitlines()[0]
    assert run("import", folder, "--author", "ada").stdout.splitlines()[0] == first
    (folder / "bread.md").write_text(GOOD.replace("tags:", "private: true\ntags:"), encoding="utf-8")
    changed = run("import", folder, "--author", "ada").stdout.splitlines()
    assert changed[0] == "0 public, 1 drafts, 0 scheduled, 1 skipped, 0 refused."
    assert "updated    blog/bread.md: It has `private: true`; the article became a draft." in changed


def test_the_publish_undated_option_publishes_files_without_front_matter_and_date(run, people, folder):
    (folder / "diary.md").write_text("Dear diary", encoding="utf-8")
    assert run("import", folder, "--author", "ada").stdout.startswith("1 public, 1 drafts")
    report = run("import", folder, "--author", "ada", "--publish-undated").stdout
    assert report.startswith("2 public, 0 drafts")
    assert "1 updated, 1 unchanged" in report


def test_a_broken_file_is_reported_and_the_other_files_are_imported(run, people, folder):
    (folder / "a.md").write_text(BROKEN, encoding="utf-8")
    result = run("import", folder, "--author", "ada")
    assert result.exit_code == 1
    assert "refused    blog/a.md: " in result.stdout
    assert "1 created" in result.stdout


def test_a_second_import_changes_nothing(run, people, folder):
    run("import", folder, "--author", "ada")
    assert "0 created, 0 updated, 1 unchanged" in run("import", folder, "--author", "ada").stdout


def results(run, *words):
    """Run an import and return the keys of the files, grouped by result."""
    report = json.loads(run("import", *words, "--author", "ada", "--json").stdout)
    files = [file for file in report["files"] if not file["key"].endswith(".zip")]
    return {
        result: [file["key"] for file in files if file["result"] == result] for result in report["counts"]
    }


def found(results):
    return {name: keys for name, keys in results.items() if keys}


def test_importing_a_subfolder_and_then_its_parent_creates_no_duplicates(run, people, folder):
    posts = folder / "posts"
    posts.mkdir()
    for name in "ab":
        (posts / f"{name}.md").write_text(GOOD.replace("Bread", name), encoding="utf-8")
    assert found(results(run, posts)) == {"created": ["posts/a.md", "posts/b.md"]}
    assert found(results(run, folder)) == {
        "created": ["blog/bread.md"],
        "unchanged": ["blog/posts/a.md", "blog/posts/b.md"],
    }
    (posts / "b.md").write_text(GOOD.replace("Bread", "Changed"), encoding="utf-8")
    assert found(results(run, posts)) == {"updated": ["blog/posts/b.md"], "unchanged": ["blog/posts/a.md"]}
    assert found(results(run, posts / "b.md", folder / "bread.md")) == {
        "unchanged": ["blog/posts/b.md", "blog/bread.md"]
    }


def statuses(run, *words):
    """Run an import and return the status of each article by the last part of its key."""
    report = json.loads(run("import", *words, "--author", "ada", "--json").stdout)
    return {file["key"].rpartition("/")[2]: file["status"] for file in report["files"] if file["status"]}


@pytest.mark.parametrize("is_changed", [False, True])
def test_importing_a_subfolder_of_an_imported_folder_changes_no_status(run, people, folder, is_changed):
    texts = {
        "_drafts/ideas/secret.md": GOOD,
        "content/notes/hidden.md": GOOD,
        "2024/05/06/posts/dated.md": "Text",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "content/_index.md").write_text("---\ncascade: {draft: true}\n---\n", encoding="utf-8")
    expected = {"secret.md": "draft", "hidden.md": "draft", "dated.md": "published"}
    assert statuses(run, folder) == {"bread.md": "published", **expected}
    for name, text in texts.items():
        (folder / name).write_text(text + "More.\n" * is_changed, encoding="utf-8")
    roots = [(folder / name).parent for name in texts]
    assert statuses(run, *roots) == expected
    assert statuses(run, *((folder / name) for name in texts)) == expected


def test_a_new_file_in_a_subfolder_of_an_imported_folder_is_read_like_the_others(run, people, folder):
    ideas = folder / "_drafts/2024/ideas"
    ideas.mkdir(parents=True)
    (ideas / "old.md").write_text(GOOD, encoding="utf-8")
    run("import", folder, "--author", "ada")
    (ideas / "new.md").write_text(GOOD, encoding="utf-8")
    for _ in range(2):
        assert statuses(run, ideas) == {"new.md": "draft", "old.md": "draft"}


def test_an_imported_folder_inside_a_folder_of_drafts_contains_drafts(run, people, folder):
    (folder / "_drafts/ideas").mkdir(parents=True)
    (folder / "_drafts/ideas/secret.md").write_text(GOOD, encoding="utf-8")
    assert statuses(run, folder / "_drafts/ideas") == {"secret.md": "draft"}
    (folder / "_drafts/ideas/secret.md").write_text(GOOD + "More.", encoding="utf-8")
    assert statuses(run, folder / "_drafts/ideas") == {"secret.md": "draft"}


def test_an_unchanged_undated_file_stays_public_without_the_publish_undated_option(run, people, folder):
    (folder / "bread.md").write_text("Dear diary", encoding="utf-8")
    assert statuses(run, folder, "--publish-undated") == {"bread.md": "published"}
    assert found(results(run, folder)) == {"unchanged": ["blog/bread.md"]}
    assert statuses(run, folder) == {"bread.md": "published"}
    (folder / "bread.md").write_text("Dear diary, again", encoding="utf-8")
    assert statuses(run, folder) == {"bread.md": "published"}


def test_a_folder_that_was_moved_is_recognised_and_a_renamed_file_is_new(run, people, folder, tmp_path):
    run("import", folder, "--author", "ada")
    (tmp_path / "elsewhere").mkdir()
    folder = folder.rename(tmp_path / "elsewhere" / "blog")
    assert found(results(run, folder)) == {"unchanged": ["blog/bread.md"]}
    (folder / "bread.md").rename(folder / "rye.md")
    assert found(results(run, folder)) == {"created": ["blog/rye.md"]}


def test_two_files_with_the_same_content_become_two_articles(run, people, folder):
    (folder / "copy.md").write_text(GOOD, encoding="utf-8")
    assert found(results(run, folder)) == {"created": ["blog/bread.md", "blog/copy.md"]}
    assert found(results(run, folder)) == {"unchanged": ["blog/bread.md", "blog/copy.md"]}


def test_a_deleted_article_is_imported_again_only_with_the_restore_deleted_option(
    run, people, folder, as_admin
):
    run("import", folder, "--author", "ada")
    (uuid,) = [article["uuid"] for article in as_admin.get(ARTICLES).json]
    as_admin.delete(f"{ARTICLES}{uuid}/")
    assert found(results(run, folder)) == {"skipped": ["blog/bread.md"]}
    assert as_admin.get(ARTICLES).json == []
    assert found(results(run, folder, "--restore-deleted")) == {"created": ["blog/bread.md"]}
    assert [article["uuid"] for article in as_admin.get(ARTICLES).json] == [uuid]


def test_former_addresses_are_redirects(run, people, folder, as_admin, as_reader):
    (folder / "bread.md").write_text(GOOD.replace("tags:", "aliases: [/2019/rye/]\ntags:"), encoding="utf-8")
    (folder / "draft.md").write_text(
        GOOD.replace("tags:", "draft: true\naliases: [/x/]\ntags:"), encoding="utf-8"
    )
    run("import", folder, "--author", "ada")
    assert [(one["old"], one["new"]) for one in as_reader.get(REDIRECTS).json] == [("/2019/rye/", "bread")]
    assert as_reader.get(f"{ARTICLES}?slug=rye").json == []
    assert [one["new"] for one in as_reader.get(f"{REDIRECTS}?path=/2019/rye").json] == ["bread"]


ENDS_ALIKE = "---\ntitle: {0}\ndate: {1}-05-06\npermalink: /{1}/a/\naliases: /{1}/b.html\n---\nText\n"


def test_two_articles_whose_old_paths_end_alike_keep_their_redirects(run, people, tmp_path, as_reader):
    folder = tmp_path / "blog"
    for title, year in (("First", 2009), ("Second", 2012)):
        (folder / str(year)).mkdir(parents=True)
        (folder / str(year) / "a.md").write_text(ENDS_ALIKE.format(title, year), encoding="utf-8")
    for options in (["--dry-run"], [], []):
        result = run("import", folder, "--author", "ada", *options)
        assert (result.exit_code, "There is no redirect" in result.stdout) == (0, False), result.stdout
    titles = {row["slug"]: row["title"] for row in as_reader.get(f"{ARTICLES}?fields=slug,title").json}
    found = [(row["old"], titles[row["new"]]) for row in as_reader.get(REDIRECTS).json]
    assert found == [
        *(("/2009/a/", "First"), ("/2009/b.html", "First")),
        *(("/2012/a/", "Second"), ("/2012/b.html", "Second")),
    ]
    # The addresses are not reduced to slugs, which would lead to one of the two.
    assert as_reader.get(f"{ARTICLES}?slug=b").json == []


def test_the_paths_that_another_article_had_are_reported(run, people, tmp_path, as_reader, monkeypatch):
    folder = tmp_path / "blog"
    folder.mkdir()
    for name in ("one", "two"):
        text = f"---\ntitle: {name}\ndate: 2012-05-06\naliases: [/old/, /{name}/]\n---\nText\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(service, "MAX_BATCH_ARTICLES", 1)
    for options in (["--dry-run"], [], []):
        report = run("import", folder, "--author", "ada", "--json", *options).stdout
        notes = [note for file in json.loads(report)["files"] for note in file["notes"]]
        assert notes == ["There is no redirect from “/old/”, which is a former address of another article."]
    # The addresses that the articles have now are no former paths.
    assert [(row["old"], row["new"]) for row in as_reader.get(REDIRECTS).json] == [("/old/", "one")]


def test_an_import_of_unchanged_files_stores_the_paths_of_an_older_import(
    app, run, people, folder, as_reader
):
    text = GOOD.replace("tags:", "aliases: [/2019/rye/]\ntags:")
    (folder / "bread.md").write_text(text, encoding="utf-8")
    run("import", folder, "--author", "ada")
    with app.app_context(), transaction():
        db.session.execute(delete(FormerPath))
    assert "1 unchanged" in run("import", folder, "--author", "ada").stdout
    assert [row["old"] for row in as_reader.get(REDIRECTS).json] == ["/2019/rye/"]


def test_a_single_file_can_be_imported(run, people, folder):
    assert run("import", folder / "bread.md", "--author", "ada").exit_code == 0


def test_the_json_option_prints_the_report_as_json(run, people, folder):
    report = json.loads(run("import", folder, "--author", "ada", "--json", "--dry-run").stdout)
    assert report["dry_run"] is True
    assert report["counts"] == {"created": 1, "updated": 0, "unchanged": 0, "skipped": 1, "refused": 0}
    assert [file["key"] for file in report["files"]] == ["blog/bread.md", "blog/photo.zip"]


def test_a_dry_run_reports_the_result_and_stores_nothing(run, people, folder):
    assert run("import", folder, "--author", "ada", "--dry-run").stdout.endswith("stored (dry run).\n")
    assert "1 created" in run("import", folder, "--author", "ada").stdout


def test_without_an_admin_the_error_names_the_command_that_creates_one(run, folder):
    result = run("import", folder)
    assert (result.exit_code, "user create" in result.stderr) == (1, True)


def test_the_only_admin_is_the_default_author(app, folder):
    runner = app.test_cli_runner()
    runner.invoke(args=["user", "create", "ada", "--admin", "--password-stdin"], input="a long pass phrase\n")
    assert runner.invoke(args=["import", str(folder)]).exit_code == 0


def test_with_several_admins_the_author_must_be_named(run, people, folder):
    result = run("import", folder)
    assert (result.exit_code, "--author" in result.stderr) == (1, True)


def test_an_unknown_author_is_refused(run, people, folder):
    assert run("import", folder, "--author", "nobody").exit_code == 1


def test_a_missing_path_is_a_usage_error(run, people, tmp_path):
    assert run("import", tmp_path / "gone").exit_code == 2


def test_an_unreadable_folder_is_reported_and_the_others_are_imported(run, people, folder, monkeypatch):
    (folder / "closed").mkdir()
    original = Path.iterdir

    def iterdir(path):
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return original(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    result = run("import", folder, "--author", "ada")
    assert (result.exit_code, "1 created" in result.stdout) == (1, True)
    assert "refused    blog/closed: The folder “" in result.stdout
    assert "cannot be listed (permission denied)" in result.stdout


def test_two_blogs_with_equal_paths_are_imported_side_by_side(run, people, tmp_path):
    for blog in ("a", "b"):
        posts = tmp_path / blog / "_posts"
        posts.mkdir(parents=True)
        (posts / "2020-01-01-hello.md").write_text(f"---\ntitle: Hello {blog}\n---\nHi.\n", encoding="utf-8")
    results = [run("import", tmp_path / blog / "_posts", "--author", "ada") for blog in ("a", "b", "a", "b")]
    counts = [result.stdout.splitlines()[-1].split(",")[0] for result in results]
    assert counts == [f"1 articles and files: {number} created" for number in (1, 1, 0, 0)]


def test_an_import_of_an_archive_deletes_what_a_killed_import_has_unpacked(run, people, folder, instance):
    left = instance / "imports" / "unpacked-0123"
    left.mkdir(parents=True)
    left.with_suffix(".lock").touch()
    archive = shutil.make_archive(str(folder.parent / "archive"), "zip", folder)
    assert "1 created" in run("import", archive, "--author", "ada").stdout
    assert list((instance / "imports").iterdir()) == []


@pytest.mark.sqlite("its file and its log")
@pytest.mark.parametrize("format_name", [None, *BUILT_IN_FORMATS])
def test_an_import_never_opens_the_database_of_the_blog(run, people, instance, format_name):
    (instance / "post.md").write_text("# Hello", encoding="utf-8")
    options = ["--format", format_name] if format_name else []
    result = run("import", instance, instance / "blog.db", "--author", "ada", *options)
    for name in ("blog.db", "blog.db-wal", "blog.db-shm"):
        assert f"skipped    instance/{name}: It is the database of this blog." in result.stdout


@pytest.mark.parametrize("has_assets", [True, False])
def test_pictures_in_a_named_folder_are_not_reported_as_missing(run, people, tmp_path, has_assets):
    attachment = make_item(post_type="attachment", post_id="7")
    (tmp_path / "blog").mkdir()
    (tmp_path / "blog/export.xml").write_text(make_export(make_item(), attachment), encoding="utf-8")
    (tmp_path / "pictures").mkdir()
    options = ["--assets", tmp_path / "pictures"] if has_assets else []
    output = run("import", tmp_path / "blog/export.xml", "--author", "ada", *options).stdout
    assert "1 created" in output
    assert ("The export names 1 media file and does not contain them." in output) is not has_assets


def test_the_dates_of_articles_are_those_of_the_site(run, people, as_reader, tmp_path):
    posts = tmp_path / "blog/_posts"
    posts.mkdir(parents=True)
    (tmp_path / "blog/_config.yml").write_text("timezone: Europe/Berlin\n", encoding="utf-8")
    (posts / "2020-01-01-new-year.md").write_text("---\ntitle: New year\n---\nText", encoding="utf-8")
    path = "article_path=/{year}/{month}/{day}/{slug}/"
    run("site", "set", "time_zone=America/Los_Angeles", path, "url=https://b.example")
    output = run("import", tmp_path / "blog", "--author", "ada").stdout
    assert output.count("The time zones of the old blog (Europe/Berlin) and of this site") == 1
    answer = as_reader.get(f"{ARTICLES}?fields=published_at,url").json
    assert answer == [
        {"published_at": "2020-01-01T08:00:00.000000+00:00", "url": "https://b.example/2020/01/01/new-year/"}
    ]
