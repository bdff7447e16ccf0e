"""Parse a page of Medium's archive: the fields around the story, and its text without Medium's wrappers.

The pages are written by one program: attributes are in double quotes, and `<` and `>` in values and texts are
escaped. Therefore elements are matched as text, in linear time; nh3 then removes the wrappers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape, unescape
from urllib.parse import parse_qs

from blogapi.importing.format_api.page_text import extract_text, open_text
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.addresses import split_address
from blogapi.importing.texts.lines import to_line

_ELEMENT = re.compile(r"<([A-Za-z][A-Za-z0-9]*+)([^<>]*+)>")
_ATTRIBUTE = re.compile(r'(?<![\w-])([\w-]++)\s*+=\s*+"([^"]*)"')
_TAG = re.compile(r"<[^<>]*>")
_BREAK = re.compile(r"<(?:br|hr|/(?:p|h[1-6]|li|pre|figcaption|blockquote))>")
# The header and the footer of a page have a few hundred characters.
_MAX_FRAME_LENGTH = 100_000
_MAX_FIELD_LENGTH = 5_000

# Until 2016, the first element had the class `graf--first`, and no class marked the title.
_TITLE = re.compile(
    r'<(h[1-4]|p)\b(?=[^<>]*graf--(?:title|subtitle|leading|first)\b)[^<>]*?class="([^"<>]*)"[^<>]*>'
    r"((?:[^<]++|<(?!/?(?:h[1-4]|p)\b))*+)</\1>"
)
_CODE = re.compile(r"<pre\b([^<>]*)>((?:[^<]++|<(?!/?pre\b))*+)</pre>")
_CODE_WRAPPER = re.compile(r"</?(?:code|span)\b[^<>]*>")
_LANGUAGE = re.compile(r'data-code-block-lang="([\w+#-]*)"')
_IMAGE = re.compile(r"<img\b[^<>]*>")
_IMAGE_SIZE = re.compile(r"\sdata-(?=(?:width|height)=)")
# A preview of a page is a link, and a second link for its picture.
_PREVIEW = re.compile(r"<div(?=[^<>]*graf--mixtapeEmbed)")
_PREVIEW_IMAGE = re.compile(r"<a\b(?=[^<>]*js-mixtapeImage)[^<>]*></a>")
# The links of tweets have no text.
_EMPTY_LINK = re.compile(r'(<a\b(?=[^<>]*?\shref="([^"<>]+)")[^<>]*+>)\s*+</a>')
_GIST = re.compile(
    r'<script\b(?=[^<>]*?\ssrc="(https://gist\.github\.com/[^"<>]*?)(?:\.js)?")[^<>]*+></script>'
)
_EMBEDLY = re.compile(r'(<iframe\b[^<>]*?\ssrc=")(https://cdn\.embedly\.com/[^"<>]*)')
_REDIRECT = re.compile(r"https?://(?:www\.)?medium\.com/r/\?")


@dataclass(slots=True)
class MediumPage:
    """The fields of a page; texts are single lines."""

    title: str = ""
    seo_title: str = ""  #: the title for search engines, if it differs from the title in the text
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


def parse_page(html: str) -> MediumPage:
    """Return the fields of a page. Raises RefusedFile if it has no text or would take too long to parse."""
    start = html.find('data-field="body"')
    end = html.rfind("<footer", start)
    if start < 0:
        raise RefusedFile("It has no text of a story; export your stories from Medium again.")
    start = html.find(">", start) + 1
    page = MediumPage()
    _read_frame(page, html[:start], html[end:] if end > 0 else "")
    _read_body(page, html[start : end if end > 0 else len(html)])
    return page


def _read_frame(page: MediumPage, head: str, footer: str) -> None:
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
    elements = []
    for tag in _ELEMENT.finditer(html, 0, _MAX_FRAME_LENGTH):
        attributes = _read_attributes(tag[2])
        if attributes.get("class"):
            end = html.find(f"</{tag[1]}", tag.end(), tag.end() + _MAX_FIELD_LENGTH)
            text = _to_text(html[tag.end() : end]) if end >= 0 else ""
            elements.append((attributes["class"].split(), attributes, text))
    return elements


def _read_attributes(tag: str) -> dict[str, str]:
    return {name.lower(): unescape(value) for name, value in _ATTRIBUTE.findall(tag)}


def _to_text(html: str) -> str:
    return to_line(unescape(_TAG.sub("", _BREAK.sub(" ", html))))


def _read_body(page: MediumPage, html: str) -> None:
    html, hidden = open_text(html)
    html = _TITLE.sub(lambda element: _take_title(page, element), html)
    html = _CODE.sub(_convert_code, html)
    html = _IMAGE.sub(lambda tag: _convert_image(page, tag[0]), html)
    html = _PREVIEW.sub("<p", _PREVIEW_IMAGE.sub("", html))
    html = _EMPTY_LINK.sub(r"\1\2</a>", html)
    html = _EMBEDLY.sub(_unwrap_embedly, _GIST.sub(r'<iframe src="\1"></iframe>', html))
    html, replaced = extract_text(html, _follow)
    page.notes += [*hidden, *replaced]
    # A horizontal rule remains before the text if the first section has only the title.
    page.html = re.sub(r"^(?:\s*<hr>)+", "", html).strip()
    page.text = _to_text(page.html)
    page.has_figures = "<figure" in page.html


def _take_title(page: MediumPage, element: re.Match[str]) -> str:
    """Store the title or the subtitle in `page` and return ""; return any other element unchanged."""
    classes, text = element[2].split(), _to_text(element[3])
    if "graf--subtitle" in classes and text and not page.subtitle:
        page.subtitle = text
        return ""
    is_title = "graf--title" in classes or (element[1] != "p" and text == page.title)
    if not (text and is_title) or page.has_title:
        return element[0]
    # The title in the header can be truncated, or meant for search engines.
    is_truncated = page.title.endswith("…") and text.startswith(page.title.rstrip("… "))
    if page.title not in ("", text) and not is_truncated:
        page.seo_title = page.title
    page.title, page.has_title = text, True
    return ""


def _convert_code(element: re.Match[str]) -> str:
    language = _LANGUAGE.search(element[1])
    class_ = f' class="language-{language[1]}"' if language and language[1] else ""
    code = _CODE_WRAPPER.sub("", element[2]).replace("<br>", "\n")
    code = re.sub(r"^(?:[ \t]*\n)+", "", code).rstrip()
    return f"<pre><code{class_}>{code}</code></pre>"


def _convert_image(page: MediumPage, tag: str) -> str:
    if 'data-is-featured="true"' in tag and not page.featured:
        page.featured = _read_attributes(tag).get("src", "")
    tag = _IMAGE_SIZE.sub(" ", tag)
    return tag if " alt=" in tag else f'{tag[:-1]} alt="">'


def _unwrap_embedly(frame: re.Match[str]) -> str:
    query = parse_qs(split_address(unescape(frame[2])).query)
    inner = next((query[name][0] for name in ("src", "url") if name in query), unescape(frame[2]))
    return frame[1] + escape(inner)


def _follow(address: str) -> str:
    """Return the target of a link through Medium's own redirect."""
    if not _REDIRECT.match(address):
        return address
    return parse_qs(split_address(address).query).get("url", [address])[0]
