"""Content as HTML that is safe to show, as plain text, and how long it takes to read."""

from __future__ import annotations

import html as entities
import re
from urllib.parse import unquote

import nh3

from blogapi.content.content_classes import CONTENT_CLASS
from blogapi.content.page_globals import PAGE_GLOBALS

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

# Matched as text: a parser and a browser can disagree on which host an address with odd signs names.
_EMBED = re.compile(
    rf"(?:https?:)?(//(?:{'|'.join(re.escape(host) for host in sorted(EMBED_HOSTS))})/\S*)", re.IGNORECASE
)

# Elements whose content no browser shows. A frame is dropped like them unless its address is accepted.
_DROPPED_WITH_CONTENT = {"script", "style", "template", "title", "noembed", "noframes", "noscript"}

# Rendered content runs no script, so what stands in for one is shown.
_NOSCRIPT = re.compile(r"</?noscript\b[^<>]*>", re.IGNORECASE)

# The patterns below read what nh3 wrote: it quotes every value, and escapes `<`, `>` and `"` in it.
_FRAME = re.compile(r"<iframe([^>]*)>.*?</iframe>", re.DOTALL)
_ALIGNED_CELL = re.compile(r'(<t[dh][^>]*) style="(\w+)"([^>]*>)')
_ALIGN = re.compile(r' align="\w*"')
_LOCAL_LINK = re.compile(r'(<a [^>]*?href="#)([^"]+)"')

_TEXT_ALIGN = re.compile(r"(?:^|;)\s*text-align\s*:\s*(left|right|center|justify)\b", re.IGNORECASE)

# Before an id that would stand for something else on the page; GitHub writes the same.
_ID_PREFIX = "user-content-"

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


def to_safe_html(content: str, content_type: str) -> str:
    """Return the content as sanitised HTML; `content_type` is html, markdown or text.

    What is nested deeper than any page is shown as text.
    """
    footnote_mark = ""
    if content_type == "markdown":
        # Imported where it is needed: a blog that only reads does without 70 modules of it.
        from blogapi.content import markdown

        footnote_mark = markdown.FOOTNOTE_MARK
        try:
            written = markdown.render_markdown(content)
        except markdown.TooManyFootnotes:
            written = entities.escape(content)
    elif content_type == "text":
        written = "".join(f"<p>{part}</p>\n" for part in _paragraphs(content))
    else:
        written = content
    written = _NOSCRIPT.sub("", written)
    if _depth(written) > _DEEPEST:
        written = entities.escape(content)
    attributes = _AttributeFilter(_footnote_ids(written, footnote_mark))
    safe = nh3.clean(
        written,
        tags=_TAGS,
        clean_content_tags=_DROPPED_WITH_CONTENT,
        attributes=_ATTRIBUTES,
        # The only input there is, is the box of a task list.
        set_tag_attribute_values={"input": {"type": "checkbox"}},
        attribute_filter=attributes,
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener noreferrer",
    )
    safe = _FRAME.sub(_without_content, safe)
    # A strict Content-Security-Policy blocks styles.
    safe = _ALIGNED_CELL.sub(_with_align, safe)
    if attributes.renamed:
        safe = _LOCAL_LINK.sub(attributes.follow, safe)
    return safe.replace(footnote_mark, "") if footnote_mark else safe


def _depth(written: str) -> int:
    depth = deepest = 0
    for tag in _NESTING.finditer(written):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _paragraphs(text: str) -> list[str]:
    parts = re.split(r"\n\s*\n", text.strip())
    return [entities.escape(part).replace("\n", "<br>\n") for part in parts if part]


def _footnote_ids(written: str, mark: str) -> frozenset[str]:
    """Return the ids that the footnotes of the renderer will have once their mark is removed."""
    if not mark or mark not in written:
        return frozenset()
    return frozenset("".join(found) for found in re.findall(rf'id="(fn(?:ref)?){mark}([\d:]+)"', written))


def _without_content(frame: re.Match[str]) -> str:
    return f"<iframe{frame[1]}></iframe>" if ' src="https://' in frame[1] else ""


def _with_align(cell: re.Match[str]) -> str:
    return f'{_ALIGN.sub("", cell[1])} align="{cell[2]}"{_ALIGN.sub("", cell[3])}'


class _AttributeFilter:
    """Decides which attributes of one article stay; nh3 calls it in the order of the document."""

    def __init__(self, footnote_ids: frozenset[str]) -> None:
        self.renamed: dict[str, str] = {}
        self._footnote_ids = footnote_ids
        self._ids: set[str] = set()

    def __call__(self, tag: str, attribute: str, value: str) -> str | None:
        """Return the value to write, or None to drop the attribute."""
        if attribute == "id":
            return self._unique(self._renamed(value))
        if attribute == "name":
            return self._renamed(value)
        if attribute == "headers":
            return " ".join(map(self._renamed, value.split()))
        if attribute == "class":
            return " ".join(name for name in value.split() if CONTENT_CLASS.fullmatch(name)) or None
        if attribute == "style":
            aligned = _TEXT_ALIGN.findall(value)
            return aligned[-1].lower() if aligned else None
        if attribute == "srcset":
            return value if all(scheme in ("http", "https") for scheme in _SCHEME.findall(value)) else None
        if (tag, attribute) == ("iframe", "src"):
            known = _EMBED.fullmatch(value.strip())
            return f"https:{known[1]}" if known else None
        return value

    def follow(self, link: re.Match[str]) -> str:
        """Point a link to a renamed id at its new name."""
        fragment = entities.unescape(link[2])
        renamed = self.renamed.get(fragment) or self.renamed.get(unquote(fragment))
        return f'{link[1]}{renamed}"' if renamed else link[0]

    def _renamed(self, name: str) -> str:
        if name not in PAGE_GLOBALS and name not in self._footnote_ids:
            return name
        return self.renamed.setdefault(name, f"{_ID_PREFIX}{name}")

    def _unique(self, name: str) -> str | None:
        # Links lead to the first of equal ids.
        if name in self._ids:
            return None
        self._ids.add(name)
        return name
