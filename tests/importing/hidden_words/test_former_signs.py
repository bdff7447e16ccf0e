"""What was a draft, left out or unlisted before there were guesses is so now."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader
from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.post_text import convert_text
from tests.importing.guesses import mark_all

NOW = datetime(2026, 1, 1, tzinfo=UTC)
#: The results of the version before guesses: of tags of shortcodes, and of lines of front matter.
FORMER = json.loads(Path(__file__).with_name("former_results.json").read_text(encoding="utf-8"))


def read_shortcode(tag):
    name = tag.split()[0]
    text = f"Before.\n\n[{tag}]SECRET[/{name}]\n\nAfter."
    conversion = convert_text(text, Conversion(get_attachment={}.get))
    is_new = all(guess.is_new for guess in conversion.guesses.values())
    shown = "public" if "SECRET" in conversion.html else "left out"
    former = "draft" if conversion.hidden or not is_new else shown
    return "draft" if conversion.hidden or conversion.guesses else shown, former


def read_field(line):
    text = f"---\ntitle: A\ndate: 2020-01-02\n{line}\n---\nText"
    record = reader.parse_article("blog/a.md", text.encode(), ImportOptions(now=NOW))
    is_new = all(guess.is_new for guess in record.guesses)
    return mark_all(record).status, record.status if is_new else "draft"


@pytest.mark.parametrize(("kind", "read"), [("shortcodes", read_shortcode), ("fields", read_field)])
def test_former_results_hold(kind, read):
    results = {sign: read(sign) for sign in FORMER[kind]}
    shown = {
        sign
        for sign, (now, _) in results.items()
        if FORMER[kind][sign] not in ("public", "published") and now != FORMER[kind][sign]
    }
    assert sorted(shown) == []
    # The digest of a record is computed with the former result.
    other = {sign: former for sign, (_, former) in results.items() if former != FORMER[kind][sign]}
    assert sorted(other.items()) == []
