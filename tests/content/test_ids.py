"""Ids and names that equal a JavaScript global get a prefix. Ids of footnotes are never replaced."""

from __future__ import annotations

import re

import pytest

from blogapi.content import markdown, sanitizer
from tests.content.inspector import Inspector

CLOBBERING = [
    *("location", "cookie", "document", "window", "self", "top", "parent", "name", "history", "localStorage"),
    *("forms", "images", "links", "scripts", "body", "head", "getElementById", "querySelector", "write"),
    *("attributes", "nodeName", "parentNode", "innerHTML", "children", "ownerDocument", "firstChild"),
    *("submit", "action", "method", "elements", "target", "reset", "length", "onload", "onsubmit"),
    *("constructor", "toString", "hasOwnProperty", "__proto__", "fetch", "alert", "setTimeout", "domain"),
]


@pytest.mark.parametrize("name", CLOBBERING)
def test_an_id_or_name_that_equals_a_javascript_global_gets_a_prefix(name):
    assert sanitizer.to_safe_html(f'<p id="{name}">a</p>', "html") == f'<p id="user-content-{name}">a</p>'
    assert f'<a name="user-content-{name}"' in sanitizer.to_safe_html(f'<a name="{name}"></a>', "html")
    assert f'id="user-content-{name}"' in sanitizer.to_safe_html(f'<h2 id="{name}">A</h2>', "markdown")
    for tag in ("img", "form", "input", "iframe src=https://www.youtube.com/embed/a", "object", "embed"):
        assert f'="{name}"' not in sanitizer.to_safe_html(f"<{tag} name='{name}' id='{name}'>", "html")


@pytest.mark.parametrize(
    ("written", "id_"),
    [
        ("## Location", "user-content-location"),
        ("## History", "user-content-history"),
        ("## Our location", "our-location"),
        ("## A {#parentNode}", "user-content-parentNode"),
        ("## A {#Location}", "Location"),
        ("## A {#nodename}", "nodename"),
        ("## fn1", "fn1"),
        ("## Footnotes", "footnotes"),
    ],
)
def test_a_heading_id_gets_a_prefix_only_if_it_equals_a_javascript_global(written, id_):
    assert f'id="{id_}"' in sanitizer.to_safe_html(written, "markdown")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[a](#location)\n\n## Location", 'href="#user-content-location"'),
        ("## Location\n\n[a](#location)", 'href="#user-content-location"'),
        (
            '<p id="location"><a title=\' href="#cookie"\' href="#%6cocation">a</a>',
            '"#user-content-location"',
        ),
        ('<p id="__proto__"><a href="#__proto__">a</a>', 'href="#user-content-__proto__"'),
        ('<a name="top"></a><a href="#top">a</a>', 'href="#user-content-top"'),
        ("[a](#location)", 'href="#location"'),
        ("[a](/b#location)\n\n## Location", 'href="/b#location"'),
        ("[a](#place)\n\n## Location\n\n## Place", 'href="#place"'),
        (
            '<table><tr><th id="status">a</th><td headers="status b">c</td></tr></table>',
            'headers="user-content-status b"',
        ),
    ],
)
def test_links_to_a_prefixed_id_of_the_same_article_also_get_the_prefix(written, shown):
    assert shown in sanitizer.to_safe_html(written, "markdown")


FOOTNOTES = "a[^1] b[^1]\n\n[^1]: note\n\n"


@pytest.mark.parametrize(
    "written",
    [
        f"## {{0}}\n\n{FOOTNOTES}",
        f"{FOOTNOTES}## A {{{{#{{0}}}}}}",
        f'<p id="{{0}}">x</p>\n\n{FOOTNOTES}',
        f'{FOOTNOTES}<p id="{{0}}">x</p>\n',
    ],
)
@pytest.mark.parametrize("name", ["fn-1", "fnref-1", "fnref-1-2"])
def test_an_id_written_by_the_author_never_replaces_the_id_of_a_footnote(written, name):
    shown = sanitizer.to_safe_html(f"{written.format(name)}\n\n[own](#{name})", "markdown")
    ids = [attributes["id"] for _, attributes in Inspector(shown).tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for own, tag in (("fn-1", "li"), ("fnref-1", "a"), ("fnref-1-2", "a")):
        assert (tag, own) in [(tag, attributes.get("id")) for tag, attributes in Inspector(shown).tags]
    assert shown.count('href="#fn-1"') == 2 and shown.count('href="#fnref-1"') == 1
    if f"user-content-{name}" in ids:
        assert f'<a href="#user-content-{name}" rel="noopener noreferrer">own</a>' in shown


def test_footnotes_written_in_html_keep_their_ids():
    written = 'a<a href="#fn-1" id="fnref-1">1</a>\n\n<p id="fn-1"><a href="#fnref-1">b</a></p>\n'
    for content_type in ("html", "markdown"):
        shown = sanitizer.to_safe_html(written, content_type)
        assert 'id="fn-1"' in shown and 'href="#fnref-1"' in shown and "user-content" not in shown


def test_the_internal_footnote_mark_is_removed_from_the_html():
    shown = sanitizer.to_safe_html(f"{FOOTNOTES}## c[^1] [^d] {{#e}}\n\n`[^f]`[^ü]\n\n[^ü]: note", "markdown")
    assert markdown.FOOTNOTE_MARK not in shown
    assert re.findall(r'"#?(fn[^"]*)"', shown) == [
        *("fn-1", "fnref-1", "fn-1", "fnref-1-2", "fn-1", "fnref-1-3", "fn-%C3%BC", "fnref-%C3%BC"),
        *("fn-1", "fnref-1", "fnref-1-2", "fnref-1-3", "fn-%C3%BC", "fnref-%C3%BC"),
    ]


def test_a_duplicate_id_is_removed():
    shown = sanitizer.to_safe_html(
        '<p id="a">1</p><p id="a">2</p><p id="user-content-top"></p><p id="top"></p>', "html"
    )
    assert shown == '<p id="a">1</p><p>2</p><p id="user-content-top"></p><p></p>'


def test_a_heading_id_does_not_contain_a_footnote_number():
    assert '<h2 id="a">' in sanitizer.to_safe_html("## a[^1]\n\n[^1]: b", "markdown")
