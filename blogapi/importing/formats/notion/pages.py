"""Parse the pages and the databases of an export: their titles, properties, texts and rows."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import takewhile
from pathlib import Path

from blogapi.importing.format_api.page_text import extract_text, open_text
from blogapi.importing.format_api.privacy_signs import DATE_FIELDS, EXPIRY_FIELDS
from blogapi.importing.format_api.source_files import read_bytes
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts import dates
from blogapi.importing.texts.lines import decode, normalize_key, to_line

#: The maximum number of rows in a table.
MAX_ROWS = 1_000
_MARKUP = re.compile(r"([\\|<>*\[\]`])")
# A relation: `Ada (People/Ada%200123….md)`.
_RELATION = re.compile(r" \([^()]{0,2000}[0-9a-f]{32}[^()]{0,200}\)")


@dataclass(frozen=True, slots=True)
class Database:
    """The columns of a database, the title first, and the texts of its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def make_table(self) -> str:
        """Return the Markdown table of the first rows; "" if the database has no columns."""
        if not self.columns:
            return ""
        head, *rows = (" | ".join(map(_escape, line)) for line in (self.columns, *self.rows[:MAX_ROWS]))
        table = "\n".join(f"| {line} |" for line in (head, " | ".join(["---"] * len(self.columns)), *rows))
        left_out = len(self.rows) - MAX_ROWS
        return f"{table}\n\n… {left_out:,} more" if left_out > 0 else table


def parse_database(path: Path) -> Database:
    """Return the database in a file, without columns if the file, which has its own report, is unreadable."""
    try:
        text, _ = decode(read_bytes(path))
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except (RefusedFile, csv.Error):
        return Database((), ())
    columns = tuple(map(to_line, lines[0])) if lines else ()
    rows = (tuple(map(to_line, line[: len(columns)])) for line in lines[1:])
    return Database(columns, tuple(row + ("",) * (len(columns) - len(row)) for row in rows if any(row)))


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\1", _RELATION.sub("", text))


#: The properties with several names, which Notion separates with commas.
_LISTS = {"tags", "tag", "categories", "category", "keywords", "authors", "author"}
_DATE = re.compile(
    r"@?(?P<day>[A-Za-z]{3,9} [0-9]{1,2}, [0-9]{4}|[0-9]{4}[/-][0-9]{2}[/-][0-9]{2})"
    r"(?: (?P<time>[0-9]{1,2}:[0-9]{2})(?: (?P<half>[AP]M))?)?"
    r"(?P<utc> \((?:UTC|GMT)(?P<zone>[+-][0-9]{1,2}(?::[0-9]{2})?)?\))?(?: → .*)?"
)
# `5 janvier 2020`, `5. Januar 2020`, `5 de enero de 2020`
_LOCAL_DATE = re.compile(
    r"@?(?P<day>[0-9]{1,2})[.º]?(?: de)? (?P<month>[^\W\d_]{3,12})\.?(?: de)? (?P<year>[0-9]{4})"
)
# The beginnings of the names of the months in several languages.
_MONTH_NAMES = """jan ene gen янв; feb fév fev фев; mar mär mrt мар; apr avr abr апр; mai may mei mag мая май;
    jun juin giu июн; jul juil lug июл; aug août aoû ago авг; sep set сен; oct okt out ott окт; nov ноя;
    dec déc dez dic дек"""
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split(";"), 1) for name in names.split()}
_ADDRESS = re.compile(
    r"https://(?:www\.)?notion\.so/(?:[\w%.-]{1,200}/)?(?:[\w%.-]{0,300}-)?([0-9a-f]{32})(?![\w%.-])(?:\?[\w&=%-]*)?"
)
_DATABASE_LINK = re.compile(r"\[[^\n]*\]\([^()\s]*?([0-9a-f]{32})(?:_all)?\.csv\)")
_FENCE = re.compile(r"\s*(```+|~~~+)")

_TITLE = re.compile(r'<h1\b[^<>]*class="page-title"[^<>]*>')
_DESCRIPTION = re.compile(r'<p\b[^<>]*class="page-description"[^<>]*>')
_COVER = re.compile(r'<img\b(?>[^<>]*?class="page-cover-image")(?>[^<>]*?\ssrc=")([^"<>]++)"')
_ROW = re.compile(r'<tr\b[^<>]*class="property-row')
_VALUE = re.compile(r'<span\b[^<>]*class="(?:selected-value|user)[^<>]*>((?:[^<]++|<(?!/?span))*+)</span>')
_BODY = re.compile(r'<div\b[^<>]*class="page-body"[^<>]*>')
_TAG = re.compile(r"<[^<>]*>")


@dataclass(slots=True)
class NotionPage:
    """A page; `body` is Markdown or HTML without the title and the properties."""

    title: str
    body: str
    properties: dict[str, str | list[str]] = field(default_factory=dict)
    subtitle: str = ""
    cover: str = ""
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def parse_markdown(text: str, columns: Collection[str]) -> NotionPage:
    """Return a page; `columns` are the names of its properties if it is a row of a database."""
    lines = text.strip("\n").split("\n")
    title = lines.pop(0)[2:].strip() if lines[0].startswith("# ") else ""
    page = NotionPage(title=title, body="")
    start = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    pairs = [line.partition(": ") for line in takewhile(str.strip, lines[start:])] if columns else []
    named = list(takewhile(lambda pair: pair[0].removesuffix(":") in columns, pairs))
    for name, _, value in named:
        page.properties[name.removesuffix(":")] = _read_value(name, value)
    page.body = "\n".join(_quote_callouts(lines[start + len(named) :])).strip("\n")
    return page


def parse_html(html: str) -> NotionPage:
    """Return a page. Raises RefusedFile if it has no text or would take too long to parse."""
    start = _BODY.search(html)
    if start is None:
        raise RefusedFile("It has no text of a page; export the page from Notion again.")
    head, end = html[: start.start()], html.rfind("</article>")
    body, notes, left_out = open_text(html[start.end() : end if end > start.end() else len(html)])
    cover = _COVER.search(head)
    properties = {
        name: value for row in _ROW.split(head)[1:] if (pair := _read_row(row)) for name, value in [pair]
    }
    text, _ = extract_text(body)
    return NotionPage(
        title=_read_element(head, _TITLE, "</h1>"),
        body=text,
        properties=properties,
        subtitle=_read_element(head, _DESCRIPTION, "</p>"),
        cover=unescape(cover[1]) if cover else "",
        notes=notes,
        left_out=left_out,
    )


def insert_tables(markdown: str, make_table: Callable[[str], str | None]) -> str:
    """Return the text with each line that is only a link to a database replaced by a table.

    `make_table` takes the id of a database and returns its table, or None for an unknown database.
    """

    def replace(line: str) -> str:
        link = _DATABASE_LINK.fullmatch(line.strip())
        table = make_table(link[1]) if link else None
        return line if table is None else f"\n{table}\n"

    return "\n".join(replace(line) if is_text else line for line, is_text in _mark_code(markdown.split("\n")))


def replace_addresses(text: str, ids: Collection[str]) -> str:
    """Return the text with addresses of exported pages on notion.so shortened to the id of the page."""
    return _ADDRESS.sub(lambda link: f"https://www.notion.so/{link[1]}" if link[1] in ids else link[0], text)


def to_front_matter(page: NotionPage) -> bytes:
    """Return the page as a file with front matter."""
    # A property takes precedence over the same field of the page.
    fields = {"title": page.title, "subtitle": page.subtitle, "cover": page.cover} | page.properties
    present = {name: value for name, value in fields.items() if value}
    return f"{json.dumps(present or {'title': ''})}\n\n{page.body}".encode()


def _read_value(name: str, value: str) -> str | list[str]:
    value, key = to_line(value), normalize_key(name.removesuffix(":"))
    if key in _LISTS:
        return [part.strip() for part in value.split(",") if part.strip()]
    return _read_date(value, is_field=key not in {*DATE_FIELDS, *EXPIRY_FIELDS})


def _read_date(value: str, *, is_field: bool) -> str:
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


def _read_element(html: str, start: re.Pattern[str], end: str) -> str:
    match = start.search(html)
    return _to_text(html[match.end() :].partition(end)[0]) if match else ""


def _to_text(html: str) -> str:
    return to_line(unescape(_TAG.sub("", html)))


def _read_row(row: str) -> tuple[str, str | list[str]] | None:
    header, _, rest = row.partition("</th>")
    name, value = _to_text(header.partition("<th")[2].partition(">")[2]), rest.partition("</td>")[0]
    if not name:
        return None
    if "checkbox-" in value:
        return name, "Yes" if "checkbox-on" in value else "No"
    values = [_to_text(part) for part in _VALUE.findall(value)]
    text = ", ".join(values) if values else _to_text(value)
    return name, _read_value(name, text)


def _quote_callouts(lines: Sequence[str]) -> Iterator[str]:
    is_callout = False
    for line, is_text in _mark_code(lines):
        if is_text and line.strip() in ("<aside>", "</aside>"):
            is_callout = line.strip() == "<aside>"
            yield ""
        else:
            yield f"> {line}".rstrip() if is_callout else line


def _mark_code(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it is not in a fenced code block."""
    fence = ""
    for line in lines:
        match = _FENCE.match(line)
        yield line, not (fence or match)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence) and line.strip() == match[1]:
            fence = ""
