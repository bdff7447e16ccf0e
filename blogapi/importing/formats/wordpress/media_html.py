"""HTML of pictures, galleries and players, with the classes of WordPress that the sanitizer keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape, unescape

from blogapi.importing.formats.wordpress.conversion import MIME_TYPES, Attachment

_IMAGE = re.compile(r"(?:<a\s[^<>]*+>\s*+)?<img\s[^<>]*+>(?:\s*+</a>)?", re.IGNORECASE)


def figure(content: str, caption: str = "", classes: str = "", id_: str = "") -> str:
    """Return a figure; `content` and `caption` are HTML."""
    attributes = _format_attributes(id=id_, **{"class": classes})
    caption = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure{attributes}>{content}{caption}</figure>"


def image(attachment: Attachment, *, linked: bool = False) -> str:
    """Return the figure of a picture, or the link to a file of another type."""
    address = escape(attachment.url)
    if attachment.mime_type and not attachment.mime_type.startswith("image/"):
        return f'<p><a href="{address}">{escape(attachment.title or attachment.url)}</a></p>'
    picture = f'<img src="{address}" alt="{escape(attachment.alt)}" />'
    content = f'<a href="{address}">{picture}</a>' if linked else picture
    return figure(content, attachment.caption, "wp-block-image")


def gallery(pictures: Iterable[Attachment], *, columns: int, linked: bool) -> str:
    content = "\n".join(image(picture, linked=linked) for picture in pictures)
    return figure(f"\n{content}\n", classes=f"wp-block-gallery columns-{columns}")


def player(
    kind: str,
    addresses: Iterable[str],
    *,
    caption: str = "",
    fallback: str = "",
    size: tuple[str, str] = ("", ""),
    poster: str = "",
) -> str:
    """Return the figure of a player; `kind` is "audio" or "video", `fallback` is HTML."""
    urls = [unescape(address) for address in addresses]
    attributes = _format_attributes(
        src=urls[0] if len(urls) == 1 else "",
        width=size[0] if size[0].isdecimal() else "",
        height=size[1] if size[1].isdecimal() else "",
        poster=unescape(poster),
    )
    sources = "".join(map(_make_source, urls)) if len(urls) > 1 else ""
    element = f"<{kind} controls{attributes}>{sources}{fallback}</{kind}>"
    return figure(element, caption, f"wp-block-{kind}")


def split_image(html: str) -> tuple[str, str]:
    """Return the first picture of the HTML with the link around it ("" = none), and the rest."""
    found = _IMAGE.search(html)
    return (found[0], html[: found.start()] + html[found.end() :]) if found else ("", html)


def _make_source(url: str) -> str:
    kind = MIME_TYPES.get(url.partition("?")[0].rpartition(".")[2].lower(), "")
    return f"<source{_format_attributes(src=url, type=kind)} />"


def _format_attributes(**values: str) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items() if value)
