"""Players of videos and sounds, which replace paragraphs with only the address of a video or a sound."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape, unescape
from urllib.parse import quote

# Hosts whose players may be embedded in an iframe.
EMBED_HOSTS = frozenset(
    {
        "youtube.com",
        "www.youtube.com",
        "www.youtube-nocookie.com",
        "player.vimeo.com",
        "open.spotify.com",
        "w.soundcloud.com",
    }
)


# The maximum number of players in an article; further addresses are shown as links.
MAX_PLAYERS = 100

_ADDRESS_END = r"(?:[/?&#]\S*)?"
_ADDRESS_PARAGRAPH = re.compile(r'<p><a href="(https?://[^"<>]*+)">([^<]*+)</a></p>')
_START = re.compile(r"[?&#](?:t|start)=(?:([0-9]{1,2})h)?(?:([0-9]{1,4})m)?(?:([0-9]{1,6})s?)?(?=[&#]|\Z)")
# Matches the output of make_player_figure() after the sanitizer has cleaned it.
_PLAYER_FRAME = re.compile(r'(<figure class="embed embed-[a-z]+">)<iframe [^<>]*+></iframe>')
_PLAYER_FIGURE = re.compile(r'<figure class="embed embed-[a-z]+">(?:[^<]++|<(?!/?figure))*+</figure>')


@dataclass(frozen=True, slots=True)
class Player:
    """The player for one kind of address. `make_address` returns the address of the player's frame.

    The pattern matches a whole address. It must mean the same in Python and in JavaScript, because the
    editor uses the pattern to show which addresses become players.
    """

    name: str
    title: str
    pattern: str
    make_address: Callable[[re.Match[str]], str]
    width: str = "560"
    height: str = "315"


def _make_youtube_address(match: re.Match[str]) -> str:
    start = _START.search(match[0])
    hours, minutes, seconds = (int(number or 0) for number in start.groups()) if start else (0, 0, 0)
    total = hours * 3600 + minutes * 60 + seconds
    return f"https://www.youtube-nocookie.com/embed/{match[1]}" + (f"?start={total}" if total else "")


def _make_vimeo_address(match: re.Match[str]) -> str:
    secret = f"h={match[2] or match[3]}&" if match[2] or match[3] else ""
    return f"https://player.vimeo.com/video/{match[1]}?{secret}dnt=1"


# With `youtube-nocookie.com` and `dnt`, the sites set no cookies before a reader starts the player.
PLAYERS = (
    Player(
        "youtube",
        "Video of YouTube",
        r"https?://(?:(?:(?:www|m|music)\.)?youtube\.com/(?:watch\?(?:[^\s#]{0,200}&)?v=|shorts/|live/|embed/)|youtu\.be/)"
        rf"([A-Za-z0-9_-]{{11}}){_ADDRESS_END}",
        _make_youtube_address,
    ),
    Player(
        "youtube",
        "Playlist of YouTube",
        rf"https?://(?:www\.|m\.)?youtube\.com/playlist\?(?:[^\s#]{{0,200}}&)?list=([A-Za-z0-9_-]{{10,64}}){_ADDRESS_END}",
        lambda match: f"https://www.youtube-nocookie.com/embed/videoseries?list={match[1]}",
    ),
    Player(
        "vimeo",
        "Video of Vimeo",
        r"https?://(?:www\.|player\.)?vimeo\.com/(?:video/|channels/[A-Za-z0-9_-]+/|groups/[A-Za-z0-9_-]+/videos/)?"
        rf"([0-9]{{5,12}})(?:/([0-9a-f]{{6,20}})|\?h=([0-9a-f]{{6,20}}))?{_ADDRESS_END}",
        _make_vimeo_address,
    ),
    Player(
        "soundcloud",
        "Sound of SoundCloud",
        rf"https?://(?:www\.|m\.)?soundcloud\.com/([A-Za-z0-9_-]+/(?:sets/)?[A-Za-z0-9_-]+(?:/s-[A-Za-z0-9]+)?){_ADDRESS_END}",
        lambda match: (
            f"https://w.soundcloud.com/player/?url={quote(f'https://soundcloud.com/{match[1]}', safe='')}"
        ),
        width="100%",
        height="166",
    ),
    Player(
        "spotify",
        "Sound of Spotify",
        r"https?://open\.spotify\.com/(?:intl-[a-z]{2}/)?(?:embed/)?"
        rf"(track|album|playlist|artist|episode|show)/([A-Za-z0-9]{{22}}){_ADDRESS_END}",
        lambda match: f"https://open.spotify.com/embed/{match[1]}/{match[2]}",
        width="100%",
        height="352",
    ),
)
_PATTERNS = [(re.compile(player.pattern), player) for player in PLAYERS]


def insert_players(html: str) -> str:
    """Return rendered Markdown with players instead of paragraphs that contain only a player's address."""
    count = 0

    def replace_paragraph(paragraph: re.Match[str]) -> str:
        nonlocal count
        is_replaced = paragraph[1] == paragraph[2] and count < MAX_PLAYERS
        frame = make_player_figure(unescape(paragraph[1])) if is_replaced else None
        count += frame is not None
        return frame or paragraph[0]

    return _ADDRESS_PARAGRAPH.sub(replace_paragraph, html)


def make_player_figure(address: str) -> str | None:
    """Return a figure with the player and a link to the address, or None if the address has no player."""
    result = find_player(address)
    if result is None:
        return None
    player, source = result
    return (
        f'<figure class="embed embed-{player.name}"><iframe src="{escape(source)}" width="{player.width}" '
        f'height="{player.height}" title="{player.title}" loading="lazy" allowfullscreen=""></iframe>'
        f'<figcaption><a href="{escape(address)}">{player.title}</a></figcaption></figure>'
    )


def find_player(address: str) -> tuple[Player, str] | None:
    """Return the player for this address and the address of its frame; None if there is no player."""
    for pattern, player in _PATTERNS:
        if match := pattern.fullmatch(address):
            return player, player.make_address(match)
    return None


def remove_player_frames(html: str) -> str:
    """Return sanitized HTML with links instead of players, for places that show no frames, such as feeds."""
    return _PLAYER_FRAME.sub(r"\1", html)


def remove_players(html: str) -> str:
    """Return sanitized HTML without players and their links, for excerpts."""
    return _PLAYER_FIGURE.sub("", html) if "embed-" in html else html
