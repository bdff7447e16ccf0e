"""Read an export of Notion: pages as Markdown or HTML, and databases as CSV.

The name of each file ends with the id of its page: `My page 0123456789abcdef0123456789abcdef.md`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from blogapi.importing.format_api.article_record import PUBLIC_STATUSES, ArticleRecord
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.format_api.privacy_signs import (
    NOTION_PUBLIC_STATUSES,
    NOTION_PUBLISHING_FIELDS,
    NOTION_STATUS_FIELDS,
)
from blogapi.importing.format_api.source import FileSource, ImportOptions
from blogapi.importing.format_api.source_files import Entry, read_bytes
from blogapi.importing.formats.markdown import reader
from blogapi.importing.formats.notion import pages
from blogapi.importing.formats.notion.pages import Database, parse_database
from blogapi.importing.refusals import NotAnArticle
from blogapi.importing.texts.lines import decode, normalize_key, to_bool, to_line


def is_public(properties: Mapping[str, Any]) -> bool:
    """Return whether a property of a page says that it is public."""
    values = {normalize_key(name): value for name, value in properties.items()}
    has_flag = any(to_bool(values.get(name)) for name in NOTION_PUBLISHING_FIELDS)
    statuses = (to_line(values.get(name)).casefold() for name in NOTION_STATUS_FIELDS)
    return has_flag or any(status in NOTION_PUBLIC_STATUSES for status in statuses)


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


class NotionSource(FileSource):
    """Reads the pages and databases of an export."""

    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        matches = [(entry, FILE_NAME.fullmatch(entry.path.name)) for entry in entries]
        files = [(entry, match.groupdict()) for entry, match in matches if match]
        # With `--format notion`, there can be other files.
        others = [entry for entry, match in matches if match is None]
        pages = [(entry, name) for entry, name in files if name["suffix"] != "csv"]
        tables = [(entry, name) for entry, name in files if name["suffix"] == "csv"]
        # Pages are read first, because a table that a page shows is left out later.
        super().__init__([*others, *(entry for entry, _ in (*pages, *tables))], options)
        self.hosts = {"notion.so"}
        self._names = dict(files)
        self._ids = {name["id"] for _, name in pages}
        self._databases = {
            # Skip the file with all rows; the other file has the rows of the database's view.
            name["id"]: parse_database(entry.path)
            for entry, name in tables
            if not (name["all"] or entry.problem)
        }
        #: The databases by the folder that contains the pages of their rows.
        self._folders: dict[str, Database] = {}
        for entry, name in tables:
            if name["id"] in self._databases:
                outer = str(PurePosixPath(entry.key).parent)
                # In newer exports, names of folders do not contain the id.
                for inner in (f"{name['title'] or ''} {name['id']}".strip(), name["title"]):
                    self._folders[f"{outer}/{inner}"] = self._databases[name["id"]]
        self._shown: set[str] = set()

    def read_entry(self, entry: Entry) -> tuple[ArticleRecord]:
        """Return the record of a page, or of a database that no page shows."""
        name = self._names.get(entry)
        if name is None:
            raise NotAnArticle(_OTHER_FILE)
        return (self._read_table(entry, name) if name["suffix"] == "csv" else self._read_page(entry, name),)

    def _read_page(self, entry: Entry, name: Mapping[str, Any]) -> ArticleRecord:
        text, notes = decode(read_bytes(entry.path))
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

    def _read_table(self, entry: Entry, name: Mapping[str, Any]) -> ArticleRecord:
        database = self._databases.get(name["id"])
        if name["all"] and database:
            raise NotAnArticle("It has all rows of a database; the rows of its view are imported.")
        if name["id"] in self._shown | self._ids:
            raise NotAnArticle("It is a database; its table is in the page that shows it.")
        database = database or parse_database(entry.path)
        page = pages.NotionPage(title=to_line(name["title"]), body=database.make_table())
        return self._make_record(entry, {**name, "suffix": "md"}, page)

    def _insert_tables(self, markdown: str) -> str:
        def replace_link(id_: str) -> str | None:
            database = self._databases.get(id_)
            if database is None:
                return None
            self._shown.add(id_)
            return database.make_table()

        return pages.insert_tables(markdown, replace_link)

    def _make_record(self, entry: Entry, name: Mapping[str, Any], page: pages.NotionPage) -> ArticleRecord:
        # The ids of the folders and of the file say nothing about the article.
        folders = [_FOLDER_ID.sub("", part) for part in entry.key.split("/")[:-1]]
        record = reader.parse_file(
            "/".join((*folders, f"{name['title'] or page.title or 'untitled'}.{name['suffix']}")),
            pages.to_front_matter(page),
            replace(self.options, publish_undated=True),
        )
        is_undecided = record.status in PUBLIC_STATUSES and not is_public(page.properties)
        is_private = is_undecided and not self.options.publish_undated
        return replace(
            record,
            key=f"notion:{name['id']}",
            source=entry.key,
            path=entry.path,
            status="draft" if is_private else record.status,
            addresses=(*record.addresses, f"/{entry.key}", f"/{name['id']}"),
            has_templates=False,
            is_undated=is_undecided,
            left_out=(*page.left_out, *record.left_out),
            notes=(*record.notes, _PRIVATE) if is_private else record.notes,
        )


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether a file is a page or a database of Notion."""
    return FILE_NAME.fullmatch(entry.path.name) is not None


FORMAT = Format(name="notion", contract=CONTRACT_VERSION, detect=detect, open_source=NotionSource)
