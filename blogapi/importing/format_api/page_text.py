"""Extract the text of an HTML page that another program has written, without the wrappers around the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import nh3

from blogapi.importing.format_api.hidden_parts import remove_hidden_text
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.titles import split_address
from blogapi.rendering.html_cost import is_too_expensive_to_parse
from blogapi.rendering.players import EMBED_HOSTS

_IFRAME = re.compile(r"<iframe\b([^<>]*)>(?:[^<]*</iframe>)?", re.IGNORECASE)
_SRC_ATTRIBUTE = re.compile(r"""\ssrc\s*+=\s*+["']?\s*+([^"'\s<>]+)""", re.IGNORECASE)

_FRAGMENT_LINK = re.compile(r'href="#([^"<>]{1,100})"')
# The elements that are kept. All others, such as `div` and `section`, are replaced by their content.
_KEPT_ELEMENTS = (
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a figure figcaption strong b em i s u del mark sub sup "
    "table thead tbody tr th td br hr img iframe audio video details summary input"
)
# Forms are dropped too, because the forms in exported pages are subscription forms.
_DROPPED_ELEMENTS = {"style", "script", "noscript", "canvas", "progress", "svg", "button", "form"}
_KEPT_ATTRIBUTES = {
    "*": {"id"},
    "a": {"href"},
    "code": {"class"},
    "img": {"src", "alt", "title", "width", "height"},
    "iframe": {"src"},
    "audio": {"src", "controls"},
    "video": {"src", "controls"},
    "input": {"type", "checked", "disabled"},
    "details": {"open"},
}


def replace_frames(html: str) -> tuple[str, int]:
    """Return the HTML with links in place of iframes of forbidden hosts, and the number of these links."""
    count = 0

    def replace_frame(frame: re.Match[str]) -> str:
        nonlocal count
        source = _SRC_ATTRIBUTE.search(frame[1])
        if source is None or split_address(unescape(source[1])).hostname in EMBED_HOSTS:
            return frame[0]
        count += 1
        return f'<p><a href="{source[1]}">{source[1]}</a></p>'

    return _IFRAME.sub(replace_frame, html), count


def read_visible_html(html: str) -> tuple[str, list[str], list[str]]:
    """Return the HTML of a page without the parts that visitors could not see, notes, and these parts.

    Raises RefusedFile if the page would take too long to parse.
    """
    if is_too_expensive_to_parse(html):
        raise RefusedFile("It has too many elements, or they are nested too deep; simplify the page.")
    # Hidden parts are left out first, because `remove_wrappers` removes the attributes that hide them.
    return remove_hidden_text(html, "html")[:3]


def remove_wrappers(html: str, replace_address: Callable[[str], str] = str) -> tuple[str, list[str]]:
    """Return the HTML with only the elements in _KEPT_ELEMENTS, and notes.

    `replace_address` returns the new address of a link. Languages of code, and ids that links need, are kept.
    """
    html, frames = replace_frames(html)
    replaced = format_count(frames, "embedded content")
    notes = [f"The text now has links in place of {replaced}."] if frames else []
    targets = set(_FRAGMENT_LINK.findall(html))

    def keep_attribute(_element: str, name: str, value: str) -> str | None:
        if name == "href":
            return replace_address(value)
        if name == "class":
            return value.lower() if value.startswith("language-") else None
        return None if name == "id" and value not in targets else value

    kept = nh3.clean(
        html,
        tags=set(_KEPT_ELEMENTS.split()),
        clean_content_tags=_DROPPED_ELEMENTS,
        attributes=_KEPT_ATTRIBUTES,
        attribute_filter=keep_attribute,
        link_rel=None,
    )
    return kept.strip(), notes
