"""Read the HTML archive of Medium: one page for each story, draft and response.

The pages are written by one program: attributes are in double quotes, and `<` and `>` in values and texts are
escaped. Therefore elements are matched as text, in linear time; nh3 then removes Medium's wrappers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape, unescape
from urllib.parse import parse_qs, quote

from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord
from blogapi.importing.format_api.page_text import read_visible_html, remove_wrappers
from blogapi.importing.format_api.privacy import choose_status
from blogapi.importing.format_api.privacy_signs import MEDIUM_DRAFT_PREFIX
from blogapi.importing.format_api.source import CONTRACT_VERSION, FileSource, Format, ImportOptions
from blogapi.importing.format_api.source_files import Entry, read_bytes
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.texts import dates, titles
from blogapi.importing.texts.lines import decode_text, drop_duplicates, to_http_url, to_line
from blogapi.importing.texts.titles import split_address
from blogapi.rendering.slugs import make_slug

_ELEMENT = re.compile(r"<([A-Za-z][A-Za-z0-9]*+)([^<>]*+)>")
_ATTRIBUTE = re.compile(r'(?<![\w-])([\w-]++)\s*+=\s*+"([^"]*)"')
_TAG = re.compile(r"<[^<>]*>")
_BLOCK_END = re.compile(r"<(?:br|hr|/(?:p|h[1-6]|li|pre|figcaption|blockquote))>")
# The maximum length of the header or footer of a page; most have a few hundred characters.
_MAX_HEADER_OR_FOOTER_LENGTH = 100_000
_MAX_FIELD_LENGTH = 5_000

# Until 2016, the first element had the class `graf--first`, and no class marked the title.
_TITLE_ELEMENT = re.compile(
    r'<(h[1-4]|p)\b(?=[^<>]*graf--(?:title|subtitle|leading|first)\b)[^<>]*?class="([^"<>]*)"[^<>]*>'
    r"((?:[^<]++|<(?!/?(?:h[1-4]|p)\b))*+)</\1>"
)
_CODE_BLOCK = re.compile(r"<pre\b([^<>]*)>((?:[^<]++|<(?!/?pre\b))*+)</pre>")
_CODE_WRAPPER = re.compile(r"</?(?:code|span)\b[^<>]*>")
_CODE_LANGUAGE = re.compile(r'data-code-block-lang="([\w+#-]*)"')
_IMAGE = re.compile(r"<img\b[^<>]*>")
_IMAGE_SIZE = re.compile(r"\sdata-(?=(?:width|height)=)")
# Medium writes the preview of a page as two links: one with its title, and one with its picture.
_PREVIEW_START = re.compile(r"<div(?=[^<>]*graf--mixtapeEmbed)")
_PREVIEW_IMAGE = re.compile(r"<a\b(?=[^<>]*js-mixtapeImage)[^<>]*></a>")
# The links of tweets have no text.
_EMPTY_LINK = re.compile(r'(<a\b(?=[^<>]*?\shref="([^"<>]+)")[^<>]*+>)\s*+</a>')
_GIST_SCRIPT = re.compile(
    r'<script\b(?=[^<>]*?\ssrc="(https://gist\.github\.com/[^"<>]*?)(?:\.js)?")[^<>]*+></script>'
)
_EMBEDLY_FRAME = re.compile(r'(<iframe\b[^<>]*?\ssrc=")(https://cdn\.embedly\.com/[^"<>]*)')
_REDIRECT_ADDRESS = re.compile(r"https?://(?:www\.)?medium\.com/r/\?")

# The hosts of Medium's pictures. The file names are unique, so copies on the disk are found by these names.
PICTURE_HOSTS = {"cdn-images-1.medium.com", "cdn-images-2.medium.com", "miro.medium.com"}
_POSSIBLE_RESPONSE_NOTE = "It has no title of its own and can be a response; the article became a draft."
# The number of characters of a summary that are compared with the beginning of the text.
_MAX_COMPARED_LENGTH = 80
# The maximum number of characters of a text without a title that counts as a response. A longer text can be
# a story, so it becomes a draft.
_MAX_RESPONSE_LENGTH = 1_000
# Matches `2019-05-06_My-Title-0123456789ab` and `draft_My-Title-0123456789ab`.
_FILE_NAME = re.compile(r"(?:(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})_|draft_)?(?P<name>.*)", re.DOTALL)
_STORY_ID = re.compile(r"(?:^|-)-{0,20}([0-9a-f]{8,16})$")
_MIN_DECIMAL_ID_LENGTH = 10
_PAGE_MARKS = (b'class="h-entry"', b'data-field="body"')


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
    featured: str = ""  #: the address of the picture that Medium shows in lists
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  #: the parts of the text that browsers did not show


def parse_page(html: str) -> MediumPage:
    """Return the fields of a page. Raises RefusedFile if it has no text or would take too long to parse."""
    start = html.find('data-field="body"')
    end = html.rfind("<footer", start)
    if start < 0:
        raise RefusedFile("It has no text of a story; export your stories from Medium again.")
    start = html.find(">", start) + 1
    page = MediumPage()
    for classes, _, text in _find_elements(html[:start]):
        if "p-name" in classes:
            page.title = text
        elif "p-summary" in classes:
            page.summary = text
    for classes, attributes, text in _find_elements(html[end:] if end > 0 else ""):
        if "p-author" in classes:
            page.author, page.author_url = text, attributes.get("href", "")
        elif "dt-published" in classes:
            page.published = attributes.get("datetime", "")
        elif "p-canonical" in classes:
            page.canonical = attributes.get("href", "")
        elif "p-tag" in classes and text:
            page.tags.append(text)
    html, hidden, page.left_out = read_visible_html(html[start : end if end > 0 else len(html)])
    html = _TITLE_ELEMENT.sub(lambda element: _take_title_or_subtitle(page, element), html)
    html = _CODE_BLOCK.sub(_convert_code_block, html)
    html = _IMAGE.sub(lambda tag: _convert_image(page, tag[0]), html)
    html = _PREVIEW_START.sub("<p", _PREVIEW_IMAGE.sub("", html))
    html = _EMPTY_LINK.sub(r"\1\2</a>", html)
    html = _EMBEDLY_FRAME.sub(_unwrap_embedly_frame, _GIST_SCRIPT.sub(r'<iframe src="\1"></iframe>', html))
    html, replaced = remove_wrappers(html, _get_redirect_target)
    page.notes += [*hidden, *replaced]
    # A horizontal rule remains before the text if the first section has only the title.
    page.html = re.sub(r"^(?:\s*<hr>)+", "", html).strip()
    page.text = _to_text(page.html)
    return page


def _find_elements(html: str) -> list[tuple[list[str], dict[str, str], str]]:
    elements = []
    for tag in _ELEMENT.finditer(html, 0, _MAX_HEADER_OR_FOOTER_LENGTH):
        attributes = _read_attributes(tag[2])
        if attributes.get("class"):
            end = html.find(f"</{tag[1]}", tag.end(), tag.end() + _MAX_FIELD_LENGTH)
            text = _to_text(html[tag.end() : end]) if end >= 0 else ""
            elements.append((attributes["class"].split(), attributes, text))
    return elements


def _read_attributes(tag: str) -> dict[str, str]:
    return {name.lower(): unescape(value) for name, value in _ATTRIBUTE.findall(tag)}


def _to_text(html: str) -> str:
    return to_line(unescape(_TAG.sub("", _BLOCK_END.sub(" ", html))))


def _take_title_or_subtitle(page: MediumPage, element: re.Match[str]) -> str:
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


def _convert_code_block(element: re.Match[str]) -> str:
    language = _CODE_LANGUAGE.search(element[1])
    class_ = f' class="language-{language[1]}"' if language and language[1] else ""
    code = _CODE_WRAPPER.sub("", element[2]).replace("<br>", "\n")
    code = re.sub(r"^(?:[ \t]*\n)+", "", code).rstrip()
    return f"<pre><code{class_}>{code}</code></pre>"


def _convert_image(page: MediumPage, tag: str) -> str:
    if 'data-is-featured="true"' in tag and not page.featured:
        page.featured = _read_attributes(tag).get("src", "")
    tag = _IMAGE_SIZE.sub(" ", tag)
    return tag if " alt=" in tag else f'{tag[:-1]} alt="">'


def _unwrap_embedly_frame(frame: re.Match[str]) -> str:
    query = parse_qs(split_address(unescape(frame[2])).query)
    inner = next((query[name][0] for name in ("src", "url") if name in query), unescape(frame[2]))
    return frame[1] + escape(inner)


def _get_redirect_target(address: str) -> str:
    query = split_address(address).query if _REDIRECT_ADDRESS.match(address) else ""
    return parse_qs(query).get("url", [address])[0]


class MediumSource(FileSource):
    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(entries, options)
        self.hosts = {"medium.com", *PICTURE_HOSTS}
        # Archives contain no pictures, but users put pictures into `images` beside the folder `posts`.
        folders = dict.fromkeys(entry.path.parent.parent / "images" for entry in entries)
        # A link could lead to pictures that are not part of the archive.
        self.assets = tuple(path for path in folders if path.is_dir() and not path.is_symlink())

    def read_entry(self, entry: Entry) -> tuple[ArticleRecord]:
        html, notes = decode_text(read_bytes(entry.path))
        page = parse_page(html)
        published_at = dates.parse_date(page.published, self.options.zones) if page.published else None
        is_draft = entry.path.name.lower().startswith(MEDIUM_DRAFT_PREFIX)
        # Medium uses the beginning of a response as its title.
        may_be_response = not page.has_title and page.text.startswith(page.title.rstrip("…."))
        # The profile and the lists of stories are in other folders of an archive.
        folders = (entry.path.parent, entry.path.parent.parent)
        is_other = folders[0].name != "posts" and any((it / "posts").is_dir() for it in folders)
        if published_at is None and not is_draft and is_other:
            raise NotAnArticle("It is not a story: the stories of an archive are in its folder `posts`.")
        is_short = len(page.text) <= _MAX_RESPONSE_LENGTH and "<figure" not in page.html
        if published_at and not is_draft and may_be_response and is_short:
            self.left_behind["responses to other stories"] += 1
            raise NotAnArticle("It is a response to another story: it has no title of its own.")
        reason = _POSSIBLE_RESPONSE_NOTE if published_at and may_be_response else ""
        given = "draft" if is_draft else "published"
        status, reasons = choose_status(given, published_at, self.options.now, reason)
        return (_make_record(entry, page, published_at, (*notes, *reasons, *page.notes), status),)


def _make_record(
    entry: Entry, page: MediumPage, published_at: datetime | None, notes: tuple[str, ...], status: str
) -> ArticleRecord:
    name, file_hash = _split_story_name(_FILE_NAME.sub(r"\g<name>", entry.path.stem, count=1))
    address = split_address(page.canonical)
    slug, address_hash = _split_story_name(address.path.rpartition("/")[2])
    title = page.title or titles.choose_title(page.text, name)
    is_summary = page.text.startswith(page.summary.rstrip("….")[:_MAX_COMPARED_LENGTH])
    # Links between stories have different paths: with the author, with only the name of the story, or its id.
    last, story = address.path.rpartition("/")[2], address_hash or file_hash
    addresses = (address.path, f"/{last}" if last else "", f"/p/{story}" if story else "")
    is_moved = bool(address.hostname) and not (address_hash or _is_medium_host(address.hostname))
    return ArticleRecord(
        key=f"medium:{quote(file_hash or entry.path.stem, safe='')}",
        source=entry.key,
        path=entry.path,
        title=title,
        subtitle=page.subtitle or ("" if is_summary else page.summary),
        seo_title=page.seo_title,
        slug=make_slug(slug or name, default=" ").strip(),
        content=page.html,
        content_type="html",
        status=status,
        published_at=published_at,
        tags=drop_duplicates(page.tags),
        authors=(AuthorRecord(name=page.author, url=to_http_url(page.author_url)),) if page.author else (),
        og_image=to_http_url(page.featured),
        canonical_url=to_http_url(page.canonical) if is_moved else "",
        # The host of a publication can be pointed to this blog, so its paths must be redirected.
        former_paths=(address.path,) if address_hash and not _is_medium_host(address.hostname) else (),
        addresses=tuple(dict.fromkeys(filter(None, addresses))),
        left_out=tuple(page.left_out),
        notes=notes,
    )


def _split_story_name(name: str) -> tuple[str, str]:
    """Return the name of a story and its id; each can be empty: `My-Title-0123456789ab`."""
    match = _STORY_ID.search(name)
    # A few digits are no id, because a title can end with a number.
    if not match or (match[1].isdigit() and len(match[1]) < _MIN_DECIMAL_ID_LENGTH):
        return name, ""
    return name[: match.start()], match[1]


def _is_medium_host(host: str | None) -> bool:
    return host is not None and (host == "medium.com" or host.endswith(".medium.com"))


def is_medium_page(entry: Entry, head: bytes) -> bool:
    return all(start in head for start in _PAGE_MARKS)


FORMAT = Format(name="medium", contract=CONTRACT_VERSION, detect=is_medium_page, open_source=MediumSource)
