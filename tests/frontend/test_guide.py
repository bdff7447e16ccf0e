"""The guide shows parts of the sample front ends; each of them is small and needs no other package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.contracts.guide import GUIDE
from tests.frontend.test_page import PATHS

pytestmark = pytest.mark.once

FOLDER = Path(__file__).parent
PROGRAMS = ("page/blog.js", "generator/build.mjs")
MAX_LINES = 300
TEXT = (GUIDE / "front-ends.md").read_text(encoding="utf-8")


def read(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def test_the_code_in_the_guide_is_part_of_the_programs():
    samples = re.findall(r"^```(?:js|html)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert len(samples) > 10
    texts = [read(name) for name in (*PROGRAMS, "page/index.html")]
    # The only other sample is the link to a feed.
    assert [code for code in samples if not any(code in text for text in texts)] == [
        '<link rel="alternate" type="application/rss+xml" href="https://api.blog.example/feeds/rss.xml">\n'
    ]


def test_the_guide_shows_the_path_patterns_that_the_page_is_tested_with():
    assert [name for name, pattern in PATHS.items() if f"{name}={pattern}" not in TEXT.replace("'", "")] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_small_and_needs_no_other_package(name):
    text = read(name)
    assert len(text.splitlines()) < MAX_LINES
    modules = re.findall(r"^import .* from \"(.+)\";$", text, re.MULTILINE)
    assert set(modules) <= {"node:fs/promises", "node:path", "./blogapi.js"}
    assert "require(" not in text and "import(" not in text
