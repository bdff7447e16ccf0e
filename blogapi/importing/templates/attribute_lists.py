"""Remove the attribute lists of kramdown and Hugo (`{: .class}`), which Markdown shows as text."""

from __future__ import annotations

import re

from blogapi.importing.texts.scanner import find_outside_code

_VALUE = r"\"[^\"\n{}]*+\"|'[^'\n{}]*+'|[^\s{}\"']++"
_NAMED = rf"[.#][\w:-]++|[\w-]++=(?:{_VALUE})"
_KRAMDOWN = rf"\{{:(?:\s*+(?:{_NAMED}|\w[\w-]*+))++\s*+\}}"
_HUGO = rf"\{{(?:\s*+(?:{_NAMED}))++\s*+\}}"
_LIST = re.compile(
    rf"(?<=[)\]*_`>}}\s]){_KRAMDOWN}|^{_KRAMDOWN}|^\{{:\w++:[^{{}}\n]*+\}}"
    rf"|(?<=[)}}]){_HUGO}|(?<![^\s>]){_HUGO}(?=[ \t]*$)"
    r"|\{::comment\}(?:[^{]++|\{(?!::?/?comment))*+\{:/(?:comment)?\}|\{:[:/][^{}\n]*+\}",
    re.MULTILINE,
)
_ID = re.compile(r"#[\w:-]+")
_HEADING = re.compile(r"(?:^|\n) {0,3}#{1,6}[ \t][^\n]*\Z")
_CONTENTS = re.compile(r"\{:\s*toc\b")
# The list item that kramdown replaces with the table of contents.
_CONTENTS_ITEM = re.compile(r"^[ \t]*(?:[-*+]|[0-9]{1,3}\.)[ \t].*\Z", re.MULTILINE)


def remove_lists(content: str, content_type: str) -> tuple[str, int]:
    """Return the text without the attribute lists outside code, and the number of removed lists.

    The id of a heading is kept, in the form that blogapi reads.
    """
    parts, position, number = [], 0, 0
    for match in find_outside_code(content, content_type, _LIST, "{"):
        parts.append(_remove_list(content[position : match.start()], match[0]))
        position, number = match.end(), number + (not parts[-1].endswith(match[0]))
    return "".join([*parts, content[position:]]), number


def _remove_list(before: str, written: str) -> str:
    """Return the text that replaces `before` and the attribute list `written`, which follows it."""
    line_start = before.rstrip(" \t>")
    block, id_ = line_start.removesuffix("\n"), _ID.search(written)
    if id_ and _HEADING.search(block):
        return f"{block.rstrip()} {{{id_[0]}}}"
    if _CONTENTS.match(written):
        return _CONTENTS_ITEM.sub("", block)
    # In Hugo, a paragraph has its list on the next line.
    is_text = written[1] != ":" and before[-1:] in (" ", "\t") and line_start[-1:] not in ("", "\n")
    return before + written if is_text else before
