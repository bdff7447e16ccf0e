"""From the text of front matter to a mapping: YAML, TOML, JSON and Pelican's plain lines."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NoReturn

import yaml

from blogapi.transfer.article_record import RefusedFile

Entries = dict[str, object]

_DEEPEST = 32
_MOST_ALIASES = 8
_MOST_DOTS = 64
_NULL = "tag:yaml.org,2002:null"
_NO_COLON = "could not find expected ':'"
_PLAIN_WORDS = (
    ("mapping values are not allowed", "a value holds a colon; put the value in quotes"),
    ("'\\t' that cannot start any token", "it is indented with a tab; use spaces"),
    (_NO_COLON, "the line is not of the form `key: value`"),
)
# `dateday = 08` is no TOML, yet blogs have it: Hugo once let it pass.
_LEADING_ZERO = re.compile(r"^([ \t]*[\w-]+[ \t]*=[ \t]*)0+([0-9]+[ \t]*(?:#.*)?)$", re.MULTILINE)
_STRING = re.compile(r""""(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")


class _Loader(yaml.BaseLoader):
    """YAML whose scalars stay text, so that `3.10`, `no`, `012` and `2020-02-30` are kept as written.

    Only null is known. Raises ConstructorError for a key that stands twice and for many aliases (bombs).
    """

    aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > _MOST_ALIASES:
                raise _wrong(f"it uses more than {_MOST_ALIASES} aliases", None)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise _wrong(f"the key “{key.value}” stands twice; keep one", key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def _nothing(loader: _Loader, node: yaml.Node) -> None:
    return None


_Loader.add_implicit_resolver(_NULL, re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_Loader.add_constructor(_NULL, _nothing)


def _wrong(problem: str, mark: yaml.Mark | None) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, mark)


def from_yaml(block: str, first_line: int) -> Entries:
    """Return the mapping that YAML says, every scalar as text or None.

    `first_line` is the line of the file at which the block begins. Raises Refused, naming the line.
    """
    return _guarded("YAML", lambda: yaml.load(block, Loader=_Loader), first_line)  # noqa: S506 (builds text only)


def from_toml(block: str, first_line: int) -> tuple[Entries, list[str]]:
    """Return the mapping that TOML says, and notes; numbers with leading zeros are taken.

    Raises Refused, naming the line.
    """
    # tomllib takes quadratic time for a key of very many parts.
    if any(part.count(".") > _MOST_DOTS for part in re.split(r"[={,\n]", _STRING.sub("x", block))):
        _refuse("TOML", f"a key has more than {_MOST_DOTS} parts")
    mended = _LEADING_ZERO.sub(r"\1\2", block)
    try:
        return _guarded("TOML", lambda: tomllib.loads(block, parse_float=str), first_line), []
    except RefusedFile:
        if mended == block:
            raise
    note = "Numbers with leading zeros, which TOML forbids, were read without them."
    return _guarded("TOML", lambda: tomllib.loads(mended, parse_float=str), first_line), [note]


def from_json(text: str, first_line: int) -> tuple[Entries, int]:
    """Return the mapping that the JSON object at the start of `text` says, and where it ends.

    Raises Refused.
    """
    ends = []

    def decode() -> object:
        found, end = json.JSONDecoder(parse_float=str, parse_int=str, object_pairs_hook=_once).raw_decode(
            text
        )
        ends.append(end)
        return found

    return _guarded("JSON", decode, first_line), ends[0]


def _once(pairs: list[tuple[str, object]]) -> Entries:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        _refuse("JSON", f"the key “{twice}” stands twice; keep one")
    return entries


def from_lines(block: str) -> Entries:
    """Return the mapping that Pelican's `Key: value` lines say; an indented line goes on with the last."""
    entries: dict[str, object] = {}
    key = ""
    for row in block.splitlines():
        if row[:1].isspace() and key:
            entries[key] = f"{entries[key]} {row.strip()}"
        else:
            key, _, value = row.partition(":")
            entries[key] = value.strip()
    return entries


def _guarded(language: str, parse: Callable[[], object], first_line: int) -> Entries:
    try:
        return _mapping(language, parse())
    except RecursionError:
        _refuse(language, "it is nested too deeply")
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        row, reason = _cause(error)
        _refuse(language, reason, row and row + first_line - 1, error)


def _mapping(language: str, found: object) -> Entries:
    if found is None:
        return {}
    if not isinstance(found, dict):
        _refuse(language, "it is no list of `key: value` entries")
    _shallow(language, found)
    return {str(key): value for key, value in found.items()}


def _shallow(language: str, found: object) -> None:
    level = [found]
    for _ in range(_DEEPEST):
        level = [child for value in level for child in _children(value)]
        if not level:
            return
    _refuse(language, "it is nested too deeply")


def _children(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _cause(error: Exception) -> tuple[int, str]:
    if isinstance(error, yaml.MarkedYAMLError):
        problem = str(error.problem)
        # A missing colon shows only lines later; the context is where the entry began.
        mark = error.context_mark if problem == _NO_COLON else error.problem_mark
        words = next((words for found, words in _PLAIN_WORDS if found in problem), problem)
        return (mark.line + 1 if mark else 0), words
    if isinstance(error, json.JSONDecodeError):
        return error.lineno, error.msg
    if isinstance(error, yaml.reader.ReaderError):
        return 0, f"it holds the character U+{error.character:04X}, which YAML forbids"
    if isinstance(error, tomllib.TOMLDecodeError):
        found = re.search(r" \(at line ([0-9]+), column [0-9]+\)", str(error))
        return (int(found[1]), str(error).replace(found[0], "")) if found else (0, str(error))
    return 0, "a number or an escape in it is out of range"


def _refuse(language: str, reason: str, row: int = 0, cause: Exception | None = None) -> NoReturn:
    place = f"line {row}: " if row else ""
    raise RefusedFile(
        f"The front matter is no {language} that can be read ({place}{reason}); correct it."
    ) from cause
