"""Compares the results of the reader on real blogs with counts that were made without the reader.

The corpus is not in the repository. The environment variable BLOGAPI_TEST_CORPUS names its folder. The file
EXPECTED.json in this folder contains counts for each source that were made with regular expressions.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry, read_bytes, walk_path
from blogapi.importing.formats.markdown import front_matter, reader
from blogapi.importing.formats.markdown.front_matter import FrontMatter
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.templates.template_tags import resolve_templates
from blogapi.importing.templates.wiki_links import resolve_wiki_links
from blogapi.importing.texts import lines as text

CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
NOW = datetime(2026, 11, 1, tzinfo=UTC)
FORMATS = {"none/hexo-bare": "hexo", "none/none": "none"}
COUNTED = ("files", "yaml", "toml", "hexo", "none", "refused", "dated", "titled", "tagged", "categorised")
FRAMING = "the counts missed files with CR, UTF-16 or leading blank lines, or a duplicate key"
MISSING = "the folder has one file less than the counts"
BARE = "the counts did not read headers without an opening fence"
LEADING_ZERO = "`dateday = 08` is not valid TOML, but is read as 8"
#: The counts of the reader minus the independent counts, and the reason for the difference.
DIFFERENCES: dict[str, tuple[dict[str, int], str]] = {
    "markdown-odd/derived": (
        {"yaml": 3, "none": -2, "refused": 3, "dated": 3, "titled": 3, "tagged": 3, "categorised": 1},
        f"{FRAMING}; three files that are not UTF-8 have no format in the counts and are refused here",
    ),
    "markdown-toml/volcano": ({"toml": 7, "refused": -7, "dated": 7, "titled": 7, "tagged": 7}, LEADING_ZERO),
    "markdown-yaml/18f": ({"files": -1, "yaml": -1, "dated": -1, "titled": -1, "tagged": -1}, MISSING),
    "markdown-yaml/hexo-site": ({"files": -1, "yaml": -1, "titled": -1}, MISSING),
    "markdown-yaml/hexo-unit-test": ({"dated": 14, "titled": 13, "tagged": 2, "categorised": 1}, BARE),
}
#: The numbers of imported, refused and skipped files. The skipped files are section pages, a headless
#: bundle and a YAML file.
OUTCOMES = {
    "markdown-i18n/opentelemetry": (68, 0, 17),
    "markdown-i18n/sofastack-zh": (69, 0, 0),
    "markdown-odd/derived": (11, 7, 0),
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

HEADLESS = "two files are part of a headless bundle, which the counts do not know"
DRAFT_DIFFERENCES = {"markdown-toml/hugo-basic-example": (2, HEADLESS)}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs"),
]


def read_expected(source: str) -> Counter[str]:
    """Return the independent counts of a source by the names in COUNTED."""
    counts = json.loads((Path(CORPUS) / "EXPECTED.json").read_text(encoding="utf-8"))[source]
    found = Counter(files=counts["files"], drafts=counts["drafts"])
    for name, number in counts["fm"].items():
        found[FORMATS.get(name, name) if name in (*FORMATS, "yaml", "toml") else "refused"] += number
    for name, shapes in (
        ("dated", "dates"),
        ("tagged", "tags"),
        ("categorised", "cats"),
        ("titled", "titletypes"),
    ):
        for shape, number in counts.get(shapes, {}).items():
            found[name] += 0 if shape.endswith(("none", "null", "NoneType")) else number
    return found


def count_files(source: str) -> Counter[str]:
    """Count the files of a source with the parsers of the reader."""
    found: Counter[str] = Counter()
    for entry in walk_path(Path(CORPUS) / source):
        found["files"] += 1
        try:
            parsed = front_matter.parse_file(text.decode_text(read_bytes(entry.path))[0])
        except RefusedFile:
            found["refused"] += 1
            continue
        fields = FrontMatter(parsed.entries)
        found[parsed.format] += 1
        found["dated"] += fields.take_value("date") is not None
        found["titled"] += fields.take_value("title") is not None
        found["tagged"] += sum(fields.take_value(key) is not None for key in ("tags", "tag"))
        found["categorised"] += sum(fields.take_value(key) is not None for key in ("categories", "category"))
    return found


def get_outcome(entry: Entry) -> str:
    try:
        return reader.read_article(entry, ImportOptions(now=NOW)).status
    except (RefusedFile, NotAnArticle) as error:
        return type(error).__name__


@pytest.mark.parametrize("source", OUTCOMES)
def test_the_counts_of_the_reader_match_the_independent_counts(source):
    theirs, ours = read_expected(source), count_files(source)
    differences = {name: ours[name] - theirs[name] for name in COUNTED if ours[name] != theirs[name]}
    assert differences == DIFFERENCES.get(source, ({}, ""))[0]


@pytest.mark.parametrize("source", OUTCOMES)
def test_every_file_is_imported_refused_or_skipped(source):
    found = Counter(map(get_outcome, walk_path(Path(CORPUS) / source)))
    imported = found["published"] + found["draft"] + found["archived"]
    assert (imported, found["RefusedFile"], found["NotAnArticle"]) == OUTCOMES[source]
    assert sum(OUTCOMES[source]) == count_files(source)["files"]


@pytest.mark.parametrize("source", OUTCOMES)
def test_the_number_of_drafts_is_as_expected(source):
    found = Counter(map(get_outcome, walk_path(Path(CORPUS) / source)))
    assert found["draft"] - read_expected(source)["drafts"] == DRAFT_DIFFERENCES.get(source, (0, ""))[0]


def test_every_markdown_source_has_an_expected_outcome():
    counts = json.loads((Path(CORPUS) / "EXPECTED.json").read_text(encoding="utf-8"))
    assert {name for name in counts if name.startswith("markdown-")} == set(OUTCOMES)


class Targets:
    """Finds a new address for every link."""

    def find_post_address(self, name):
        return "/new/"

    find_new_address = find_wiki_link_address = find_post_address


#: The numbers of template tags and wiki links that depend on the templates of the former blog.
UNRESOLVED = {
    "markdown-i18n/opentelemetry": 5,
    "markdown-toml/hugo-basic-example": 4,
    "markdown-yaml/18f": 122,
    "markdown-yaml/jekyll-docs": 55,
    "markdown-yaml/jekyll-testposts": 48,
}


@pytest.mark.parametrize("source", OUTCOMES)
def test_the_number_of_unresolved_template_tags_is_as_expected(source):
    unresolved = 0
    for entry in walk_path(Path(CORPUS) / source):
        with suppress(RefusedFile, NotAnArticle):
            record = reader.read_article(entry, ImportOptions(now=NOW))
            resolved = resolve_templates(record.content, record.content_type, Targets())
            links = resolve_wiki_links(resolved.content, record.content_type, Targets())
            unresolved += resolved.unresolved.total() + links.unresolved.total()
    assert unresolved == UNRESOLVED.get(source, 0)
