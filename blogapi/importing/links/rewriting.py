"""Replace the addresses of links and files in Markdown and HTML; every other character stays as it is.

Code and bare addresses in the text are not changed. The time is linear: each pattern ends at a
character at which the next match begins, and brackets are matched with a stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

from blogapi.importing.texts.scanner import find_outside_code

AddressFinder = Callable[[str], str | None]

_TAG = r"<[A-Za-z](?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+'|[\"'])*+>"
_HTML_TOKEN = re.compile(_TAG)
# The attributes whose addresses a browser loads or links to.
_ATTRIBUTE = re.compile(
    r"(\s(href|(?:data-)?src(set)?|poster)\s*+=\s*+)(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>=`]++))",
    re.IGNORECASE,
)
_LINK_START = re.compile(r"<a(?:rea)?\s", re.IGNORECASE)
_SRCSET_ADDRESS = re.compile(r"(?<![^\s,])[^\s,/]*+//\S*[^\s,]")
_PLAIN_CHARACTER = r"(?:[^\s()<>\\]|\\.)"
_TITLE = r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"
_ESCAPED_CHARACTER = re.compile(r"\\([!-/:-@\[-`{-~])")
# The maximum number of characters between the start of a line and a link definition in it.
_MAX_DEFINITION_PREFIX = 64


def _make_address_pattern(name: str) -> str:
    """Return the pattern of an address, with groups whose names begin with `name`."""
    bracketed = rf"<(?P<{name}_bracketed>(?:[^<>\n\\]|\\.)*+)>"
    return rf"(?:{bracketed}|(?P<{name}_plain>(?:{_PLAIN_CHARACTER}|\({_PLAIN_CHARACTER}*+\))++))"


_MARKDOWN_TOKEN = re.compile(
    rf"""\\.|\[|(?P<tag>{_TAG})
    |\]\(\s*+{_make_address_pattern("inline")}(?:\s++{_TITLE})?\s*+\)
    |\]:[ \t]*+\n?[ \t]*+{_make_address_pattern("definition")}(?=[ \t]*+(?:\n|\Z)|[ \t]*+\n?[ \t]*+{_TITLE})
    |\]""",
    re.VERBOSE | re.DOTALL,
)


def rewrite_addresses(
    content: str, content_type: str, find_article: AddressFinder, find_file: AddressFinder
) -> str:
    """Return the content with the addresses of articles and files replaced.

    Both functions get the unescaped address, and return None to keep it. `find_article` gets the addresses of
    links; `find_file` gets the addresses of links, pictures and players. Plain text stays as it is, because
    nothing in it is shown as a link.
    """
    if content_type == "text":
        return content

    def find_replacement(address: str, *, is_link: bool) -> str | None:
        article = find_article(address) if is_link else None
        return find_file(address) if article is None else article

    def rewrite_tag(tag: str) -> str:
        is_link = _LINK_START.match(tag) is not None

        def rewrite_attribute(attribute: re.Match[str]) -> str:
            group = attribute.lastindex
            assert group is not None
            value = unescape(attribute[group]).strip()
            if attribute[3]:
                replacement = _SRCSET_ADDRESS.sub(lambda match: find_file(match[0]) or match[0], value)
            else:
                is_address = is_link and attribute[2].lower() == "href"
                replacement = find_replacement(value, is_link=is_address) or value
            if replacement == value:
                return attribute[0]
            before = tag[attribute.start() : attribute.start(group)]
            return before + escape(replacement) + tag[attribute.end(group) : attribute.end()]

        return _ATTRIBUTE.sub(rewrite_attribute, tag)

    parts, position, openers = list[str](), 0, list[int]()
    pattern, first = (_HTML_TOKEN, "<") if content_type == "html" else (_MARKDOWN_TOKEN, r"\[\]")
    for token in find_outside_code(content, content_type, pattern, first):
        if token[0][0] == "<":
            parts += [content[position : token.start()], rewrite_tag(token[0])]
            position = token.end()
        elif token[0] == "[":
            openers.append(token.start())
        elif token[0][0] == "]" and openers:
            # `](address "title")` or `]: address`
            opener, group = openers.pop(), token.lastgroup
            if group is None or (group.startswith("definition") and not _can_be_definition(content, opener)):
                continue
            is_link = not content.startswith("!", max(0, opener - 1), opener)
            address = find_replacement(unescape(_ESCAPED_CHARACTER.sub(r"\1", token[group])), is_link=is_link)
            if address is not None:
                address = address.replace("(", "%28").replace(")", "%29")
                parts += [content[position : token.start(group)], address]
                position = token.end(group)
    return "".join((*parts, content[position:]))


def _can_be_definition(text: str, opener: int) -> bool:
    """Return whether an opening bracket is at the start of a line and does not begin a footnote."""
    prefix = text[max(0, opener - _MAX_DEFINITION_PREFIX) : opener].rpartition("\n")
    is_at_line_start = bool(prefix[1]) or opener < _MAX_DEFINITION_PREFIX
    return is_at_line_start and not prefix[2].strip(" >") and not text.startswith("[^", opener)
