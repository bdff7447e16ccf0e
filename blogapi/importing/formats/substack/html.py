"""Converts the text of a post: removes Substack's buttons and wrappers, and unwraps addresses of pictures."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape, unescape
from urllib.parse import unquote, urlsplit

import nh3

from blogapi.importing.format_api.hidden_parts import leave_out_hidden
from blogapi.importing.format_api.privacy_signs import SUBSTACK_PAYWALL
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.frames import replace_frames
from blogapi.importing.texts.messages import format_count
from blogapi.rendering.html_cost import is_too_expensive

_KEPT_ELEMENTS = (
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a figure figcaption strong b em i s u del mark sub sup "
    "table thead tbody tr th td br hr img iframe audio video"
)
# The form is that of subscriptions.
_DROPPED = {"style", "script", "noscript", "svg", "button", "form"}
_KEPT_ATTRIBUTES = {
    "*": {"id"},
    "a": {"href"},
    "code": {"class"},
    "img": {"src", "alt", "title"},
    "iframe": {"src"},
    "audio": {"src", "controls"},
    "video": {"src", "controls"},
}
_BUTTON = re.compile(
    r'<(?P<name>p|div)\b(?>[^<>]*?class="[^"<>]*?\bbutton-wrapper\b)[^<>]*+>'
    r"(?P<content>(?:[^<]++|<(?!/?(?:p|div)\b))*+)</(?P=name)>"
)
# Addresses with which readers subscribe, share and comment on Substack.
_OWN_ADDRESS = re.compile(
    r"%%|/subscribe\b|/comments?\b|[?&]action=|/account\b|/leaderboard\b|/gift\b|/survey\b|/chat\b"
)
_HREF = re.compile(r'\shref="([^"]*)"')
# A tweet is a <div> whose data has the address.
_TWEET = re.compile(r'<div\b(?>[^<>]*?class="[^"<>]*?\btweet\b)(?>[^<>]*?\sdata-attrs=")(?P<data>[^"<>]*+)"')
_PICTURE = re.compile(
    r'(?<=["\s])https://(?:substackcdn\.com|cdn\.substack\.com)/image/fetch/[^"\s]{0,500}?/(https?%3A[^"\s/]*)'
)
_TARGET = re.compile(r'href="#([^"<>]{1,100})"')
_EMPTY = re.compile(r"<p>\s*+</p>\s*+")


@dataclass(slots=True)
class Text:
    """The text of a post. `hosts` are the addresses of the newsletter in its buttons."""

    html: str
    hosts: set[str]
    has_paywall: bool
    notes: list[str]


def convert_text(html: str) -> Text:
    """Return the text of a post. Raises RefusedFile if it would take too long to parse."""
    if is_too_expensive(html):
        raise RefusedFile("It has too many elements, or they are nested too deep; simplify the post.")
    text = Text("", set(), SUBSTACK_PAYWALL in html, [])
    # The attributes are removed below.
    html, notes, *_ = leave_out_hidden(html, "html")
    text.notes += notes
    html = _BUTTON.sub(lambda button: _replace_button(text, button), html)
    html = _TWEET.sub(_link_tweet, html)
    html = _PICTURE.sub(lambda address: escape(unquote(address[1])), html)
    html, frames = replace_frames(html)
    if frames:
        text.notes.append(f"The text now has links in place of {format_count(frames, 'embedded content')}.")
    targets = set(_TARGET.findall(html))

    def choose_value(_element: str, name: str, value: str) -> str | None:
        is_kept = value in targets if name == "id" else name != "class" or value.startswith("language-")
        return value if is_kept else None

    clean = nh3.clean(
        html,
        tags=set(_KEPT_ELEMENTS.split()),
        clean_content_tags=_DROPPED,
        attributes=_KEPT_ATTRIBUTES,
        attribute_filter=choose_value,
        link_rel=None,
    )
    text.html = _EMPTY.sub("", clean).strip()
    return text


def _replace_button(text: Text, button: re.Match[str]) -> str:
    """Return "" for a button of Substack, and the link of any other button."""
    href = _HREF.search(button["content"])
    address = unescape(href[1]) if href else ""
    if address and not _OWN_ADDRESS.search(address):
        return f"<p>{button['content']}</p>"
    host = _get_host(address)
    if address.partition("?")[0].endswith("/subscribe") and host:
        text.hosts.add(host)
    return ""


def _link_tweet(tweet: re.Match[str]) -> str:
    try:
        address = json.loads(unescape(tweet["data"])).get("url")
    except (ValueError, AttributeError):
        address = None
    is_address = isinstance(address, str) and address.startswith("https://")
    link = f'<p><a href="{escape(address)}">{escape(address)}</a></p>' if is_address else ""
    return link + tweet[0]


def _get_host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""
