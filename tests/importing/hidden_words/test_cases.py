"""What becomes of the texts of the cases, and that no reader finds one that hides."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from sqlalchemy import select

from blogapi.content.articles.models import Article
from blogapi.storage.database import db
from tests.conftest import ARTICLES
from tests.importing.hidden_words.cases import PUBLIC, write_cases

#: The result of each case, and the guesses that it has.
RESULTS = Path(__file__).with_name("results.json")
#: All fields that readers can ask for.
FIELDS = "*,html,content,excerpt,seo,custom,head"
PATHS = ("/feeds/rss.xml", "/feeds/atom.xml", "/feeds/feed.json", "/sitemap.xml")
FUTURE = ("g10", "k31", "n03", "u04")


@pytest.fixture
def imported(app, fill_blog, tmp_path):
    """The report of an import of all cases, and what each is expected to be."""

    def import_cases():
        folder = tmp_path / "cases"
        folder.mkdir()
        expected = write_cases(folder)
        words = [str(path) for path in sorted(folder.iterdir())]
        words += ["--author", "ada", "--define-fields", "everyone", "--json"]
        return json.loads(app.test_cli_runner().invoke(args=["import", *words]).stdout), expected

    return fill_blog("cases of hidden words", import_cases)


def list_results(report, expected):
    """Return the result of each case: a status, "left out", "not imported", or the sentence of the report."""
    articles = {title.split()[-1]: (status, text) for title, status, text in _list_articles()}
    results = {}
    for case in expected:
        status, text = articles.get(case, ("", ""))
        if status and f"HUSH{case}HUSH" not in text:
            results[case] = "left out"
        elif status:
            results[case] = status
        else:
            own = [
                file
                for file in report["files"]
                if f"/{case}." in file["key"] or file["title"].split()[-1:] == [case]
            ]
            results[case] = f"{own[0]['result']}: {own[0]['notes'][0]}" if own else "not imported"
    return results


def _list_articles():
    return db.session.execute(select(Article.title, Article.status, Article.content)).all()


def test_each_case_has_its_result(app, imported):
    report, expected = imported
    with app.app_context():
        results = list_results(report, expected)
    assert results == json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    wrong = {
        case: result
        for case, result in results.items()
        if (expected[case] == PUBLIC) != (result == "published") and case not in FUTURE
    }
    assert wrong == {}


def test_the_guesses_of_the_cases(imported):
    report, _ = imported
    marked = {mark["name"]: mark["articles"] for mark in report["marked"]}
    assert marked == json.loads(RESULTS.read_text(encoding="utf-8"))["marked"]


def find_texts(expected, answers):
    """Return the cases whose texts are in one of the answers."""
    everything = "\n".join(answers)
    return {case for case in expected if f"HUSH{case}HUSH" in everything}


def list_public(expected):
    """Return the cases whose texts readers may find."""
    return {case for case, result in expected.items() if result == PUBLIC}


def test_no_answer_to_a_reader_has_a_text_that_hides(imported, as_reader, as_login):
    _, expected = imported
    # A blog without an address has no feeds.
    assert as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"}).status_code == 200
    lists = []
    for kind in ("articles", "pages"):
        answer = as_reader.get(f"/api/v1/blog/{kind}/?page_size=100&fields={FIELDS}")
        assert answer.status_code == 200 and len(answer.json) < 100
        lists += map(json.dumps, answer.json)
    assert any('"private_notes": "call the printer"' in answer for answer in lists)
    assert find_texts(expected, lists) == list_public(expected)
    answers = [as_reader.get(path) for path in PATHS]
    assert [answer.status_code for answer in answers] == [200] * len(PATHS)
    feeds = [answer.get_data(as_text=True) for answer in answers]
    assert set() < find_texts(expected, feeds) <= list_public(expected)


def test_no_search_of_a_reader_finds_a_text_that_hides(imported, as_reader):
    _, expected = imported
    found = {}
    for case in expected:
        answer = as_reader.get(f"{ARTICLES}?q=HUSH{case}HUSH&fields=title")
        assert answer.status_code == 200
        found[case] = [article["title"].split()[-1] for article in answer.json]
    public = list_public(expected)
    assert found == {case: [case] if case in public else [] for case in expected}


def test_the_search_index_has_no_text_that_is_left_out(imported, as_admin):
    _, expected = imported
    results = json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    found = {}
    for case in expected:
        if results[case] in ("left out", "draft"):
            answer = as_admin.get(f"{ARTICLES}own/?q=HUSH{case}HUSH&fields=status")
            assert answer.status_code == 200
            found[case] = [article["status"] for article in answer.json]
    assert found == {case: ["draft"] if results[case] == "draft" else [] for case in found}


@pytest.mark.parametrize("layout", [(), ("--for", "hugo"), ("--for", "jekyll")], ids=" ".join)
def test_no_file_of_the_public_export_has_a_text_that_hides(app, imported, tmp_path, layout):
    _, expected = imported
    folder = tmp_path / "out"
    assert app.test_cli_runner().invoke(args=["export", str(folder), *layout]).exit_code == 0
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    texts = [path.read_bytes().decode("utf-8", "replace") for path in files.values()]
    assert find_texts(expected, [*files, *texts]) == list_public(expected)
    # The names are only those of articles that readers see.
    results = json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    shown = {case for case in results if results[case] in ("left out", "published")}
    names = {word for name in files for word in re.split("[^a-z0-9]", name)}
    assert names & {*expected} <= shown - {*FUTURE}
