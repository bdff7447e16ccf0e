"""Parse a page of Medium's archive: the fields around the story, and its text without Medium's wrappers.

The pages are written by one program: attributes are in double quotes, and `<` and `>` in values and texts are
escaped. Therefore tags are matched as text, in linear time.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html import escape, unescape
from urllib.parse import SplitResult, parse_qs, urlsplit

from blogapi.content.sanitizer import EMBED_HOSTS
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.markdown.text import to_line
from blogapi.transfer.messages import format_count

_TOKEN = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9]*+)(?P<attributes>[^<>]*+)>|<![^<>]*>|[^<]+|<")
_ATTRIBUTE = re.compile(r'(?<![\w-])([\w-]++)\s*+=\s*+"([^"]*)"')
_TAG = re.compile(r"<[^<>]*>")
_BREAK = re.compile(r"<(?:br|hr|/(?:p|h[1-6]|li|pre|figcaption|blockquote))>")
_LINK_TARGET = re.compile(r'href="#([^"<>]{1,100})"')
_MAX_DEPTH = 200
# The header and the footer of a page have a few hundred characters.
_MAX_FRAME_LENGTH = 100_000
_MAX_FIELD_LENGTH = 5_000
# Elements of a text that stay. All others, such as `div` and `section`, are replaced by their content.
_KEPT_ELEMENTS = (
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a figure figcaption strong b em i s u del mark sub sup "
    "table thead tbody tr th td"
)
_KEPT = frozenset(_KEPT_ELEMENTS.split())
_VOID = {"br", "hr", "img"}
_TITLES = {"h1", "h2", "h3", "h4", "p"}
# Until 2016, the first element had the class `graf--first`, and no class marked the title.
_TITLE_CLASSES = {"graf--title", "graf--subtitle", "graf--leading", "graf--first"}
_DROPPED = {"style", "script", "noscript", "canvas", "progress", "svg", "button"}


@dataclass(slots=True)
class Page:
    """The fields of a page; texts are single lines."""

    title: str = ""
    seo_title: str = ""  #: the title for search engines, if it differs from the one in the text
    summary: str = ""  #: the subtitle, or the beginning of the text if there is no subtitle
    subtitle: str = ""  #: the subtitle in the text, which is removed from it
    published: str = ""  #: ISO 8601
    author: str = ""
    author_url: str = ""
    canonical: str = ""
    tags: list[str] = field(default_factory=list)
    html: str = ""
    text: str = ""  #: the text of the story without markup
    has_title: bool = False  #: whether the text begins with the title, which is removed from it
    has_figures: bool = False
    featured: str = ""  #: the address of the picture that Medium shows in lists
    notes: list[str] = field(default_factory=list)


def parse_page(html: str) -> Page:
    """Return the fields of a page. Raises RefusedFile if it has no text or is nested too deep."""
    start = html.find('data-field="body"')
    end = html.rfind("<footer", start)
    if start < 0:
        raise RefusedFile("It has no text of a story; export your stories from Medium again.")
    start = html.find(">", start) + 1
    page = Page()
    _read_frame(page, html[:start], html[end:] if end > 0 else "")
    body = _Body(page, set(_LINK_TARGET.findall(html)))
    body.read(html[start : end if end > 0 else len(html)])
    return page


def _read_frame(page: Page, head: str, footer: str) -> None:
    for classes, _, text in _find_elements(head):
        if "p-name" in classes:
            page.title = text
        elif "p-summary" in classes:
            page.summary = text
    for classes, attributes, text in _find_elements(footer):
        if "p-author" in classes:
            page.author, page.author_url = text, attributes.get("href", "")
        elif "dt-published" in classes:
            page.published = attributes.get("datetime", "")
        elif "p-canonical" in classes:
            page.canonical = attributes.get("href", "")
        elif "p-tag" in classes and text:
            page.tags.append(text)


def _find_elements(html: str) -> list[tuple[list[str], dict[str, str], str]]:
    """Return the classes, the attributes and the text of each element with a class."""
    found = []
    for tag in _TOKEN.finditer(html, 0, _MAX_FRAME_LENGTH):
        attributes = _read_attributes(tag)
        if attributes.get("class"):
            end = html.find(f"</{tag['name']}", tag.end(), tag.end() + _MAX_FIELD_LENGTH)
            text = _to_text(html[tag.end() : end]) if end >= 0 else ""
            found.append((attributes["class"].split(), attributes, text))
    return found


def _read_attributes(tag: re.Match[str]) -> dict[str, str]:
    return {name.lower(): unescape(value) for name, value in _ATTRIBUTE.findall(tag["attributes"] or "")}


def _to_text(html: str) -> str:
    return to_line(unescape(_TAG.sub("", _BREAK.sub(" ", html))))


class _Body:
    """Writes the text of a story without Medium's wrappers and classes."""

    def __init__(self, page: Page, targets: set[str]) -> None:
        self._page = page
        self._targets = targets  #: the ids to which links of the page lead
        self._html: list[str] = []
        #: the open elements: name, end tag to write, classes, and the length of the text before
        self._open: list[tuple[str, str, list[str], int]] = []
        self._dropped = 0  #: the number of open elements that are dropped with their content
        self._links: Counter[str] = Counter()

    def read(self, html: str) -> None:
        """Read the text into the page."""
        for token in _TOKEN.finditer(html):
            if not token["name"]:
                self._add_text(token[0])
            elif token["end"]:
                self._end(token["name"].lower())
            else:
                self._start(token["name"].lower(), _read_attributes(token))
        while self._open:
            self._end(self._open[-1][0])
        page = self._page
        # A line in front of the text remains if the first section has only the title.
        page.html = re.sub(r"^(?:\s*<hr>)+", "", "".join(self._html)).strip()
        page.text = _to_text(page.html)
        if self._links:
            count = format_count(self._links.total(), "embedded content")
            page.notes.append(f"The text now has links in place of {count}.")

    def _add_text(self, text: str) -> None:
        if self._dropped or text.startswith("<!"):
            return
        if "\n" in text and not text.strip() and not self._is_in("pre"):
            text = "" if self._html and self._html[-1].endswith("\n") else "\n"
        self._html.append("&lt;" if text == "<" else text.replace(">", "&gt;"))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        classes = attributes.get("class", "").split()
        if name in _VOID:
            self._add_void(name, attributes)
            return
        if len(self._open) >= _MAX_DEPTH:
            raise RefusedFile(
                f"Its elements are nested more than {_MAX_DEPTH} levels deep; simplify the page."
            )
        before = len(self._html)
        start, end = ("", "") if self._dropped else self._translate(name, attributes, classes)
        self._dropped += name in _DROPPED
        if start:
            self._html.append(start)
        self._open.append((name, end, classes, before))

    def _translate(self, name: str, attributes: dict[str, str], classes: list[str]) -> tuple[str, str]:
        """Return the start tag and the end tag to write for an element."""
        if name in ("iframe", "script"):
            return self._embed(attributes.get("src", "")), ""
        if "graf--mixtapeEmbed" in classes:
            return "<p>", "</p>"
        if name == "a":
            href = attributes.get("href", "")
            is_hidden = not href or "js-mixtapeImage" in classes
            return ("", "") if is_hidden else (f'<a href="{escape(_follow(href))}">', "</a>")
        if name == "pre":
            language = re.sub(r"[^\w+#-]", "", attributes.get("data-code-block-lang", ""))
            return "<pre><code" + (f' class="language-{language}">' if language else ">"), "</code></pre>"
        if name not in _KEPT or (name == "code" and self._is_in("pre")):
            return "", ""
        self._page.has_figures |= name == "figure"
        anchor = attributes.get("id", "")
        return f'<{name} id="{escape(anchor)}">' if anchor in self._targets else f"<{name}>", f"</{name}>"

    def _is_in(self, name: str) -> bool:
        return any(entry[0] == name for entry in self._open)

    def _add_void(self, name: str, attributes: dict[str, str]) -> None:
        if self._dropped:
            return
        if name == "br":
            self._html.append("\n" if self._is_in("pre") else "<br>")
        elif name == "hr":
            self._html.append("<hr>\n")
        elif source := attributes.get("src", ""):
            if attributes.get("data-is-featured") == "true":
                self._page.featured = self._page.featured or source
            named = {
                "src": source,
                "alt": attributes.get("alt", ""),
                "width": attributes.get("data-width", ""),
                "height": attributes.get("data-height", ""),
            }
            pairs = (f' {key}="{escape(value)}"' for key, value in named.items() if value or key == "alt")
            self._html.append(f"<img{''.join(pairs)}>")

    def _end(self, name: str) -> None:
        if not any(entry[0] == name for entry in self._open):
            return
        while True:
            former, end, classes, before = self._open.pop()
            self._dropped -= former in _DROPPED
            self._close(former, end, classes, before)
            if former == name:
                return

    def _close(self, name: str, end: str, classes: list[str], before: int) -> None:
        if name in _TITLES and self._take_title(classes, before, is_heading=name != "p"):
            del self._html[before:]
            return
        if name == "pre":
            text = re.sub(r"^(?:[ \t]*\n)+", "", "".join(self._html[before + 1 :])).rstrip()
            self._html[before + 1 :] = [text]
        elif name == "a" and end and not "".join(self._html[before + 1 :]).strip():
            # The links of tweets have no text.
            self._html.append(self._html[before].removeprefix('<a href="').removesuffix('">'))
        if end:
            self._html.append(end)

    def _take_title(self, classes: list[str], before: int, *, is_heading: bool) -> bool:
        """Return whether an element is the title or the subtitle, which the page shows above the text."""
        page = self._page
        is_title = "graf--title" in classes
        if _TITLE_CLASSES.isdisjoint(classes):
            return False
        text = _to_text("".join(self._html[before:]))
        if "graf--subtitle" in classes and text and not page.subtitle:
            page.subtitle = text
            return True
        is_first = text != "" and not page.has_title and (is_title or (is_heading and text == page.title))
        if is_first:
            self._set_title(text)
        return is_first

    def _set_title(self, text: str) -> None:
        """Take the title that readers see. The one in the header can be cut, or meant for search engines."""
        page = self._page
        is_cut = page.title.endswith("…") and text.startswith(page.title.rstrip("… "))
        if page.title not in ("", text) and not is_cut:
            page.seo_title = page.title
        page.title, page.has_title = text, True

    def _embed(self, address: str) -> str:
        """Return the HTML for a player or a script that shows content of another site."""
        parts = split(address)
        if parts.hostname == "cdn.embedly.com":
            query = parse_qs(parts.query)
            inner = next((query[name][0] for name in ("src", "url") if name in query), "")
            return self._embed(inner) if split(inner).hostname != parts.hostname else ""
        if parts.hostname in EMBED_HOSTS:
            return f'<iframe src="{escape(address)}"></iframe>'
        if parts.hostname == "gist.github.com":
            address = address.removesuffix(".js")
        elif address.endswith(".js") or not parts.hostname:
            return ""
        self._links[parts.hostname] += 1
        return f'<p><a href="{escape(address)}">{escape(address)}</a></p>'


def _follow(address: str) -> str:
    """Return the target of a link through Medium's own redirect."""
    if not re.match(r"https?://(?:www\.)?medium\.com/r/\?", address):
        return address
    return parse_qs(split(address).query).get("url", [address])[0]


def split(address: str) -> SplitResult:
    """Return the parts of an address; all are empty if it is not valid."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
