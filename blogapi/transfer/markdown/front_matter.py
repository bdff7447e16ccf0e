"""Splitting a file into its front matter and its body."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.markdown import parsers
from blogapi.transfer.markdown.fields import fold
from blogapi.transfer.markdown.text import counted

#: Longer front matter is refused: parsing takes seconds per megabyte.
LONGEST = 256 * 1024

_OPENING = re.compile(r"(---|\+\+\+)[ \t]*(?:\n|\Z)")
_CLOSING = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE),
}
_JSON = re.compile(r"\{\s*[\"}]")
_KEY = re.compile(r"[A-Za-z_][\w -]{0,60}:(?:[ \t]|$)")
_HEADER_LINE = re.compile(r"[A-Za-z_][\w -]{0,60}:(?:[ \t]|$)|[ \t]|#|-[ \t]|$")
# Nikola's header, inside of a comment or without: `.. title: Hello`.
_NIKOLA = re.compile(r"(?P<comment><!--[ \t]*\n+)?(?P<rows>(?:\.\. [\w-]+:(?!:).*(?:\n|\Z))+)")
_END_OF_COMMENT = re.compile(r"\s*-->[ \t]*(?:\n|\Z)")
# Without an opening fence only a header that names one of these is taken for front matter.
_TELLING = {"title", "date", "tags", "categories", "category", "layout", "slug", "author", "permalink"}


@dataclass(frozen=True, slots=True)
class Parts:
    """A file taken apart."""

    kind: str  #: "yaml", "toml", "json", "hexo" (no opening fence), "pelican" (no fences), "nikola" or "none"
    entries: parsers.Entries
    body: str  #: the rest, without leading blank lines
    notes: list[str] = field(default_factory=list)


def split(text: str) -> Parts:
    """Return front matter and body of `text` (LF line ends).

    Raises Refused for front matter that is not closed, cannot be parsed, is no mapping or is too long.
    """
    start = _first_line(text)
    opening = _OPENING.match(text, start)
    if opening:
        return _fenced(text, opening)
    if _JSON.match(text, start):
        return _json(text, start)
    return _nikola(text, start) or _bare(text) or Parts("none", {}, text[start:])


def _fenced(text: str, opening: re.Match[str]) -> Parts:
    fence, row = opening[1], _row(text, opening.start())
    closing = _CLOSING[fence].search(text, opening.end())
    if not closing:
        raise RefusedFile(
            f"The front matter that begins in line {row} is never closed; "
            f"end it with a line `{fence}` (a rule at the top of a text is better written `***`)."
        )
    block, body = _block(text, opening.end(), closing.start()), _trimmed(text[closing.end() :])
    if fence == "---":
        return Parts("yaml", parsers.from_yaml(block, row + 1), body)
    entries, notes = parsers.from_toml(block, row + 1)
    return Parts("toml", entries, body, notes)


def _block(text: str, start: int, end: int) -> str:
    if end - start > LONGEST:
        raise RefusedFile(f"The front matter is longer than {counted(LONGEST, 'character')}; shorten it.")
    return text[start:end]


def _json(text: str, start: int) -> Parts:
    entries, length = parsers.from_json(text[start : start + LONGEST], _row(text, start))
    return Parts("json", entries, _trimmed(text[start + length :]))


def _nikola(text: str, start: int) -> Parts | None:
    found = _NIKOLA.match(text, start, start + LONGEST)
    end = _END_OF_COMMENT.match(text, found.end()) if found and found["comment"] else found
    if not found or not end:
        return None
    block = re.sub(r"^\.\. ", "", found["rows"], flags=re.MULTILINE)
    if not _is_header(block):
        return None
    return Parts("nikola", parsers.from_lines(block), _trimmed(text[end.end() :]))


def _bare(text: str) -> Parts | None:
    """Return what Hexo (header ends at `---`) or Pelican (at a blank line) would see, if anything."""
    if not _KEY.match(text):
        return None
    closing = _CLOSING["---"].search(text, 0, LONGEST)
    if closing and _is_header(text[: closing.start()]):
        block = text[: closing.start()]
        return Parts("hexo", parsers.from_yaml(block, 1), _trimmed(text[closing.end() :]))
    block = text[:LONGEST].partition("\n\n")[0]
    if _is_header(block):
        return Parts("pelican", parsers.from_lines(block), _trimmed(text[len(block) :]))
    return None


def _is_header(block: str) -> bool:
    lines = block.split("\n")
    named = {fold(row.partition(":")[0]) for row in lines if _KEY.match(row)}
    return bool(named & _TELLING) and all(_HEADER_LINE.match(row) for row in lines)


def _first_line(text: str) -> int:
    """Return where the first line begins that is not blank."""
    return text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1


def _row(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _trimmed(text: str) -> str:
    return text[_first_line(text) :]
