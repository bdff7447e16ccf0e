"""Find the template tags of site generators outside the code of a text."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from blogapi.importing.texts.scanner import change_code, find_outside_code
from blogapi.rendering.hidden_elements import remove_spans

# Tags whose text up to the closing tag is not parsed.
CODE_TAGS = {"highlight", "codeblock", "code", "prism", "mermaid", "plantuml", "highlightjs", "sourcecode"}
RAW_TAGS = {"raw", "rawhtml", "verbatim", "html", "raw_html", "unsafe"}
HIDDEN_TAGS = {"comment", "css", "js", "javascript", "style", "stylesheet", "schema"}
_LITERAL_TAGS = "|".join(sorted(CODE_TAGS | RAW_TAGS | HIDDEN_TAGS, key=len, reverse=True))

# Patterns of the text of a tag and of other parts. None of them matches beyond the start of the next tag of
# its kind, so that the search takes linear time.
_START = r"\{(?:%|\{[<%])[-+~]?\s*+"
_TEXT = r"(?:[^%>{]++|%(?!\})|>(?!\}\})|\{(?!%|\{[<%]))*+"
_COMMENT = r"(?:[^*{]++|\*(?!/)|\{(?!\{[<%/-]|%))*+"
_ESCAPED = rf"\{{\{{[<%]/\*{_COMMENT}\*/[>%]\}}\}}|\{{%/\*{_COMMENT}\*/%\}}"
_RAW, _END_RAW = r"\{%-?\s*+raw\s*+-?%\}", r"\{%-?\s*+endraw\s*+-?%\}"


def _make_tag(name: str, content: str) -> str:
    """Return the pattern of a tag: `{% … %}` of Liquid, `{{< … >}}` or `{{% … %}}` of Hugo."""
    return rf"\{{(?:%|(?P<{name}>\{{[<%]))[-+~]?\s*+{content}(?({name})[>%]\}}\}}|%\}})"


_LITERAL = _make_tag("hugo", rf"(?P<inner_name>{_LITERAL_TAGS})\b(?P<inner_text>{_TEXT})(?<!/)")
_LITERAL_END = _make_tag("closing", r"(?:/|end_?)\s*+(?P=inner_name)\s*+[-+~]?")
_TAG = _make_tag("shortcode", rf"(?P<end>/)?\s*+(?P<name>[a-z_][\w./-]*+(?:::\w++)*+)(?P<text>{_TEXT})")
_PATTERN = re.compile(
    rf"(?P<escaped>{_ESCAPED})"
    rf"|(?P<remark>\{{\{{-?\s*+/\*{_COMMENT}\*/\s*+-?\}}\}}"
    r"|\{\#-?\s(?:[^{}#]++|\#(?!\}))*+\#\}|\{%-?\s*+\#(?:[^%{]++|%(?!\}))*+%\}"
    # A placeholder of Pelican, which the path of a file follows.
    r"|(?:(?<=[(<\"'=])|(?<=\]:\s))\{(?:filename|static|attach)\})"
    rf"|(?P<literal>{_LITERAL}"
    rf"(?P<inner>(?:[^{{]++|(?!{_START}(?:/|end_?)?\s*+(?P=inner_name)\b)\{{)*+){_LITERAL_END})"
    rf"|(?P<tag>{_TAG})"
    r"|(?P<output>\{\{[-~]?\s*+(?P<expression>[\"'][{}%]{2}[\"']\s*+-?|(?:[^{}]++|\}(?!\})|\{(?!\{))++)\}\})",
    re.IGNORECASE | re.DOTALL,
)
_PROTECTED = re.compile(rf"{_ESCAPED}|{_RAW}")
_RAW_TEXT = re.compile(
    rf"(?:^[ \t]*+{_RAW}[ \t]*\n|{_RAW})(?P<text>(?:[^{{]++|\{{(?!%-?\s*+(?:end)?raw\b))*+)"
    rf"(?:^{_END_RAW}[ \t]*\n|{_END_RAW})",
    re.MULTILINE,
)


@dataclass(slots=True)
class FoundTag:
    """A template tag in the text. The closing tag has the name of its opening tag."""

    start: int
    end: int
    kind: str  #: "hugo", "liquid", "output", or "" if `replacement` is set already
    name: str = ""
    text: str = ""  #: the arguments, or the expression of an output
    is_closing: bool = False
    is_call: bool = False  #: whether the arguments are in parentheses
    #: the text up to the closing tag, if the text is not parsed
    inner: str | None = None
    partner: FoundTag | None = None
    replacement: str | None = None

    @property
    def is_comment(self) -> bool:
        """Whether it is a comment of Liquid, which other generators show."""
        return (self.kind, self.name) == ("liquid", "comment") and self.inner is not None


def find_tags(content: str, content_type: str) -> list[FoundTag]:
    """Return all tags in their order; each closing tag is connected with its opening tag."""
    tags = [_read_tag(match) for match in find_outside_code(content, content_type, _PATTERN, "{")]
    _pair(tags)
    return tags


# A branch with another condition in it is kept.
_DEAD_BRANCH = re.compile(
    r"\{%-?\s*+if\s++false\s*+-?%\}(?:[^{]++|\{(?!%-?\s*+(?:if|else|elsif|endif)\b))*+\{%-?\s*+endif\s*+-?%\}"
)


def _read_tag(match: re.Match[str]) -> FoundTag:
    tag = FoundTag(*match.span(), kind="hugo" if match[0].startswith("{{") else "liquid")
    if match["escaped"] or match["remark"]:
        tag.kind, tag.replacement = "", _unescape(match[0]) if match["escaped"] else ""
    elif match["output"]:
        tag.kind, tag.text = "output", match["expression"].strip("-~ \t\n")
    elif match["literal"]:
        tag.name, tag.text, tag.inner = match["inner_name"].lower(), match["inner_text"], match["inner"]
    else:
        name = re.split("/|::", match["name"].lower())[-1].removesuffix(".html")
        tag.is_closing = bool(match["end"]) or (tag.kind == "liquid" and name.startswith("end"))
        tag.name = name.removeprefix("end").lstrip("_") if tag.kind == "liquid" else name
        tag.text = match["text"].strip().rstrip("-+~/").rstrip()
        if tag.text.startswith("(") and tag.text.endswith(")"):
            tag.text, tag.is_call = tag.text[1:-1], True
    return tag


def remove_comments(content: str, content_type: str) -> tuple[str, list[str]]:
    """Return the text without the comments of Liquid (`{% comment %}`) outside of code, and these parts."""
    tags = find_tags(content, content_type) if "comment" in content else []
    return _remove(content, [(tag.start, tag.end) for tag in tags if tag.is_comment])


def remove_dead_branches(content: str, content_type: str) -> tuple[str, list[str]]:
    """Return the text without `{% if false %}…{% endif %}` outside of code, and these parts."""
    if "false" not in content:
        return content, []
    return _remove(content, [it.span() for it in find_outside_code(content, content_type, _DEAD_BRANCH, "{")])


def _remove(content: str, spans: list[tuple[int, int]]) -> tuple[str, list[str]]:
    return remove_spans(content, spans), [content[slice(*span)] for span in spans]


def _pair(tags: list[FoundTag]) -> None:
    """Connect each closing tag with the nearest open tag of its name."""
    stacks: defaultdict[tuple[str, str], list[FoundTag]] = defaultdict(list)
    for tag in tags:
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
    """Remove `{% raw %}` tags from the code in a text, and unescape the escaped shortcodes in that code."""
    if "endraw" not in content and "*/" not in content:
        return content
    return change_code(content, content_type, _PROTECTED, unescape)


def unescape(code: str) -> str:
    """Return code without `{% raw %}`, and with the escaped shortcodes of Hugo unescaped."""
    code = re.sub(_ESCAPED, lambda match: _unescape(match[0]), code) if "*/" in code else code
    return _RAW_TEXT.sub(r"\g<text>", code) if "endraw" in code else code


def _unescape(tag: str) -> str:
    return tag.replace("/*", "", 1)[::-1].replace("/*", "", 1)[::-1]
