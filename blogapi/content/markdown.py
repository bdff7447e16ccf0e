"""Markdown as HTML: CommonMark with tables, footnotes, task lists and headings that can be linked to."""

from __future__ import annotations

import re
import secrets
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from blogapi.content import slugs

_HEADING_NAME = re.compile(r"\s*\{#([\w:.-]+)\}\s*$")

# Hugo's shortcodes, which Markdown would take for tags where no blank stands before their name.
_SHORTCODE = re.compile(r"\{\{<(?=[\w/])")


_DOCUMENT = secrets.token_hex(16)

# Stands in the ids of the renderer's own footnotes (`fn-…-1`) until the sanitizer removes it. No author can
# write it, so it tells these ids from an author's `fn1`.
FOOTNOTE_MARK = f"-{_DOCUMENT}-"


def render_markdown(content: str) -> str:
    """Return the HTML of the Markdown, which is not safe to show yet; ids of footnotes hold FOOTNOTE_MARK."""
    html: str = _markdown().render(_SHORTCODE.sub("{{< ", content), {"docId": _DOCUMENT})
    return html


@cache
def _markdown() -> MarkdownIt:
    return (
        MarkdownIt("commonmark", {"html": True, "linkify": False})
        .enable(["table", "strikethrough"])
        .use(footnote_plugin)
        .use(anchors_plugin, max_level=6, slug_func=_anchor)
        .use(_named_headings)
        .use(tasklists_plugin)
    )


def _anchor(heading: str) -> str:
    return slugs.hyphenate(heading) or "section"


def _named_headings(markdown: MarkdownIt) -> None:
    """Take the name that Hugo's and Kramdown's `## Heading {#name}` gives, in place of the derived one."""

    def rename(state: StateCore) -> None:
        for heading, inline in pairwise(state.tokens):
            last = inline.children[-1] if inline.children else None
            named = _HEADING_NAME.search(last.content) if last is not None and last.type == "text" else None
            if heading.type == "heading_open" and last is not None and named is not None:
                heading.attrSet("id", named[1])
                last.content = last.content[: named.start()]

    markdown.core.ruler.push("named_headings", rename)
