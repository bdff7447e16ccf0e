"""What page builders (WPBakery, Divi, Avada, Shortcodes Ultimate) write into the attributes of shortcodes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape, unescape
from urllib.parse import unquote

from blogapi.transfer.wordpress import media_html
from blogapi.transfer.wordpress.conversion import Attachment, Conversion
from blogapi.transfer.wordpress.embeds import link

_TITLES = ("title", "heading", "text", "h2", "name", "author")
_PICTURES = ("image", "image_url", "portrait_url")
_ADDRESSES = ("button_url", "button_link", "button_one_url", "url", "link", "href")
_LABELS = ("button_text", "button_one_text", "linktext", "btn_title")
_LEVEL = re.compile(r"(?:^|tag:)(h[2-6])\b")
_TAG = re.compile(r"<[^<>]*+>")
# Characters that the builders replace, because attributes cannot contain them.
_REPLACED = {"%22": '"', "%91": "[", "%93": "]", "``": '"', "`{`": "[", "`}`": "]"}


def convert_titled(named: dict[str, str], conversion: Conversion) -> str:
    """Return the heading, the picture and the button of a box whose text is between its tags."""
    parts: list[str] = []
    if title := _find_text(named, _TITLES):
        level = _LEVEL.search(named.get("font_container") or named.get("title_level") or "")
        tag = level[1] if level else "h3"
        parts.append(f"<{tag}>{escape(title, quote=False)}</{tag}>")
    picture = _find(named, _PICTURES)
    if picture.startswith(("http://", "https://", "/")):
        parts.append(media_html.image(Attachment(unescape(picture), alt=_find_text(named, ("alt",)))))
    label, address = _find_text(named, _LABELS), find_link(named)
    if label and address:
        parts.append(f"<p>{link(address, escape(label, quote=False))}</p>")
    return "\n\n".join(map(conversion.store, parts))


def find_link(named: dict[str, str]) -> str:
    """Return the address of a button; WPBakery writes `url:https%3A%2F%2Fexample.com|title:Shop`."""
    address = unescape(_find(named, _ADDRESSES))
    if address.startswith("url:"):
        address = unquote(address[4:].partition("|")[0])
    return address if address.startswith(("http://", "https://", "mailto:", "tel:", "/")) else ""


def find_label(named: dict[str, str]) -> str:
    """Return the plain text of a button."""
    return _find_text(named, (*_LABELS, "title"))


def _find(named: dict[str, str], names: Iterable[str]) -> str:
    return next((named[name].strip() for name in names if named.get(name, "").strip()), "")


def _find_text(named: dict[str, str], names: Iterable[str]) -> str:
    text = _find(named, names)
    for code, character in _REPLACED.items():
        text = text.replace(code, character)
    return " ".join(unescape(_TAG.sub("", text)).split())
