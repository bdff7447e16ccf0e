"""Turn the notes and warnings of Docusaurus, VuePress, Quarto and MkDocs into quotes.

These are `:::tip Title` to `:::`, and `!!! tip "Title"` with an indented text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from blogapi.transfer.link_targets import LinkTargets
from blogapi.transfer.markdown.tag_markup import Resolved, render_inline

_KIND = (
    r"(?P<kind>note|tip|info|warning|danger|caution|important|success|abstract|example|question|quote|bug|failure"
    r"|details|secondary|attention|hint|error|todo|seealso|summary|tldr|warn)"
)
_TITLE = r"(?:title\s*+=\s*+)?[\"“](?P<quoted>[^\"”\n]{0,300})[\"”]|\[(?P<bracketed>[^\]\n]{0,300})\]"
_OPENING = re.compile(
    rf"(?P<indent>[ \t]*+)(?P<colons>:{{3,}}+)[ \t]*+\{{?+[ \t]*+(?:\.?(?:callout|admonition)-)?\.?{_KIND}"
    rf"(?:[\s{{}}]++|(?=\[)|$)(?:{_TITLE}|(?P<plain>[^\n={{}}]{{0,300}}+))?[^\n]*+",
    re.IGNORECASE,
)
_OTHER_OPENING = re.compile(r"[ \t]*:{3,}[ \t]*[\w{.][^\n]*")
_CLOSING = re.compile(r"[ \t]*:{3,}[ \t]*")
_BLOCK = re.compile(
    rf"(?P<indent>[ \t]*+)(?:!!!|\?\?\?\+?+)[ \t]++(?:[\w-]++[ \t]++){{0,3}}?{_KIND}"
    rf"(?:[ \t]++(?:[\w-]++[ \t]++){{0,3}}(?:{_TITLE})?)?[ \t]*+",
    re.IGNORECASE,
)
# The tabs of Material for MkDocs.
_TAB = re.compile(rf"(?P<indent>[ \t]*)===[!+]?[ \t]+(?:{_TITLE})[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HINTS = (":::", "!!! ", "???", "===")
_MAX_DEPTH = 8


def resolve_admonitions(content: str, content_type: str, targets: LinkTargets) -> Resolved:
    """Return Markdown with the known kinds of notes outside code as quotes; `details` become an element."""
    if content_type != "markdown" or not any(hint in content for hint in _HINTS):
        return Resolved(content)
    return Resolved("\n".join(_resolve(content.split("\n"), 0)))


def _resolve(lines: Sequence[str], depth: int) -> list[str]:
    ends = _find_ends(lines) if depth < _MAX_DEPTH else {}
    resolved: list[str] = []
    number = 0
    while number < len(lines):
        end = ends.get(number)
        match = _match(lines[number]) if end else None
        if match is None or end is None:
            resolved.append(lines[number])
            number += 1
            continue
        inner = _resolve(_cut_indent(lines[number + 1 : end], match), depth + 1)
        resolved += _make_quote(match, inner)
        number = end + (1 if "colons" in match.groupdict() else 0)
        if number < len(lines) and lines[number].strip():
            resolved.append("")
    return resolved


def _match(line: str) -> re.Match[str] | None:
    return _OPENING.fullmatch(line) or _BLOCK.fullmatch(line) or _TAB.fullmatch(line)


def _find_ends(lines: Sequence[str]) -> dict[int, int]:
    """Return the number of the line after the text of each note, by the number of its first line."""
    ends: dict[int, int] = {}
    containers: list[int] = []
    fence, number = "", 0
    while number < len(lines):
        line, start = lines[number], number
        number += 1
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(f" \t{fence[0]}"):
                fence = ""
        elif mark:
            fence = mark[1]
        elif _CLOSING.fullmatch(line):
            if containers:
                ends[containers.pop()] = start
        elif _OTHER_OPENING.fullmatch(line):
            containers.append(start)
        elif block := _BLOCK.fullmatch(line) or _TAB.fullmatch(line):
            # The notes in its text are found when the text is resolved.
            number = ends[start] = _find_block_end(lines, number, block["indent"])
    return ends


def _find_block_end(lines: Sequence[str], start: int, indent: str) -> int:
    """Return the end of the lines that are indented more than `indent`, without blank lines at the end."""
    end = start
    for number in range(start, len(lines)):
        if lines[number].startswith((f"{indent}    ", f"{indent}\t")) and lines[number].strip():
            end = number + 1
        elif lines[number].strip():
            break
    return end


def _cut_indent(lines: Sequence[str], match: re.Match[str]) -> list[str]:
    """Return the lines without the indentation of their note."""
    indent = match["indent"]
    if "colons" in match.groupdict():
        return [line.removeprefix(indent) for line in lines]
    cut = [line.removeprefix(indent) for line in lines]
    return [line[1:] if line.startswith("\t") else line.removeprefix("    ") for line in cut]


def _make_quote(match: re.Match[str], inner: list[str]) -> list[str]:
    groups = match.groupdict()
    indent, kind = match["indent"], groups.get("kind") or ""
    title = match["quoted"] or match["bracketed"] or groups.get("plain") or ""
    title = title.replace("**", "").strip() or kind.capitalize()
    if kind.casefold() == "details" or match[0].lstrip().startswith("???"):
        lines = [f"<details><summary>{render_inline(title)}</summary>", "", *inner, "", "</details>"]
    elif not kind:
        lines = [f"**{title}**", "", *inner]
    else:
        lines = [f"> **{title}**", ">", *(f"> {line}".rstrip() for line in inner)]
    return [indent + line if line else "" for line in lines]
