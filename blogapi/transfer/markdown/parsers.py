"""Parse the text of front matter into a mapping: YAML, TOML, JSON, and Pelican's `Key: value` lines."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NoReturn

import yaml

from blogapi.transfer.article_record import RefusedFile

Entries = dict[str, object]

_MAX_DEPTH = 32
_MAX_ALIASES = 8
_MAX_KEY_DOTS = 64
_NULL_TAG = "tag:yaml.org,2002:null"
_NO_COLON = "could not find expected ':'"
# Messages of PyYAML, each with the plainer message that replaces it.
_YAML_MESSAGES = (
    ("mapping values are not allowed", "a value contains a colon; put the value in quotes"),
    ("'\\t' that cannot start any token", "the line is indented with a tab; use spaces"),
    (_NO_COLON, "the line is not of the form `key: value`"),
)
# `dateday = 08` is not valid TOML, but old versions of Hugo accepted it.
_LEADING_ZERO = re.compile(r"^([ \t]*[\w-]+[ \t]*=[ \t]*)0+([0-9]+[ \t]*(?:#.*)?)$", re.MULTILINE)
_TOML_STRING = re.compile(r""""(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")


class _TextLoader(yaml.BaseLoader):
    """A YAML loader that keeps scalars as text: `3.10`, `no`, `012` and `2020-02-30` stay as written.

    Only null is converted. Raises ConstructorError if a key appears twice, or if the document has too many
    aliases (an alias bomb).
    """

    aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > _MAX_ALIASES:
                raise _yaml_error(f"it uses more than {_MAX_ALIASES} aliases", None)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise _yaml_error(f"the key “{key.value}” appears twice; keep one", key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def _construct_null(loader: _TextLoader, node: yaml.Node) -> None:
    return None


_TextLoader.add_implicit_resolver(_NULL_TAG, re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_TextLoader.add_constructor(_NULL_TAG, _construct_null)


def _yaml_error(problem: str, mark: yaml.Mark | None) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, mark)


def parse_yaml(block: str, first_line: int) -> Entries:
    """Return the mapping of a YAML block, with every scalar as text or None.

    `first_line` is the number of the block's first line in the file. Raises RefusedFile with the line number
    if the block is not valid.
    """
    return _parse("YAML", lambda: yaml.load(block, Loader=_TextLoader), first_line)  # noqa: S506 (builds text only)


def parse_toml(block: str, first_line: int) -> tuple[Entries, list[str]]:
    """Return the mapping of a TOML block, and notes for the report.

    Numbers with leading zeros are accepted. Raises RefusedFile with the line number if the block is not
    valid.
    """
    # tomllib takes quadratic time for a key with very many parts.
    if any(part.count(".") > _MAX_KEY_DOTS for part in re.split(r"[={,\n]", _TOML_STRING.sub("x", block))):
        _refuse("TOML", f"a key has more than {_MAX_KEY_DOTS} parts")
    corrected = _LEADING_ZERO.sub(r"\1\2", block)
    try:
        return _parse("TOML", lambda: tomllib.loads(block, parse_float=str), first_line), []
    except RefusedFile:
        if corrected == block:
            raise
    note = "Numbers with leading zeros, which TOML forbids, were read without the zeros."
    return _parse("TOML", lambda: tomllib.loads(corrected, parse_float=str), first_line), [note]


def parse_json(text: str, first_line: int) -> tuple[Entries, int]:
    """Return the mapping of the JSON object at the start of `text`, and the offset of its end.

    Raises RefusedFile with the line number if the object is not valid.
    """
    ends = []

    def decode() -> object:
        decoder = json.JSONDecoder(parse_float=str, parse_int=str, object_pairs_hook=_refuse_duplicate_keys)
        value, end = decoder.raw_decode(text)
        ends.append(end)
        return value

    return _parse("JSON", decode, first_line), ends[0]


def _refuse_duplicate_keys(pairs: list[tuple[str, object]]) -> Entries:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        keys = [key for key, _ in pairs]
        duplicate = next(key for key in keys if keys.count(key) > 1)
        _refuse("JSON", f"the key “{duplicate}” appears twice; keep one")
    return entries


def parse_lines(block: str) -> Entries:
    """Return the mapping of Pelican's `Key: value` lines; an indented line continues the previous value."""
    entries: dict[str, object] = {}
    key = ""
    for line in block.splitlines():
        if line[:1].isspace() and key:
            entries[key] = f"{entries[key]} {line.strip()}"
        else:
            key, _, value = line.partition(":")
            entries[key] = value.strip()
    return entries


def _parse(language: str, parse: Callable[[], object], first_line: int) -> Entries:
    """Return the mapping that `parse` returns, and convert its errors into RefusedFile."""
    try:
        return _check_mapping(language, parse())
    except RecursionError:
        _refuse(language, "it is nested too deeply")
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        line_number, reason = _describe(error)
        _refuse(language, reason, line_number and line_number + first_line - 1, error)


def _check_mapping(language: str, value: object) -> Entries:
    if value is None:
        return {}
    if not isinstance(value, dict):
        _refuse(language, "it does not consist of `key: value` entries")
    _check_depth(language, value)
    return {str(key): child for key, child in value.items()}


def _check_depth(language: str, value: object) -> None:
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    _refuse(language, "it is nested too deeply")


def _children(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _describe(error: Exception) -> tuple[int, str]:
    """Return the line number of an error within the block (0 if unknown), and the reason."""
    if isinstance(error, yaml.MarkedYAMLError):
        problem = str(error.problem)
        # PyYAML reports a missing colon some lines too late. The context mark is where the entry begins.
        mark = error.context_mark if problem == _NO_COLON else error.problem_mark
        reason = next((plain for message, plain in _YAML_MESSAGES if message in problem), problem)
        return (mark.line + 1 if mark else 0), reason
    if isinstance(error, json.JSONDecodeError):
        return error.lineno, error.msg
    if isinstance(error, yaml.reader.ReaderError):
        return 0, f"it contains the character U+{error.character:04X}, which YAML forbids"
    if isinstance(error, tomllib.TOMLDecodeError):
        place = re.search(r" \(at line ([0-9]+), column [0-9]+\)", str(error))
        return (int(place[1]), str(error).replace(place[0], "")) if place else (0, str(error))
    return 0, "a number or an escape sequence is out of range"


def _refuse(language: str, reason: str, line_number: int = 0, cause: Exception | None = None) -> NoReturn:
    place = f"line {line_number}: " if line_number else ""
    raise RefusedFile(
        f"The front matter cannot be read as {language} ({place}{reason}); correct it."
    ) from cause
