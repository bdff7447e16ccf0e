"""Read Blogger exports: Atom files from the settings page of Blogger or from Google Takeout."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from urllib.parse import quote
from xml.sax import SAXException

from defusedxml import DefusedXmlException

from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord
from blogapi.importing.format_api.hidden_parts import remove_hidden_text
from blogapi.importing.format_api.page_text import replace_frames
from blogapi.importing.format_api.privacy import choose_status
from blogapi.importing.format_api.report import Item, report_problem
from blogapi.importing.format_api.source import CONTRACT_VERSION, FileSource, Format, ImportOptions
from blogapi.importing.format_api.source_files import Entry, open_file
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.texts import dates, titles
from blogapi.importing.texts.lines import drop_duplicates, html_to_line, to_line, to_title
from blogapi.importing.texts.messages import PRIVATE_BLOG_NOTE, format_count
from blogapi.importing.texts.titles import split_address
from blogapi.importing.texts.xml_elements import Element, ElementBuilder, decode_file, read_channel

_STATUSES = {"LIVE": "published", "SCHEDULED": "scheduled", "DRAFT": "draft"}

# Until 2012, players were `<object>` and `<embed>` elements with Flash, which no browser shows any more.
_YOUTUBE_PLAYER = re.compile(r"youtube(?:-nocookie)?\.com/(?:v|embed)/([\w-]{6,20})", re.IGNORECASE)
_FLASH_START = re.compile(r"<(object|embed)\b", re.IGNORECASE)
_OBJECT_END, _TAG_END = re.compile(r"</object\s*>", re.IGNORECASE), re.compile(">")
# Blogger adds a tracking pixel to the text of each post.
_TRACKING_PIXEL = re.compile(
    r"<img\b(?>[^<>]*?//blogger\.googleusercontent\.com/tracker/)[^<>]*+>(?:</img>)?", re.IGNORECASE
)
_EMPTY_FOOTER = re.compile(r"<div class=[\"']*blogger-post-footer[\"']*>\s*</div>", re.IGNORECASE)
_INLINE_PICTURE = re.compile(r"\bsrc\s*+=\s*+[\"']?+\s*+data:", re.IGNORECASE)
MAX_TEXT_LENGTH = 16 * 1024 * 1024
_ENTRY_ID = re.compile(
    r"blog-(?P<blog>[^.]*)(?:\.(?P<kind>post|page|comment|layout|settings)\b-?(?P<id>.*))?", re.DOTALL
)
#: The names that Blogger writes for authors without a profile.
_UNNAMED_AUTHORS = {"anonymous", "unknown", "noreply"}

# The fields of a BloggerItem by the names of elements; `outer/inner` is a nested element. Names are compared
# without their prefixes, because some exports do not declare the prefixes.
_FIELDS_BY_ELEMENT = {
    "id": "id",
    "title": "title",
    "content": "content",
    "published": "published",
    "type": "kind",
    "status": "status",
    "filename": "address",
    "metaDescription": "description",
    "trashed": "trashed",
    "author/name": "author",
    "control/draft": "draft",
}
# If a damaged file has several values of one of these fields, they are joined, because each can be right.
_JOINED_FIELDS = {"status", "trashed", "draft"}
_KIND_SCHEME = "#kind"
# XML does not allow these characters, but some texts contain them.
_CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
# `https://name.blogspot.co.uk/2020/01/title.html`: each country has its own host for the same blog.
_POST_LINK = re.compile(
    r"https?://([a-z0-9.-]{1,100})(/(?:[0-9]{4}/[0-9]{2}|p)/[^\s\"'<>?#]{1,200}\.html)", re.I
)
_BLOGSPOT_HOST = re.compile(r"([a-z0-9-]+)\.blogspot\.[a-z.]+", re.I)
_ACCESS_SETTING = "BLOG_READ_ACCESS_MODE"
_COUNTED_KINDS = {"comment": "comments", "settings": "settings of the blog", "template": "templates"}
# The hosts of Blogger's pictures. Copies of these pictures on the disk are found by their file names.
PICTURE_HOSTS = {
    *(f"{number}.bp.blogspot.com" for number in range(1, 5)),
    *(f"lh{number}.{host}" for number in range(3, 7) for host in ("googleusercontent.com", "ggpht.com")),
    "blogger.googleusercontent.com",
}
_MAX_ALBUMS = 200
_ATOM_HINTS = (b"schemas.google.com/blogger/", b"blogger.com,1999:blog-")


@dataclass(slots=True)
class BloggerItem:
    """One entry of an export, with the texts that the file contains."""

    kind: str = ""  #: "post", "page", "comment", "template" or "settings"
    id: str = ""  #: `tag:blogger.com,1999:blog-1.post-2`, or the number of a post
    blog: str = ""  #: the number of the blog
    status: str = ""  #: LIVE, DRAFT, SCHEDULED or SOFT_TRASHED; "" = unknown
    title: str = ""
    content: str = ""
    published: str = ""
    author: str = ""
    address: str = ""  #: the former address, with or without host
    description: str = ""
    labels: list[str] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)  #: names of data that is not imported ("locations")
    is_too_large: bool = False  #: whether parts are missing, because the entry is too long

    def split_id(self) -> tuple[str, str, str]:
        """Return the number of the blog, and the kind and number of the item; a missing part is ""."""
        match = _ENTRY_ID.search(self.id)
        if not match:
            return self.blog, self.kind, self.id
        return match["blog"], match["kind"] or "", match["id"] or self.id

    def get_path(self) -> str:
        """Return the path of the former address, or "" if there is none.

        Before 2006, posts were parts of archive pages: `/2000_09_03_archive.html#786756`.
        """
        parts = split_address(self.address)
        return "" if parts.fragment else parts.path

    def make_key(self) -> str:
        """Return the key of the article; it has no `/`."""
        blog, _, number = self.split_id()
        number = number or self.get_path() or f"{self.published} {self.title}"
        return f"blogger:{quote(blog, safe='')}:{quote(number, safe='', errors='replace')}"


def make_record(
    item: BloggerItem, source: tuple[str, Path], options: ImportOptions, *, is_private: bool = False
) -> ArticleRecord:
    """Return the record of a post or page in the file `source` (key and path).

    All articles of a private blog are drafts. Raises RefusedFile for a text that is too long.
    """
    if item.is_too_large or len(item.content) > MAX_TEXT_LENGTH:
        raise RefusedFile(f"It has more than {MAX_TEXT_LENGTH:,} characters; shorten or split it.")
    notes: list[str] = []
    content = item.content.replace("\r\n", "\n").replace("\r", "\n").strip()
    content, hidden, left_out, _ = remove_hidden_text(content, "html", keeps_unclear=True)
    content, lost = convert_embeds(content)
    notes += [*hidden, *lost]
    published_at = dates.parse_date(item.published, options.zones)
    reason = "It was in the trash; the article became a draft." if item.status == "SOFT_TRASHED" else ""
    reason = "The blog was private; the article became a draft." if is_private else reason
    status, reasons = choose_status(item.status, published_at, options.now, reason, _STATUSES)
    notes += reasons
    title = to_title(item.title)
    if not title:
        notes.append("It has no title; the title was made from its text or address.")
        title = titles.choose_title(html_to_line(content), titles.extract_slug(item.get_path()))
    path, author = item.get_path(), to_line(unescape(item.author))
    return ArticleRecord(
        key=item.make_key(),
        source=source[0],
        path=source[1],
        title=title,
        slug=titles.extract_slug(path),
        content=content,
        content_type="html",
        status=status,
        published_at=published_at,
        tags=drop_duplicates(map(to_title, item.labels)),
        is_page=item.kind == "page",
        authors=(AuthorRecord(name=author),) if author and author.casefold() not in _UNNAMED_AUTHORS else (),
        seo_description=to_title(item.description),
        former_paths=(path,) if status == "published" else (),
        addresses=(path,) if path.strip("/") else (),
        left_out=tuple(left_out),
        notes=tuple(notes),
    )


def convert_embeds(html: str) -> tuple[str, tuple[str, ...]]:
    """Return the HTML with players and links in place of embedded content, and notes about the changes.

    Also removes the picture by which Blogger counts visitors.
    """
    html, lost = _replace_flash_players(_EMPTY_FOOTER.sub("", _TRACKING_PIXEL.sub("", html)))
    html, linked = replace_frames(html)
    pictures = len(_INLINE_PICTURE.findall(html))
    notes = (
        (lost, f"The article does not show {format_count(lost, 'embedded content')}."),
        (linked, f"The text now has links in place of {format_count(linked, 'embedded content')}."),
        (
            pictures,
            f"The article does not show {format_count(pictures, 'picture')} that the text itself contains "
            "(data: addresses).",
        ),
    )
    return html, tuple(note for number, note in notes if number)


def _replace_flash_players(html: str) -> tuple[str, int]:
    """Return the HTML with Flash players of YouTube replaced by iframes, and the number of other objects."""
    parts, position, lost = list[str](), 0, 0
    while start := _FLASH_START.search(html, position):
        end = (_OBJECT_END if start[1].lower() == "object" else _TAG_END).search(html, start.end())
        if not end:
            break
        video = _YOUTUBE_PLAYER.search(html, start.start(), end.end())
        if video:
            player = f'<iframe src="https://www.youtube.com/embed/{video[1]}" allowfullscreen></iframe>'
            parts += [html[position : start.start()], player]
        else:
            lost += 1
            parts.append(html[position : end.end()])
        position = end.end()
    return "".join([*parts, html[position:]]), lost


class FeedReader:
    """Reads an export file; the attributes `blog` and `address` are complete when `read_items` has ended."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.blog = ""  #: the number of the blog
        self.address = ""  #: the address of the blog, or "" if the file does not contain it

    def read_items(self) -> Iterator[BloggerItem]:
        """Yield the entries. Raises RefusedFile where the file is not well-formed."""
        builder = ElementBuilder()
        try:
            with open_file(self._path, limit=None) as file:
                chunks = (_CONTROL_CHARACTER.sub("", chunk) for chunk in decode_file(file))
                for element in read_channel(chunks, builder):
                    yield from self._read_element(element)
            if builder.missing_end:
                raise builder.missing_end
        except (SAXException, DefusedXmlException, OSError, ValueError) as error:
            for element in builder.take_elements():
                yield from self._read_element(element)
            line = getattr(error, "getLineNumber", lambda: None)()
            place = f" (line {line:,})" if line else ""
            raise RefusedFile(
                f"The file is damaged or not an export{place}; the entries before the damage were read. "
                "Export the blog again."
            ) from error

    def _read_element(self, element: Element) -> Iterator[BloggerItem]:
        if element.local_name == "entry":
            yield self._make_item(element)
        elif element.local_name == "id":
            self.blog = element.text.strip().rpartition("blog-")[2].partition(".")[0]
        elif element.local_name == "link" and element.attributes.get("rel") == "alternate":
            self.address = element.attributes.get("href", "")

    def _make_item(self, entry: Element) -> BloggerItem:
        item, values = BloggerItem(blog=self.blog, is_too_large=entry.is_too_large), dict[str, str]()
        for child in entry.children:
            name, attributes = child.local_name, child.attributes
            inner = ((f"{name}/{it.local_name}", it.text) for it in child.children)
            for path, text in ((name, child.text), *inner):
                if field := _FIELDS_BY_ELEMENT.get(path):
                    is_joined = field in _JOINED_FIELDS and field in values
                    values[field] = f"{values[field]} {text}" if is_joined else text.strip()
            if name == "category":
                term = attributes.get("term", "")
                if attributes.get("scheme", "").endswith(_KIND_SCHEME):
                    item.kind = term.rpartition("#")[2]
                elif term:
                    item.labels.append(term)
            elif name == "link" and attributes.get("rel") == "alternate":
                item.address = attributes.get("href", "")
            elif name == "enclosure" or (name == "link" and attributes.get("rel") == "enclosure"):
                item.left_behind += ["enclosures"] if attributes else []
            elif name in ("location", "point"):
                item.left_behind.append("locations")
        draft, trashed = values.pop("draft", ""), values.pop("trashed", "")
        for name, text in values.items():
            if text:
                setattr(item, name, text)
        item.kind = (item.kind or item.split_id()[1]).lower()
        if "kind" not in values and "status" not in values:
            # Only exports from Takeout contain a status; other exports only mark drafts.
            item.status = "LIVE" if draft.lower() in ("", "no") else "DRAFT"
        if trashed:
            item.status = "SOFT_TRASHED"
        return item


class BloggerSource(FileSource):
    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(entries, options)
        self.total = self.estimate_items(10_000)
        self.hosts = {*PICTURE_HOSTS, *make_host_set(options.base_url)}
        self.assets = tuple(album for entry in entries for album in _list_albums(entry.path))

    def read_entry(self, entry: Entry) -> Iterator[Item]:
        hosts, counts, is_private = read_blog_overview(entry.path)
        self.hosts |= hosts
        self.left_behind += counts
        if is_private:
            self.notes.append(PRIVATE_BLOG_NOTE.format(entry.key))
        for item in FeedReader(entry.path).read_items():
            if item.kind not in ("post", "page"):
                continue
            try:
                if item.status == "SOFT_TRASHED" and item.make_key() not in self.options.imported_keys:
                    self.left_behind["articles in the trash"] += 1
                    raise NotAnArticle("It was in the trash of Blogger.")
                yield make_record(item, (entry.key, entry.path), self.options, is_private=is_private)
            except (RefusedFile, NotAnArticle) as error:
                yield report_problem(entry.key, error, entry.key, to_title(item.title))


def _list_albums(path: Path) -> list[Path]:
    albums = path.parent.parent.parent / "Albums"
    # Links are ignored, because they could lead to pictures that are not part of the export.
    with suppress(OSError):
        folders = [it for it in sorted(albums.iterdir()) if it.is_dir() and not it.is_symlink()]
        # The album with the name of the blog comes first.
        folders.sort(key=lambda it: it.name != path.parent.name)
        return [] if albums.is_symlink() else folders[:_MAX_ALBUMS]
    return []


def read_blog_overview(export: Path) -> tuple[set[str], Counter[str], bool]:
    """Return the hosts of a blog, the numbers of its items besides articles, and whether it is private.

    An export from Takeout does not contain the host, so the most frequent host in links to posts is used.
    """
    counts, is_private, feed = Counter[str](), False, FeedReader(export)
    paths, links = set[str](), set[tuple[str, str]]()
    # `read_entry` reads the file again, and reports the damage after the intact articles.
    with suppress(RefusedFile):
        for item in feed.read_items():
            if item.kind in _COUNTED_KINDS:
                counts[_COUNTED_KINDS[item.kind]] += 1
            if item.kind == "settings" and item.id.endswith(_ACCESS_SETTING):
                is_private = item.content.strip() != "PUBLIC"
            elif item.kind in ("post", "page"):
                counts.update(item.left_behind)
                paths.add(item.get_path())
                if "//" in item.content:
                    links.update((host.lower(), path) for host, path in _POST_LINK.findall(item.content))
                if item.address.startswith("http"):
                    links.update((host, item.get_path()) for host in make_host_set(item.address))
    linked = Counter(host for host, path in links if path in paths)
    hosts = make_host_set(feed.address) or {host for host, _ in linked.most_common(1)}
    names = {match[1] for host in hosts if (match := _BLOGSPOT_HOST.fullmatch(host))}
    variants = {host for host in linked if (match := _BLOGSPOT_HOST.fullmatch(host)) and match[1] in names}
    return hosts | variants, counts, is_private


def make_host_set(address: str) -> set[str]:
    """Return a set with the host of an address, or an empty set."""
    host = split_address(address).hostname
    return {host} if host else set()


def is_blogger_file(entry: Entry, head: bytes) -> bool:
    return b"<feed" in head and any(hint in head for hint in _ATOM_HINTS)


FORMAT = Format(name="blogger", contract=CONTRACT_VERSION, detect=is_blogger_file, open_source=BloggerSource)
