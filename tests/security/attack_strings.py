"""Builds the texts with which a regular expression would take the longest, from its own parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Node = tuple[Any, Any]

_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_CHARACTERS = (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN)
_CATEGORIES = {ops.CATEGORY_DIGIT: r"\d", ops.CATEGORY_SPACE: r"\s", ops.CATEGORY_WORD: r"\w"} | {
    ops.CATEGORY_NOT_DIGIT: r"\D",
    ops.CATEGORY_NOT_SPACE: r"\S",
    ops.CATEGORY_NOT_WORD: r"\W",
}
_COMMON = "a \n0-x\t\"'<>=/#:&;.!()[]{}|\\*`~_,%@?$+Aé\x01"
# What follows the repeated part, so that the pattern fails there.
_ENDS = ("\x01", "\n\x01")
# The lengths of parts that are required very often, such as `{24,}`.
_MAX_MINIMUM = 100
# The number of repetitions after a repetition that its text is combined with.
_FOLLOWING = 2
# Of more attacks, every second, third or nth one is taken.
_MAX_ATTACKS = 3000


@dataclass(frozen=True, slots=True)
class Attack:
    """A text of any length: a beginning, a part that is repeated, and an end."""

    start: str
    part: str
    end: str

    def build(self, length: int) -> str:
        """Return the text with about this many characters."""
        return self.start + self.part * (length // len(self.part)) + self.end


def build_attacks(pattern: re.Pattern[Any]) -> list[Attack]:
    """Return the attacks on a pattern of text or of bytes; those on bytes are Latin-1."""
    form = pattern.pattern
    flags = pattern.flags & ~re.UNICODE if isinstance(form, bytes) else pattern.flags
    return _Builder(_flatten(parser.parse(form, flags), {}), flags).build()


def _flatten(nodes: Any, groups: dict[int, list[Node]]) -> list[Node]:
    """Return the nodes with the content of groups in place of the groups and of references to them."""
    flat: list[Node] = []
    for kind, value in nodes:
        if kind is ops.SUBPATTERN:
            content = _flatten(value[3], groups)
            groups[value[0]] = content
            flat += content
        elif kind is ops.ATOMIC_GROUP:
            flat += _flatten(value, groups)
        elif kind is ops.GROUPREF:
            flat += groups.get(value, [])
        elif kind is ops.BRANCH:
            flat.append((kind, [_flatten(branch, groups) for branch in value[1]]))
        elif kind is ops.GROUPREF_EXISTS:
            flat.append((ops.BRANCH, [_flatten(branch or [], groups) for branch in value[1:]]))
        elif kind in _REPEATS:
            flat.append((kind, (*value[:2], _flatten(value[2], groups))))
        elif kind in (ops.ASSERT, ops.ASSERT_NOT):
            flat.append((kind, (value[0], _flatten(value[1], groups))))
        else:
            flat.append((kind, value))
    return flat


class _Builder:
    def __init__(self, nodes: list[Node], flags: int) -> None:
        self._nodes = nodes
        self._flags = flags
        self._characters = self._select_characters()
        # These change with each variant: the preferred character, whether optional parts are there, and
        # which branch is taken.
        self._preferred, self._least, self._branch = "a", 0, 0

    def build(self) -> list[Attack]:
        pairs: set[tuple[str, str]] = set()
        # What a pattern excludes lets it fail too.
        ends = (
            *_ENDS,
            *{self._write(value[1]) for kind, value in _walk(self._nodes) if kind is ops.ASSERT_NOT},
        )
        branches = range(3 if any(kind is ops.BRANCH for kind, _ in _walk(self._nodes)) else 1)
        for variant in product(self._characters, (0, 1), branches):
            self._preferred, self._least, self._branch = variant
            pairs.update(self._visit(self._nodes, ""))
        attacks = sorted((start, part, end) for start, part in pairs if part for end in ends)
        return [Attack(*parts) for parts in attacks[:: len(attacks) // _MAX_ATTACKS + 1]]

    def _visit(self, nodes: Sequence[Node], start: str) -> Iterator[tuple[str, str]]:
        """Yield the beginnings and repeated parts of texts for these nodes, which follow the beginning."""
        for index, (kind, value) in enumerate(nodes):
            before = start + self._write(nodes[:index])
            # A search tries each place again where the pattern can begin.
            yield "", before
            if kind in _REPEATS:
                body = self._write(value[2]) * min(max(value[0], 1), _MAX_MINIMUM)
                yield before, body
                yield "", before + body
                for end in _find_ends(nodes, index):
                    yield before, self._write(nodes[index + 1 : end])
                    yield before, body + self._write(nodes[index + 1 : end])
                yield from self._visit(value[2], before)
            elif kind is ops.BRANCH:
                for branch in value:
                    yield from self._visit(branch, before)
            elif kind in (ops.ASSERT, ops.ASSERT_NOT):
                yield from self._visit(value[1], before)

    def _write(self, nodes: Sequence[Node]) -> str:
        """Return a text that the nodes match; conditions about what follows are ignored."""
        return "".join(self._write_one(kind, value) for kind, value in nodes)

    def _write_one(self, kind: Any, value: Any) -> str:
        if kind is ops.LITERAL:
            return chr(value)
        if kind in _CHARACTERS:
            choices = (self._preferred, *self._characters)
            return next((item for item in choices if self._matches(kind, value, item)), "")
        if kind in _REPEATS:
            least, most, body = value
            return self._write(body) * min(max(least, min(self._least, most)), _MAX_MINIMUM)
        if kind is ops.BRANCH:
            return self._write(value[self._branch % len(value)])
        if kind is ops.ASSERT and value[0] < 0:
            return self._write(value[1])
        return ""

    def _select_characters(self) -> list[str]:
        """Return one character for each set of characters that the pattern does not distinguish."""
        nodes = [node for node in _walk(self._nodes) if node[0] in _CHARACTERS and node[0] is not ops.LITERAL]
        listed = "".join(_list_listed(nodes))
        found: dict[tuple[bool, ...], str] = {}
        for item in _COMMON + listed:
            found.setdefault(tuple(self._matches(kind, value, item) for kind, value in nodes), item)
        return list(found.values())

    def _matches(self, kind: Any, value: Any, item: str) -> bool:
        if kind is ops.ANY:
            return item != "\n" or bool(self._flags & re.DOTALL)
        items = {item, item.lower(), item.upper()} if self._flags & re.IGNORECASE else {item}
        if kind in (ops.LITERAL, ops.NOT_LITERAL):
            return (chr(value) in items) == (kind is ops.LITERAL)
        is_negated = value[0][0] is ops.NEGATE
        return is_negated != any(_is_in(entry, one) for entry in value[is_negated:] for one in items)


def _find_ends(nodes: Sequence[Node], index: int) -> list[int]:
    """Return where the parts between a repetition and the following ones end."""
    ends = [end for end in range(index + 1, len(nodes)) if nodes[end][0] in _REPEATS]
    return [*ends[:_FOLLOWING], len(nodes)]


def _is_in(entry: Node, item: str) -> bool:
    kind, value = entry
    if kind is ops.LITERAL:
        return chr(value) == item
    if kind is ops.RANGE:
        return bool(value[0] <= ord(item) <= value[1])
    return re.match(_CATEGORIES[value], item) is not None


def _walk(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield the nodes and what they contain."""
    for kind, value in nodes:
        yield kind, value
        if kind in _REPEATS:
            yield from _walk(value[2])
        elif kind is ops.BRANCH:
            for branch in value:
                yield from _walk(branch)
        elif kind in (ops.ASSERT, ops.ASSERT_NOT):
            yield from _walk(value[1])


def _list_listed(nodes: Sequence[Node]) -> Iterator[str]:
    for kind, value in nodes:
        if kind is ops.IN:
            for entry, content in value:
                if entry is ops.LITERAL:
                    yield chr(content)
                elif entry is ops.RANGE:
                    yield chr(content[0])
