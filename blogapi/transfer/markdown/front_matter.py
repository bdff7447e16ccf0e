"""Split a file into its front matter and its body."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.markdown import parsers
from blogapi.transfer.markdown.fields import normalize_key
from blogapi.transfer.markdown.text import format_count

#: In characters. The length is limited because parsing takes seconds per megabyte.
MAX_FRONT_MATTER_LENGTH = 256 * 1024

_OPENING_FENCE = re.compile(r"(---|\+\+\+)[ \t]*(?:\n|\Z)")
_CLOSING_FENCES = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE),
}
_JSON_START = re.compile(r"\{\s*[\"}]")
_KEY = re.compile(r"[A-Za-z_][\w -]{0,60}:(?:[ \t]|$)")
_HEADER_LINE = re.compile(r"[A-Za-z_][\w -]{0,60}:(?:[ \t]|$)|[ \t]|#|-[ \t]|$")
# Nikola's header, with or without an HTML comment around it: `.. title: Hello`.
_NIKOLA = re.compile(r"(?P<comment><!--[ \t]*\n+)?(?P<lines>(?:\.\. [\w-]+:(?!:).*(?:\n|\Z))+)")
_COMMENT_END = re.compile(r"\s*-->[ \t]*(?:\n|\Z)")
# A header without an opening fence counts as front matter only if it contains one of these keys.
_HEADER_KEYS = {"title", "date", "tags", "categories", "category", "layout", "slug", "author", "permalink"}


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """The front matter and the body of a file."""

    format: (
        str  #: "yaml", "toml", "json", "hexo" (no opening fence), "pelican" (no fences), "nikola" or "none"
    )
    entries: parsers.Entries
    body: str  #: without leading blank lines
    notes: list[str] = field(default_factory=list)


def parse_file(text: str) -> ParsedFile:
    """Return the front matter and the body of `text`, which must have LF line endings.

    Raises RefusedFile if the front matter is not closed, is not valid, is not a mapping, or is too long.
    """
    start = _skip_blank_lines(text)
    opening = _OPENING_FENCE.match(text, start)
    if opening:
        return _parse_fenced(text, opening)
    if _JSON_START.match(text, start):
        return _parse_json(text, start)
    return _parse_nikola(text, start) or _parse_unfenced(text) or ParsedFile("none", {}, text[start:])


def _parse_fenced(text: str, opening: re.Match[str]) -> ParsedFile:
    fence, line_number = opening[1], _line_number(text, opening.start())
    closing = _CLOSING_FENCES[fence].search(text, opening.end())
    if not closing:
        raise RefusedFile(
            f"The front matter that begins in line {line_number} is never closed; "
            f"end it with a line `{fence}` (or write `***` for a horizontal rule at the top of a text)."
        )
    if closing.start() - opening.end() > MAX_FRONT_MATTER_LENGTH:
        limit = format_count(MAX_FRONT_MATTER_LENGTH, "character")
        raise RefusedFile(f"The front matter is longer than {limit}; shorten it.")
    block, body = text[opening.end() : closing.start()], _body(text, closing.end())
    if fence == "---":
        return ParsedFile("yaml", parsers.parse_yaml(block, line_number + 1), body)
    entries, notes = parsers.parse_toml(block, line_number + 1)
    return ParsedFile("toml", entries, body, notes)


def _parse_json(text: str, start: int) -> ParsedFile:
    block = text[start : start + MAX_FRONT_MATTER_LENGTH]
    entries, length = parsers.parse_json(block, _line_number(text, start))
    return ParsedFile("json", entries, _body(text, start + length))


def _parse_nikola(text: str, start: int) -> ParsedFile | None:
    header = _NIKOLA.match(text, start, start + MAX_FRONT_MATTER_LENGTH)
    end = _COMMENT_END.match(text, header.end()) if header and header["comment"] else header
    if not header or not end:
        return None
    block = re.sub(r"^\.\. ", "", header["lines"], flags=re.MULTILINE)
    if not _is_header(block):
        return None
    return ParsedFile("nikola", parsers.parse_lines(block), _body(text, end.end()))


def _parse_unfenced(text: str) -> ParsedFile | None:
    """Return the file if it has a header of Hexo (up to `---`) or Pelican (up to a blank line), or None."""
    if not _KEY.match(text):
        return None
    closing = _CLOSING_FENCES["---"].search(text, 0, MAX_FRONT_MATTER_LENGTH)
    if closing and _is_header(text[: closing.start()]):
        block = text[: closing.start()]
        return ParsedFile("hexo", parsers.parse_yaml(block, 1), _body(text, closing.end()))
    block = text[:MAX_FRONT_MATTER_LENGTH].partition("\n\n")[0]
    if _is_header(block):
        return ParsedFile("pelican", parsers.parse_lines(block), _body(text, len(block)))
    return None


def _is_header(block: str) -> bool:
    lines = block.split("\n")
    keys = {normalize_key(line.partition(":")[0]) for line in lines if _KEY.match(line)}
    return bool(keys & _HEADER_KEYS) and all(_HEADER_LINE.match(line) for line in lines)


def _skip_blank_lines(text: str) -> int:
    """Return the offset of the first line that is not blank."""
    return text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1


def _line_number(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _body(text: str, start: int) -> str:
    body = text[start:]
    return body[_skip_blank_lines(body) :]
