"""Read the code in template tags, and remove the marks that protect code from template engines."""

from __future__ import annotations

import re

from blogapi.transfer.markdown.tag_markup import Markup

_RAW = re.compile(
    r"^[ \t]*+\{%-?\s*+(?P<end_line>end)?raw\s*+-?%\}[ \t]*\n|\{%-?\s*+(?P<end>end)?raw\s*+-?%\}",
    re.MULTILINE,
)
_ESCAPED = re.compile(
    r"\{\{(?P<open>[<%])/\*(?P<text>(?:[^*{]++|\*(?!/)|\{(?!\{[<%]))*+)\*/(?P<close>[>%])\}\}"
)


def unescape_code(code: str) -> str:
    """Return code without `{% raw %}`, and with the escaped shortcodes of Hugo as they are shown."""
    if "/*" in code:
        code = _ESCAPED.sub(r"{{\g<open>\g<text>\g<close>}}", code)
    if "endraw" not in code:
        return code
    parts, position, is_raw = [], 0, False
    for mark in _RAW.finditer(code):
        # Only the first closing tag ends the text of a tag.
        if bool(mark["end"] or mark["end_line"]) == is_raw:
            parts.append(code[position : mark.start()])
            position, is_raw = mark.end(), not is_raw
    return "".join([*parts, code[position:]])


def read_language(name: str, text: str) -> str:
    """Return the language in the arguments of a tag for code, or ""."""
    if name in ("mermaid", "plantuml"):
        return name
    named = re.search(r"\b(?:lang|language)\s*[:=]\s*[\"']?([\w+#.-]+)", text)
    if named or name == "codeblock":
        return named[1] if named else ""
    first = re.match(r"\s*[\"']?([\w+#.-]+)", text)
    return first[1] if first else ""


def read_code_title(text: str) -> str:
    """Return the title of `{% codeblock title lang:x url text %}` of Hexo, with its link in Markdown."""
    words = re.findall(r"\"[^\"]*\"|'[^']*'|\S+", text)
    plain = [word.strip("\"'") for word in words if not re.match(r"[a-z_]+:(?!//)", word)]
    place = next((number for number, word in enumerate(plain) if re.match(r"https?://|/", word)), None)
    title = " ".join(plain[:place])
    if place is None:
        return title
    label = " ".join(plain[place + 1 :]) or title or plain[place]
    return " ".join(filter(None, [title, Markup("markdown").make_text_link(label, plain[place])]))
