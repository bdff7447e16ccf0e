"""The parts of the style sheet: all of them are loaded, and what they style exists."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

from blogapi import rendering
from blogapi.admin import assets
from blogapi.reader_site import templating
from tests.admin.blogs import SOURCE

SHEET = re.sub(r"/\*.*?\*/", "", assets.read_files()[assets.STYLE_SHEET_FILE].decode(), flags=re.DOTALL)
CLASS = re.compile(r"\.([a-z][\w-]*)")
# Classes whose ends are values, as in `depth-${depth}`, and those that the editor's packages set.
MADE_CLASSES = ("cm-", "depth-", "line-", "md-h", "range-")


def read_sources():
    """Return the templates and modules, with the sources of the bundles, as one text."""
    admin = assets.STATIC_FOLDER.parent
    paths = chain(
        (admin / "templates").rglob("*.html"), SOURCE.rglob("*.js"), (admin / "build/src").glob("*.js")
    )
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_every_part_has_a_place_in_the_cascade():
    assert sorted(assets.STYLE_NAMES) == sorted(path.stem for path in assets.STYLES_FOLDER.iterdir())


def test_every_class_is_used():
    sources = read_sources()
    selectors = " ".join(re.findall(r"[^{};]+(?={)", SHEET))
    classes = {name for name in CLASS.findall(selectors) if not name.startswith(MADE_CLASSES)}
    assert len(classes) > 100
    unused = [name for name in sorted(classes) if not re.search(rf"(?<![\w-]){name}(?![\w-])", sources)]
    assert unused == []


def test_every_custom_property_is_defined():
    """The editor defines those of the layout of its text, and the preview some of the rules of the site."""
    reading = assets.read_files()[assets.READING_STYLE_FILE].decode()
    defined = set(re.findall(r"(--[\w-]+):", SHEET + reading))
    assert set(re.findall(r"var\((--[\w-]+)", SHEET + reading)) <= defined


def test_the_preview_has_the_rules_of_the_site_for_texts():
    reading, site = assets.read_files()[assets.READING_STYLE_FILE].decode(), templating.read_style_sheet()
    rules = (Path(rendering.__file__).parent / "text.css").read_text(encoding="utf-8")
    assert reading.startswith(rules) and rules in site
