"""A table of second imports: what becomes of an article with a sign that hides it, and what the report says."""

# ruff: noqa: E501 (the rows of the table are long)

from __future__ import annotations

import pytest
from sqlalchemy import select

from blogapi.content.articles.models import Article
from blogapi.storage.database import db
from tests.conftest import ARTICLES

NAME, PATH = "key:hide_post", "blog/bread.md"
PLAIN = "---\ntitle: Bread\ndate: 2020-01-02\n---\nFlour and time.\n"
KNOWN = PLAIN.replace("date:", "draft: true\ndate:")
GUESS = PLAIN.replace("date:", "hide_post: true\ndate:")
#: The columns: the file with its sign. The guess that is lifted is named in each import before the second one.
SIGNS = {"no sign": PLAIN, "known": KNOWN, "guess": GUESS, "lifted": GUESS}

# A row is what happens between the first and the second import, and with which option the second one runs.
# A cell is the status of the article after it, the result in the report, and what else the report says:
#   marked   it names the guess, with the number of its articles and the option that publishes them
#   memory   an earlier import lifted the guess
#   unused   no article has the guess that the option names
#   perhaps  "public here, perhaps hidden there" counts the article
#   former   a note says that the article keeps its former text, although its file has changed
#   there    "public here, hidden there" names the article
# The report of an import with `there` or `refused` has the exit status 1. "-" is no case of its own.
TABLE = """
                                               | no sign          | known            | guess                       | lifted
nothing                                        | public unchanged | draft unchanged  | draft unchanged marked      | public unchanged memory
text changed                                   | public updated   | draft updated    | draft updated marked        | public updated memory
sign added                                     | -                | draft updated    | draft updated marked        | public unchanged memory
sign removed                                   | -                | public updated   | public updated              | public unchanged
sign removed, imported, sign added             | -                | draft updated    | draft updated marked        | public unchanged memory
--publish-marked                               | public unchanged unused | draft unchanged unused | public updated | public unchanged
text changed, --publish-marked                 | public updated unused | draft updated unused | public updated     | public updated
sign added, --publish-marked                   | -                | draft updated unused | public unchanged        | public unchanged
--publish-marked none                          | public unchanged | draft unchanged  | draft unchanged marked      | public unchanged marked perhaps
text changed, --publish-marked none            | public updated   | draft updated    | draft updated marked        | public unchanged marked perhaps former
edited                                         | public unchanged | draft unchanged  | draft unchanged marked      | public unchanged memory
edited, text changed                           | public refused   | draft refused    | draft refused marked        | public refused memory
edited, sign added                             | -                | public unchanged there | public unchanged marked there | public unchanged memory
edited, sign added, text changed               | -                | public unchanged there | public unchanged marked there | public refused memory
edited, --publish-marked                       | public unchanged unused | draft unchanged unused | draft unchanged | public unchanged
edited, --publish-marked none                  | public unchanged | draft unchanged  | draft unchanged marked      | public unchanged marked perhaps
published                                      | public unchanged | public unchanged | public unchanged marked perhaps | public unchanged memory
published, text changed                        | public refused   | public unchanged there | public unchanged marked there | public refused memory
made a draft                                   | draft unchanged  | draft unchanged  | draft unchanged marked      | draft unchanged memory
made a draft, text changed                     | draft refused    | draft refused    | draft refused marked        | draft refused memory
made a draft, sign added                       | -                | draft unchanged  | draft unchanged marked      | draft unchanged memory
made a draft, --publish-marked                 | draft unchanged unused | draft unchanged unused | draft unchanged  | draft unchanged
deleted                                        | none skipped     | none skipped     | none skipped marked         | none skipped memory
deleted, --publish-marked                      | none skipped unused | none skipped unused | none skipped          | none skipped
deleted, imported, --restore-deleted           | public created   | draft created    | draft created marked        | public created memory
deleted, --restore-deleted, --publish-marked   | public created unused | draft created unused | public created     | public created
deleted, restored                              | public unchanged | draft unchanged  | draft unchanged marked      | public unchanged memory
deleted, restored, --publish-marked            | public unchanged unused | draft unchanged unused | public updated | public unchanged
archived                                       | archived unchanged | archived unchanged | archived unchanged marked | archived unchanged memory
archived, text changed                         | archived refused | archived refused | archived refused marked     | archived refused memory
archived, sign added                           | -                | archived unchanged | archived unchanged marked | archived unchanged memory
archived, --publish-marked                     | archived unchanged unused | archived unchanged unused | archived unchanged | archived unchanged
"""
_, *SECTIONS = ([cell.strip() for cell in line.split("|")] for line in TABLE.strip("\n").splitlines())
CASES = [
    pytest.param(row, sign, cell, id=f"{row}-{sign}")
    for row, *cells in SECTIONS
    for sign, cell in zip(SIGNS, cells, strict=True)
    if cell != "-"
]
OPTIONS = {
    "--publish-marked": ("--publish-marked", NAME),
    "--publish-marked none": ("--publish-marked", "none"),
    "--restore-deleted": ("--restore-deleted",),
}
STATUSES = {"edited": None, "published": "published", "made a draft": "draft", "archived": "archived"}


@pytest.fixture(scope="module")
def source_folder(tmp_path_factory):
    """One folder for all tests, because blogs remember the folder of an import."""
    return tmp_path_factory.mktemp("second_imports")


@pytest.fixture
def act(as_admin):
    """A function that does in this blog what a row says."""

    def do(step):
        if step == "restored":
            (found,) = as_admin.get("/api/v1/blog/deleted/").json
            assert as_admin.post(f"{ARTICLES}{found['uuid']}/restore/").status_code == 200
            return
        (found,) = as_admin.get(f"{ARTICLES}author/me/?fields=uuid").json
        address = f"{ARTICLES}{found['uuid']}/"
        if step == "deleted":
            assert as_admin.delete(address).status_code == 204
            return
        status = {"status": STATUSES[step]} if STATUSES[step] else {}
        assert as_admin.patch(address, json={"subtitle": "Mine", **status}).status_code == 200

    return do


def describe(report, article):
    """Return the cell of the table: what became of the article, and what the report says about it."""
    (file,) = report["files"]
    notes = " ".join(report["notes"])
    found = {
        "marked": report["marked"] == [{"name": NAME, "articles": 1}],
        "memory": f"forgets them): {NAME}." in notes,
        "unused": f"No article has the guess “{NAME}”" in notes,
        "perhaps": report["public_here_perhaps_hidden"] == 1,
        "former": "keeps its former text" in " ".join(file["notes"]),
        "there": file["hidden_there"] and len(report["public_here_hidden_there"]) == 1,
    }
    status = article.status.replace("published", "public") if article else "none"
    return " ".join([status, file["result"], *(word for word, is_said in found.items() if is_said)])


@pytest.mark.parametrize(("row", "sign", "cell"), CASES)
def test_a_second_import(app, blog, fill_blog, act, row, sign, cell):
    def read():
        with app.app_context():
            return db.session.execute(select(Article.status, Article.content)).one_or_none()

    def import_file(*texts):
        for text in texts:
            blog(PATH, text, *(OPTIONS["--publish-marked"] if sign == "lifted" else ()))

    steps, texts, options = row.split(", "), [SIGNS[sign]], []
    if "sign added" in steps and "sign removed" not in steps:
        # Only a guess that a file had can be lifted.
        texts = [GUESS, PLAIN] if sign == "lifted" else [PLAIN]
    fill_blog(f"second imports {sign} {texts}", lambda: import_file(*texts))
    text = texts[-1]
    for step in steps:
        if step in OPTIONS:
            options += OPTIONS[step]
        elif step == "imported":
            import_file(text)
        elif step.startswith("sign"):
            text = SIGNS[sign] if step == "sign added" else PLAIN
        elif step == "text changed":
            text = text.replace("Flour", "Rye flour")
        elif step != "nothing":
            act(step)
    result, *words = cell.split()[1:]
    before = read()
    report = blog(PATH, text, *options, status=int(result == "refused" or "there" in words))
    after = read()
    assert describe(report, after) == cell
    former, new = before and before.content, text.split("---\n")[-1]
    assert (after and after.content) == (new if result in ("updated", "created") else former)
