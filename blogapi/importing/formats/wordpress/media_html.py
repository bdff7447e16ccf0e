"""Make HTML for pictures, players and pages of other sites, with the classes that the sanitizer keeps.

The address of a page of another site becomes a player if the sanitizer permits the player, or else a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape, unescape
from urllib.parse import quote

from blogapi.importing.formats.wordpress.conversion import INLINE_MARK, MIME_TYPES, Attachment, Conversion
from blogapi.importing.texts.titles import split_address
from blogapi.rendering.players import EMBED_HOSTS, find_player

IMAGE_ELEMENT = re.compile(r"(?:<a\s[^<>]*+>\s*+)?<img\s[^<>]*+>(?:\s*+</a>)?", re.IGNORECASE)

_ADDRESS_LINE = re.compile(r"(?m)^([ \t]*+(?:<p>)?)(https?://[^\s<>\"]++)((?:</p>)?[ \t]*+)$")
# Old forms of addresses, each with its replacement, which `find_player` recognises.
_FORMER_ADDRESSES = (
    (re.compile(r"\A//"), "https://"),
    (re.compile(r"\Aspotify:(\w+):(\w+)\Z"), r"https://open.spotify.com/\1/\2"),
    (re.compile(r"(?<=//)(?:www\.)?youtube-nocookie\.com/"), "www.youtube.com/"),
    (re.compile(r"youtube\.com/(?:embed|v)/videoseries\?"), "youtube.com/playlist?"),
    (re.compile(r"youtube\.com/(?:v|e)/([\w-]+)&?"), r"youtube.com/embed/\1?"),
    (re.compile(r"youtube\.com/watch/\?"), "youtube.com/watch?"),
)
_ADDRESS_ATTRIBUTE = re.compile(
    r"""\b(src|data|value|href)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""", re.IGNORECASE
)
_PLAYER_TAG = re.compile(r"""<(?:object|embed|iframe|param\b[^<>]*?\b(?:movie|src)\b)[^<>]*""", re.IGNORECASE)


def make_figure(content: str, caption: str = "", classes: str = "", id_: str = "") -> str:
    """Return a figure; `content` and `caption` are HTML."""
    attributes = _format_attributes(id=id_, **{"class": classes})
    caption = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure{attributes}>{content}{caption}</figure>"


def make_image(attachment: Attachment, *, is_linked: bool = False) -> str:
    """Return the figure of a picture, or the link to a file of another type."""
    address = escape(attachment.url)
    if attachment.mime_type and not attachment.mime_type.startswith("image/"):
        return f'<p><a href="{address}">{escape(attachment.title or attachment.url)}</a></p>'
    picture = f'<img src="{address}" alt="{escape(attachment.alt)}" />'
    content = f'<a href="{address}">{picture}</a>' if is_linked else picture
    return make_figure(content, attachment.caption, "wp-block-image")


def make_player(
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
    kinds = (MIME_TYPES.get(url.partition("?")[0].rpartition(".")[2].lower(), "") for url in urls)
    found = (
        f"<source{_format_attributes(src=url, type=name)} />" for url, name in zip(urls, kinds, strict=True)
    )
    sources = "".join(found) if len(urls) > 1 else ""
    element = f"<{kind} controls{attributes}>{sources}{fallback}</{kind}>"
    return make_figure(element, caption, f"wp-block-{kind}")


def _format_attributes(**values: str) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items() if value)


def embed_address(address: str, conversion: Conversion, caption: str = "") -> str:
    """Return a placeholder for the player of the page at an address, or for a link. `caption` is HTML."""
    address = unescape(address.strip())
    player = find_player_address(address)
    if player or caption:
        frame = f'<iframe src="{escape(player)}" width="560" height="315" allowfullscreen></iframe>'
        content = frame if player else make_link(address)
        return conversion.store_html(make_figure(content, caption, "wp-block-embed"))
    return conversion.store_html(make_link(address), INLINE_MARK)


def embed_address_lines(text: str, conversion: Conversion) -> str:
    """Return the text with players or links for the addresses that are on lines of their own."""
    return _ADDRESS_LINE.sub(lambda line: f"{line[1]}{embed_address(line[2], conversion)}{line[3]}", text)


def make_link(address: str, text: str = "") -> str:
    return f'<a href="{escape(address)}">{text or escape(address, quote=False)}</a>'


def find_player_address(address: str) -> str:
    """Return the address of the player that the sanitizer permits, or "" if there is none."""
    for former, replacement in _FORMER_ADDRESSES:
        address = former.sub(replacement, address, count=1)
    if found := find_player(address):
        return found[1]
    host = _get_host(address)
    if host == "api.soundcloud.com":
        return f"https://w.soundcloud.com/player/?url={quote(address, safe='')}"
    if host in ("player.vimeo.com", "w.soundcloud.com"):
        return address
    return ""


def replace_player(html: str, conversion: Conversion) -> str:
    """Return a placeholder for the player in an `<iframe>`, `<object>` or `<embed>`, or for a link."""
    addresses = list[str]()
    for tag in _PLAYER_TAG.findall(html):
        values = (unescape("".join(values)).strip() for _, *values in _ADDRESS_ATTRIBUTE.findall(tag))
        addresses += [value for value in values if "/" in value][:1]
    for address in addresses:
        if html[:7].lower() == "<iframe" and _get_host(address) in EMBED_HOSTS:
            return conversion.store_html(html, INLINE_MARK)
        if find_player_address(address):
            return embed_address(address, conversion)
    if "wp-block-file__embed" in html:
        return ""  # The block also contains a link to the file.
    if not addresses:
        return conversion.store_html(html, INLINE_MARK)
    conversion.add_note(
        f"An embedded page of {_get_host(addresses[0]) or 'the blog'} is a link now, because only "
        "the addresses of known players may be embedded."
    )
    text = addresses[0].partition("?")[0].removeprefix("https://").removeprefix("http://")
    return conversion.store_html(make_link(addresses[0], escape(text[:100])), INLINE_MARK)


def _get_host(address: str) -> str:
    return (split_address(address).hostname or "").rstrip(".")
