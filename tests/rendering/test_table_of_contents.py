"""The table of contents lists the headings of the HTML."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogapi.rendering import renderer
from blogapi.rendering.renderer import Heading, list_headings
from blogapi.rendering.sanitizer import to_safe_html


def list_markdown_headings(content):
    return [
        (heading.level, heading.text, heading.id) for heading in renderer.render_text(content, "markdown").toc
    ]


def test_headings_are_listed_in_order_with_their_level_text_and_id():
    content = "Bread\n=====\n\nText\n\n### A *b* `c<d` & [e](/f) ###\n\n## Größe\n\n## Named {#own}\n"
    assert list_markdown_headings(content) == [
        (1, "Bread", "bread"),
        (3, "A b c<d & e", "a-b-c-d-e"),
        (2, "Größe", "größe"),
        (2, "Named", "own"),
    ]


def test_equal_headings_have_the_ids_of_the_html():
    content = "# A\n# A\n# location\n"
    assert list_markdown_headings(content) == [
        (1, "A", "a"),
        (1, "A", "a-1"),
        (1, "location", "location"),
    ]


def test_a_footnote_reference_is_no_part_of_the_text():
    assert list_markdown_headings("# A[^1]\n\n[^1]: note") == [(1, "A", "a")]


def test_headings_in_code_and_headings_without_text_are_left_out():
    assert list_markdown_headings("```\n# a\n<h1>b</h1>\n```\n\n#\n\n# ![](a.png)\n\n`<h2>c</h2>`") == []


@pytest.mark.parametrize(
    ("content", "headings"),
    [
        ('<h2 id="a&amp;b" title="> id=&quot;x&quot;">A &lt; B</h2>', [Heading(2, "A < B", "a&b")]),
        ('<h2 title="a">A</h2>', [Heading(2, "A", "")]),
        ("<h1><div><h2>B</h2></div></h1>", [Heading(2, "B", "")]),
        ("<h1>A<h2>B", [Heading(1, "A", ""), Heading(2, "B", "")]),
        ("<header><h6 class=x>A<br>B</h6></header><hr>", [Heading(6, "A B", "")]),
    ],
)
def test_headings_of_html_are_listed(content, headings):
    assert list_headings(to_safe_html(content, "html")) == tuple(headings)


def test_the_number_and_the_length_of_headings_are_limited():
    content = f"# {'x' * 600}\n" * (renderer.MAX_HEADINGS + 1)
    headings = list_headings(to_safe_html(content, "markdown"))
    assert len(headings) == renderer.MAX_HEADINGS
    assert {len(heading.text) for heading in headings} == {renderer.MAX_HEADING_LENGTH}


@given(
    st.lists(st.sampled_from(["# ", "## a\n", "<h1>", "</h1>", "<h2 id=a>", "b", "\n", "<div>", "[^1]", '"']))
)
def test_every_id_is_the_id_of_a_heading_in_the_html(parts):
    rendered = renderer.render_text("".join(parts), "markdown")
    ids = [unescape(id_) for id_ in re.findall(r'<h[1-6][^>]* id="([^"]*)"', rendered.html)]
    found = [heading.id for heading in rendered.toc if heading.id]
    assert len(set(found)) == len(found) and set(found) <= set(ids)
