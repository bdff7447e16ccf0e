"""The items of a Blogger export, and the records of articles that they become."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from urllib.parse import quote

from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord
from blogapi.importing.format_api.hidden_parts import leave_out_hidden
from blogapi.importing.format_api.publication import decide
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts import dates, titles
from blogapi.importing.texts.frames import replace_frames
from blogapi.importing.texts.lines import list_distinct, to_line, to_plain_html, to_title
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.titles import split_address

_STATUSES = {"LIVE": "published", "SCHEDULED": "scheduled", "DRAFT": "draft"}

# Until 2012, players were `<object>` and `<embed>` elements with Flash, which no browser shows any more.
_YOUTUBE = re.compile(r"youtube(?:-nocookie)?\.com/(?:v|embed)/([\w-]{6,20})", re.IGNORECASE)
_FLASH_START = re.compile(r"<(object|embed)\b", re.IGNORECASE)
_OBJECT_END, _TAG_END = re.compile(r"</object\s*>", re.IGNORECASE), re.compile(">")
# Blogger adds a picture that counts visitors to each text.
_TRACKER = re.compile(
    r"<img\b(?>[^<>]*?//blogger\.googleusercontent\.com/tracker/)[^<>]*+>(?:</img>)?", re.IGNORECASE
)
_EMPTY_FOOTER = re.compile(r"<div class=[\"']*blogger-post-footer[\"']*>\s*</div>", re.IGNORECASE)
_INLINE_PICTURE = re.compile(r"\bsrc\s*+=\s*+[\"']?+\s*+data:", re.IGNORECASE)
MAX_TEXT_LENGTH = 16 * 1024 * 1024
_ID = re.compile(
    r"blog-(?P<blog>[^.]*)(?:\.(?P<kind>post|page|comment|layout|settings)\b-?(?P<id>.*))?", re.DOTALL
)
#: The names that Blogger writes for authors without a profile.
_NO_AUTHORS = {"anonymous", "unknown", "noreply"}


@dataclass(slots=True)
class BloggerItem:
    """One entry of an export, as it is written there."""

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
    features: list[str] = field(default_factory=list)  #: names of data that is not imported ("locations")
    is_too_large: bool = False  #: whether parts are missing

    def split_id(self) -> tuple[str, str, str]:
        """Return the number of the blog, the kind and the number of the item; empty where the id lacks
        them.
        """
        match = _ID.search(self.id)
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
    item: BloggerItem,
    source: tuple[str, Path],
    options: ImportOptions,
    *,
    is_private: bool = False,
) -> ArticleRecord:
    """Return the record of a post or page in the file `source` (key and path).

    All articles of a private blog are drafts. Raises RefusedFile for a text that is too long.
    """
    if item.is_too_large or len(item.content) > MAX_TEXT_LENGTH:
        raise RefusedFile(f"It has more than {MAX_TEXT_LENGTH:,} characters; shorten or split it.")
    notes: list[str] = []
    content = item.content.replace("\r\n", "\n").replace("\r", "\n").strip()
    content, hidden, left_out, _ = leave_out_hidden(content, "html", keeps_unclear=True)
    content, lost = convert_embeds(content)
    notes += [*hidden, *lost]
    published_at = dates.parse_date(item.published, options.zones)
    reason = "It was in the trash; the article became a draft." if item.status == "SOFT_TRASHED" else ""
    reason = "The blog was private; the article became a draft." if is_private else reason
    status, reasons = decide(item.status, published_at, options.now, reason, _STATUSES)
    notes += reasons
    path, author = item.get_path(), to_line(unescape(item.author))
    return ArticleRecord(
        key=item.make_key(),
        source=source[0],
        path=source[1],
        title=_find_title(item, content, notes),
        slug=titles.extract_slug(path),
        content=content,
        content_type="html",
        status=status,
        published_at=published_at,
        tags=list_distinct(map(to_title, item.labels)),
        is_page=item.kind == "page",
        authors=(AuthorRecord(name=author),) if author and author.casefold() not in _NO_AUTHORS else (),
        seo_description=to_title(item.description),
        former_paths=(path,) if status == "published" else (),
        addresses=(path,) if path.strip("/") else (),
        left_out=tuple(left_out),
        notes=tuple(notes),
    )


def _find_title(item: BloggerItem, content: str, notes: list[str]) -> str:
    title = to_title(item.title)
    if title:
        return title
    notes.append("It has no title; the title was made from its text or address.")
    return titles.choose_title(to_plain_html(content), titles.extract_slug(item.get_path()))


def convert_embeds(html: str) -> tuple[str, tuple[str, ...]]:
    """Return the HTML with embedded content replaced by players and links, and notes about the changes.

    The picture by which Blogger counts visitors is removed.
    """
    html, lost = _replace_flash(_EMPTY_FOOTER.sub("", _TRACKER.sub("", html)))
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


def _replace_flash(html: str) -> tuple[str, int]:
    """Return the HTML with Flash players of YouTube replaced by frames, and the number of other objects."""
    parts, position, lost = list[str](), 0, 0
    while start := _FLASH_START.search(html, position):
        end = (_OBJECT_END if start[1].lower() == "object" else _TAG_END).search(html, start.end())
        if not end:
            break
        video = _YOUTUBE.search(html, start.start(), end.end())
        if video:
            player = f'<iframe src="https://www.youtube.com/embed/{video[1]}" allowfullscreen></iframe>'
            parts += [html[position : start.start()], player]
        else:
            lost += 1
            parts.append(html[position : end.end()])
        position = end.end()
    return "".join([*parts, html[position:]]), lost
