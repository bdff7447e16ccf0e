"""Mathematics in Markdown (`$…$`, `$$…$$`, `\\(…\\)`, `\\[…\\]`), which the HTML contains as typed.

Before comrak renders the text, each formula is enclosed in `$$` and a mark, so that comrak reads it as
display mathematics; a rare punctuation character replaces all other dollar signs. comrak decides what is code
or HTML: where it reads no mathematics, removing the marks yields the text as typed.
"""

from __future__ import annotations

import re
from urllib.parse import quote

#: A character that Unicode reserves for use inside a program.
MARK = "\ufdd0"
_DOLLAR_MARK = "\U00010f59"
_START, _END = f"$${MARK}", f"{MARK}$$"
_REPLACED = ((_START, ""), (_END, ""), (MARK, ""), (_DOLLAR_MARK, "$"))

# A formula is in one paragraph, and contains no code, link, footnote or address. Each pattern stops where the
# same kind of formula could begin, so that the time is linear.
_TEX = r"[^$`\\\n\][:]|\n(?![ \t]*\n)|\[(?!\^)|\](?!\()|:(?!//)"
_IN_DOLLARS = rf"(?:{_TEX}|\\[^`\n]?)++"
_IN_BRACKETS = rf"(?:{_TEX}|\$|\\[^`\n()\][]?(?![()\][]))++"
_DISPLAY = rf"\$\$(?!\$){_IN_DOLLARS}\$\$(?!\$)|\\\[{_IN_BRACKETS}\\\]"
_FORMULA = re.compile(
    rf"(?P<lines>^[ \t>]*+(?:{_DISPLAY})[ \t]*+$)"
    r"|\\[\\$]|!?\[[^][]*+\]\([^()]*+\)|(?:https?|ftp)://[^\s<]*+"
    # `US$`, `5$` and `$HOME` are no formulas.
    rf"|(?P<formula>{_DISPLAY}|\\\({_IN_BRACKETS}\\\)"
    rf"|(?<![0-9A-Za-z$])\$(?![\s$]){_IN_DOLLARS}(?<!\s)\$(?![0-9A-Za-z_{{$]))|\$",
    re.MULTILINE,
)
# `\[1\]` and `\[sic\]` are escaped brackets.
_ESCAPED_BRACKETS = re.compile(
    r"[ \t>]*\\\[(?!\s+\S.*\s\\\])(?:(?!\\[a-zA-Z]|[{}^=<>+]|\w[_*]\w).)*\Z", re.DOTALL
)
_LINE_START = re.compile(r"\n[ \t>]*")


def mark_formulas(content: str) -> str:
    """Return the Markdown with marked formulas, which comrak does not change; see `remove_marks`."""
    return _FORMULA.sub(_mark_formula, content)


def remove_marks(html: str) -> str:
    """Return the rendered HTML without the marks and without the elements that comrak makes of formulas."""
    html = html.replace(f'<span data-math-style="display">{MARK}', "").replace(f"{MARK}</span>", "")
    for mark, text in _REPLACED:
        html = html.replace(mark, text).replace(quote(mark, safe="$"), text)
    return html


def _mark_formula(match: re.Match[str]) -> str:
    text = match[0] if match[0] == r"\$" else match[0].replace("$", _DOLLAR_MARK)
    if not match.lastgroup or _ESCAPED_BRACKETS.match(text):
        return text
    if match.lastgroup == "lines":
        # Without the mark, a line that begins with `- ` or `=` would be a list item or a heading.
        text = _LINE_START.sub(rf"\g<0>{MARK}", text)
    start = len(text) - len(text.lstrip(" \t>"))
    return f"{text[:start]}{_START}{text[start:].rstrip()}{_END}"
