"""Compares the records of real exports with independent counts; see `../test_corpus.py`."""

from __future__ import annotations

import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.ghost.source import FORMAT

CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
NOW = datetime(2026, 11, 1, tzinfo=UTC)
WRAPPED = "the counts do not look into `data.data`, the form of the fixtures of the importer of Ghost"
NULL_POST = "one post has only null in its fields, and is refused"
PAST = "the time of the scheduled posts has passed, so they are drafts"
PRIVATE = f"the site is private (`is_private`), so its public post is a draft; {PAST}"
NO_HTML = "one post has its text only in lexical, and is refused"
MARKDOWN = "the only card of both posts is Markdown, which stays Markdown"
#: The counts of the reader minus the independent counts, and the reason for the difference.
DIFFERENCES: dict[str, tuple[dict[str, int], str]] = {
    "ghost/ghost-fixtures/import-data-1.json": ({"records": 1, "published": 1, "markdown": 1}, WRAPPED),
    "ghost/ghost-fixtures/import-data-lts.json": ({"records": 1, "published": 1, "markdown": 1}, WRAPPED),
    "ghost/ghost-fixtures/valid.json": ({"markdown": 2, "html": -2}, MARKDOWN),
    "ghost/ghost-fixtures-lts/export-000.json": ({"draft": 1}, PAST),
    "ghost/ghost-fixtures-lts/export-003-nullPosts.json": ({"records": -1, "refused": 1}, NULL_POST),
    "ghost/ghost-fixtures-lts/export-lts-legacy-fields.json": ({"draft": 2, "published": -1}, PRIVATE),
    "ghost/tryghost-migrate/ghost.json": (
        {"records": -1, "refused": 1, "published": -1, "html": -1},
        NO_HTML,
    ),
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs"),
]


def read_expected() -> dict[str, Counter[str]]:
    """Return the independent counts of all exports by the names of `count_items`."""
    listed = json.loads((Path(CORPUS) / "EXPECTED.json").read_text(encoding="utf-8")) if CORPUS else {}
    found = {}
    for name, counts in listed.items():
        if name.startswith("ghost/"):
            odd = counts.get("odd", {})
            found[name] = Counter(
                records=counts.get("counts", {}).get("posts", 0),
                published=odd.get("status:published", 0),
                draft=odd.get("status:draft", 0),
                page=odd.get("type:page", 0),
                markdown=odd.get("body:markdown", 0),
                html=sum(odd.get(f"body:{name}", 0) for name in ("mobiledoc", "html-only", "lexical")),
                refused="counts" not in counts,
            )
    return found


def count_items(name: str) -> Counter[str]:
    entry = Entry(name, Path(CORPUS) / name)
    assert FORMAT.detect(entry, entry.path.read_bytes()[:16_384]) or "broken" in name
    items = list(FORMAT.open_source([entry], ImportOptions(now=NOW)).read())
    records = [item for item in items if isinstance(item, ArticleRecord)]
    assert all(record.content.strip() for record in records)
    return Counter(
        records=len(records),
        refused=len(items) - len(records),
        page=sum(record.is_page for record in records),
    ) + Counter(value for record in records for value in (record.status, record.content_type))


@pytest.mark.parametrize("name", read_expected())
def test_the_records_match_the_independent_counts(name):
    theirs, ours = read_expected()[name], count_items(name)
    differences = {key: ours[key] - theirs[key] for key in ours | theirs if ours[key] != theirs[key]}
    assert differences == DIFFERENCES.get(name, ({}, ""))[0]
