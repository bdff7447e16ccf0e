"""Compares what is read of real exports of Blogger, Medium and Substack with independent counts."""

from __future__ import annotations

import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry, walk_path
from blogapi.importing.formats import registry
from blogapi.importing.pipeline.run_setup import HEAD_BYTES

CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
#: The number of articles by status, of skipped items, and what is left behind, by source. Eight of nine pages
#: of Medium are articles: one is a response, and two have no date.
MEDIUM = (
    {"published": 6, "draft": 2, "skipped": 1},
    {"responses to other stories": 1},
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs"),
]


def read(name, path):
    """Return the number of items by status or result, and the source."""
    module = registry.get_format(name, [])
    entries = [
        entry
        for entry in walk_path(Path(CORPUS) / path)
        if module.detect(entry, entry.path.read_bytes()[:HEAD_BYTES])
    ]
    source = module.open_source(entries, ImportOptions(now=datetime(2026, 11, 1, tzinfo=UTC)))
    items = list(source.read())
    assert len({item.key for item in items}) == len(items)
    return Counter(
        one.status if isinstance(one, ArticleRecord) else one.result.value for one in items
    ), source


def test_the_stories_of_medium_are_read():
    counts, source = read("medium", "medium")
    assert (counts, source.left_behind) == MEDIUM


def test_the_posts_of_substack_are_read():
    counts, _ = read("substack", "substack")
    assert counts == {"published": 4, "draft": 1}


def test_the_items_of_squarespace_are_read():
    entries = list(walk_path(Path(CORPUS) / "squarespace"))
    options = ImportOptions(now=datetime(2026, 11, 1, tzinfo=UTC))
    records = list(registry.get_format("wordpress", []).open_source(entries, options).read())
    # Two pages have the same id; the import tells them apart by slug and title.
    assert [(one.slug, one.status, one.is_page) for one in records] == [
        ("draft-post", "draft", False),
        ("basic-post", "published", False),
        ("services", "published", True),
        ("no-title", "published", True),
        ("my-dated-post", "published", False),
    ]
    assert 'alt="MAKINGIT_Unfold_BeginnersGuide_Inline_2765x2081px.jpg"' in records[1].content


def test_the_export_of_blogger_has_the_counted_items():
    path = "blogger/pelican/bloggerexport.xml"
    expected = json.loads((Path(CORPUS) / "EXPECTED.json").read_text(encoding="utf-8"))[path]
    counts, source = read("blogger", path)
    assert counts["draft"] == expected["post/draft"] + expected["page/draft"]
    assert counts["published"] == expected["post"] + expected["page"]
    assert counts.total() == 4
    names = {"templates": "template", "settings of the blog": "settings", "comments": "comment"}
    assert source.left_behind == {ours: expected[theirs] for ours, theirs in names.items()}


@pytest.mark.parametrize("name", ["medium", "blogger", "substack"])
def test_no_file_of_another_source_is_recognised(name):
    module = registry.get_format(name, [])
    others = [path for path in Path(CORPUS).rglob("*.*") if name not in path.parts and path.is_file()]
    heads = ((path, path.read_bytes()[:HEAD_BYTES]) for path in others)
    assert [path for path, head in heads if module.detect(Entry(path.name, path), head)] == []
