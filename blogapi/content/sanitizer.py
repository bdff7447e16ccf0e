"""Renders the content of an article to sanitized HTML."""

from __future__ import annotations

import re
from html import escape, unescape
from urllib.parse import unquote

import nh3

from blogapi.content.content_classes import CONTENT_CLASS
from blogapi.content.page_globals import PAGE_GLOBALS

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

# nh3's defaults allow neither iframes nor media players.
_TAGS = nh3.ALLOWED_TAGS | {
    *("iframe", "input", "section", "video", "audio", "source", "picture", "track", "progress"),
}
_ATTRIBUTES = {
    **nh3.ALLOWED_ATTRIBUTES,
    "*": {"id", "title", "lang", "dir", "class"},
    "ol": {"start"},
    "blockquote": {"cite"},
    "details": {"open"},
    "progress": {"value", "max"},
    "track": {"src", "kind", "srclang", "label", "default"},
    "a": {"href", "hreflang", "name"},
    "img": {"src", "alt", "width", "height", "srcset", "sizes", "loading"},
    "iframe": {"src", "width", "height", "allowfullscreen", "title"},
    "input": {"checked", "disabled"},
    "video": {"src", "controls", "width", "height", "poster"},
    "audio": {"src", "controls"},
    "source": {"src", "type", "srcset", "media", "sizes"},
    "td": nh3.ALLOWED_ATTRIBUTES["td"] | {"style"},
    "th": nh3.ALLOWED_ATTRIBUTES["th"] | {"style"},
}

# The URL is matched as text, because a URL parser and a browser can disagree about the host of a URL with
# unusual characters.
_EMBED_URL = re.compile(
    rf"(?:https?:)?(//(?:{'|'.join(re.escape(host) for host in sorted(EMBED_HOSTS))})/\S*)", re.IGNORECASE
)

# Elements whose content browsers do not show. Iframes with a host that is not in EMBED_HOSTS are dropped.
_DROPPED_WITH_CONTENT = {"script", "style", "template", "title", "noembed", "noframes", "noscript"}

# Rendered content contains no scripts, so the content of <noscript> is shown.
_NOSCRIPT = re.compile(r"</?noscript\b[^<>]*>", re.IGNORECASE)

# These patterns are applied to the output of nh3, which quotes each value and escapes `<`, `>` and `"` in it.
_IFRAME = re.compile(r"<iframe([^>]*)>.*?</iframe>", re.DOTALL)
_ALIGNED_CELL = re.compile(r'(<t[dh][^>]*) style="(\w+)"([^>]*>)')
_ALIGN = re.compile(r' align="\w*"')
_FRAGMENT_LINK = re.compile(r'(<a [^>]*?href="#)([^"]+)"')

_TEXT_ALIGN = re.compile(r"(?:^|;)\s*text-align\s*:\s*(left|right|center|justify)\b", re.IGNORECASE)

# Prefix of an id or a name that would shadow a property of the page (DOM clobbering). GitHub uses the
# same prefix.
_ID_PREFIX = "user-content-"

# nh3 checks the URL schemes of all attributes except srcset.
_URL_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")

# The time that nh3 needs grows with the square of the nesting depth. At this limit nh3 needs 0.2 s, and for
# 2 MB of tags it needs minutes.
_MAX_DEPTH = 10_000

# Tags of elements that can be nested. The excluded elements are void, or end implicitly when the next element
# begins.
_NESTING_TAG = re.compile(
    r"<(/?)(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
    r"|p|li|dt|dd|t[rdh]|thead|tbody|tfoot|option)\b)[a-z]",
    re.IGNORECASE,
)


def to_safe_html(content: str, content_type: str) -> str:
    """Return the content as sanitized HTML; `content_type` is html, markdown or text.

    Content that is nested too deeply or has too many footnotes is shown as escaped text,
    because rendering it would take minutes.
    """
    html, footnote_mark = _to_html(content, content_type)
    html = _NOSCRIPT.sub("", html)
    if _depth(html) > _MAX_DEPTH:
        html = escape(content)
    attributes = _AttributeFilter(_footnote_ids(html, footnote_mark))
    safe = nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_DROPPED_WITH_CONTENT,
        attributes=_ATTRIBUTES,
        # Every <input> becomes the checkbox of a task list.
        set_tag_attribute_values={"input": {"type": "checkbox"}},
        attribute_filter=attributes,
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener noreferrer",
    )
    safe = _IFRAME.sub(_empty_iframe, safe)
    # A strict Content-Security-Policy blocks inline styles, so `align` replaces the style of the cell.
    safe = _ALIGNED_CELL.sub(_style_to_align, safe)
    if attributes.renamed:
        safe = _FRAGMENT_LINK.sub(attributes.redirect_link, safe)
    return safe.replace(footnote_mark, "") if footnote_mark else safe


def _to_html(content: str, content_type: str) -> tuple[str, str]:
    """Return the content as unsafe HTML, and the mark that its footnote ids contain (`""` if none)."""
    if content_type == "text":
        return "".join(f"<p>{paragraph}</p>\n" for paragraph in _paragraphs(content)), ""
    if content_type != "markdown":
        return content, ""
    # Imported on first use, because it loads 70 modules that a read-only process never needs.
    from blogapi.content import markdown

    try:
        return markdown.render_markdown(content), markdown.FOOTNOTE_MARK
    except markdown.TooManyFootnotes:
        return escape(content), ""


def _depth(html: str) -> int:
    depth = deepest = 0
    for tag in _NESTING_TAG.finditer(html):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _paragraphs(text: str) -> list[str]:
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return [escape(paragraph).replace("\n", "<br>\n") for paragraph in paragraphs if paragraph]


def _footnote_ids(html: str, mark: str) -> frozenset[str]:
    """Return the ids that the renderer's footnotes will have once the mark is removed."""
    if not mark or mark not in html:
        return frozenset()
    return frozenset("".join(parts) for parts in re.findall(rf'id="(fn(?:ref)?){mark}([\d:]+)"', html))


def _empty_iframe(iframe: re.Match[str]) -> str:
    return f"<iframe{iframe[1]}></iframe>" if ' src="https://' in iframe[1] else ""


def _style_to_align(cell: re.Match[str]) -> str:
    return f'{_ALIGN.sub("", cell[1])} align="{cell[2]}"{_ALIGN.sub("", cell[3])}'


class _AttributeFilter:
    """Filters the attributes of one document. nh3 calls the filter for each attribute in document order."""

    def __init__(self, footnote_ids: frozenset[str]) -> None:
        self.renamed: dict[str, str] = {}
        self._footnote_ids = footnote_ids
        self._ids: set[str] = set()

    def __call__(self, tag: str, attribute: str, value: str) -> str | None:
        """Return the new value of the attribute, or None to remove it."""
        if attribute == "id":
            return self._unique(self._prefixed(value))
        if attribute == "name":
            return self._prefixed(value)
        if attribute == "headers":
            return " ".join(map(self._prefixed, value.split()))
        if attribute == "class":
            return " ".join(name for name in value.split() if CONTENT_CLASS.fullmatch(name)) or None
        if attribute == "style":
            alignments = _TEXT_ALIGN.findall(value)
            return alignments[-1].lower() if alignments else None
        if attribute == "srcset":
            return value if {*_URL_SCHEME.findall(value)} <= {"http", "https"} else None
        if (tag, attribute) == ("iframe", "src"):
            embed = _EMBED_URL.fullmatch(value.strip())
            return f"https:{embed[1]}" if embed else None
        return value

    def redirect_link(self, link: re.Match[str]) -> str:
        """Return the link, with the new id as its fragment if the id was renamed."""
        fragment = unescape(link[2])
        renamed = self.renamed.get(fragment) or self.renamed.get(unquote(fragment))
        return f'{link[1]}{renamed}"' if renamed else link[0]

    def _prefixed(self, name: str) -> str:
        if name not in PAGE_GLOBALS and name not in self._footnote_ids:
            return name
        return self.renamed.setdefault(name, f"{_ID_PREFIX}{name}")

    def _unique(self, name: str) -> str | None:
        # The first of several equal ids is kept, because links lead to it.
        if name in self._ids:
            return None
        self._ids.add(name)
        return name
