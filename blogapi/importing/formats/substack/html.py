"""Converts the text of a post: removes Substack's buttons and wrappers, and unwraps addresses of pictures."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape, unescape
from urllib.parse import unquote

from blogapi.importing.format_api.page_text import extract_text, open_text
from blogapi.importing.format_api.privacy_signs import SUBSTACK_PAYWALL
from blogapi.importing.texts.addresses import split_address

_BUTTON = re.compile(
    r'<(?P<name>p|div)\b(?>[^<>]*?class="[^"<>]*?\bbutton-wrapper\b)[^<>]*+>'
    r"(?P<content>(?:[^<]++|<(?!/?(?:p|div)\b))*+)</(?P=name)>"
)
# Addresses with which readers subscribe, share and comment on Substack.
_OWN_ADDRESS = re.compile(
    r"%%|/subscribe\b|/comments?\b|[?&]action=|/account\b|/leaderboard\b|/gift\b|/survey\b|/chat\b"
)
_HREF = re.compile(r'\shref="([^"]*)"')
# A tweet is a <div> whose `data-attrs` contains the address.
_TWEET = re.compile(r'<div\b(?>[^<>]*?class="[^"<>]*?\btweet\b)(?>[^<>]*?\sdata-attrs=")(?P<data>[^"<>]*+)"')
_PICTURE = re.compile(
    r'(?<=["\s])https://(?:substackcdn\.com|cdn\.substack\.com)/image/fetch/[^"\s]{0,500}?/(https?%3A[^"\s/]*)'
)
_EMPTY = re.compile(r"<p>\s*+</p>\s*+")


@dataclass(slots=True)
class PostText:
    """The text of a post. `hosts` are the hosts of the newsletter, from its buttons."""

    html: str
    hosts: set[str]
    has_paywall: bool
    notes: list[str]


def convert_text(html: str) -> PostText:
    """Return the text of a post. Raises RefusedFile if it would take too long to parse."""
    has_paywall = SUBSTACK_PAYWALL in html
    html, notes = open_text(html)
    text = PostText("", set(), has_paywall, notes)
    html = _BUTTON.sub(lambda button: _replace_button(text, button), html)
    html = _TWEET.sub(_link_tweet, html)
    html = _PICTURE.sub(lambda address: escape(unquote(address[1])), html)
    html, replaced = extract_text(html)
    text.notes += replaced
    text.html = _EMPTY.sub("", html).strip()
    return text


def _replace_button(text: PostText, button: re.Match[str]) -> str:
    """Return "" for a button of Substack, and the link of any other button."""
    href = _HREF.search(button["content"])
    address = unescape(href[1]) if href else ""
    if address and not _OWN_ADDRESS.search(address):
        return f"<p>{button['content']}</p>"
    host = split_address(address).hostname
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
