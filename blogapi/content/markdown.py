"""Renders Markdown to HTML: CommonMark with tables, footnotes, task lists and heading anchors."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from functools import cache, wraps
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_inline, footnote_ref
from mdit_py_plugins.tasklists import tasklists_plugin

from blogapi.content import slugs

# Each reference of 4 characters becomes 180 characters of HTML with two ids, and the sanitizer checks that
# each id is unique.
MAX_FOOTNOTE_REFERENCES = 2_000

_HEADING_NAME = re.compile(r"\s*\{#([\w:.-]+)\}\s*$")

# A Hugo shortcode. Without a space before its name, Markdown reads it as an HTML tag.
_SHORTCODE = re.compile(r"\{\{<(?=[\w/])")

_DOCUMENT_ID = secrets.token_hex(16)

# The renderer puts this mark into the ids of footnotes (`fn-…-1`), and the sanitizer removes it. Authors
# cannot guess the mark, so it distinguishes these ids from an author's own `fn1`.
FOOTNOTE_MARK = f"-{_DOCUMENT_ID}-"

_InlineRule = Callable[[StateInline, bool], bool]


class TooManyFootnotes(ValueError):
    """The Markdown has more than MAX_FOOTNOTE_REFERENCES references to footnotes."""


def render_markdown(content: str) -> str:
    """Return the Markdown as HTML that is not sanitized yet.

    The ids of footnotes contain FOOTNOTE_MARK. Raises TooManyFootnotes if the Markdown has more than
    MAX_FOOTNOTE_REFERENCES references to footnotes.
    """
    html: str = _markdown().render(_SHORTCODE.sub("{{< ", content), {"docId": _DOCUMENT_ID})
    return html


@cache
def _markdown() -> MarkdownIt:
    return (
        MarkdownIt("commonmark", {"html": True, "linkify": False})
        .enable(["table", "strikethrough"])
        .use(footnote_plugin)
        .use(_limit_footnotes)
        .use(anchors_plugin, max_level=6, slug_func=_anchor)
        .use(_named_headings)
        .use(tasklists_plugin)
    )


def _anchor(heading: str) -> str:
    return slugs.hyphenate(heading) or "section"


def _limit_footnotes(markdown: MarkdownIt) -> None:
    markdown.inline.ruler.at("footnote_inline", _count_references(footnote_inline))
    markdown.inline.ruler.at("footnote_ref", _count_references(footnote_ref))


def _count_references(rule: _InlineRule) -> _InlineRule:
    @wraps(rule)
    def counting(state: StateInline, silent: bool) -> bool:
        matched = rule(state, silent)
        if matched and not silent:
            state.env["footnote_references"] = state.env.get("footnote_references", 0) + 1
            if state.env["footnote_references"] > MAX_FOOTNOTE_REFERENCES:
                raise TooManyFootnotes
        return matched

    return counting


def _named_headings(markdown: MarkdownIt) -> None:
    """Use the name in `## Heading {#name}` (Hugo, Kramdown) as the id of the heading."""

    def rename(state: StateCore) -> None:
        for heading, inline in pairwise(state.tokens):
            last = inline.children[-1] if inline.children else None
            named = _HEADING_NAME.search(last.content) if last is not None and last.type == "text" else None
            if heading.type == "heading_open" and last is not None and named is not None:
                heading.attrSet("id", named[1])
                last.content = last.content[: named.start()]

    markdown.core.ruler.push("named_headings", rename)
