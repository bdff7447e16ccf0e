"""Reads the exports of Ghost, from version 0.x to 6.x: JSON files with the tables of its database."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from blogapi.importing.format_api.article_record import TermRecord
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.format_api.report import Item, report_problem
from blogapi.importing.format_api.source import FileSource, ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.ghost.article_records import MAX_TAG_LENGTH, PostReader, make_key
from blogapi.importing.formats.ghost.redirects import read_redirects
from blogapi.importing.formats.ghost.tables import Tables, read_rows
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.lines import to_line, to_mapping
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.titles import split_address

# The usual number of bytes of a post, which the export contains as lexical, HTML and plain text.
_BYTES_PER_POST = 16 * 1024
# Every export of Ghost itself begins with `db` or `meta`, which has the time of the export.
_DATABASE = re.compile(r'\{\s*+"db"\s*+:\s*+\[?+\s*+\{\s*+"(?:meta|data)"\s*+:')
# Some exports of 0.x and of migration tools; the first tables can be longer than the head of the file.
_DATA = re.compile(r'\{\s*+"data"\s*+:\s*+\{')
_TABLE = re.compile(r'"(?:posts|posts_(?:tags|authors|meta)|users|roles_users|tags|settings)"\s*+:\s*+\[')
_META = re.compile(r'"exported_on"\s*:')
# Exports of other tools, and responses of Ghost's API.
_POSTS = re.compile(r'"posts"\s*:\s*\[')
_BODY = re.compile(r'"(?:mobiledoc|lexical|markdown|feature_image)"\s*:')
_SLUG = re.compile(r'"slug"\s*:')


class GhostSource(FileSource):
    """Reads the exports of Ghost in an import."""

    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(entries, options)
        self.total = sum(map(_estimate_posts, entries))
        address = split_address(options.base_url)
        self.hosts = {f"{address.netloc}{address.path}".rstrip("/").lower()} if address.netloc else set()
        self.terms: list[TermRecord] = []
        self.assets = list(dict.fromkeys(path for entry in entries for path in _list_folders(entry.path)))

    def read_entry(self, entry: Entry) -> Iterator[Item]:
        """Yield a record or a report for each post in an export."""
        (rows, has_invalid_bytes), tables = read_rows(entry.path), Tables()
        tables.read(rows)
        if not tables.posts:
            raise RefusedFile("It contains no posts; choose “Export content” in the settings of Ghost.")
        redirects = read_redirects(entry.path.parent)
        posts = PostReader(entry, tables, redirects, self.options, self.left_behind)
        for number, row in enumerate(tables.posts, 1):
            yield from _read_post(posts, row, number, entry)
        tables.others["redirects"] += redirects.count_left()
        names = {author.name.casefold() for author in tables.users.values()}
        tables.others["users without posts"] += len(names - posts.authors.keys())
        if has_invalid_bytes:
            self.notes.append(f"“{entry.key}” is not valid UTF-8; the invalid bytes became “\ufffd”.")
        if tables.is_private:
            self.notes.append(
                f"“{entry.key}” is the export of a private blog; all its articles become drafts."
            )
        self._add_summary(tables, posts, entry)

    def _add_summary(self, tables: Tables, posts: PostReader, entry: Entry) -> None:
        self.hosts |= posts.hosts
        self.left_behind.update(+tables.others)
        self.terms += [
            TermRecord(kind="tag", name=tag.name[:MAX_TAG_LENGTH], fields=tag.fields)
            for tag in tables.tags.values()
            if not tag.is_internal
        ]
        for author in posts.authors.values():
            fields = {"bio": author.bio, "url": author.url, "avatar": author.avatar}
            filled = {name: value for name, value in fields.items() if value}
            self.terms.append(TermRecord(kind="author", name=author.name, fields=filled))
        if posts.without_author:
            number = format_count(posts.without_author, "post")
            self.notes.append(
                f"“{entry.key}” has {number} whose author it does not contain; the user who imports is the "
                "author."
            )


def _read_post(posts: PostReader, row: object, number: int, entry: Entry) -> Iterator[Item]:
    try:
        yield posts.read(row)
    except RefusedFile as error:
        post = to_mapping(row)
        key, title = make_key(post) or f"ghost:{number}", to_line(post.get("title")) or f"Post {number:,}"
        yield report_problem(key, error, entry.key, title)


def _estimate_posts(entry: Entry) -> int:
    try:
        return max(1, entry.path.stat().st_size // _BYTES_PER_POST)
    except (OSError, ValueError):
        return 1


def _list_folders(export: Path) -> list[Path]:
    """Return the folders in which pictures are looked up: those around an export in a copy of Ghost."""
    folder = export.parent.parent if export.parent.name == "data" else export.parent
    return [export.parent, folder, *([folder.parent] if folder.name == "content" else [])]


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether a file is an export of Ghost; `head` has its first bytes."""
    is_utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = head.decode("utf-16" if is_utf16 else "utf-8-sig", "replace").lstrip()
    if not text.startswith("{"):
        return False
    has_posts = _POSTS.search(text) and _BODY.search(text) and _SLUG.search(text)
    has_tables = _DATA.match(text) and _TABLE.search(text)
    return bool(_DATABASE.match(text) or _META.search(text) or has_posts or has_tables)


FORMAT = Format(name="ghost", contract=CONTRACT_VERSION, detect=detect, open_source=GhostSource)
