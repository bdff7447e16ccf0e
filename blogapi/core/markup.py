"""Content as HTML that is safe to show, as plain text, and how long it takes to read."""

from __future__ import annotations

import html as entities
import math
import re
from html.parser import HTMLParser

import nh3

WORDS_PER_MINUTE = 220
CHARACTERS_PER_MINUTE = 500
EXCERPT = 200

# Hosts whose players may stand in a frame.
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

# What nh3 lets through by default knows no frames and no players; these come on top.
_TAGS = nh3.ALLOWED_TAGS | {
    *("iframe", "input", "section", "video", "audio", "source", "picture", "track", "progress"),
}
_ATTRIBUTES = {
    **nh3.ALLOWED_ATTRIBUTES,
    "*": {"id", "title", "lang", "dir"},
    "code": {"class"},
    "pre": {"class"},
    "span": {"class"},
    "div": {"class"},
    "sup": {"class"},
    "ul": {"class"},
    "ol": {"class", "start"},
    "li": {"class"},
    "section": {"class"},
    "p": {"class"},
    "table": {"class"},
    "figure": {"class"},
    "blockquote": {"class", "cite"},
    "details": {"open"},
    "progress": {"value", "max"},
    "track": {"src", "kind", "srclang", "label", "default"},
    "a": {"href", "class", "hreflang", "name"},
    "img": {"class", "src", "alt", "width", "height", "srcset", "sizes", "loading"},
    "iframe": {"src", "width", "height", "allowfullscreen", "title"},
    "input": {"checked", "disabled", "class"},
    "video": {"src", "controls", "width", "height", "poster"},
    "audio": {"src", "controls"},
    "source": {"src", "type", "srcset", "media", "sizes"},
    "td": nh3.ALLOWED_ATTRIBUTES["td"] | {"style"},
    "th": nh3.ALLOWED_ATTRIBUTES["th"] | {"style"},
}

# Matched as text: a parser and a browser can disagree on which host an address with odd signs names.
_EMBED = re.compile(
    rf"(?:https?:)?(//(?:{'|'.join(re.escape(host) for host in sorted(EMBED_HOSTS))})/\S*)", re.IGNORECASE
)

# A frame of a host that is not known loses its address, and then its place.
_EMPTY_FRAME = re.compile(r"<iframe(?![^>]*\ssrc=)[^>]*></iframe>")

# nh3 looks at the schemes of all addresses but those of a list.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")

# nh3 takes time by the square of the depth: 0.2 s for this one, minutes where all 2 MB of a text are tags.
_DEEPEST = 10_000

# Tags that can stand in each other; the others have no end, or end where the next one begins.
_NESTING = re.compile(
    r"<(/?)(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
    r"|p|li|dt|dd|t[rdh]|thead|tbody|tfoot|option)\b)[a-z]",
    re.IGNORECASE,
)

_SCRIPTS_WITHOUT_BLANKS = re.compile(r"[぀-ヿ㐀-鿿가-힣豈-﫿]")


def html(content: str, content_type: str) -> str:
    """Return the content as sanitised HTML; `content_type` is html, markdown or text.

    What is nested deeper than any page is shown as text.
    """
    if content_type == "markdown":
        # Imported where it is needed: a blog that only reads does without 70 modules of it.
        from blogapi.core import markdown

        written = markdown.rendered(content)
    elif content_type == "text":
        written = "".join(f"<p>{part}</p>\n" for part in _paragraphs(content))
    else:
        written = content
    if _depth(written) > _DEEPEST:
        written = entities.escape(content)
    safe = nh3.clean(
        written,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        # The only input there is, is the box of a task list.
        set_tag_attribute_values={"input": {"type": "checkbox"}},
        # How Markdown's tables align their columns.
        filter_style_properties={"text-align"},
        attribute_filter=_filtered,
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener noreferrer",
    )
    return _EMPTY_FRAME.sub("", safe)


def plain(safe: str) -> str:
    """Return the words of sanitised HTML in one line, without markup."""
    reader = _Words()
    reader.feed(safe)
    reader.close()
    return " ".join("".join(reader.pieces).split())


def excerpt(words: str) -> str:
    """Return the beginning of a plain text, cut between words at about 200 characters."""
    if len(words) <= EXCERPT:
        return words
    beginning = words[: EXCERPT - 1]
    cut = beginning.rfind(" ")
    return f"{beginning[:cut] if cut > EXCERPT // 2 else beginning}…"


def reading_minutes(words: str) -> int:
    """Return how many minutes a plain text takes to read (1 or more)."""
    dense = len(_SCRIPTS_WITHOUT_BLANKS.findall(words))
    spaced = len(_SCRIPTS_WITHOUT_BLANKS.sub(" ", words).split())
    return max(1, math.ceil(dense / CHARACTERS_PER_MINUTE + spaced / WORDS_PER_MINUTE))


def _depth(written: str) -> int:
    depth = deepest = 0
    for tag in _NESTING.finditer(written):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _paragraphs(text: str) -> list[str]:
    parts = re.split(r"\n\s*\n", text.strip())
    return [entities.escape(part).replace("\n", "<br>\n") for part in parts if part]


def _filtered(tag: str, attribute: str, value: str) -> str | None:
    """Keep frames of known hosts only, over TLS, and images of the web only."""
    if attribute == "srcset":
        return value if all(scheme in ("http", "https") for scheme in _SCHEME.findall(value)) else None
    if (tag, attribute) != ("iframe", "src"):
        return value
    known = _EMBED.fullmatch(value.strip())
    return f"https:{known[1]}" if known else None


class _Words(HTMLParser):
    """Collects the text of HTML, with a blank wherever a tag stood."""

    WITHIN_WORDS = frozenset(
        {"a", "abbr", "b", "code", "em", "i", "mark", "s", "small", "span", "strong", "sub", "u"}
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Part what the tag parts."""
        if tag not in self.WITHIN_WORDS:
            self.pieces.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """Part what the tag parts."""
        self.handle_starttag(tag, [])

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.pieces.append(data)
