"""HTML for pages and videos of other sites: a player where the sanitizer permits it, otherwise a link."""

from __future__ import annotations

import re
from html import escape, unescape
from urllib.parse import quote, urlsplit

from blogapi.importing.wordpress.conversion import INLINE, Conversion
from blogapi.importing.wordpress.media_html import figure
from blogapi.rendering.embed_hosts import EMBED_HOSTS

_ADDRESS_LINE = re.compile(r"(?m)^([ \t]*+(?:<p>)?)(https?://[^\s<>\"]++)((?:</p>)?[ \t]*+)$")

_YOUTUBE = re.compile(
    r"(?:https?:)?//(?:(?:www|m|music)\.)?(?:youtube(?:-nocookie)?\.com/"
    r"(?:(?:watch|playlist)/?(?=\?)|(?:embed|v|shorts|live|e)/)|youtu\.be/)(?P<id>[\w-]{6,64}+)?"
    r"(?P<rest>[^\s<>\"]*)",
    re.IGNORECASE,
)
_YOUTUBE_PARAMETER = re.compile(r"(?:^|[?&#])(v|list|t|start)=([\w-]+)")
_TIME = re.compile(r"(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s?)?")
_VIMEO = re.compile(
    r"(?:https?:)?//(?:www\.|player\.)?vimeo\.com/(?:[\w-]+/){0,3}?(\d{3,12})(?:/(\w{6,20}))?"
)
_SPOTIFY = re.compile(r"(?:https?://open\.spotify\.com/|spotify:)(?:embed/)?"
    r"(track|album|playlist|artist|episode|show)[/:](\w{10,40})")  # fmt: skip

_ATTRIBUTE = re.compile(
    r"""\b(src|data|value|href)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""", re.IGNORECASE
)
_SOURCE = re.compile(r"""<(?:object|embed|iframe|param\b[^<>]*?\b(?:movie|src)\b)[^<>]*""", re.IGNORECASE)


def embed(address: str, conversion: Conversion, caption: str = "") -> str:
    """Return a placeholder for the page with this address: its player, or a link. `caption` is HTML."""
    address = unescape(address.strip())
    player = player_address(address)
    if player or caption:
        content = player_html(player) if player else link(address)
        return conversion.store(figure(content, caption, "wp-block-embed"))
    return conversion.store(link(address), INLINE)


def embed_lines(text: str, conversion: Conversion) -> str:
    """Return the text with players or links for the addresses that are on lines of their own."""
    return _ADDRESS_LINE.sub(lambda line: f"{line[1]}{embed(line[2], conversion)}{line[3]}", text)


def link(address: str, text: str = "") -> str:
    return f'<a href="{escape(address)}">{text or escape(address, quote=False)}</a>'


def player_html(address: str) -> str:
    return f'<iframe src="{escape(address)}" width="560" height="315" allowfullscreen></iframe>'


def player_address(address: str) -> str:
    """Return the address of the player that the sanitizer permits, or "" if there is none."""
    if youtube := _YOUTUBE.match(address):
        return _youtube_player(youtube)
    if vimeo := _VIMEO.match(address):
        return f"https://player.vimeo.com/video/{vimeo[1]}" + (f"?h={vimeo[2]}" if vimeo[2] else "")
    if spotify := _SPOTIFY.match(address):
        return f"https://open.spotify.com/embed/{spotify[1]}/{spotify[2]}"
    host = _host(address)
    if host in ("soundcloud.com", "www.soundcloud.com", "m.soundcloud.com", "api.soundcloud.com"):
        return f"https://w.soundcloud.com/player/?url={quote(address, safe='')}"
    if host in ("player.vimeo.com", "w.soundcloud.com"):
        return address
    return ""


def replace_player(html: str, conversion: Conversion) -> str:
    """Return a placeholder for an `<iframe>`, `<object>` or `<embed>`: its player, or a link."""
    addresses = [address for tag in _SOURCE.findall(html) if (address := _find_address(tag))]
    for address in addresses:
        if html[:7].lower() == "<iframe" and _host(address) in EMBED_HOSTS:
            return conversion.store(html, INLINE)
        if player_address(address):
            return embed(address, conversion)
    if "wp-block-file__embed" in html:
        return ""  # The block also contains a link to the file.
    if not addresses:
        return conversion.store(html, INLINE)
    conversion.add_note(
        f"An embedded page of {_host(addresses[0]) or 'the blog'} is a link now, because only players of "
        "known sites may be embedded."
    )
    text = addresses[0].partition("?")[0].removeprefix("https://").removeprefix("http://")
    return conversion.store(link(addresses[0], escape(text[:100])), INLINE)


def _find_address(tag: str) -> str:
    for found in _ATTRIBUTE.finditer(tag):
        address = unescape(found[2] or found[3] or found[4] or "").strip()
        if "/" in address:
            return address
    return ""


def _youtube_player(youtube: re.Match[str]) -> str:
    parameters = dict(_YOUTUBE_PARAMETER.findall(youtube["rest"]))
    video = youtube["id"] or parameters.get("v", "")
    if "list" in parameters and video in ("", "videoseries"):
        return f"https://www.youtube.com/embed/videoseries?list={parameters['list']}"
    start = _seconds(parameters.get("start", "") or parameters.get("t", ""))
    return video and f"https://www.youtube.com/embed/{video}" + (f"?start={start}" if start else "")


def _seconds(time: str) -> int:
    found = _TIME.fullmatch(time)
    if not found:
        return 0
    hours, minutes, seconds = (int(number or 0) for number in found.groups())
    return hours * 3600 + minutes * 60 + seconds


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""
