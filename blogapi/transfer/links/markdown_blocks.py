"""Split Markdown into text, code and raw HTML, so that its parts can be changed and joined again."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE = re.compile(r"[^\n]*+\n|[^\n]++")
_QUOTE = re.compile(r"(?:[ ]{0,3}>[ ]?)*+")
_FENCE = re.compile(r"[ \t]*+(`{3,}+(?!.*`)|~{3,}+)")
_LIST_ITEM = re.compile(r"[ \t]*+(?:[-+*]|[0-9]{1,9}[.)])[ \t]++(?=\S)")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}\s")
# The lines that begin a paragraph without a blank line before them.
_NEW_PARAGRAPH = re.compile(r"\s*+(?:[-+*|>]|#{1,6}\s|[0-9]{1,9}[.)]\s)")
_RAW_HTML = re.compile(r"[ ]{0,3}<(?:(pre|script|style|textarea)(?![\w-]|[^<>]*/>)|!--)", re.IGNORECASE)


def split_blocks(content: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each block; the texts together are the content.

    The kind is "text" (at most one paragraph), "code" (also blank lines), or "html" for comments and elements
    whose content is not Markdown (`<pre>`, `<script>`, `<style>`, `<textarea>`).
    """
    lines, block, former = _Lines(), list[str](), ""
    for line in _LINE.findall(content):
        kind = lines.classify(line)
        if block and (kind != former or (kind == "text" and _NEW_PARAGRAPH.match(line))):
            yield former, "".join(block)
            block = []
        block.append(line)
        former = kind
    if block:
        yield former, "".join(block)


class _Lines:
    """The state between the lines of Markdown."""

    def __init__(self) -> None:
        self._fence = ""
        self._is_fence_quoted = False
        self._html_end = ""
        #: The indentation of the text in the current list item.
        self._list_indent = 0
        #: Whether an indented line would be code, because it cannot continue a paragraph.
        self._can_be_code = True

    def classify(self, line: str) -> str:
        """Return the kind of the next line."""
        if self._html_end:
            if self._html_end in line.lower():
                self._html_end = ""
            return "html"
        quote = _QUOTE.match(line)[0]  # type: ignore[index]
        text = line[len(quote) :]
        if self._fence and (quote or not self._is_fence_quoted):
            end = text.strip()
            if end.startswith(self._fence) and not end.strip(self._fence[0]):
                self._fence = ""
            return "code"
        self._fence = ""
        if not text.strip():
            self._can_be_code = True
            return "code"
        return self._classify_text(text, is_quoted=">" in quote)

    def _classify_text(self, text: str, *, is_quoted: bool) -> str:
        indent = _measure(text)
        if indent >= self._list_indent + 4 and self._can_be_code:
            return "code"
        item = _LIST_ITEM.match(text)
        if item:
            self._list_indent, text = _measure_width(item[0]), text[item.end() :]
        elif self._can_be_code:
            self._list_indent = min(self._list_indent, indent)
        fence, html = _FENCE.match(text), _RAW_HTML.match(text)
        self._can_be_code = bool(fence or html or _HEADING.match(text))
        if fence:
            self._fence, self._is_fence_quoted = fence[1], is_quoted
            return "code"
        if html:
            end = f"</{html[1].lower()}>" if html[1] else "-->"
            self._html_end = "" if end in text.lower() else end
            return "html"
        return "text"


def _measure(text: str) -> int:
    """Return the width of the white space before a text."""
    return _measure_width(text[: len(text) - len(text.lstrip())])


def _measure_width(text: str) -> int:
    return len(text.expandtabs(4))
