"""Read an export of Notion: pages as Markdown or HTML, and databases as CSV.

The name of each file ends with the id of its page: `My page 0123456789abcdef0123456789abcdef.md`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import takewhile
from pathlib import Path
from typing import Any

from blogapi.importing.format_api import privacy, privacy_signs
from blogapi.importing.format_api.article_record import PUBLIC_STATUSES, ArticleRecord
from blogapi.importing.format_api.page_text import read_visible_html, remove_wrappers
from blogapi.importing.format_api.source import CONTRACT_VERSION, FileSource, Format, ImportOptions
from blogapi.importing.format_api.source_files import Entry, read_bytes
from blogapi.importing.formats.markdown import reader
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.texts import dates
from blogapi.importing.texts.lines import decode_text, normalize_key, to_bool, to_line

#: The maximum number of rows in a table.
MAX_TABLE_ROWS = 1_000
_MARKUP_CHARACTER = re.compile(r"([\\|<>*\[\]`])")
# The path after the name of a page in a relation: `Ada (People/Ada%200123….md)`.
_RELATION = re.compile(r" \([^()]{0,2000}[0-9a-f]{32}[^()]{0,200}\)")

#: Properties whose values are lists of names, which Notion separates with commas.
_LIST_PROPERTIES = {"tags", "tag", "categories", "category", "keywords", "authors", "author"}
_DATE = re.compile(
    r"@?(?P<day>[A-Za-z]{3,9} [0-9]{1,2}, [0-9]{4}|[0-9]{4}[/-][0-9]{2}[/-][0-9]{2})"
    r"(?: (?P<time>[0-9]{1,2}:[0-9]{2})(?: (?P<half>[AP]M))?)?"
    r"(?P<utc> \((?:UTC|GMT)(?P<zone>[+-][0-9]{1,2}(?::[0-9]{2})?)?\))?(?: → .*)?"
)
# Matches `5 janvier 2020`, `5. Januar 2020` and `5 de enero de 2020`.
_LOCAL_DATE = re.compile(
    r"@?(?P<day>[0-9]{1,2})[.º]?(?: de)? (?P<month>[^\W\d_]{3,12})\.?(?: de)? (?P<year>[0-9]{4})"
)
# The beginnings of the names of the months in several languages.
_MONTH_NAMES = """jan ene gen янв; feb fév fev фев; mar mär mrt мар; apr avr abr апр; mai may mei mag мая май;
    jun juin giu июн; jul juil lug июл; aug août aoû ago авг; sep set сен; oct okt out ott окт; nov ноя;
    dec déc dez dic дек"""
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split(";"), 1) for name in names.split()}
_PAGE_ADDRESS = re.compile(
    r"https://(?:www\.)?notion\.so/(?:[\w%.-]{1,200}/)?(?:[\w%.-]{0,300}-)?([0-9a-f]{32})(?![\w%.-])(?:\?[\w&=%-]*)?"
)
_DATABASE_LINK = re.compile(r"\[[^\n]*\]\([^()\s]*?([0-9a-f]{32})(?:_all)?\.csv\)")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_TITLE_START = re.compile(r'<h1\b[^<>]*class="page-title"[^<>]*>')
_DESCRIPTION_START = re.compile(r'<p\b[^<>]*class="page-description"[^<>]*>')
_COVER_IMAGE = re.compile(r'<img\b(?>[^<>]*?class="page-cover-image")(?>[^<>]*?\ssrc=")([^"<>]++)"')
_PROPERTY_ROW = re.compile(r'<tr\b[^<>]*class="property-row')
_VALUE = re.compile(r'<span\b[^<>]*class="(?:selected-value|user)[^<>]*>((?:[^<]++|<(?!/?span))*+)</span>')
_BODY_START = re.compile(r'<div\b[^<>]*class="page-body"[^<>]*>')
_TAG = re.compile(r"<[^<>]*>")
#: Matches the file name of a page or database, which ends with its id.
FILE_NAME = re.compile(
    r"(?:(?P<title>.*) )?(?P<id>[0-9a-f]{32})(?P<all>_all)?\.(?P<suffix>md|html|csv)", re.DOTALL
)
_FOLDER_ID = re.compile(r" ?[0-9a-f]{32}$")
_PRIVATE_NOTE = "No property makes it public; the article became a draft (--publish-undated publishes it)."
_FIRST_LINES_NOTE = "The first lines of its text say that it is not public; the article became a draft."
_TABLE_NOTE = "It is a database, whose rows can contain drafts; the article became a draft."


@dataclass(frozen=True, slots=True)
class Database:
    """The columns of a database, the title first, and the texts of its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def make_table(self) -> str:
        """Return the Markdown table of the first rows; "" if the database has no columns."""
        if not self.columns:
            return ""
        lines = (self.columns, *self.rows[:MAX_TABLE_ROWS])
        texts = ([_MARKUP_CHARACTER.sub(r"\\\1", _RELATION.sub("", text)) for text in line] for line in lines)
        head, *rows = map(" | ".join, texts)
        table = "\n".join(f"| {line} |" for line in (head, " | ".join(["---"] * len(self.columns)), *rows))
        left_out = len(self.rows) - MAX_TABLE_ROWS
        return f"{table}\n\n… {left_out:,} more" if left_out > 0 else table


def parse_database(path: Path) -> Database:
    """Return the database in a file; it has no columns if the file is unreadable, which is reported later."""
    try:
        text, _ = decode_text(read_bytes(path))
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except (RefusedFile, csv.Error):
        return Database((), ())
    columns = tuple(map(to_line, lines[0])) if lines else ()
    rows = (tuple(map(to_line, line[: len(columns)])) for line in lines[1:])
    return Database(columns, tuple(row + ("",) * (len(columns) - len(row)) for row in rows if any(row)))


@dataclass(slots=True)
class NotionPage:
    """A page or a database; `body` is Markdown or HTML without the title and the properties."""

    title: str
    body: str
    properties: dict[str, str | list[str]] = field(default_factory=dict)
    subtitle: str = ""
    cover: str = ""
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def parse_markdown_page(text: str, columns: Collection[str]) -> NotionPage:
    """Return the page in a Markdown text; `columns` names its properties if it is a row of a database."""
    lines = text.strip("\n").split("\n")
    title = lines.pop(0)[2:].strip() if lines[0].startswith("# ") else ""
    page = NotionPage(title=title, body="")
    start = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    pairs = (line.partition(": ") for line in takewhile(str.strip, lines[start:]))
    named = list(takewhile(lambda pair: pair[0].removesuffix(":") in columns, pairs))
    page.properties = {name.removesuffix(":"): _read_property_value(name, value) for name, _, value in named}
    texts, is_callout = [], False
    for line, is_text in _classify_lines(lines[start + len(named) :]):
        if is_text and line.strip() in ("<aside>", "</aside>"):
            is_callout = line.strip() == "<aside>"
            texts.append("")
        else:
            texts.append(f"> {line}".rstrip() if is_callout else line)
    page.body = "\n".join(texts).strip("\n")
    return page


def parse_html_page(html: str) -> NotionPage:
    """Parse the HTML of a page. Raises RefusedFile if it has no text or would take too long to parse."""
    start = _BODY_START.search(html)
    if start is None:
        raise RefusedFile("It has no text of a page; export the page from Notion again.")
    head, end = html[: start.start()], html.rfind("</article>")
    body, notes, left_out = read_visible_html(html[start.end() : end if end > start.end() else len(html)])
    cover = _COVER_IMAGE.search(head)
    return NotionPage(
        title=_read_element_text(head, _TITLE_START, "</h1>"),
        body=remove_wrappers(body)[0],
        properties=dict(filter(None, map(_read_property, _PROPERTY_ROW.split(head)[1:]))),
        subtitle=_read_element_text(head, _DESCRIPTION_START, "</p>"),
        cover=unescape(cover[1]) if cover else "",
        notes=notes,
        left_out=left_out,
    )


def _read_property_value(name: str, value: str) -> str | list[str]:
    value, key = to_line(value), normalize_key(name.removesuffix(":"))
    if key in _LIST_PROPERTIES:
        return [part.strip() for part in value.split(",") if part.strip()]
    return _to_iso_date(value, is_field=key not in {*privacy_signs.DATE_FIELDS, *privacy_signs.EXPIRY_FIELDS})


def _to_iso_date(value: str, *, is_field: bool) -> str:
    """Return a date as ISO 8601 (for a custom field, in UTC), and any other value as it is."""
    if found := _LOCAL_DATE.fullmatch(value):
        month = _MONTHS.get(found["month"].casefold()[:4]) or _MONTHS.get(found["month"].casefold()[:3])
        return f"{found['year']}-{month:02}-{int(found['day']):02}" if month else value
    match = _DATE.fullmatch(value)
    day = dates.parse_date(match["day"]) if match else None
    if not match or not day:
        return value
    hour, _, minute = (match["time"] or "0:00").partition(":")
    number = int(hour) % 12 + 12 * (match["half"] == "PM") if match["half"] else int(hour)
    time = f"{day:%Y-%m-%d} {number:02}:{minute}:00"
    if not (match["utc"] or is_field):
        return time if match["time"] else f"{day:%Y-%m-%d}"
    zone = match["zone"] or "+0"
    hours, _, minutes = zone[1:].partition(":")
    return f"{time} {zone[0]}{int(hours):02}:{minutes or '00'}"


def _read_element_text(html: str, start: re.Pattern[str], end: str) -> str:
    match = start.search(html)
    return _to_text(html[match.end() :].partition(end)[0]) if match else ""


def _to_text(html: str) -> str:
    return to_line(unescape(_TAG.sub("", html)))


def _read_property(row: str) -> tuple[str, str | list[str]] | None:
    header, _, rest = row.partition("</th>")
    name, value = _to_text(header.partition("<th")[2].partition(">")[2]), rest.partition("</td>")[0]
    if not name:
        return None
    if "checkbox-" in value:
        return name, "Yes" if "checkbox-on" in value else "No"
    values = [_to_text(part) for part in _VALUE.findall(value)]
    text = ", ".join(values) if values else _to_text(value)
    return name, _read_property_value(name, text)


def _classify_lines(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether the line is outside of fenced code blocks."""
    fence = ""
    for line in lines:
        match = _FENCE.match(line)
        yield line, not (fence or match)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence) and line.strip() == match[1]:
            fence = ""


class NotionSource(FileSource):
    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        matches = [(entry, FILE_NAME.fullmatch(entry.path.name)) for entry in entries]
        files = [(entry, match.groupdict()) for entry, match in matches if match]
        # With `--format notion`, there can be other files.
        others = [entry for entry, match in matches if match is None]
        tables = [(entry, name) for entry, name in files if name["suffix"] == "csv"]
        # Pages are read first, because a database whose table is in a page does not become an article.
        files.sort(key=lambda file: file[1]["suffix"] == "csv")
        super().__init__([*others, *(entry for entry, _ in files)], options)
        self.hosts = {"notion.so"}
        self._name_parts = dict(files)
        self._ids = {name["id"] for _, name in files if name["suffix"] != "csv"}
        # The databases by id, without the files with all rows; another file has the rows of the view.
        self._databases: dict[str, Database] = {}
        #: The columns of databases, with hidden columns, by the folder that contains the pages of the rows.
        self._columns = defaultdict[Path, set[str]](set)
        for entry, name in tables:
            database = parse_database(entry.path)
            if not (name["all"] or entry.problem):
                self._databases[name["id"]] = database
            # In newer exports, names of folders do not contain the id.
            for folder in filter(None, (f"{name['title'] or ''} {name['id']}".strip(), name["title"])):
                self._columns[entry.path.parent / folder].update(database.columns)
        self._shown_ids: set[str] = set()

    def read_entry(self, entry: Entry) -> tuple[ArticleRecord]:
        """Return the record of a page, or of a database that no page shows."""
        name = self._name_parts.get(entry)
        if name is None:
            raise NotAnArticle("It is not a page or a database of Notion: its name does not end with an id.")
        return (self._read_table(entry, name) if name["suffix"] == "csv" else self._read_page(entry, name),)

    def _read_page(self, entry: Entry, name: Mapping[str, Any]) -> ArticleRecord:
        text, notes = decode_text(read_bytes(entry.path))
        if name["suffix"] == "html":
            page = parse_html_page(text)
        else:
            page = parse_markdown_page(text, self._columns.get(entry.path.parent, ()))
            lines, databases = [], dict(self._databases)
            # The first line that is only a link to a database becomes its table.
            for line, is_text in _classify_lines(page.body.split("\n")):
                link = _DATABASE_LINK.fullmatch(line.strip()) if is_text else None
                database = databases.pop(link[1], None) if link else None
                lines.append(f"\n{database.make_table()}\n" if database else line)
            page.body = "\n".join(lines)
            self._shown_ids |= self._databases.keys() - databases.keys()
        if page.properties and not page.body.strip():
            raise NotAnArticle("It is a row of a database without a text; the table of the database has it.")
        page.body = _PAGE_ADDRESS.sub(
            lambda link: f"https://www.notion.so/{link[1]}" if link[1] in self._ids else link[0], page.body
        )
        record = self._make_record(entry, name, page)
        return replace(record, notes=(*notes, *page.notes, *record.notes))

    def _read_table(self, entry: Entry, name: Mapping[str, Any]) -> ArticleRecord:
        database = self._databases.get(name["id"])
        if name["all"] and database:
            raise NotAnArticle("It has all rows of a database; the rows of its view are imported.")
        if name["id"] in self._shown_ids | self._ids:
            raise NotAnArticle("It is a database; its table is in the page that shows it.")
        database = database or parse_database(entry.path)
        page = NotionPage(title=to_line(name["title"]), body=database.make_table())
        return self._make_record(entry, {**name, "suffix": "md"}, page, _TABLE_NOTE)

    def _make_record(
        self, entry: Entry, name: Mapping[str, Any], page: NotionPage, draft_note: str = ""
    ) -> ArticleRecord:
        """Return the record; with `draft_note`, it is a draft if no property says that it is public."""
        # Names of categories and the slug do not contain the ids.
        folders = [_FOLDER_ID.sub("", part) for part in entry.key.split("/")[:-1]]
        # A property takes precedence over a field of the page with the same name.
        fields = {"title": page.title, "subtitle": page.subtitle, "cover": page.cover} | page.properties
        present = {name: value for name, value in fields.items() if value} or {"title": ""}
        record = reader.parse_article(
            "/".join((*folders, f"{name['title'] or page.title or 'untitled'}.{name['suffix']}")),
            f"{json.dumps(present)}\n\n{page.body}".encode(),
            replace(self.options, publish_undated=True),
        )
        values = {normalize_key(key): value for key, value in page.properties.items()}
        statuses = {to_line(values.get(key)).casefold() for key in privacy_signs.NOTION_STATUS_FIELDS}
        is_public = any(to_bool(values.get(key)) for key in privacy_signs.NOTION_PUBLISHING_FIELDS)
        is_public = is_public or not statuses.isdisjoint(privacy_signs.NOTION_PUBLIC_STATUSES)
        is_undecided = record.status in PUBLIC_STATUSES and not is_public
        # Without the table of its database, the properties of a page are the first lines of its text.
        reasons = [] if page.properties else privacy.find_draft_reasons_in_text(page.body)
        draft_note = _FIRST_LINES_NOTE if reasons else draft_note
        draft_note = draft_note or ("" if self.options.publish_undated else _PRIVATE_NOTE)
        is_private = is_undecided and bool(draft_note)
        return replace(
            record,
            key=f"notion:{name['id']}",
            source=entry.key,
            path=entry.path,
            status="draft" if is_private else record.status,
            addresses=(*record.addresses, f"/{entry.key}", f"/{name['id']}"),
            has_templates=False,
            is_undated=is_undecided and not reasons,
            left_out=(*page.left_out, *record.left_out),
            notes=(*record.notes, draft_note) if is_private else record.notes,
        )


def is_notion_file(entry: Entry, head: bytes) -> bool:
    return FILE_NAME.fullmatch(entry.path.name) is not None


FORMAT = Format(name="notion", contract=CONTRACT_VERSION, detect=is_notion_file, open_source=NotionSource)
