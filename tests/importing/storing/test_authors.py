"""The import finds or creates the authors that files name; an author map renames and merges them."""

from __future__ import annotations

import json

import pytest

from tests.conftest import ARTICLES, AUTHORS

POST = "---\ntitle: {title}\ndate: 2024-05-01\n{front}\n---\nText\n"


@pytest.fixture
def folder(tmp_path):
    """A folder with articles by Jane, by Jane and John, by Ada, and by nobody."""
    blog = tmp_path / "blog"
    blog.mkdir()
    fronts = {
        "one": "author: Jane Doe",
        "two": "authors: [{name: jane doe, url: 'https://jane.example', bio: Bakes.}, John]",
        "three": "author: ada",
        "four": "",
    }
    for title, front in fronts.items():
        (blog / f"{title}.md").write_text(POST.format(title=title, front=front), encoding="utf-8")
    return blog


@pytest.fixture
def run(app, people, folder):
    """Return a function that imports the folder for Grace and returns the report."""

    def run(*words):
        words = ["import", str(folder), "--author", "grace", "--json", *map(str, words)]
        result = app.test_cli_runner().invoke(args=words)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run


@pytest.fixture
def write_map(tmp_path):
    """Return a function that writes an author map and returns its path."""

    def write(text):
        path = tmp_path / "authors.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def read_bylines(client):
    articles = client.get(f"{ARTICLES}?fields=title,authors&ordering=title").json
    return {article["title"]: [author["slug"] for author in article["authors"]] for article in articles}


def list_slugs(client):
    return [author["slug"] for author in client.get(f"{AUTHORS}?fields=slug").json]


def report(slug, name, created, articles):
    return {"slug": slug, "name": name, "created": created, "articles": articles}


BYLINES = {"one": ["jane-doe"], "two": ["jane-doe", "john"], "three": ["ada"], "four": ["grace"]}


def test_authors_are_found_by_the_slug_of_their_name_or_created(run, as_admin, people):
    assert run()["authors"] == [
        report("ada", "ada", False, 1),
        report("grace", "grace", False, 1),
        report("jane-doe", "Jane Doe", True, 2),
        report("john", "John", True, 1),
    ]
    assert read_bylines(as_admin) == BYLINES
    assert list_slugs(as_admin) == ["ada", "grace", "jane-doe", "john", "mel"]
    articles = as_admin.get(ARTICLES).json
    assert {article["author"] for article in articles} == {str(people.other_admin.uuid)}


def test_a_created_author_is_a_guest_with_the_details_of_the_file(run, as_admin, folder):
    (folder / "one.md").unlink()
    run()
    jane = next(author for author in as_admin.get(AUTHORS).json if author["slug"] == "jane-doe")
    assert (jane["name"], jane["url"], jane["bio"], jane["user"]) == (
        *("jane doe", "https://jane.example", "Bakes.", None),
    )


def test_a_dry_run_reports_the_authors_and_stores_nothing(run, as_admin):
    dry = run("--dry-run")
    assert list_slugs(as_admin) == ["ada", "grace", "mel"]
    assert run()["authors"] == dry["authors"]
    assert run()["authors"] == []


def test_the_report_lists_authors_in_words(app, people, folder):
    result = app.test_cli_runner().invoke(args=["import", str(folder), "--author", "grace"])
    lines = result.stdout.splitlines()
    assert "author     jane-doe: Jane Doe, created, articles: 2" in lines
    assert "author     ada: ada, articles: 1" in lines


def test_an_author_map_renames_and_merges_authors(run, as_admin, write_map):
    path = write_map('"JANE doe" = "mel"\n"John" = "Mel"\nada = "Ada Lovelace"\nNobody = "ada"\n')
    result = run("--author-map", path)
    assert result["unused_author_map_names"] == ["nobody"]
    assert read_bylines(as_admin) == {
        "one": ["mel"],
        "two": ["mel"],
        "three": ["ada-lovelace"],
        "four": ["grace"],
    }
    assert [author["slug"] for author in result["authors"] if author["created"]] == ["ada-lovelace"]


def test_a_new_author_map_updates_the_articles_of_unchanged_files(run, as_admin, write_map):
    run()
    result = run("--author-map", write_map('"Jane Doe" = "ada"'))
    assert result["counts"]["updated"] == 2
    assert read_bylines(as_admin) == BYLINES | {"one": ["ada"], "two": ["ada", "john"]}


@pytest.mark.parametrize("text", ["= 1", 'a = ""', "a = 1", "[a]\nb = 'c'"])
def test_an_invalid_author_map_is_refused(app, people, folder, write_map, as_admin, text):
    words = ["import", str(folder), "--author", "grace", "--author-map", str(write_map(text))]
    result = app.test_cli_runner().invoke(args=words)
    assert (result.exit_code, "author map" in result.stderr) == (1, True)
    assert as_admin.get(ARTICLES).json == []


def test_a_changed_file_changes_the_authors_of_its_article(run, as_admin, folder):
    run()
    for title, front in (("one", "author: John"), ("two", "")):
        (folder / f"{title}.md").write_text(POST.format(title=title, front=front), encoding="utf-8")
    run()
    assert read_bylines(as_admin) == BYLINES | {"one": ["john"], "two": ["grace"]}


def test_a_refused_file_creates_no_author(app, people, folder, as_admin):
    front = f"author: New\nslug: x\ncategory: {'x' * 300}"
    (folder / "bad.md").write_text(POST.format(title="bad", front=front), encoding="utf-8")
    result = app.test_cli_runner().invoke(args=["import", str(folder), "--author", "grace", "--json"])
    assert result.exit_code == 1
    assert "new" not in [author["slug"] for author in json.loads(result.stdout)["authors"]]
    assert "new" not in list_slugs(as_admin)


def test_too_many_authors_are_refused(app, people, folder):
    names = ", ".join(f"a{number}" for number in range(51))
    (folder / "many.md").write_text(POST.format(title="many", front=f"authors: {names}"), encoding="utf-8")
    result = app.test_cli_runner().invoke(args=["import", str(folder), "--author", "grace"])
    assert "authors: Must contain at most 50 items." in result.stdout
