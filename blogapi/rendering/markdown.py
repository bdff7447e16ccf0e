"""Renders Markdown to HTML: CommonMark with GitHub's extensions, such as tables, footnotes and alerts."""

from __future__ import annotations

import re
import secrets
from urllib.parse import quote

import comrak

# Mathematics (`$…$`, `$$…$$`, `\(…\)`, `\[…\]`) stays in the HTML as typed. Before comrak renders the text,
# each formula is enclosed in `$$` and a mark, so that comrak reads it as display mathematics; a rare
# punctuation character replaces all other dollar signs. comrak decides what is code or HTML: where it reads
# no mathematics, removing the marks yields the text as typed. The mark is a character that Unicode reserves
# for use inside a program.
_MATH_MARK = "\ufdd0"
_DOLLAR_MARK = "\U00010f59"
_FORMULA_START, _FORMULA_END = f"$${_MATH_MARK}", f"{_MATH_MARK}$$"
_MARK_REPLACEMENTS = ((_FORMULA_START, ""), (_FORMULA_END, ""), (_MATH_MARK, ""), (_DOLLAR_MARK, "$"))

# A formula is in one paragraph, and contains no code, link, footnote or address. Each pattern stops where the
# same kind of formula could begin, so that the time is linear.
_TEX_PART = r"[^$`\\\n\][:]|\n(?![ \t]*\n)|\[(?!\^)|\](?!\()|:(?!//)"
_IN_DOLLARS = rf"(?:{_TEX_PART}|\\[^`\n]?)++"
_IN_BRACKETS = rf"(?:{_TEX_PART}|\$|\\[^`\n()\][]?(?![()\][]))++"
_DISPLAY_FORMULA = rf"\$\$(?!\$){_IN_DOLLARS}\$\$(?!\$)|\\\[{_IN_BRACKETS}\\\]"
_FORMULA = re.compile(
    rf"(?P<lines>^[ \t>]*+(?:{_DISPLAY_FORMULA})[ \t]*+$)"
    r"|\\[\\$]|!?\[[^][]*+\]\([^()]*+\)|(?:https?|ftp)://[^\s<]*+"
    # `US$`, `5$` and `$HOME` are not formulas.
    rf"|(?P<formula>{_DISPLAY_FORMULA}|\\\({_IN_BRACKETS}\\\)"
    rf"|(?<![0-9A-Za-z$])\$(?![\s$]){_IN_DOLLARS}(?<!\s)\$(?![0-9A-Za-z_{{$]))|\$",
    re.MULTILINE,
)
# Matches escaped brackets that are not formulas, such as `\[1\]` and `\[sic\]`.
_ESCAPED_BRACKETS = re.compile(
    r"[ \t>]*\\\[(?!\s+\S.*\s\\\])(?:(?!\\[a-zA-Z]|[{}^=<>+]|\w[_*]\w).)*\Z", re.DOTALL
)
_LINE_START = re.compile(r"\n[ \t>]*")


def _mark_formula(match: re.Match[str]) -> str:
    text = match[0] if match[0] == r"\$" else match[0].replace("$", _DOLLAR_MARK)
    if not match.lastgroup or _ESCAPED_BRACKETS.match(text):
        return text
    if match.lastgroup == "lines":
        # Without the mark, a line that begins with `- ` or `=` would be a list item or a heading.
        text = _LINE_START.sub(rf"\g<0>{_MATH_MARK}", text)
    start = len(text) - len(text.lstrip(" \t>"))
    return f"{text[:start]}{_FORMULA_START}{text[start:].rstrip()}{_FORMULA_END}"


# The maximum number of footnotes. A reference of 4 characters produces 300 characters of HTML.
MAX_FOOTNOTES = 4_000

_EXTENSION_OPTIONS = comrak.ExtensionOptions(
    alerts=True,
    autolink=True,
    cjk_friendly_emphasis=True,
    footnotes=True,
    math_dollars=True,
    strikethrough=True,
    table=True,
    tasklist=True,
)
# Raw HTML is kept here, because the sanitizer cleans it later.
_RENDER_OPTIONS = comrak.RenderOptions(tasklist_classes=True, unsafe_=True)

# The time for nested quotes grows with the square of their depth: 3 s for 100,000 levels.
MAX_QUOTE_DEPTH = 1_000
_QUOTE_MARKS = re.compile(r">[> \t]*+")

# Matches the start of a Hugo shortcode without a space before its name, which Markdown reads as an HTML tag.
_SHORTCODE = re.compile(r"\{\{<(?=[\w/])")

_FOOTNOTE = re.compile(r"\[\^(?=[^][\s]+\])")
_FOOTNOTE_DEFINITION = re.compile(r"\[\^[^][\s]+\]:")

# The ids of the renderer's footnotes contain this mark (`fn-…1`) until the sanitizer removes it. Authors
# cannot guess the mark, so it distinguishes these ids from an id `fn-1` that an author wrote.
FOOTNOTE_MARK = secrets.token_hex(16)

# Markdown would read the text after `<script src="…" />` as HTML. While the text is rendered, the name of the
# element contains a mark, which makes it an unknown element.
_SELF_CLOSED_TAG = re.compile(
    r"""<(script|style|textarea)(?=\s)((?:[^<>"'/]|"[^"<]*+"|'[^'<]*+'|/(?!>))*+/>)""", re.IGNORECASE
)
_SELF_CLOSED_MARK = secrets.token_hex(16)

# Only two tildes strike text through, because one tilde can mean “about” or a subscript. A rare punctuation
# character replaces single tildes while the text is rendered, because comrak has no option for this.
_TILDE = re.compile(r"(?<![~\\])~(?!~)")
_TILDE_MARK = "\U0001bc9f"
_ENCODED_TILDE_MARK = "%F0%9B%B2%9F"

# comrak would read Chinese and Japanese punctuation and full-width brackets as a part of the address before
# them. While the text is rendered, a space and a mark separate the address from these characters.
_CJK_PUNCTUATION = (
    r"\u3001-\u3003\u3008-\u3011\u3014-\u301b\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65“”"
)
_ADDRESS = re.compile(
    rf"(\]\(|\]:\s?|<|=[\"']?)?(?:(?:https?|ftp)://|www\.)[^\s<{_CJK_PUNCTUATION}]*+([{_CJK_PUNCTUATION}])?"
)
_ADDRESS_END = f" {_MATH_MARK}"

# comrak writes the whole first word after a fence as the class, such as `js{1,3}`, `{.python` and `{r,`.
_FENCE_LANGUAGE = re.compile(r'(<code class="language-)\{?\.?([^"{}]+?),?(?:[{}][^"]*)?"')

# comrak writes the checkbox of a list item with several blocks before the first paragraph.
_BOX_BEFORE_PARAGRAPH = re.compile(r'(<li class="task-list-item">)(<input [^<>]*> )\n<p>')

_AUTOLINK = re.compile(r'<a href="(https?://[^"<>]*+)">((?:https?://|www\.)[^<]*+)</a>')
_AUTOLINK_IN_LINK = re.compile(r'(<a\s[^<>]*>[^<]*)<a href="[^"<>]*">([^<]*)</a>(?=[^<]*</a>)')


def render_markdown(content: str) -> str | None:
    """Return the Markdown as HTML that is not sanitized yet; the ids of its footnotes contain FOOTNOTE_MARK.

    Returns None if the Markdown would take long to render.
    """
    if any(marks.count(">") > MAX_QUOTE_DEPTH for marks in _QUOTE_MARKS.findall(content)):
        return None
    content = _SHORTCODE.sub("{{< ", content)
    if _FOOTNOTE_DEFINITION.search(content):
        content, footnotes = _FOOTNOTE.subn(f"[^{FOOTNOTE_MARK}", content)
        if footnotes > MAX_FOOTNOTES:
            return None
    # The two patterns look at each character, and most texts contain nothing for them.
    if "$" in content or "\\" in content:
        content = _FORMULA.sub(_mark_formula, content)
    if not content.isascii() and ("://" in content or "www." in content):
        content = _ADDRESS.sub(_mark_address_end, content)
    content = _SELF_CLOSED_TAG.sub(rf"<\g<1>{_SELF_CLOSED_MARK}\2", _TILDE.sub(_TILDE_MARK, content))
    content = content.encode("utf-8", "replace").decode()
    # Without the line end, comrak ignores a reference definition at the end of the text.
    html = comrak.markdown_to_html(f"{content}\n", _EXTENSION_OPTIONS, render_options=_RENDER_OPTIONS)
    html = html.replace(_TILDE_MARK, "~").replace(_ENCODED_TILDE_MARK, "~")
    html = html.replace(_SELF_CLOSED_MARK, "").replace(_ADDRESS_END, "")
    # Remove the elements in which comrak encloses formulas.
    html = html.replace(f'<span data-math-style="display">{_MATH_MARK}', "")
    html = html.replace(f"{_MATH_MARK}</span>", "")
    for mark, text in _MARK_REPLACEMENTS:
        html = html.replace(mark, text).replace(quote(mark, safe="$"), text)
    html = _AUTOLINK.sub(_unescape_autolink, _FENCE_LANGUAGE.sub(r'\1\2"', html))
    return _BOX_BEFORE_PARAGRAPH.sub(r"\1\n<p>\2", _AUTOLINK_IN_LINK.sub(r"\1\2", html))


def _mark_address_end(match: re.Match[str]) -> str:
    prefix, end = match.groups()
    return match[0] if prefix or not end else f"{match[0][:-1]}{_ADDRESS_END}{end}"


def _unescape_autolink(link: re.Match[str]) -> str:
    """Return the link without the backslashes of escapes such as `\\_`, which comrak leaves in the URL."""
    return link[0].replace("\\", "").replace("%5C", "") if "\\" in link[2] else link[0]
