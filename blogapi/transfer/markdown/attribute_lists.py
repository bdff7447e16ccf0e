"""Remove the attribute lists of kramdown and Hugo (`{: .class}`), which Markdown shows as text."""

from __future__ import annotations

import re

_VALUE = r"\"[^\"\n{}]*+\"|'[^'\n{}]*+'|[^\s{}\"']++"
_NAMED = rf"[.#][\w:-]++|[\w-]++=(?:{_VALUE})"
_KRAMDOWN = rf"\{{:(?:\s*+(?:{_NAMED}|\w[\w-]*+))++\s*+\}}"
_HUGO = rf"\{{(?:\s*+(?:{_NAMED}))++\s*+\}}"
#: The names of the outer groups begin with `al_`; see `replace`.
PATTERN = (
    rf"(?P<al_last>(?:{_KRAMDOWN}|\{{:\w++:[^{{}}\n]*+\}}|{_HUGO})[ \t]*$)"
    rf"|(?P<al_inner>(?<=[)\]*_`>}}]){_KRAMDOWN}|(?<=[)}}]){_HUGO})"
    r"|(?P<al_comment>\{::comment\}(?:[^{]++|\{(?!::?/?comment))*+\{:/(?:comment)?\})"
    r"|(?P<al_option>\{::(?:options|nomarkdown)[^{}\n]*+\}|\{:/(?:nomarkdown)?\})"
)
_ID = re.compile(r"#([\w:-]+)")
_CONTENTS = re.compile(r"\{:[^}]*(?<![\w-])toc(?![\w-])")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,3}\.)[ \t]")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_MAX_LINE = 500


def replace(match: re.Match[str]) -> tuple[int, str] | None:
    """Return the start and the replacement of the text that ends with an attribute list.

    None if the match is not an attribute list. The id of a heading is kept, in the form that blogapi reads.
    """
    content, start = match.string, match.start()
    if match.lastgroup in ("al_comment", "al_option"):
        return start, ""
    line = content.rfind("\n", max(0, start - _MAX_LINE), start) + 1
    before, id_ = content[line:start], _ID.search(match[0])
    if not before.strip(" \t>"):
        return _replace_line(content, line, start, match[0], id_[1] if id_ else "")
    if _HEADING.match(before) and id_:
        return start, f"{{#{id_[1]}}}"
    is_kramdown = match[0].startswith("{:")
    return (start, "") if before[-1] in ")}" or (is_kramdown and before[-1] in " \t]*_`>") else None


def _replace_line(content: str, line: int, start: int, text: str, id_: str) -> tuple[int, str] | None:
    """Replace a list on a line of its own, which belongs to the block before it."""
    previous = content.rfind("\n", max(0, line - _MAX_LINE), max(0, line - 1)) + 1
    before = content[previous : max(0, line - 1)]
    if _CONTENTS.match(text) and _LIST_ITEM.match(before):
        # The list has one item, which stands for the table of contents.
        return previous, ""
    if _HEADING.match(before) and id_:
        return line - 1, f" {{#{id_}}}"
    return start, ""
