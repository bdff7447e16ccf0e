"""Code in posts: `<pre>`, `<code>` and the shortcodes of syntax highlighters. Code is not converted.

Elements whose content is not text of the post (scripts, players, comments) are replaced here too.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape, unescape

from blogapi.importing.formats.wordpress.conversion import BLOCK, COMMENT, Conversion
from blogapi.importing.formats.wordpress.embeds import link, replace_player
from blogapi.importing.formats.wordpress.shortcodes import (
    CODE_NAMES,
    CODE_NAMES_WITHOUT_LANGUAGE,
    parse_attributes,
)

_START = re.compile(
    r"<!--(?P<comment>)|<(?P<element>pre|code|script|style|textarea|object|iframe|math|svg)(?=[\s/>])"
    r"(?P<tag>[^<>]*+)>|<(?P<embed>embed)\s[^<>]*+>(?:\s*+</embed>)?"
    rf"|(?<!\[)\[(?P<shortcode>{'|'.join(sorted(CODE_NAMES, key=len, reverse=True))})"
    r"(?P<attributes>(?:[\s=][^\[\]]*+)?)\]",
    re.IGNORECASE,
)
_MORE = re.compile(r"<!--(?:more|nextpage|noteaser)\b")

# `class="brush: php"` (SyntaxHighlighter), `class="lang:php decode:true"` (Crayon), `lang="php"` (WP-Syntax),
# `data-enlighter-language="php"`.
_PRE_LANGUAGE = re.compile(
    r"""\bbrush:\s*+([\w#+-]+)|\blang:([\w#+-]+)|\blang(?:uage)?=["']?([\w#+-]+)"""
    r"""|\bdata-enlighter-language=["']([\w#+-]+)|\blanguage-([\w#+-]+)""",
    re.IGNORECASE,
)
_PLAIN = frozenset({"", "default", "plain", "text", "generic", "raw"})
_AMPERSAND = re.compile(r"&(?!#?\w{1,32};)")
_EDITOR_TAG = re.compile(r"\n?</?p>|<br\s*/?>\n?", re.IGNORECASE)
_GIST = re.compile(r"""src=["']?(https?://gist\.github\.com/[^\s"'>?]++)""")


def protect_code(text: str, conversion: Conversion) -> str:
    """Return the text with placeholders for code, scripts, players and comments."""
    out: list[str] = []
    position = 0
    unclosed: set[str] = set()  # end tags that do not follow: they are searched for only once
    while start := _START.search(text, position):
        end_tag = _end_tag(start)
        if (start["tag"] or "").endswith("/"):
            end: re.Match[str] | None = start
        else:
            end = None if end_tag in unclosed else _compile_end(end_tag).search(text, start.end())
        out.append(text[position : start.start()])
        position = end.end() if end else start.end()
        if end:
            inner = text[start.end() : end.start()]
            out.append(_convert_element(start, inner, text[start.start() : position], conversion))
        else:
            unclosed.add(end_tag)
            # The start is escaped, because browsers hide all text after the start of an unclosed comment.
            out.append("&lt;!--" if end_tag == "-->" else start[0])
    out.append(text[position:])
    return "".join(out)


def code_html(code: str, language: str, *, escaped: bool = False) -> str:
    """Return a code block; `escaped` = the code is certainly HTML already."""
    code = code if escaped else escape_once(code)
    name = language.lower()
    attribute = "" if name in _PLAIN else f' class="language-{escape(name)}"'
    return f"<pre><code{attribute}>{code.strip(chr(10))}\n</code></pre>"


def escape_once(code: str) -> str:
    """Return code as HTML. Code with `&lt;` and without `<` is taken as already escaped."""
    if "<" in code and "&lt;" in code and not _EDITOR_TAG.sub("", code).count("<"):
        code = _EDITOR_TAG.sub("\n", code)  # The visual editor has added paragraphs.
    if "<" in code:
        return escape(code, quote=False)
    return _AMPERSAND.sub("&amp;", code).replace(">", "&gt;")


@cache
def _compile_end(end_tag: str) -> re.Pattern[str]:
    return re.compile(re.escape(end_tag) + (r"\s*+>" if end_tag.startswith("<") else ""), re.IGNORECASE)


def _end_tag(start: re.Match[str]) -> str:
    """Return the text at which the code ends, in lower case; "" = it has no content."""
    if start["comment"] is not None:
        return "-->"
    if start["element"]:
        return f"</{start['element'].lower()}"
    return f"[/{start['shortcode'].lower()}]" if start["shortcode"] else ""


def _convert_element(start: re.Match[str], inner: str, html: str, conversion: Conversion) -> str:
    element = (start["element"] or start["embed"] or "").lower()
    if start["comment"] is not None:
        return conversion.store(html, BLOCK if _MORE.match(html) else COMMENT)
    if start["shortcode"]:
        return conversion.store(_code_of_shortcode(start, inner))
    if element == "pre":
        return conversion.store(_convert_pre(start["tag"], inner, html))
    if element == "code":
        return html.replace("[", "&#91;")
    if element in ("iframe", "object", "embed"):
        return replace_player(html, conversion)
    if element in ("script", "style"):
        return _replace_script(html, conversion)
    return conversion.store(html)


def _replace_script(html: str, conversion: Conversion) -> str:
    if gist := _GIST.search(html):
        return conversion.store(f"<p>{link(gist[1].removesuffix('.js'))}</p>")
    conversion.add_note("Scripts and style sheets in the text are not shown.")
    return conversion.store(html, COMMENT)


def _code_of_shortcode(start: re.Match[str], inner: str) -> str:
    named, positional = parse_attributes(start["attributes"])
    name = start["shortcode"].lower()
    language = named.get("lang") or named.get("language") or next(iter(positional), "").lstrip("=")
    language = language or ("" if name in CODE_NAMES_WITHOUT_LANGUAGE else name)
    return code_html(inner, unescape(language).strip("'\""))


def _convert_pre(tag: str, inner: str, html: str) -> str:
    found = _PRE_LANGUAGE.search(tag)
    if not found or "<code" in inner[:500].lower():
        return html
    language = next(group for group in found.groups() if group)
    # WP-Syntax and Crayon store unescaped code; all other plugins store HTML.
    return code_html(inner, language, escaped='escaped="true"' in tag)
