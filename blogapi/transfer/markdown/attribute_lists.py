"""Remove the attribute lists of kramdown and Hugo (`{: .class}`), which Markdown shows as text."""

from __future__ import annotations

import re

_VALUE = r"\"[^\"\n{}]*+\"|'[^'\n{}]*+'|[^\s{}\"']++"
_NAMED = rf"[.#][\w:-]++|[\w-]++=(?:{_VALUE})"
_KRAMDOWN = rf"\{{:(?:\s*+(?:{_NAMED}|\w[\w-]*+))++\s*+\}}"
_HUGO = rf"\{{(?:\s*+(?:{_NAMED}))++\s*+\}}"
#: The names of the outer groups begin with `al_`; see `replace`.
PATTERN = (
    # A list with one item that stands for the table of contents.
    r"(?P<al_toc>^[ \t]*+(?:[-*+]|[0-9]{1,3}\.)[ \t]++[^\n{}]{0,100}\n[ \t]*+\{:[^{}\n]{0,99}\btoc\b[^{}\n]{0,99}\}[ \t]*$)"
    rf"|(?P<al_heading>\n\{{:\s*+#[\w:-]++\s*+\}}[ \t]*$)"
    rf"|(?P<al_line>^[ \t>]*+(?:{_KRAMDOWN}|\{{:\w++:[^{{}}\n]*+\}}|{_HUGO})[ \t]*$)"
    rf"|(?P<al_inline>(?<=[)\]*_`>}}]){_KRAMDOWN}|(?<=[^\s{{][ \t]){_KRAMDOWN}(?=[ \t]*$)|(?<=[)}}]){_HUGO})"
    r"|(?P<al_comment>\{::comment\}(?:[^{]++|\{(?!::?/?comment))*+\{:/(?:comment)?\})"
    r"|(?P<al_option>\{::(?:options|nomarkdown)[^{}\n]*+\}|\{:/(?:nomarkdown)?\})"
)
_ID = re.compile(r"#([\w:-]+)")


def replace(match: re.Match[str]) -> str:
    """Return what replaces an attribute list: the id of a heading, or nothing."""
    kind, content = match.lastgroup, match.string
    if kind not in ("al_heading", "al_inline"):
        return ""
    start = content.rfind("\n", max(0, match.start() - 500), match.start()) + 1
    id_ = _ID.search(match[0]) if content.startswith("#", start) else None
    if kind == "al_inline":
        return f"{{#{id_[1]}}}" if id_ else ""
    return f" {{#{id_[1]}}}" if id_ else "\n"
