"""Find the matches of a pattern outside the code of a Markdown or HTML text, in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# An element without an end is not code. Each search ends where the next element of the same name begins, so
# that many elements without an end take linear time.
_ELEMENTS = (
    r"<!--(?:[^-<]++|-(?!->)|<(?!!--))*+-->"
    r"|<(?P<element>pre|code|script|style|textarea)\b[^<>]*+(?<!/)>(?:[^<]++|<(?!/?(?P=element)\b))*+"
    r"</(?P=element)"
)
_FENCE = (
    r"(?P<fence>`{3,}+(?=[^`\n]*+$)|~{3,}+)[^\n]*+"
    r"(?:\n(?![ \t>]*+(?P=fence)[`~]*+[ \t]*$)[^\n]*+)*+(?:\n[^\n]*+)?+"
)
_SPAN = r"(?<!`)(?P<ticks>`{1,4}+)(?!`)(?:[^`\n]++|\n(?![ \t]*\n)|(?!(?P=ticks)(?!`))`++)*+(?P=ticks)(?!`)"
_CODE_INDENT = re.compile(r" {4}| {0,3}\t")
_LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|[0-9]{1,9}[.)]|:|\[\^[^\]\n]+\]:)(?:[ \t]|$)")
_MAX_PREFIX_LENGTH = 200
_NO_MATCH, _VISIBLE_CHARACTER = re.compile("(?!)"), re.compile(r"\S")
_FLAGS = re.IGNORECASE | re.MULTILINE
_CODE_PATTERNS = {
    "html": ("<", re.compile(_ELEMENTS, _FLAGS)),
    "markdown": (r"`~<$\\", re.compile(rf"\\[\\`$<]|{_ELEMENTS}|{_FENCE}|{_SPAN}|\$\$[^$]*+\$\$", _FLAGS)),
}
# In MDX, indented text is no code.
_CODE_PATTERNS["mdx"] = _CODE_PATTERNS["markdown"]


def find_outside_code(
    content: str, content_type: str, pattern: re.Pattern[str], first: str
) -> Iterator[re.Match[str]]:
    """Yield the matches that are not in code.

    Code is fenced and indented code, code spans, `$$` formulas, HTML comments, and the elements <pre>,
    <code>, <script>, <style> and <textarea>. Each match begins with one of the `first` characters, written as
    in a character class.
    """
    matches = (match for match, is_code in _scan_text(content, content_type, pattern, first) if not is_code)
    if content_type != "markdown":
        yield from matches
        return
    indented: set[int] | None = None
    for match in matches:
        line = content.rfind("\n", max(0, match.start() - _MAX_PREFIX_LENGTH), match.start()) + 1
        if indented is None and _CODE_INDENT.match(content, line):
            indented = set(_find_indented_lines(content))
        if not indented or line not in indented:
            yield match


def change_code(
    content: str, content_type: str, skipped: re.Pattern[str], change: Callable[[str], str]
) -> str:
    """Return the text with `change` applied to all code that is not in a match of `skipped`."""
    parts, position = [], 0
    for match, is_code in _scan_text(content, content_type, skipped, "{"):
        parts += [content[position : match.start()], change(match[0]) if is_code else match[0]]
        position = match.end()
    return "".join([*parts, content[position:]])


def replace_code_with_spaces(content: str, content_type: str) -> str:
    """Return Markdown with spaces in place of its code, so that everything else keeps its position.

    Elements such as <pre> stay, because browsers read the tags in these elements.
    """

    def fill_with_spaces(code: str) -> str:
        # The first character stays, so that a line that begins with a code span is not indented afterwards.
        return code if code.startswith("<") else code[0] + _VISIBLE_CHARACTER.sub(" ", code[1:])

    if content_type != "markdown":
        return content
    content = change_code(content, content_type, _NO_MATCH, fill_with_spaces)
    indented, parts, offset = set(_find_indented_lines(content)), [], 0
    for line in content.split("\n"):
        parts.append(" " * len(line) if offset in indented else line)
        offset += len(line) + 1
    return "\n".join(parts)


def _scan_text(
    content: str, content_type: str, pattern: re.Pattern[str], first: str
) -> Iterator[tuple[re.Match[str], bool]]:
    """Yield, in order, code that is not indented and the matches of `pattern`, and whether each is code."""
    characters, code = _CODE_PATTERNS[content_type]
    trigger, position = re.compile(f"[{characters}{first}]"), 0
    while trigger_match := trigger.search(content, position):
        block = code.match(content, trigger_match.start())
        match = block or pattern.match(content, trigger_match.start())
        position = match.end() if match else trigger_match.end()
        if match:
            yield match, block is not None


def _find_indented_lines(content: str) -> Iterator[int]:
    """Yield the start of each line of indented code; indented text in lists is not code."""
    offset, is_code, is_after_blank, is_in_list = 0, False, True, False
    for line in content.split("\n"):
        if not line.strip():
            is_after_blank = True
        elif _CODE_INDENT.match(line):
            is_code = is_code or (is_after_blank and not is_in_list)
            if is_code:
                yield offset
            is_after_blank = False
        else:
            is_continued = is_in_list and (line[0] == " " or not is_after_blank)
            is_in_list = _LIST_ITEM.match(line) is not None or is_continued
            is_code = is_after_blank = False
        offset += len(line) + 1
