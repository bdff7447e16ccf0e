"""Choose the body of a post: its Markdown, its HTML or its plain text.

Ghost stores the HTML of each post beside its source (lexical or mobiledoc), and shows visitors this HTML.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from blogapi.importing.format_api.page_text import replace_frames
from blogapi.importing.format_api.privacy_signs import GHOST_GATED_BLOCK
from blogapi.importing.refusals import RefusedFile

#: The name of cards in a public post that were hidden from visitors who are not members.
MEMBERS_ONLY_CARDS = "cards that only members could read"

_STRUCTURE_ERRORS = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)
_MARKDOWN_CARDS = ("markdown", "card-markdown")
# `__GHOST_URL__` stands for the address of the blog, and its variants for the addresses of files.
_GHOST_URL = re.compile(r"__GHOST_(?:[A-Z]{1,20}_)?URL__(/?)")
# Ghost makes smaller copies of pictures in `size`, and copies in other formats in `format`.
_SIZED_IMAGE = re.compile(r"(/content/images)/size/w\d{1,5}(?:h\d{1,5})?(?:/format/\w{1,10})?(?=/)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING_WITHOUT_SPACE = re.compile(r"(#{1,6})(?=[^#\s])")
_HIGHLIGHT = re.compile(r"(?<![=\w`])==(?=[^\s=`])([^=`\n]+?)(?<!\s)==(?![=\w`])")

_GHOST_COMMENT = re.compile(
    r"<!--(?:kg-(?:card-|gated-block:)(?:begin|end)|members-only)[^<>]{0,500}-->"
    r"|\{\{!--(?:[^-]++|-(?!-\}\}))*+(?:--\}\}|\Z)"
)
# Elements that Ghost hides with its stylesheet or that need its scripts: the time and the buttons of players,
# the icon and the publisher of a bookmark, and forms for members.
_HIDDEN_ELEMENT = re.compile(
    r'<button class="kg-[^<>]*>[^<]*+(?:<(?!/?button)[^<]*+)*+</button>'
    r'|<span class="kg-(?:audio|video)-current-time"[^<>]*>[^<]*</span>'
    r'|<div class="kg-(?:audio|video)-time"[^<>]*>[^<]*+(?:<(?!/?div)[^<]*+)*+</div>'
    r'|<div class="kg-bookmark-metadata"[^<>]*>[^<]*+(?:<(?!/?div)[^<]*+)*+</div>'
)
_SIGNUP_FORM = re.compile(
    r'<form class="kg-signup[^<>]*>[^<]*+(?:<(?!/?form\b)[^<]*+)*+</form>', re.IGNORECASE
)
_PLAYER_WITHOUT_CONTROLS = re.compile(r"<(audio|video)(?= src=)(?![^<>]* controls)")
_IMAGE = re.compile(r"<img [^<>]*>")
_SIZE_ATTRIBUTES = re.compile(r' (?:srcset|sizes)="[^"]*"')
_INPUT_ELEMENT = re.compile(r"<input\b[^<>]*>", re.IGNORECASE)
_BLOCK_END = re.compile(r"</(?:p|h[1-6]|[uo]l|blockquote|figure|pre|table)>(?=<[a-z])")


@dataclass(slots=True)
class PostBody:
    """The content of a post, with LF line endings."""

    content: str = ""
    content_type: str = "html"
    #: The numbers of cards and other parts that were left out or changed, by name.
    losses: Counter[str] = field(default_factory=Counter)


def read_body(post: Mapping[str, object]) -> PostBody:
    """Return the content of a post; "" if it has none.

    Raises RefusedFile if the post has only the source of its text, in lexical or mobiledoc.
    """
    blocks = _list_blocks(post)
    markdown = ""
    # Only a post that consists of one Markdown card is Markdown.
    if len(blocks) == 1 and blocks[0][0] in _MARKDOWN_CARDS:
        with suppress(*_STRUCTURE_ERRORS):
            markdown = _get_text_field(blocks[0][1], "markdown")
    markdown = markdown or _get_text_field(post, "markdown")
    if markdown.strip():
        return PostBody(clean_addresses(to_commonmark(markdown)), "markdown")
    if (html := _get_text_field(post, "html")).strip():
        return _clean_html(html)
    if not (text := _get_text_field(post, "plaintext")).strip() and blocks:
        raise RefusedFile(
            "It has no HTML: its text is only in lexical or mobiledoc. Export the blog in the settings of "
            "Ghost, or add `formats=html` to the request to its API."
        )
    return PostBody(clean_addresses(text), "text" if text.strip() else "html")


def clean_addresses(text: str) -> str:
    """Return the text with root-relative addresses of the blog, and with originals of resized pictures."""
    if "__GHOST_" in text:
        # The placeholder alone is the address of the home page.
        text = _GHOST_URL.sub("/", text)
    return _SIZED_IMAGE.sub(r"\1", text) if "/size/w" in text else text


def _get_text_field(post: Mapping[str, object], name: str) -> str:
    value = post.get(name)
    return value.replace("\r\n", "\n").replace("\r", "\n") if isinstance(value, str) else ""


def _list_blocks(post: Mapping[str, object]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the type and the fields of each card and of each non-empty paragraph in the source."""
    with suppress(*_STRUCTURE_ERRORS):
        nodes = _load_json(post["lexical"])["root"]["children"]
        return [(node["type"], node) for node in nodes if node["type"] != "paragraph" or node["children"]]
    with suppress(*_STRUCTURE_ERRORS):
        document = _load_json(post["mobiledoc"])
        # Sections of type 10 are cards. The last item of a marker is its text.
        sections = (it[2] for it in document["sections"] if it[0] != 10)
        text_types = ("text" for markers in sections if any(marker[-1] for marker in markers))
        return [*((name, {}) for name in text_types), *((name, fields) for name, fields in document["cards"])]
    return []


def _load_json(source: object) -> Any:
    return json.loads(source) if isinstance(source, str) else source


def to_commonmark(text: str) -> str:
    """Return the text with hard line breaks, a space after the `#` of a heading, and `<mark>` for `==`.

    Ghost shows each line break of a paragraph, and `#Heading` as a heading. Two spaces at the end of a line
    are a hard line break inside a paragraph, and mean nothing elsewhere.
    """
    lines, fence = text.split("\n"), ""
    for index, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        else:
            line = _HEADING_WITHOUT_SPACE.sub(r"\1 ", line, count=1) if line.startswith("#") else line
            line = _HIGHLIGHT.sub(r"<mark>\1</mark>", line) if "==" in line else line
            has_next = index + 1 < len(lines) and lines[index + 1].strip()
            is_paragraph = has_next and line.strip() and not line.endswith(("  ", "\\"))
            lines[index] = f"{line.rstrip()}  " if is_paragraph else line
    return "\n".join(lines)


def _clean_html(html: str) -> PostBody:
    losses: Counter[str] = Counter()
    html, losses[MEMBERS_ONLY_CARDS] = GHOST_GATED_BLOCK.subn("", html)
    html = _GHOST_COMMENT.sub("", html)
    html = _HIDDEN_ELEMENT.sub("", html)
    html, losses["signup forms"] = _SIGNUP_FORM.subn("", html)
    html = _PLAYER_WITHOUT_CONTROLS.sub(r"<\1 controls", html)
    # The media library makes resized copies itself.
    html = _IMAGE.sub(lambda tag: _SIZE_ATTRIBUTES.sub("", tag[0]), html)
    html, losses["embeds that became links"] = replace_frames(html)
    lowered = html.lower()
    losses["scripts in HTML cards"] += "<script" in lowered
    if "<form" in lowered:
        losses["forms in HTML cards"] += 1
        # The sanitizer would keep a checkbox without its form, as if it belonged to a task list.
        html = _INPUT_ELEMENT.sub("", html)
    return PostBody(clean_addresses(_BLOCK_END.sub("\\g<0>\n", html)).strip(), "html", +losses)
