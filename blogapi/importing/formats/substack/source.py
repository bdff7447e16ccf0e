"""Read an export of Substack: the table `posts.csv`, and the text of each post in the folder `posts`."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.page_text import read_visible_html, remove_wrappers
from blogapi.importing.format_api.privacy import choose_status
from blogapi.importing.format_api.privacy_signs import SUBSTACK_AUDIENCES, SUBSTACK_PAYWALL
from blogapi.importing.format_api.report import FileReport, Item, Result
from blogapi.importing.format_api.source import CONTRACT_VERSION, FileSource, Format, ImportOptions
from blogapi.importing.format_api.source_files import Entry, read_bytes, read_head
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.texts import dates, titles
from blogapi.importing.texts.lines import decode_text, html_to_line, to_bool, to_http_url, to_title
from blogapi.importing.texts.titles import split_address

_BUTTON = re.compile(
    r'<(?P<name>p|div)\b(?>[^<>]*?class="[^"<>]*?\bbutton-wrapper\b)[^<>]*+>'
    r"(?P<content>(?:[^<]++|<(?!/?(?:p|div)\b))*+)</(?P=name)>"
)
# Addresses with which readers subscribe, share and comment on Substack.
_SUBSTACK_ADDRESS = re.compile(
    r"%%|/subscribe\b|/comments?\b|[?&]action=|/account\b|/leaderboard\b|/gift\b|/survey\b|/chat\b"
)
_HREF = re.compile(r'\shref="([^"]*)"')
# A tweet is a <div> whose `data-attrs` contains the address.
_TWEET = re.compile(r'<div\b(?>[^<>]*?class="[^"<>]*?\btweet\b)(?>[^<>]*?\sdata-attrs=")(?P<data>[^"<>]*+)"')
_PICTURE_ADDRESS = re.compile(
    r'(?<=["\s])https://(?:substackcdn\.com|cdn\.substack\.com)/image/fetch/[^"\s]{0,500}?/(https?%3A[^"\s/]*)'
)
_EMPTY_PARAGRAPH = re.compile(r"<p>\s*+</p>\s*+")

TABLE_NAME = "posts.csv"
TABLE_START = re.compile(rb"(?:\xef\xbb\xbf)?\"?post_id\"?,")
# Matches `123456.my-post.html`; the names of drafts often have no slug.
POST_NAME = re.compile(r"(?P<id>[0-9]{1,20})(?:\.(?P<slug>.+))?\.html")
# Types of posts that do not become tags.
_ORDINARY_TYPES = {"", "newsletter", "page"}


def convert_post_html(html: str) -> tuple[str, set[str], list[str], list[str]]:
    """Return the text of a post, the hosts in its buttons, notes, and the parts that browsers did not show.

    Raises RefusedFile if the HTML would take too long to parse.
    """
    html, notes, left_out = read_visible_html(html)
    hosts = set[str]()

    def replace_button(button: re.Match[str]) -> str:
        href = _HREF.search(button["content"])
        address = unescape(href[1]) if href else ""
        if address and not _SUBSTACK_ADDRESS.search(address):
            return f"<p>{button['content']}</p>"
        host = split_address(address).hostname
        if address.partition("?")[0].endswith("/subscribe") and host:
            hosts.add(host)
        return ""

    html = _TWEET.sub(_link_tweet, _BUTTON.sub(replace_button, html))
    html, replaced = remove_wrappers(_PICTURE_ADDRESS.sub(lambda address: escape(unquote(address[1])), html))
    return _EMPTY_PARAGRAPH.sub("", html).strip(), hosts, notes + replaced, left_out


def _link_tweet(tweet: re.Match[str]) -> str:
    address = ""
    with suppress(ValueError, RecursionError, AttributeError):
        address = json.loads(unescape(tweet["data"])).get("url")
    is_address = isinstance(address, str) and address.startswith("https://")
    link = f'<p><a href="{escape(address)}">{escape(address)}</a></p>' if is_address else ""
    return link + tweet[0]


@lru_cache(maxsize=1024)
def find_post_table(posts: Path) -> Path | None:
    """Return the `posts.csv` in a folder with posts or in its parent folder, or None."""
    for path in (posts.parent / TABLE_NAME, posts / TABLE_NAME):
        with suppress(RefusedFile):
            if TABLE_START.match(read_head(path, 64)):
                return path
    return None


def _is_table(entry: Entry) -> bool:
    return entry.path.name == TABLE_NAME


class SubstackSource(FileSource):
    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(sorted(entries, key=lambda entry: not _is_table(entry)), options)
        #: None = the table cannot be read
        self._tables: dict[Path, dict[str, Mapping[str, str]] | None] = {}

    def read(self) -> Iterator[Item]:
        """Yield the record of each post, and a report for each file or row without a record."""
        yield from super().read()
        # The table also lists posts without a file, for example empty drafts.
        found = {entry.path.stem for entry in self.entries}
        for entry in filter(_is_table, self.entries):
            for key, row in (self._tables.get(entry.path) or {}).items():
                if key not in found:
                    note = "The export contains no text for this post, which can be an empty draft."
                    name = f"{entry.key}:{key}"
                    yield FileReport(name, Result.SKIPPED, notes=(note,), title=to_title(row.get("title")))

    def read_entry(self, entry: Entry) -> Sequence[Item]:
        """Return the record of a post. For `posts.csv`, load its rows and return no record."""
        if not _is_table(entry):
            return [self._read_post(entry)]
        self._get_rows(entry.path)
        return []

    def _get_rows(self, table: Path) -> Mapping[str, Mapping[str, str]]:
        """Return the rows of a table by `post_id`, which is also the name of the file."""
        if table not in self._tables:
            self._tables[table] = None
            text, _ = decode_text(read_bytes(table))
            try:
                rows = list(csv.DictReader(io.StringIO(text, newline="")))
            except csv.Error as error:
                reason = f"`{TABLE_NAME}` cannot be read ({error}); export the posts again."
                raise RefusedFile(reason) from error
            self._tables[table] = {row["post_id"]: row for row in rows if row.get("post_id")}
        if (found := self._tables[table]) is None:
            raise RefusedFile(f"`{TABLE_NAME}` cannot be read; export the posts again.")
        return found

    def _read_post(self, entry: Entry) -> ArticleRecord:
        match, table = POST_NAME.fullmatch(entry.path.name), find_post_table(entry.path.parent)
        if match is None or table is None:
            raise NotAnArticle("It is not a post: the posts of an export are beside or below `posts.csv`.")
        rows = self._get_rows(table)
        row = rows.get(entry.path.stem) or rows.get(match["id"])
        kind = (row or {}).get("type") or ""
        html, notes = decode_text(read_bytes(entry.path))
        text, hosts, changes, left_out = convert_post_html(html)
        # The export has the address of the newsletter only in buttons.
        self.hosts |= hosts
        audience, reason = (row or {}).get("audience") or "unknown", ""
        if row is None:
            reason = f"`{TABLE_NAME}` does not contain it; the article became a draft."
        elif audience != "everyone" or SUBSTACK_PAYWALL.search(html):
            readers = SUBSTACK_AUDIENCES.get(audience, "some readers")
            reason = f"It is for {readers} only; the article became a draft."
        slug, row = match["slug"] or "", row or {"is_published": "true"}
        published_at = dates.parse_date(row.get("post_date"), self.options.zones)
        given = "published" if to_bool(row.get("is_published")) else "draft"
        status, reasons = choose_status(given, published_at, self.options.now, reason)
        audio = to_http_url(row.get("podcast_url"))
        player = f'<p><audio controls src="{escape(audio)}"></audio></p>\n' if audio else ""
        return ArticleRecord(
            key=f"substack:{match['id']}",
            source=entry.key,
            path=entry.path,
            title=to_title(row.get("title"))
            or titles.choose_title(html_to_line(text), titles.make_title(slug)),
            subtitle=to_title(row.get("subtitle")),
            slug=slug,
            content=player + text,
            content_type="html",
            status=status,
            published_at=published_at,
            tags=() if kind in _ORDINARY_TYPES else (kind,),
            is_page=kind == "page",
            former_paths=(f"/p/{slug}",) if slug else (),
            addresses=(f"/p/{slug}",) if slug else (),
            left_out=tuple(left_out),
            notes=(*notes, *changes, *reasons),
        )


def is_export_file(entry: Entry, head: bytes) -> bool:
    """Return whether a file is the table of an export, or a post that is beside it."""
    if entry.path.name == TABLE_NAME:
        return TABLE_START.match(head) is not None
    return POST_NAME.fullmatch(entry.path.name) is not None and find_post_table(entry.path.parent) is not None


FORMAT = Format(name="substack", contract=CONTRACT_VERSION, detect=is_export_file, open_source=SubstackSource)
