"""Parse the text of front matter into a mapping: YAML, TOML, JSON, and Pelican's `Key: value` lines."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from itertools import chain
from typing import Any, NoReturn

import yaml

from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.lines import to_line

Entries = dict[str, object]

_MAX_VALUE_DEPTH = 32
# The maximum number of characters for the parser in C, which is recursive and does not limit the depth.
_MAX_FAST_LENGTH = 8 * 1024
_MAX_ALIASES = 8
_MAX_KEY_DOTS = 64
_NULL_TAG = "tag:yaml.org,2002:null"
_MERGE_TAG = "tag:yaml.org,2002:merge"
_NO_COLON = "could not find expected ':'"
# Messages of PyYAML, each with the plainer message that replaces it.
_YAML_MESSAGES = (
    ("mapping values are not allowed", "a value contains a colon; put the value in quotes"),
    ("'\\t' that cannot start any token", "the line is indented with a tab; use spaces"),
    (_NO_COLON, "the line is not of the form `key: value`"),
)
# `dateday = 08` is not valid TOML, but old versions of Hugo accepted it.
_LEADING_ZERO = re.compile(
    r"^([ \t]*[\w-]+[ \t]*=[ \t]*)(?:0(?=[0-9]))++([0-9]++[ \t]*+(?:#.*)?)$", re.MULTILINE
)
_TOML_STRING = re.compile(r"""(?<!\\)"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*'""")


class _TextConstructor(yaml.constructor.BaseConstructor):
    """Keeps scalars as text: `3.10`, `no`, `012` and `2020-02-30` stay as written; only null is converted.

    Merge keys (`<<: *defaults`) are replaced by the entries that they name.
    """

    duplicates: dict[yaml.Node, list[str]]  #: keys that appear twice; the caller sets an empty dictionary

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        # A mapping can be flattened several times. From the second time on, it also contains the merged keys.
        if node not in self.duplicates:
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            self.duplicates[node] = _find_duplicates(keys)
        flatten: Any = yaml.constructor.SafeConstructor.flatten_mapping
        flatten(self, node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        if isinstance(node, yaml.MappingNode):
            self.flatten_mapping(node)
        return super().construct_mapping(node, deep)


class _TextLoader(_TextConstructor, yaml.BaseLoader):
    """A loader that raises ConstructorError if there are too many aliases (alias bombs)."""

    aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > _MAX_ALIASES:
                problem = f"it uses more than {_MAX_ALIASES} aliases"
                raise yaml.constructor.ConstructorError(None, None, problem, None)
        return super().compose_node(parent, index)


class _FastTextLoader(_TextConstructor, getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """PyYAML's loader in C, if there is one. It limits no aliases, so it reads only blocks without them."""


for _loader in (_TextLoader, _FastTextLoader):
    _loader.add_implicit_resolver(_NULL_TAG, re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
    _loader.add_implicit_resolver(_MERGE_TAG, re.compile(r"<<\Z"), ["<"])
    _loader.add_constructor(_NULL_TAG, lambda _loader, _node: None)


def _find_duplicates(keys: list[str]) -> list[str]:
    return [key for key, count in Counter(keys).items() if count > 1]


def _describe_duplicates(keys: Iterable[str]) -> list[str]:
    return [
        f"The key “{to_line(key)[:60]}” appears twice; the last value is used." for key in dict.fromkeys(keys)
    ]


def parse_yaml(block: str, first_line: int) -> tuple[Entries, list[str]]:
    """Return the mapping of a YAML block, with every scalar as text or None, and notes.

    `first_line` is the number of the block's first line. Raises RefusedFile with the line of an error.
    """
    duplicates: dict[yaml.Node, list[str]] = {}

    def load_block(loader_type: Any = _TextLoader) -> object:
        loader = loader_type(block)
        loader.duplicates = duplicates
        return loader.get_single_data()

    if len(block) <= _MAX_FAST_LENGTH and "*" not in block:
        # If the block is not valid, the other loader parses it again, because its errors are clearer.
        with suppress(yaml.YAMLError, ValueError, RecursionError):
            value = load_block(_FastTextLoader)
            return _parse_block("YAML", lambda: value, first_line), _describe_duplicates(
                chain(*duplicates.values())
            )
        duplicates.clear()
    return _parse_block("YAML", load_block, first_line), _describe_duplicates(chain(*duplicates.values()))


def parse_toml(block: str, first_line: int) -> tuple[Entries, list[str]]:
    """Return the mapping of a TOML block, and notes for the report.

    Numbers with leading zeros are accepted. Raises RefusedFile with the line if the block is not valid.
    """
    # tomllib takes quadratic time for a key with very many parts.
    if any(part.count(".") > _MAX_KEY_DOTS for part in re.split(r"[={,\n]", _TOML_STRING.sub("x", block))):
        _refuse_block("TOML", f"a key has more than {_MAX_KEY_DOTS} parts")
    corrected = _LEADING_ZERO.sub(r"\1\2", block)
    try:
        return _parse_block("TOML", lambda: tomllib.loads(block, parse_float=str), first_line), []
    except RefusedFile:
        if corrected == block:
            raise
    note = "Numbers with leading zeros, which TOML forbids, were read without the zeros."
    return _parse_block("TOML", lambda: tomllib.loads(corrected, parse_float=str), first_line), [note]


def parse_json(text: str, first_line: int) -> tuple[Entries, int, list[str]]:
    """Return the mapping of the JSON object at the start of `text`, the offset of its end, and notes.

    Raises RefusedFile with the line number if the object is not valid.
    """
    ends: list[int] = []
    duplicates: list[str] = []

    def to_mapping(pairs: list[tuple[str, object]]) -> Entries:
        duplicates.extend(_find_duplicates([key for key, _ in pairs]))
        return dict(pairs)

    def decode_object() -> object:
        decoder = json.JSONDecoder(parse_float=str, parse_int=str, object_pairs_hook=to_mapping)
        value, end = decoder.raw_decode(text)
        ends.append(end)
        return value

    return _parse_block("JSON", decode_object, first_line), ends[0], _describe_duplicates(duplicates)


def parse_key_value_lines(block: str) -> tuple[Entries, list[str]]:
    """Return the mapping of Pelican's `Key: value` lines, and notes.

    An indented line continues the previous value.
    """
    pairs: list[tuple[str, str]] = []
    for line in block.splitlines():
        if line[:1].isspace() and pairs:
            key, value = pairs.pop()
            pairs.append((key, f"{value} {line.strip()}"))
        else:
            key, _, value = line.partition(":")
            pairs.append((key, value.strip()))
    return dict(pairs), _describe_duplicates(_find_duplicates([key for key, _ in pairs]))


def _parse_block(language: str, parse: Callable[[], object], first_line: int) -> Entries:
    """Return the mapping that `parse` returns, and convert its errors into RefusedFile."""
    try:
        value = parse()
        if value is None:
            return {}
        if not isinstance(value, dict):
            _refuse_block(language, "it does not consist of `key: value` entries")
        level: list[Any] = [value]
        for _ in range(_MAX_VALUE_DEPTH):
            groups = (
                it.values() if isinstance(it, dict) else it for it in level if isinstance(it, dict | list)
            )
            level = [child for group in groups for child in group]
            if not level:
                return {str(key): child for key, child in value.items()}
        _refuse_block(language, "it is nested too deeply")
    except RecursionError:
        _refuse_block(language, "it is nested too deeply")
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        line_number, reason = _describe_error(error)
        _refuse_block(language, reason, line_number and line_number + first_line - 1, error)


def _describe_error(error: Exception) -> tuple[int, str]:
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


def _refuse_block(
    language: str, reason: str, line_number: int = 0, cause: Exception | None = None
) -> NoReturn:
    place = f"line {line_number}: " if line_number else ""
    raise RefusedFile(f"Its {language} cannot be read ({place}{reason}); correct it.") from cause
