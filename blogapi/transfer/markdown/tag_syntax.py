"""Find the template tags of site generators outside the code of a text."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from dataclasses import dataclass

from blogapi.transfer.markdown.scanner import Scanner

# No pattern continues behind the start of the next tag, so that the search takes linear time.
_COMMENT = r"(?:[^*{]++|\*(?!/)|\{(?!\{[<%/-]|%))*+"
_STRING = r'(?<!\\)"(?:[^"\\{>%]++|\\.|\{(?!\{[<%])|[>%](?!\}\}))*+"'
_ESCAPED = rf"\{{\{{[<%]/\*{_COMMENT}\*/[>%]\}}\}}|\{{%/\*{_COMMENT}\*/%\}}"
_PATTERN = re.compile(
    rf"(?P<escaped>{_ESCAPED})"
    rf"|(?P<remark>\{{\{{-?\s*+/\*{_COMMENT}\*/\s*+-?\}}\}}"
    r"|\{\#-?\s(?:[^{}#]++|\#(?!\}))*+\#\}|\{%-?\s*+\#(?:[^%{]++|%(?!\}))*+%\})"
    r"|(?P<hugo>\{\{[<%]\s*+(?P<h_end>/)?\s*+(?P<h_name>\w[\w./-]*+)"
    rf"(?P<h_text>(?:[^\"`>%{{]++|{_STRING}|`[^`{{]*+`|[\"`]|[>%](?!\}}\}})|\{{(?!\{{[<%]))*+)[>%]\}}\}})"
    r"|(?P<liquid>\{%[-+~]?\s*+(?P<l_name>[a-z_][\w-]*+(?:::\w++)*+)"
    r"(?P<l_text>(?:[^%{]++|%(?!\})|\{(?!%))*+)%\})"
    r"|(?P<output>\{\{[-~]?\s*+(?P<o_text>[\"'][{}%]{2}[\"']\s*+-?|(?:[^{}]++|\}(?!\})|\{(?!\{))++)\}\})"
    r"|(?P<address>(?:(?<=[(<\"'=])|(?<=\]:\s))"
    r"(?:(?P<a_post>@/|\{filename\})|\{(?:static|attach)\})(?P<a_path>[^\s()<>\"']*+))",
    re.MULTILINE | re.IGNORECASE | re.DOTALL,
)
_OPEN = r"\{%-?\s*+raw\s*+-?%\}"
_CLOSE = r"\{%-?\s*+endraw\s*+-?%\}"
_RAW = re.compile(
    rf"(?:^[ \t]*+{_OPEN}[ \t]*\n|{_OPEN})(?P<text>(?:[^{{]++|\{{(?!%-?\s*+(?:end)?raw\b))*+)"
    rf"(?:^{_CLOSE}[ \t]*\n|{_CLOSE})",
    re.MULTILINE,
)
_PROTECTED = re.compile(rf"{_ESCAPED}|{_OPEN}")
# Tags whose text up to the closing tag is not parsed.
CODE_TAGS = {"highlight", "codeblock", "code", "prism", "mermaid", "plantuml", "highlightjs", "sourcecode"}
RAW_TAGS = {"raw", "rawhtml", "verbatim", "html", "raw_html", "unsafe"}
HIDDEN_TAGS = {"comment", "css", "js", "javascript", "style", "stylesheet", "schema"}
_LITERAL_TAGS = CODE_TAGS | RAW_TAGS | HIDDEN_TAGS


@dataclass(slots=True)
class FoundTag:
    """A template tag in the text. The closing tag has the name of its opening tag."""

    start: int
    end: int
    kind: str  #: "hugo", "liquid", "output", "address", "escaped" or "remark"
    name: str = ""
    text: str = ""  #: the arguments, or the expression of an output
    is_closing: bool = False
    is_call: bool = False  #: whether the arguments are in parentheses
    #: the text up to the closing tag, if the text is not parsed
    inner: str | None = None
    partner: FoundTag | None = None
    replacement: str | None = None


def find_tags(content: str, content_type: str) -> list[FoundTag]:
    """Return all tags in their order; each closing tag is connected with its opening tag."""
    scanner = Scanner(content, content_type, _PATTERN, "{@")
    found, missing = [], set[str]()
    for match in scanner:
        tag = _read_tag(match)
        if tag.name in _LITERAL_TAGS and not tag.is_closing and not match[0].endswith("/>}}"):
            _read_inner(tag, content, missing)
            scanner.position = tag.end
        found.append(tag)
    _pair(found)
    return found


def _read_tag(match: re.Match[str]) -> FoundTag:
    tag = FoundTag(*match.span(), match.lastgroup or "")
    if tag.kind == "escaped":
        tag.replacement = _unescape(match[0])
    elif tag.kind == "remark":
        tag.replacement = ""
    elif tag.kind == "address":
        tag.name, tag.text = match["a_post"] or "", match["a_path"]
    elif tag.kind == "output":
        tag.text = match["o_text"].strip("-~ \t\n")
    elif tag.kind == "hugo":
        tag.name = match["h_name"].lower().rpartition("/")[2].removesuffix(".html")
        tag.text, tag.is_closing = match["h_text"].strip().rstrip("-+~/"), bool(match["h_end"])
    else:
        name = match["l_name"].lower().rpartition("::")[2]
        tag.is_closing = name.startswith("end")
        tag.name = name.removeprefix("end").lstrip("_") if tag.is_closing else name
        tag.text = match["l_text"].strip().rstrip("-+~").rstrip()
        if tag.text.startswith("(") and tag.text.endswith(")"):
            tag.text, tag.is_call = tag.text[1:-1], True
    return tag


def _read_inner(tag: FoundTag, content: str, missing: set[str]) -> None:
    """Extend a tag to its closing tag, if it has one; `missing` are those that the rest does not contain."""
    name = re.escape(tag.name)
    closing = rf"\{{\{{[<%]\s*/\s*(?:[\w./-]*/)?{name}\s*[>%]\}}\}}"
    if tag.kind == "liquid":
        closing = rf"\{{%[-+~]?\s*end_?{name}\s*[-+~]?%\}}"
    end = None if closing in missing else re.compile(closing, re.IGNORECASE).search(content, tag.end)
    if end is None:
        missing.add(closing)
    else:
        tag.inner, tag.end = content[tag.end : end.start()], end.end()


def _pair(found: list[FoundTag]) -> None:
    """Connect each closing tag with the nearest open tag of its name."""
    stacks: defaultdict[tuple[str, str], list[FoundTag]] = defaultdict(list)
    for tag in found:
        if tag.kind not in ("hugo", "liquid") or tag.inner is not None:
            continue
        # `{% end %}` of Zola closes a call and has no name.
        stack = stacks[tag.kind, "" if tag.is_call else tag.name]
        if not tag.is_closing:
            stack.append(tag)
        elif stack:
            tag.partner = stack.pop()
            tag.partner.partner = tag


def unescape_code(content: str, content_type: str) -> str:
    """Return the text with `{% raw %}` and escaped shortcodes in its code as they are shown."""
    if "endraw" not in content and "*/" not in content:
        return content
    scanner = Scanner(content, content_type, _PROTECTED, "{")
    deque(scanner, maxlen=0)
    parts, position = [], 0
    for start, end in scanner.code:
        parts += [content[position:start], unescape(content[start:end])]
        position = end
    return "".join([*parts, content[position:]])


def unescape(code: str) -> str:
    """Return code without `{% raw %}`, and with the escaped shortcodes of Hugo as they are shown."""
    code = re.sub(_ESCAPED, lambda match: _unescape(match[0]), code) if "*/" in code else code
    return _RAW.sub(r"\g<text>", code) if "endraw" in code else code


def _unescape(tag: str) -> str:
    return tag.replace("/*", "", 1)[::-1].replace("/*", "", 1)[::-1]
