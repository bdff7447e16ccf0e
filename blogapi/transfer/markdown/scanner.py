"""Find the matches of a pattern outside the code of a Markdown or HTML text, in linear time."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

_CODE_CHARACTERS = {"markdown": r"`~<$\\", "html": "<"}
_ELEMENT = re.compile(r"<(pre|code|script|style|textarea)\b[^<>]*+(?<!/)>", re.IGNORECASE)
_FENCE = re.compile(r"(`{3,}+(?![^\n]*`)|~{3,}+)[^\n]*+")
_BEFORE_FENCE = re.compile(r"[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)*+")
_FENCE_END = re.compile(r"^[ \t>]*+(`{3,}|~{3,})[ \t]*$", re.MULTILINE)
_TICKS = re.compile("`+")
_ESCAPE = re.compile(r"\\[\\`$<]")
_INDENTED = re.compile(r" {4}| {0,3}\t")
_LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|[0-9]{1,9}[.)]|:|\[\^[^\]\n]+\]:)(?:[ \t]|$)")
_MAX_PREFIX = 200


class Scanner:
    """Yields the matches of a pattern that are not in code.

    Code is fenced and indented code, code spans, `$$` formulas, HTML comments, and the HTML elements <pre>,
    <code>, <script>, <style> and <textarea>. Each match begins with one of the `first` characters, written as
    in a character class.
    """

    def __init__(self, content: str, content_type: str, pattern: re.Pattern[str], first: str) -> None:
        self._content = content
        self._is_markdown = content_type == "markdown"
        self._pattern = pattern
        self._trigger = re.compile(f"[{_CODE_CHARACTERS[content_type]}{first}]")
        self._ticks: dict[int, list[int]] | None = None
        self._indented: dict[int, int] | None = None
        #: Closing marks that do not occur in the rest of the text.
        self._missing: set[str] = set()
        #: The offset at which the search continues; a caller may move it forward.
        self.position = 0
        #: The start and end of each code block and code span that was skipped.
        self.code: list[tuple[int, int]] = []

    def __iter__(self) -> Iterator[re.Match[str]]:
        content = self._content
        while trigger := self._trigger.search(content, self.position):
            start = trigger.start()
            end = self._find_code_end(trigger[0], start)
            match = None if end else self._pattern.match(content, start)
            if match and self._is_markdown:
                end = self._find_indented_end(start)
            if end:
                self.code.append((start, end))
                self.position = end
            elif match:
                self.position = match.end()
                yield match
            elif trigger[0] == "`":
                self.position = _TICKS.match(content, start).end()  # type: ignore[union-attr]
            else:
                self.position = start + (2 if _ESCAPE.match(content, start) else 1)

    def _find_code_end(self, character: str, start: int) -> int | None:
        """Return the end of the code that a character opens, or None if it opens none."""
        if character == "<":
            if self._content.startswith("<!--", start):
                return self._find_mark("-->", start)
            element = _ELEMENT.match(self._content, start)
            return self._find_mark(f"</{element[1].lower()}", element.end()) if element else None
        if character in "`~" and self._is_markdown:
            return self._find_fence_end(start) or (self._find_span_end(start) if character == "`" else None)
        if character == "$" and self._content.startswith("$$", start):
            return self._find_mark("$$", start + 2)
        return None

    def _find_mark(self, mark: str, start: int) -> int | None:
        if mark in self._missing:
            return None
        found = re.compile(re.escape(mark), re.IGNORECASE).search(self._content, start)
        if found is None:
            self._missing.add(mark)
            return None
        return found.end()

    def _find_fence_end(self, start: int) -> int | None:
        fence = _FENCE.match(self._content, start)
        line = self._content.rfind("\n", max(0, start - _MAX_PREFIX), start) + 1
        if not fence or not _BEFORE_FENCE.fullmatch(self._content, line, start):
            return None
        for closing in _FENCE_END.finditer(self._content, fence.end()):
            if closing[1].startswith(fence[1]):
                return closing.end()
        return len(self._content)

    def _find_span_end(self, start: int) -> int | None:
        """Return the end of the code span; it ends with as many backticks, in the same paragraph."""
        if self._ticks is None:
            self._ticks = defaultdict(list)
            for ticks in _TICKS.finditer(self._content):
                self._ticks[len(ticks[0])].append(ticks.start())
        length = len(_TICKS.match(self._content, start)[0])  # type: ignore[index]
        starts = self._ticks[length]
        number = bisect_right(starts, start)
        if number == len(starts) or self._content.find("\n\n", start, starts[number]) >= 0:
            return None
        return starts[number] + length

    def _find_indented_end(self, start: int) -> int | None:
        """Return the end of the indented code block that contains `start`, or None."""
        line = self._content.rfind("\n", max(0, start - _MAX_PREFIX), start) + 1
        if not _INDENTED.match(self._content, line):
            return None
        if self._indented is None:
            self._indented = dict(_find_indented_lines(self._content))
        return self._indented.get(line)


def _find_indented_lines(content: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line of indented code; indented text in lists is not code."""
    offset, is_code, is_after_blank, is_in_list = 0, False, True, False
    for line in content.split("\n"):
        end = offset + len(line)
        if not line.strip():
            is_after_blank = True
        elif _INDENTED.match(line):
            is_code = is_code or (is_after_blank and not is_in_list)
            if is_code:
                yield offset, end
            is_after_blank = False
        else:
            is_continued = is_in_list and (line[0] == " " or not is_after_blank)
            is_in_list = _LIST_ITEM.match(line) is not None or is_continued
            is_code = is_after_blank = False
        offset = end + 1
