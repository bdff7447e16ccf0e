"""Read an export of Notion: pages as Markdown or HTML, and databases as CSV.

The name of each file ends with the id of its page: `My page 0123456789abcdef0123456789abcdef.md`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from blogapi.importing.format_api import files as folder
from blogapi.importing.format_api.article_record import PUBLIC_STATUSES, ArticleRecord, TermRecord
from blogapi.importing.format_api.report import Item, read_item, report_problem
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader
from blogapi.importing.formats.notion import pages
from blogapi.importing.formats.notion.databases import Database, parse_database
from blogapi.importing.formats.notion.publication import is_public
from blogapi.importing.refusals import NotAnArticle
from blogapi.importing.texts.lines import decode, to_line

#: The name of a page or database ends with its id.
FILE_NAME = re.compile(
    r"(?:(?P<title>.*) )?(?P<id>[0-9a-f]{32})(?P<all>_all)?\.(?P<suffix>md|html|csv)", re.DOTALL
)
_FOLDER_ID = re.compile(r" ?[0-9a-f]{32}$")
_OTHER_FILE = "It is not a page or a database of Notion: its name does not end with an id."
_PRIVATE = (
    "No property of the page in Notion says that it is public; the article became a draft "
    "(--publish-undated publishes it)."
)


class NotionSource:
    """The pages and databases of an export (see `sources.Source`)."""

    def __init__(self, entries: Sequence[folder.Entry], options: ImportOptions) -> None:
        self.total = len(entries)
        self.hosts = {"notion.so"}
        self.terms: Sequence[TermRecord] = ()
        self.left_behind = Counter[str]()
        self.unread_rules = ""
        self.notes: Sequence[str] = ()
        self.assets: Sequence[Path] = ()
        self._options = options
        matches = [(entry, FILE_NAME.fullmatch(entry.path.name)) for entry in entries]
        files = [(entry, match.groupdict()) for entry, match in matches if match]
        # With `--format notion`, there can be other files.
        self._others = [entry for entry, match in matches if match is None]
        self._pages = [(entry, name) for entry, name in files if name["suffix"] != "csv"]
        self._tables = [(entry, name) for entry, name in files if name["suffix"] == "csv"]
        self._ids = {name["id"] for _, name in self._pages}
        self._databases = dict(self._read_databases())
        #: The databases by the folder that contains the pages of their rows.
        self._folders: dict[str, Database] = {}
        for entry, name in self._tables:
            if name["id"] in self._databases:
                outer = str(PurePosixPath(entry.key).parent)
                # Newer exports leave the id out of the names of folders.
                for inner in (f"{name['title'] or ''} {name['id']}".strip(), name["title"]):
                    self._folders[f"{outer}/{inner}"] = self._databases[name["id"]]
        self._shown: set[str] = set()

    def read(self) -> Iterator[Item]:
        """Yield the record of each page, then a record or a report for each database."""
        for entry in self._others:
            yield report_problem(entry.key, entry.problem or NotAnArticle(_OTHER_FILE))
        for entry, name in self._pages:
            yield read_item(entry.key, partial(self._read_page, entry, name))
        for entry, name in self._tables:
            yield read_item(entry.key, partial(self._read_table, entry, name))

    def _read_databases(self) -> Iterator[tuple[str, Database]]:
        for entry, name in self._tables:
            # The other file has the rows that the view of the database shows.
            if not name["all"] and not entry.problem:
                yield name["id"], parse_database(entry.path)

    def _read_page(self, entry: folder.Entry, name: Mapping[str, Any]) -> ArticleRecord:
        if entry.problem:
            raise entry.problem
        text, notes = decode(folder.read_bytes(entry.path))
        if name["suffix"] == "html":
            page = pages.parse_html(text)
        else:
            database = self._folders.get(str(PurePosixPath(entry.key).parent))
            page = pages.parse_markdown(text, database.columns if database else ())
            page.body = self._insert_tables(page.body)
        if page.properties and not page.body.strip():
            raise NotAnArticle("It is a row of a database without a text; the table of the database has it.")
        page.body = pages.replace_addresses(page.body, self._ids)
        record = self._make_record(entry, name, page)
        return replace(record, notes=(*notes, *page.notes, *record.notes))

    def _read_table(self, entry: folder.Entry, name: Mapping[str, Any]) -> ArticleRecord:
        if entry.problem:
            raise entry.problem
        database = self._databases.get(name["id"])
        if name["all"] and database:
            raise NotAnArticle("It has all rows of a database; the rows of its view are imported.")
        if name["id"] in self._shown | self._ids:
            raise NotAnArticle("It is a database; its table is in the page that shows it.")
        database = database or parse_database(entry.path)
        page = pages.Page(title=to_line(name["title"]), body=database.make_table())
        return self._make_record(entry, {**name, "suffix": "md"}, page)

    def _insert_tables(self, markdown: str) -> str:
        def replace_link(id_: str) -> str | None:
            database = self._databases.get(id_)
            if database is None:
                return None
            self._shown.add(id_)
            return database.make_table()

        return pages.insert_tables(markdown, replace_link)

    def _make_record(self, entry: folder.Entry, name: Mapping[str, Any], page: pages.Page) -> ArticleRecord:
        options = self._options
        # The ids of the folders and of the file say nothing about the article.
        folders = [_FOLDER_ID.sub("", part) for part in entry.key.split("/")[:-1]]
        record = reader.parse_file(
            "/".join((*folders, f"{name['title'] or page.title or 'untitled'}.{name['suffix']}")),
            pages.to_front_matter(page),
            replace(options, publish_undated=True),
        )
        is_undecided = record.status in PUBLIC_STATUSES and not is_public(page.properties)
        is_private = is_undecided and not options.publish_undated
        return replace(
            record,
            key=f"notion:{name['id']}",
            source=entry.key,
            path=entry.path,
            status="draft" if is_private else record.status,
            addresses=(*record.addresses, f"/{entry.key}", f"/{name['id']}"),
            has_templates=False,
            is_undated=is_undecided,
            notes=(*record.notes, _PRIVATE) if is_private else record.notes,
        )
