"""Replace the addresses of links in Markdown and HTML; every other character stays as it is.

Pictures and code are left alone. The time is linear: each pattern ends at a character at which the next match
begins, and brackets are matched with a stack.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from html import escape, unescape

from blogapi.transfer.links.markdown_blocks import split_blocks

FindAddress = Callable[[str], str | None]

_HREF_HINT = re.compile("[hH][rR][eE][fF]")
_TAG = r"<a(?:rea)?(?=\s)(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+>"
# Comments and elements whose content is not HTML, to their end or to that of the text, and links.
_HTML_TOKEN = re.compile(
    rf"<!--.*?(?:-->|\Z)|<(script|style|textarea)\b(?![^<>]*/>).*?(?:</\1|\Z)|(?P<link>{_TAG})",
    re.IGNORECASE | re.DOTALL,
)
_HREF = re.compile(r"(\shref\s*+=\s*+)(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>=`]++))", re.IGNORECASE)

# The characters with which inline elements of Markdown begin. `re` searches for a set of characters much
# faster than for _TOKEN. Only a URL begins with a letter.
_START = re.compile(r"[\\`{<!\[\]]")
_START_OR_URL = re.compile(r"[\\`{<!\[\]hH]")
_TOKEN = re.compile(
    rf"""\\.
    |(?P<ticks>`++)
    |(?P<template>\{{\{{[^{{}}]*+\}}\}}|\{{%[^{{}}]*+\}})
    |<(?P<auto>https?://[^\s<>]*+)>
    |(?P<tag>{_TAG})|(?P<end></a\s*+>)|(?P<other></?[a-z!][^<>]*+>)
    |(?P<open>!?\[)|(?P<close>\])
    |(?<![\w@/."'=])(?P<bare>https?://[^\s<>`\[\]\\*"]++)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_PLAIN = r"(?:[^\s()<>\\]|\\.)"
_DESTINATION = rf"(?:<(?P<bracketed>(?:[^<>\n\\]|\\.)*+)>|(?P<plain>(?:{_PLAIN}|\({_PLAIN}*+\))++))"
_TITLE = r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"
_INLINE = re.compile(rf"\(\s*+{_DESTINATION}(?:\s++{_TITLE})?\s*+\)", re.DOTALL)
_DEFINITION = re.compile(
    rf":[ \t]*+\n?[ \t]*+{_DESTINATION}(?=[ \t]*+(?:\n|\Z)|[ \t]*+\n?[ \t]*+{_TITLE})", re.DOTALL
)
_TICKS = re.compile(r"`++")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MAX_MARGIN = 64
_MAX_BARE_LENGTH = 2_048


def rewrite_links(content: str, content_type: str, find_address: FindAddress) -> str:
    """Return the content with the addresses of links replaced by those that `find_address` returns.

    `find_address` gets each address unescaped, and returns None for a link that stays as it is. Links in
    plain text stay as they are, because they are not shown as links.
    """
    if content_type == "text" or not _may_have_links(content):
        return content
    if content_type == "html":
        return _rewrite_html(content, find_address)
    rewriters = {"html": _rewrite_html, "text": _rewrite_inlines}
    blocks = split_blocks(content)
    return "".join(
        rewriters[kind](block, find_address) if kind in rewriters and _may_have_links(block) else block
        for kind, block in blocks
    )


def _may_have_links(text: str) -> bool:
    return any(hint in text for hint in ("](", "]:", "://")) or bool(_HREF_HINT.search(text))


def _rewrite_html(html: str, find_address: FindAddress) -> str:
    def rewrite(match: re.Match[str]) -> str:
        return _rewrite_tag(match[0], find_address) if match["link"] else match[0]

    return _HTML_TOKEN.sub(rewrite, html)


def _rewrite_tag(tag: str, find_address: FindAddress) -> str:
    match = _HREF.search(tag)
    if match is None:
        return tag
    group = match.lastindex
    assert group is not None
    address = find_address(unescape(match[group]).strip())
    return tag if address is None else tag[: match.start(group)] + escape(address) + tag[match.end(group) :]


def _rewrite_inlines(text: str, find_address: FindAddress) -> str:
    """Return a paragraph of Markdown with its links rewritten."""
    parts, start = [], 0
    for begin, end, address in _find_inlines(text, find_address):
        parts += [text[start:begin], address]
        start = end
    return "".join((*parts, text[start:]))


def _find_inlines(text: str, find_address: FindAddress) -> Iterator[tuple[int, int, str]]:
    """Yield the start, the end and the replacement of each address of a link."""
    position, openers, is_in_anchor = 0, list[int](), False
    find_code_end = _CodeSpans(text).find_end
    find_start = (_START_OR_URL if "://" in text else _START).search
    while begin := find_start(text, position):
        match = _TOKEN.match(text, begin.start())
        if match is None:
            position = begin.end()
            continue
        position, kind = match.end(), match.lastgroup
        if kind == "ticks":
            position = find_code_end(position, len(match["ticks"]))
        elif kind == "tag":
            is_in_anchor = True
            yield match.start(), position, _rewrite_tag(match["tag"], find_address)
        elif kind == "end":
            is_in_anchor = False
        elif kind == "open":
            openers.append(match.start())
        elif kind == "close" and openers:
            opener = openers.pop()
            destination = _match_destination(text, opener, position, is_nested=bool(openers))
            if destination is not None:
                position = destination.end()
                group = destination.lastgroup or "plain"
                address = None if text[opener] == "!" else find_address(_unescape(destination[group]))
                if address is not None:
                    yield *destination.span(group), _escape_parentheses(address)
        elif kind in ("auto", "bare") and not openers and not is_in_anchor:
            url = match[kind] if kind == "auto" else _trim_url(match[kind])
            address = find_address(unescape(url)) if url else None
            if address is not None:
                end = position if kind == "auto" else match.start() + len(url)
                # In plain text, only an address with a host is a link, and a path is not.
                yield match.start(), end, f"[{address}]({_escape_parentheses(address)})"


def _match_destination(text: str, opener: int, position: int, *, is_nested: bool) -> re.Match[str] | None:
    """Return the match of the address after a closing bracket: `(address "title")` or `: address`."""
    if text.startswith("(", position):
        return _INLINE.match(text, position)
    if is_nested or not text.startswith(":", position) or text.startswith(("!", "[^"), opener):
        return None
    margin = text[max(0, opener - _MAX_MARGIN) : opener].rpartition("\n")
    is_at_line_start = bool(margin[1]) or opener < _MAX_MARGIN
    return _DEFINITION.match(text, position) if is_at_line_start and not margin[2].strip(" >") else None


class _CodeSpans:
    """Finds the ends of the code spans of a text in linear time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._runs: dict[int, list[int]] | None = None

    def find_end(self, position: int, length: int) -> int:
        """Return the end of a code span that begins before `position`, or `position` if it has no end."""
        if self._runs is None:
            self._runs = defaultdict(list)
            for match in _TICKS.finditer(self._text):
                self._runs[len(match[0])].append(match.start())
        starts = self._runs.get(length, [])
        index = bisect_left(starts, position)
        return starts[index] + length if index < len(starts) else position


def _trim_url(url: str) -> str:
    """Return a bare URL without the punctuation that does not belong to it."""
    if len(url) > _MAX_BARE_LENGTH:
        return ""
    while (trimmed := url.rstrip("?!.,:;_~'")) and trimmed.endswith(")") and _has_open_end(trimmed):
        url = trimmed[:-1]
    return trimmed


def _has_open_end(url: str) -> bool:
    return url.count(")") > url.count("(")


def _unescape(destination: str) -> str:
    return unescape(_ESCAPE.sub(r"\1", destination))


def _escape_parentheses(address: str) -> str:
    return address.replace("(", "%28").replace(")", "%29")
