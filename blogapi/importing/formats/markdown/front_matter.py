"""Split a file into its front matter and its body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.lines import is_empty, normalize_key, to_line
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.parsers import Entries, parse_json, parse_key_value_lines, parse_toml, parse_yaml

# Common keys that have no counterpart in blogapi; the report does not list them as left out.
UNREPORTED_KEYS = {"layout", "type", "toc"}

#: The maximum number of characters of front matter, because parsing takes seconds per megabyte.
MAX_FRONT_MATTER_LENGTH = 256 * 1024
_OPENING_FENCE = re.compile(r"(-{3,}|\+\+\+|;{3,})[ \t]*+([A-Za-z][A-Za-z0-9]{0,15})?[ \t]*+(?:\n|\Z)")
# Maps the first character of the opening fence to the closing fence.
_CLOSING_FENCES = {
    "-": re.compile(r"^(?:-{3,}|\.\.\.)[ \t]*$", re.MULTILINE),
    "+": re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE),
    ";": re.compile(r"^;{3,}[ \t]*$", re.MULTILINE),
}
# The language of front matter, by the name after the opening fence or, without a name, by the fence.
_FRONT_MATTER_LANGUAGES = {
    **{"": "yaml", "yaml": "yaml", "yml": "yaml", "toml": "toml", "json": "json"},
    **{"+++": "toml", ";;;": "json"},
    **dict.fromkeys(("js", "javascript", "cjs", "mjs", "node", "jsx"), "JavaScript"),
    **dict.fromkeys(("ts", "typescript", "tsx"), "TypeScript"),
    **dict.fromkeys(("coffee", "coffeescript", "cson"), "CoffeeScript"),
}
# The first field of Hexo's front matter in JSON, which needs no opening fence.
_JSON_FIELD = re.compile(r"\s*\"[^\"\n]{1,60}\"\s*:")
_JSON_START = re.compile(r"\{\s*[\"}]")
_HEADER_KEY = re.compile(r"[A-Za-z_][\w -]{0,60}:(?:[ \t]|$)")
_HEADER_LINE = re.compile(r"[A-Za-z_][\w -]{0,60}:(?:[ \t]|$)|[ \t]|#|-[ \t]|$")
# Nikola's header, which can also be in an HTML comment: `.. title: Hello`.
_NIKOLA_LINES = re.compile(r"(?:\.\. [\w-]+:(?!:).*(?:\n|\Z))+")
# A header without an opening fence counts as front matter only if it contains one of these keys.
_HEADER_KEYS = {"title", "date", "tags", "categories", "category", "layout", "slug", "author", "permalink"}


class FrontMatter:
    """The front matter of a file. Keeps track of the used entries, and collects notes for the report."""

    def __init__(self, entries: dict[str, object], notes: Sequence[str] = ()) -> None:
        self.notes = list(notes)
        #: All entries as written, including empty entries and different spellings of a key.
        self.all_entries = entries
        self._entries = {key: value for key, value in entries.items() if not is_empty(value)}
        # The keys are in reverse order, so that the first of several spellings is used.
        self._keys = {normalize_key(key): key for key in reversed(self._entries)}
        self._used: set[str] = set()
        #: The names of the used entries that are in a mapping: `extra.noindex`.
        self._used_inner: set[str] = set()

    def take_value(self, *names: str) -> object:
        """Return the value of the first named field that is not empty and mark it as used, or return None.

        The names must be normalized. `seo.title` is the entry `title` in the mapping `seo`.
        """
        for name in names:
            value = self.find_value(name)
            if not is_empty(value):
                self._used.add(self._keys[name.partition(".")[0]])
                self._used_inner.add(name)
                return value
        return None

    def take_line(self, *names: str) -> str:
        """Return the first named field that is a non-empty scalar as one line, or "" if there is none."""
        found = next((name for name in names if to_line(self.find_value(name))), "")
        return to_line(self.take_value(found)) if found else ""

    def find_value(self, name: str) -> object:
        """Return the value of the named field, or None; the field is not marked as used."""
        outer, _, inner = name.partition(".")
        value = self._entries[self._keys[outer]] if outer in self._keys else None
        if not inner:
            return value
        entries = value.items() if isinstance(value, dict) else ()
        return next((it for key, it in entries if normalize_key(key) == inner and not is_empty(it)), None)

    def add_note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def list_unused_entries(self, tables: Sequence[str]) -> Iterator[tuple[str, str, object]]:
        """Yield each unused entry: the key of the mapping that contains it ("" = none), its key, its value.

        The keys are as written. The mappings named in `tables` are yielded entry by entry, at the end.
        """
        inner = {self._keys[name]: name for name in tables if isinstance(self.find_value(name), dict)}
        for key, value in self._entries.items():
            if key not in self._used and key not in inner:
                yield "", key, value
        for outer, name in inner.items():
            for inner_key, value in cast(dict[object, object], self._entries[outer]).items():
                if not is_empty(value) and f"{name}.{normalize_key(inner_key)}" not in self._used_inner:
                    yield outer, str(inner_key), value

    def repeats_used_value(self, value: object) -> bool:
        """Return whether a used entry has the same text, as when `url` repeats `permalink`."""
        text = to_line(value)
        return bool(text) and text in {to_line(self._entries[key]) for key in self._used}


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """The front matter and the body of a file."""

    #: "yaml", "toml", "json", "hexo" (no opening fence, or `;;;`), "pelican" (no fences), "nikola", "program"
    #: or "none"
    format: str
    entries: Entries
    body: str  #: without leading blank lines
    notes: list[str] = field(default_factory=list)
    #: why the front matter was not read, so that the article becomes a draft; "" = it was read
    problem: str = ""


def parse_file(text: str) -> ParsedFile:
    """Return the front matter and the body of `text`, which must have LF line endings.

    Raises RefusedFile if the front matter is not closed, is not valid, is not a mapping, or is too long.
    """
    start = _skip_blank_lines(text)
    opening = _OPENING_FENCE.match(text, start)
    fenced = _parse_fenced_file(text, opening) if opening else None
    if fenced:
        return fenced
    if _JSON_START.match(text, start):
        block = text[start : start + MAX_FRONT_MATTER_LENGTH]
        entries, length, notes = parse_json(block, _get_line_number(text, start))
        return ParsedFile("json", entries, _get_body(text, start + length), notes)
    return _parse_nikola_file(text, start) or _parse_bare_header(text) or ParsedFile("none", {}, text[start:])


def _parse_fenced_file(text: str, opening: re.Match[str]) -> ParsedFile | None:
    fence, name = opening[1], (opening[2] or "").casefold()
    language = _FRONT_MATTER_LANGUAGES.get(name or fence[:3].strip("-"))
    line_number = _get_line_number(text, opening.start())
    closing = _CLOSING_FENCES[fence[0]].search(text, opening.end())
    # A line of more than three dashes is a horizontal rule, unless it names a language or a header follows.
    is_header = closing and _is_header(text[opening.end() : closing.start()])
    if language is None or (fence.startswith("----") and not (name or is_header)):
        return None
    if not closing:
        raise RefusedFile(
            f"The head (front matter) that begins in line {line_number} is never closed; "
            f"end it with a line `{fence}` (or write `***` for a horizontal rule at the top of a text)."
        )
    if closing.start() - opening.end() > MAX_FRONT_MATTER_LENGTH:
        limit = format_count(MAX_FRONT_MATTER_LENGTH, "character")
        raise RefusedFile(f"The head (front matter) is longer than {limit}; shorten it.")
    block, body = text[opening.end() : closing.start()], _get_body(text, closing.end())
    if language not in _FRONT_MATTER_PARSERS:
        problem = f"Its head (front matter) is {language}, which is not run; the article became a draft."
        return ParsedFile("program", {}, body, problem=problem)
    entries, notes = _FRONT_MATTER_PARSERS[language](block, line_number + 1)
    return ParsedFile("hexo" if fence[0] == ";" else language, entries, body, notes)


def _parse_json_block(block: str, first_line: int) -> tuple[Entries, list[str]]:
    """Return the fields of a JSON object, and notes; the braces can be missing, as in Hexo."""
    first_line += _get_line_number(block, len(block) - len(block.lstrip())) - 1
    text = block.strip()
    text = text if text.startswith("{") else f"{{{text}}}"
    entries, length, notes = parse_json(text, first_line)
    if text[length:].strip():
        raise RefusedFile(
            "The head (front matter) cannot be read as JSON (a text follows its end); correct it."
        )
    return entries, notes


_FRONT_MATTER_PARSERS = {"yaml": parse_yaml, "toml": parse_toml, "json": _parse_json_block}


def _parse_nikola_file(text: str, start: int) -> ParsedFile | None:
    limit = start + MAX_FRONT_MATTER_LENGTH
    if text.startswith("<!--", start):
        end = text.find("-->", start, limit)
        block, end = (text[start + 4 : end], end + 3) if end >= 0 else ("", start)
    else:
        header = _NIKOLA_LINES.match(text, start, limit)
        block, end = (header[0], header.end()) if header else ("", start)
    lines = [line for line in block.strip().split("\n") if line.strip()]
    fields = "\n".join(line.removeprefix(".. ") for line in lines)
    if not all(map(_NIKOLA_LINES.match, lines)) or not _is_header(fields):
        return None
    entries, notes = parse_key_value_lines(fields)
    return ParsedFile("nikola", entries, _get_body(text, end), notes)


def _parse_bare_header(text: str) -> ParsedFile | None:
    """Return the file if it begins with a header of Hexo or Pelican that has no opening fence."""
    end = _CLOSING_FENCES[";"].search(text, 0, MAX_FRONT_MATTER_LENGTH) if _JSON_FIELD.match(text) else None
    if end:
        entries, notes = _parse_json_block(text[: end.start()], 1)
        return ParsedFile("hexo", entries, _get_body(text, end.end()), notes)
    if not _HEADER_KEY.match(text):
        return None
    closing = _CLOSING_FENCES["-"].search(text, 0, MAX_FRONT_MATTER_LENGTH)
    if closing and _is_header(text[: closing.start()]):
        entries, notes = parse_yaml(text[: closing.start()], 1)
        return ParsedFile("hexo", entries, _get_body(text, closing.end()), notes)
    block = text[:MAX_FRONT_MATTER_LENGTH].partition("\n\n")[0]
    if _is_header(block):
        entries, notes = parse_key_value_lines(block)
        return ParsedFile("pelican", entries, _get_body(text, len(block)), notes)
    return None


def _is_header(block: str) -> bool:
    lines = block.split("\n")
    keys = {normalize_key(line.partition(":")[0]) for line in lines if _HEADER_KEY.match(line)}
    return bool(keys & _HEADER_KEYS) and all(_HEADER_LINE.match(line) for line in lines)


def _skip_blank_lines(text: str) -> int:
    return text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1


def _get_line_number(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _get_body(text: str, start: int) -> str:
    body = text[start:]
    return body[_skip_blank_lines(body) :]
