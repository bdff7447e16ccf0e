"""Ids and names of the author are kept, but never replace the id of a footnote."""

from __future__ import annotations

import re

import pytest

from blogapi.rendering import markdown, sanitizer
from tests.rendering.inspector import Inspector


def test_ids_are_kept_also_if_they_equal_a_javascript_global():
    for name in ("location", "submit", "__proto__"):
        for tag in ("p", "img", "video"):
            written = f'<{tag} id="{name}" name="{name}">'
            assert f'<{tag} id="{name}">' in sanitizer.to_safe_html(written, "html")
        assert f'<a name="{name}"' in sanitizer.to_safe_html(f'<a name="{name}"></a>', "html")
        assert name not in sanitizer.to_safe_html(
            f'<input type="checkbox" id="{name}" name="{name}">', "html"
        )


@pytest.mark.parametrize(
    ("written", "id_"),
    [
        ("## Location", "location"),
        ("## A {#parentNode}", "parentNode"),
        ("## fn1", "fn1"),
        ("## Footnotes", "footnotes"),
        ("## हिन्दी ब्लॉग", "हिन्दी-ब्लॉग"),
        ("## Blog {#हिन्दी}", "हिन्दी"),
    ],
)
def test_a_heading_has_its_slug_or_its_name_as_id(written, id_):
    assert f'id="{id_}"' in sanitizer.to_safe_html(written, "markdown")


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
        assert f'<a href="#user-content-{name}">own</a>' in shown


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
    shown = sanitizer.to_safe_html('<p id="a">1</p><p id="a">2</p>', "html")
    assert shown == '<p id="a">1</p><p>2</p>'


def test_a_heading_id_does_not_contain_a_footnote_number():
    assert '<h2 id="a">' in sanitizer.to_safe_html("## a[^1]\n\n[^1]: b", "markdown")
