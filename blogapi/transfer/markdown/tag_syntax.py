"""Find the template tags of site generators outside the code of a text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from blogapi.transfer.markdown import attribute_lists
from blogapi.transfer.markdown.scanner import Scanner

# No pattern continues behind the start of the next tag, so that the search takes linear time.
_COMMENT = r"(?:[^*{]++|\*(?!/)|\{(?!\{[<%/-]|%))*+"
_STRING = r'(?<!\\)"(?:[^"\\{>%]++|\\.|\{(?!\{[<%])|[>%](?!\}\}))*+"'
_PATTERN = re.compile(
    rf"{attribute_lists.PATTERN}"
    rf"|(?P<escaped>\{{\{{(?P<es_open>[<%])/\*(?P<es_text>{_COMMENT})\*/[>%]\}}\}}"
    rf"|\{{%/\*(?P<es_zola>{_COMMENT})\*/%\}})"
    rf"|(?P<remark>\{{\{{-?\s*+/\*{_COMMENT}\*/\s*+-?\}}\}}"
    r"|\{\#-?\s(?:[^{}#]++|\#(?!\}))*+\#\}|\{%-?\s*+\#(?:[^%{]++|%(?!\}))*+%\})"
    r"|(?P<hugo>\{\{[<%]\s*+(?P<h_end>/)?\s*+(?P<h_name>\w[\w./-]*+)"
    rf"(?P<h_text>(?:[^\"`>%{{]++|{_STRING}|`[^`{{]*+`|[\"`]|[>%](?!\}}\}})|\{{(?!\{{[<%]))*+)[>%]\}}\}})"
    r"|(?P<liquid>\{%[-+~]?\s*+(?P<l_name>[a-z_][\w-]*+(?:::\w++)*+)"
    r"(?P<l_text>(?:[^%{]++|%(?!\})|\{(?!%))*+)%\})"
    r"|(?P<output>\{\{[-~]?\s*+(?P<o_text>[\"'][{}%]{2}[\"']\s*+-?|(?:[^{}]++|\}(?!\})|\{(?!\{))++)\}\})"
    r"|(?P<address>(?:(?<=[(<\"'=])|(?<=\]:\s))"
    r"(?:(?P<a_post>@/|[{|]filename[}|])|[{|](?:static|attach)[}|])(?P<a_path>[^\s()<>\"']*+))",
    re.MULTILINE | re.IGNORECASE | re.DOTALL,
)
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
    kind: str  #: "hugo", "liquid", "output", "address", "attributes", "escaped" or "remark"
    name: str = ""
    text: str = ""  #: the arguments, or the expression of an output
    is_closing: bool = False
    is_call: bool = False  #: whether the arguments are in parentheses
    #: the text up to the closing tag, if the text is not parsed
    inner: str | None = None
    partner: FoundTag | None = None
    replacement: str | None = None


class TagFinder:
    """Finds the tags of one text."""

    def __init__(self, content: str, content_type: str) -> None:
        self._content = content
        self._scanner = Scanner(content, content_type, _PATTERN, "{|@")
        #: Closing tags that do not occur in the rest of the text.
        self._missing: set[str] = set()

    @property
    def code(self) -> list[tuple[int, int]]:
        """The start and end of each code block and code span before the last tag that was found."""
        return self._scanner.code

    def list_tags(self) -> list[FoundTag]:
        """Return all tags in their order; each closing tag is connected with its opening tag."""
        found = list(self._find_tags())
        _pair(found)
        return found

    def _find_tags(self) -> Iterator[FoundTag]:
        end = 0
        for match in self._scanner:
            kind = match.lastgroup or ""
            found = FoundTag(match.start(), match.end(), kind)
            if kind in ("escaped", "remark"):
                found.replacement = _unescape(match) if kind == "escaped" else ""
            elif kind.startswith("al_"):
                found.kind = "attributes"
                removed = attribute_lists.replace(match)
                if removed is None or removed[0] < end:
                    continue
                found.start, found.replacement = removed
            elif kind == "address":
                found.name, found.text = match["a_post"] or "", match["a_path"]
            elif kind == "output":
                found.text = match["o_text"].strip("-~ \t\n")
            else:
                self._read_tag(found, match)
            end = found.end
            yield found

    def _read_tag(self, found: FoundTag, match: re.Match[str]) -> None:
        """Read the name and the arguments of a tag, and its text if that is not parsed."""
        is_hugo = found.kind == "hugo"
        name = match["h_name" if is_hugo else "l_name"].lower()
        found.text = match["h_text" if is_hugo else "l_text"].strip().rstrip("-+~/" if is_hugo else "-+~")
        found.is_closing = bool(match["h_end"]) if is_hugo else name.startswith("end")
        if is_hugo:
            found.name = name.rpartition("/")[2].removesuffix(".html")
        else:
            found.name = (
                name.removeprefix("end").lstrip("_") if found.is_closing else name.rpartition("::")[2]
            )
            call = re.fullmatch(r"\s*\((?P<text>.*)\)\s*", found.text, re.DOTALL)
            found.text, found.is_call = (call["text"], True) if call else (found.text, False)
        if found.name in _LITERAL_TAGS and not found.is_closing and not match[0].endswith("/>}}"):
            self._read_inner(found)

    def _read_inner(self, found: FoundTag) -> None:
        """Extend a tag to its closing tag, if it has one."""
        name = re.escape(found.name)
        closing = rf"\{{\{{[<%]\s*/\s*(?:[\w./-]*/)?{name}\s*[>%]\}}\}}" if found.kind == "hugo" else (
            rf"\{{%[-+~]?\s*end_?{name}\s*[-+~]?%\}}"
        )  # fmt: skip
        if closing in self._missing:
            return
        end = re.compile(closing, re.IGNORECASE).search(self._content, found.end)
        if end is None:
            self._missing.add(closing)
            return
        found.inner = self._content[found.end : end.start()]
        found.end = self._scanner.position = end.end()


def _pair(found: list[FoundTag]) -> None:
    """Connect each closing tag with the nearest open tag of its name."""
    stacks: defaultdict[tuple[str, str], list[FoundTag]] = defaultdict(list)
    open_calls: list[FoundTag] = []
    for tag in found:
        if tag.kind not in ("hugo", "liquid") or tag.inner is not None or tag.replacement is not None:
            continue
        stack = stacks[tag.kind, tag.name]
        # `{% end %}` of Zola has no name.
        if tag.is_closing and not tag.name and open_calls:
            tag.partner = open_calls.pop()
            tag.partner.partner = tag
        elif tag.is_closing and stack:
            tag.partner = stack.pop()
            tag.partner.partner = tag
        elif not tag.is_closing:
            stack.append(tag)
            if tag.is_call:
                open_calls.append(tag)


def _unescape(match: re.Match[str]) -> str:
    if match["es_zola"] is not None:
        return f"{{%{match['es_zola']}%}}"
    mark = match["es_open"]
    return f"{{{{{mark}{match['es_text']}{'>' if mark == '<' else '%'}}}}}"
