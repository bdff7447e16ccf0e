"""The guide shows parts of the sample front end, which is small and needs no other package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.contracts.guide import GUIDE
from tests.frontend.test_page import PATHS

pytestmark = pytest.mark.once

FOLDER = Path(__file__).parent
PROGRAM, PAGE = "page/blog.js", "page/index.html"
MAX_LINES = 300
# `test_frameworks.py` tests the second part of the page.
TEXT = (GUIDE / "front-ends.md").read_text(encoding="utf-8").partition("\n## With a framework\n")[0]


def read(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def test_the_code_in_the_guide_is_part_of_the_program():
    samples = re.findall(r"^```(?:js|html)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert len(samples) >= 10
    texts = [read(name) for name in (PROGRAM, PAGE)]
    # The only other sample is the link to a feed.
    assert [code for code in samples if not any(code in text for text in texts)] == [
        '<link rel="alternate" type="application/rss+xml" href="https://api.blog.example/feeds/rss.xml">\n'
    ]


def test_the_guide_shows_the_path_patterns_that_the_page_is_tested_with():
    assert [name for name, pattern in PATHS.items() if f"{name}={pattern}" not in TEXT.replace("'", "")] == []


def test_the_program_is_small_and_needs_no_other_package():
    text = read(PROGRAM)
    assert len(text.splitlines()) < MAX_LINES
    assert not re.search(r"^import |require\(|import\(", text, re.MULTILINE)
