"""What becomes of the texts of the cases, and that no reader finds one that hides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from blogapi.content.articles.models import Article
from blogapi.storage.database import db
from tests.conftest import ARTICLES
from tests.importing.hidden_words.cases import HIDE, PUBLIC, write_cases

#: The result of each case, and the guesses that it has.
RESULTS = Path(__file__).with_name("results.json")
FUTURE = ("g10", "k31", "n03", "u04")


@pytest.fixture
def imported(app, people, tmp_path):
    """The report of an import of all cases, and what each is expected to be."""
    folder = tmp_path / "cases"
    folder.mkdir()
    expected = write_cases(folder)
    words = [str(path) for path in sorted(folder.iterdir())]
    result = app.test_cli_runner().invoke(args=["import", *words, "--author", "ada", "--json"])
    return json.loads(result.stdout), expected


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


def test_no_reader_finds_a_text_that_hides(app, imported, as_reader, tmp_path):
    _, expected = imported
    fields = "title,content,html,excerpt,seo,custom,subtitle"
    answers, page = [], 1
    while found := as_reader.get(f"{ARTICLES}?page={page}&page_size=100&fields={fields}").json:
        answers.append(json.dumps(found))
        page += 1
    answers += [as_reader.get(path).get_data(as_text=True) for path in ("/feeds/rss.xml", "/feeds/feed.json")]
    assert app.test_cli_runner().invoke(args=["export", str(tmp_path / "out")]).exit_code == 0
    answers += [path.read_text(encoding="utf-8") for path in (tmp_path / "out").rglob("*.md")]
    answers += [path.read_text(encoding="utf-8") for path in (tmp_path / "out").rglob("*.html")]
    everything = "\n".join(answers)
    found_cases = {case for case in expected if f"HUSH{case}HUSH" in everything}
    assert found_cases == {case for case, result in expected.items() if result == PUBLIC}
    hidden = [case for case, result in expected.items() if result == HIDE]
    for case in hidden[::20]:
        answer = as_reader.get(f"{ARTICLES}?q=HUSH{case}HUSH")
        assert (answer.status_code, answer.json) == (200, [])
