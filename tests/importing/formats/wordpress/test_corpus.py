"""Compares what is read from real exports with counts that were made without the reader.

See `tests/importing/test_corpus.py` for the corpus and its EXPECTED.json.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.wordpress.source import FORMAT

CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
NOW = datetime(2026, 11, 1, tzinfo=UTC)
FOLDER = Path(CORPUS) / "wxr"
FILES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.xml")) if CORPUS else []
LEFT_BEHIND_TYPE = "items of the type "
#: Drafts that the counts call published: one post has a password.
ITEM_TERM = re.compile(
    r"""<category(?: domain=["'](?:category|post_tag)["'][^>]*)?>(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?</category>"""
)
PROTECTED = {"wp-theme-test-data/themeunittestdata.wordpress.xml": 1}
#: Files that are repaired, with a part of the note.
REPAIRED = {
    "tryghost-migrate/multiple/attachments-only.xml": "unescaped “&”: 10",
    "tryghost-migrate/sample-no-slug.xml": "unescaped “&”: 10",
    "tryghost-migrate/sample.xml": "unescaped “&”: 10",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs"),
]


@cache
def read_file(name):
    """Return the source of a file, and its records without the further languages of an item."""
    path = FOLDER / name
    entry = Entry(f"wxr/{name}", path)
    with path.open("rb") as file:
        assert FORMAT.detect(entry, file.read(16_384))
    source = FORMAT.open_source([entry], ImportOptions(now=NOW))
    return source, [record for record in source.read() if not is_translation(record)]


def is_translation(record):
    return record.translation_key not in ("", record.key)


def read_expected(name):
    expected = json.loads((Path(CORPUS) / "EXPECTED.json").read_text(encoding="utf-8"))
    return expected[f"wxr/{name}"]


@pytest.mark.parametrize("name", FILES)
def test_the_items_match_the_independent_counts(name):
    expected, (source, records) = read_expected(name), read_file(name)
    assert all(isinstance(record, ArticleRecord) for record in records)
    theirs = Counter()
    for key, number in expected["status"].items():
        type_, status = key.split("/")
        if type_ in ("post", "page"):
            theirs["published" if status in ("publish", "future") else "draft"] += number
        elif type_ != "attachment":
            theirs[LEFT_BEHIND_TYPE + type_] += number
    protected = PROTECTED.get(name, 0)
    theirs["published"] -= protected
    theirs["draft"] += protected
    counts = source.left_behind
    ours = Counter(record.status for record in records)
    ours.update({key: number for key, number in counts.items() if key.startswith(LEFT_BEHIND_TYPE)})
    assert ours == +theirs
    pages = sum(number for key, number in expected["status"].items() if key.startswith("page/"))
    assert sum(record.is_page for record in records) == pages
    future = expected["status"].get("post/future", 0)
    assert sum(record.published_at > NOW for record in records if record.published_at) == future


@pytest.mark.parametrize("name", FILES)
def test_comments_and_terms_match_the_independent_counts(name):
    expected, source = read_expected(name), read_file(name)[0]
    counts = source.left_behind
    names = ("comments", "pingbacks and trackbacks", "comments in the trash", "spam comments")
    assert sum(counts[name] for name in names) == expected["comments"]
    kinds = Counter(term.kind for term in source.terms)
    assert (kinds["category"], kinds["tag"]) == (expected["cats"], expected["tags"])


@pytest.mark.parametrize("name", FILES)
def test_every_term_of_an_item_is_taken(name):
    """Terms are compared by name, because some are both a category and a tag, or named twice."""
    source, records = read_file(name)
    text = (FOLDER / name).read_text(encoding="utf-8")
    theirs = []
    for item in re.findall(r"<item>.*?</item>", text, re.DOTALL):
        if re.search(r"<wp:post_type>(?:<!\[CDATA\[)?(?:post|page)\b", item):
            terms = {html.unescape(term).casefold() for term in ITEM_TERM.findall(item)}
            theirs.append(terms)
    defaults = source.left_behind["default categories of posts with another category"]
    ours = [{term.casefold() for term in (record.category, *record.tags) if term} for record in records]
    pairs = list(zip(ours, theirs, strict=True))
    assert all(mine <= terms for mine, terms in pairs)
    missing = [term for mine, terms in pairs for term in terms - mine]
    assert set(missing) <= {"uncategorized"}
    assert len(missing) == defaults


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_not_well_formed_are_named(name):
    notes = " ".join(read_file(name)[0].notes)
    assert REPAIRED.get(name, "") in notes
    assert ("was repaired" in notes) == (name in REPAIRED)


def test_all_authors_have_a_name_without_a_mail_address():
    authors = {author.name for name in FILES for record in read_file(name)[1] for author in record.authors}
    assert not [author for author in authors if "@" in author]
    assert {"Theme Buster", "Hermione Granger", "Alice Smith"} <= authors


def test_all_files_are_read_together():
    entries = [Entry(f"wxr/{name}", FOLDER / name) for name in FILES]
    source = FORMAT.open_source(entries, ImportOptions(now=NOW))
    expected = sum(
        number
        for name in FILES
        for key, number in read_expected(name)["status"].items()
        if key.startswith(("post/", "page/"))
    )
    records = [item for item in source.read() if isinstance(item, ArticleRecord)]
    assert sum(not is_translation(record) for record in records) == expected
    # The item with two languages is in two files.
    translations = {record.language: record.title for record in records if is_translation(record)}
    assert translations == {"en": "Under heaven"}
