"""Find the matches of a pattern outside the code of a Markdown or HTML text, in linear time."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

_HTML_CODE = r"<(?P<c_element>pre|code|script|style|textarea)\b[^<>]*+>|(?P<c_comment><!--)"
_MARKDOWN_CODE = (
    r"^[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?(?P<c_fence>`{3,}+(?![^\n]*`)|~{3,}+)[^\n]*+"
    r"|(?P<c_escape>\\[\\`$<])|(?P<c_ticks>`++)|(?P<c_math>\$\$)"
    r"|(?:\A|(?<=\n\n))(?P<c_indented>(?:[ ]{4}|[ ]{0,3}\t)[ \t]*+(?=\S))"
)
_FENCE_END = re.compile(r"^[ \t>]*+(`{3,}|~{3,})[ \t]*$", re.MULTILINE)
_TICKS = re.compile("`+")
_INDENTED = re.compile(r" {4}| {0,3}\t")
_LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|[0-9]{1,9}[.)]|:|\[\^[^\]\n]+\]:)(?:[ \t]|$)")


@lru_cache(maxsize=16)
def _compile(pattern: str, content_type: str) -> re.Pattern[str]:
    code = f"{_MARKDOWN_CODE}|{_HTML_CODE}" if content_type == "markdown" else _HTML_CODE
    return re.compile(f"{code}|{pattern}", re.MULTILINE | re.IGNORECASE)


class Scanner:
    """Yields the matches of `pattern` that are not in code.

    Code is fenced and indented code, code spans, `$$` formulas, HTML comments, and the HTML elements <pre>,
    <code>, <script>, <style> and <textarea>. The pattern is compiled with MULTILINE and IGNORECASE; its group
    names must not begin with `c_`.
    """

    def __init__(self, content: str, content_type: str, pattern: str) -> None:
        self._content = content
        self._pattern = _compile(pattern, content_type)
        self._ticks: dict[int, list[int]] | None = None
        self._indented: dict[int, int] | None = None
        #: Closing marks that do not occur in the rest of the text.
        self._missing: set[str] = set()
        #: The offset at which the search continues; a caller may move it forward.
        self.position = 0
        #: The start and end of each code block and code span that was skipped.
        self.code: list[tuple[int, int]] = []

    def __iter__(self) -> Iterator[re.Match[str]]:
        while match := self._pattern.search(self._content, self.position):
            kind = match.lastgroup or ""
            end = self._find_code_end(kind, match) if kind.startswith("c_") else None
            # An empty match must not stop the search.
            self.position = max(end or match.end(), match.start() + 1)
            if not kind.startswith("c_"):
                yield match
            elif end:
                self.code.append((match.start(), end))

    def _find_code_end(self, kind: str, match: re.Match[str]) -> int | None:
        """Return the end of the code that a match opens, or None if it opens none."""
        if kind == "c_fence":
            return self._find_fence_end(match["c_fence"], match.end())
        if kind == "c_ticks":
            return self._find_ticks_end(match)
        if kind == "c_indented":
            if self._indented is None:
                self._indented = _find_indented_code(self._content)
            return self._indented.get(match.start())
        if kind == "c_math":
            return self._find_mark("$$", match.end())
        if kind == "c_comment":
            return self._find_mark("-->", match.end())
        return self._find_mark(f"</{match['c_element'].lower()}", match.end()) if kind == "c_element" else None

    def _find_mark(self, mark: str, start: int) -> int | None:
        if mark in self._missing:
            return None
        found = re.compile(re.escape(mark), re.IGNORECASE).search(self._content, start)
        if found is None:
            self._missing.add(mark)
            return None
        return found.end()

    def _find_fence_end(self, fence: str, start: int) -> int:
        for closing in _FENCE_END.finditer(self._content, start):
            if closing[1].startswith(fence):
                return closing.end()
        return len(self._content)

    def _find_ticks_end(self, match: re.Match[str]) -> int | None:
        """Return the end of the code span; it ends with as many backticks, in the same paragraph."""
        if self._ticks is None:
            self._ticks = defaultdict(list)
            for ticks in _TICKS.finditer(self._content):
                self._ticks[len(ticks[0])].append(ticks.start())
        starts = self._ticks[len(match["c_ticks"])]
        number = bisect_right(starts, match.start())
        if number == len(starts) or self._content.find("\n\n", match.end(), starts[number]) >= 0:
            return None
        return starts[number] + len(match["c_ticks"])


def _find_indented_code(content: str) -> dict[int, int]:
    """Return the end of each indented code block by its start; indented text in lists is not code."""
    blocks: dict[int, int] = {}
    start, offset, is_after_blank, is_in_list = -1, 0, True, False
    for line in content.split("\n"):
        end = offset + len(line)
        if not line.strip():
            is_after_blank = True
        elif _INDENTED.match(line):
            if start < 0 and is_after_blank and not is_in_list:
                start = offset
            if start >= 0:
                blocks[start] = end
            is_after_blank = False
        else:
            is_continued = is_in_list and (line[0] == " " or not is_after_blank)
            is_in_list = _LIST_ITEM.match(line) is not None or is_continued
            start, is_after_blank = -1, False
        offset = end + 1
    return blocks
