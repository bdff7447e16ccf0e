"""The reader over real blogs, against numbers that were counted without it.

The corpus is no part of the repository: BLOGAPI_TEST_CORPUS names its folder, in which EXPECTED.json gives
per source the counts that regular expressions found.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.transfer import folder
from blogapi.transfer.article_record import NotAnArticle, RefusedFile
from blogapi.transfer.markdown import front_matter, reader, text
from blogapi.transfer.markdown.fields import Fields

CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
NOW = datetime(2026, 11, 1, tzinfo=UTC)
KINDS = {"none/hexo-bare": "hexo", "none/none": "none"}
COUNTED = ("files", "yaml", "toml", "hexo", "none", "refused", "dated", "titled", "tagged", "categorised")
FRAMING = "CR, UTF-16 and leading blank lines hid it from the counts; a key that stands twice is refused"
MISSING = "the folder holds one file less than were counted"
BARE = "the counts did not look into headers without an opening fence"
LEADING_ZERO = "`dateday = 08` is no TOML, but is read as 8"
#: What we count minus what was expected, and why.
DIFFERENCES: dict[str, tuple[dict[str, int], str]] = {
    "markdown-odd/derived": (
        {"yaml": 2, "none": -2, "refused": 4, "dated": 2, "titled": 2, "tagged": 2, "categorised": 1},
        f"{FRAMING}; three files that are no UTF-8 had no kind there and are refused here",
    ),
    "markdown-toml/volcano": ({"toml": 7, "refused": -7, "dated": 7, "titled": 7, "tagged": 7}, LEADING_ZERO),
    "markdown-yaml/18f": ({"files": -1, "yaml": -1, "dated": -1, "titled": -1, "tagged": -1}, MISSING),
    "markdown-yaml/hexo-site": ({"files": -1, "yaml": -1, "titled": -1}, MISSING),
    "markdown-yaml/hexo-unit-test": ({"dated": 14, "titled": 13, "tagged": 2, "categorised": 1}, BARE),
}
#: Taken, refused, and no article (section pages, a headless bundle, a `.yml` file).
OUTCOMES = {
    "markdown-i18n/opentelemetry": (68, 0, 17),
    "markdown-i18n/sofastack-zh": (69, 0, 0),
    "markdown-odd/derived": (10, 8, 0),
    "markdown-toml/hugo-basic-example": (11, 0, 2),
    "markdown-toml/rust-blog": (128, 0, 1),
    "markdown-toml/volcano": (42, 0, 2),
    "markdown-yaml/18f": (169, 0, 0),
    "markdown-yaml/hexo-site": (57, 0, 0),
    "markdown-yaml/hexo-unit-test": (15, 0, 0),
    "markdown-yaml/jekyll-docs": (102, 0, 0),
    "markdown-yaml/jekyll-testposts": (57, 0, 1),
    "markdown-yaml/tryghost-migrate": (13, 0, 0),
}

pytestmark = pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs")


def expected(source: str) -> Counter[str]:
    """Return the independent counts of a source under our names."""
    counts = json.loads((Path(CORPUS) / "EXPECTED.json").read_text(encoding="utf-8"))[source]
    found = Counter(files=counts["files"], drafts=counts["drafts"])
    for kind, number in counts["fm"].items():
        found[KINDS.get(kind, kind) if kind in (*KINDS, "yaml", "toml") else "refused"] += number
    for name, shapes in (
        ("dated", "dates"),
        ("tagged", "tags"),
        ("categorised", "cats"),
        ("titled", "titletypes"),
    ):
        for shape, number in counts.get(shapes, {}).items():
            found[name] += 0 if shape.endswith(("none", "null", "NoneType")) else number
    return found


def counted(source: str) -> Counter[str]:
    """Return what our own steps find in the files of a source."""
    found: Counter[str] = Counter()
    for entry in folder.walk_files(Path(CORPUS) / source):
        found["files"] += 1
        try:
            parts = front_matter.split(text.decode(folder.read_bytes(entry.path))[0])
        except RefusedFile:
            found["refused"] += 1
            continue
        fields = Fields(parts.entries)
        found[parts.kind] += 1
        found["dated"] += fields.take("date") is not None
        found["titled"] += fields.take("title") is not None
        found["tagged"] += sum(fields.take(key) is not None for key in ("tags", "tag"))
        found["categorised"] += sum(fields.take(key) is not None for key in ("categories", "category"))
    return found


def outcome(entry: folder.Entry) -> str:
    try:
        return reader.read_file(entry, now=NOW).status
    except (RefusedFile, NotAnArticle) as error:
        return type(error).__name__


@pytest.mark.parametrize("source", OUTCOMES)
def test_counts_agree_with_those_taken_without_the_reader(source):
    theirs, ours = expected(source), counted(source)
    differences = {name: ours[name] - theirs[name] for name in COUNTED if ours[name] != theirs[name]}
    assert differences == DIFFERENCES.get(source, ({}, ""))[0]


@pytest.mark.parametrize("source", OUTCOMES)
def test_every_file_is_taken_refused_or_no_article(source):
    found = Counter(map(outcome, folder.walk_files(Path(CORPUS) / source)))
    taken = found["published"] + found["draft"] + found["archived"]
    assert (taken, found["RefusedFile"], found["NotAnArticle"]) == OUTCOMES[source]
    assert sum(OUTCOMES[source]) == counted(source)["files"]


@pytest.mark.parametrize("source", OUTCOMES)
def test_drafts_are_those_that_were_counted(source):
    found = Counter(map(outcome, folder.walk_files(Path(CORPUS) / source)))
    assert found["draft"] == expected(source)["drafts"]


def test_every_markdown_source_is_tried():
    counts = json.loads((Path(CORPUS) / "EXPECTED.json").read_text(encoding="utf-8"))
    assert {name for name in counts if name.startswith("markdown-")} == set(OUTCOMES)
