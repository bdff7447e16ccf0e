"""Converts lexical, the format of posts in Ghost 5 and 6, to HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from blogapi.transfer.ghost.cards import convert_card, get_markdown
from blogapi.transfer.ghost.markup import element, make_heading_id, start_tag

#: The bits of the format of a text, in the order in which the elements are nested.
_FORMATS = (
    *((1, "strong"), (2, "em"), (4, "s"), (8, "u"), (16, "code"), (32, "sub"), (64, "sup"), (128, "mark")),
)  # fmt: skip
_BLOCKS = {
    "quote": "blockquote",
    "extended-quote": "blockquote",
    "table": "table",
    "tablerow": "tr",
    "tablecell": "td",
}
_INLINE = {"linebreak": "<br>", "tab": "\t", "at-link": "", "zwnj": "", "at-link-search": ""}
# `tk` is a note of the writer (“to come”) inside the text.
_TEXTS = {"text", "extended-text", "code-highlight", "hashtag", "tk"}
# The editor nests at most lists, a few levels deep.
_MAX_DEPTH = 60


def find_markdown(document: Mapping[str, Any]) -> str | None:
    """Return the Markdown of a document that consists of one Markdown card; None for any other document.

    Raises KeyError or TypeError if the document is damaged.
    """
    nodes = [
        node for node in document["root"]["children"] if node.get("type") != "paragraph" or node["children"]
    ]
    return get_markdown(nodes[0].get("type"), nodes[0]) if len(nodes) == 1 else None


def convert_lexical(document: Mapping[str, Any], losses: Counter[str]) -> str:
    """Return the HTML of a document; counts in `losses` what is left out.

    Raises KeyError or TypeError if the document has no root.
    """
    children = document["root"]["children"]
    if not isinstance(children, list):
        raise TypeError
    converter = _Converter(losses)
    return "\n".join(filter(None, (converter.convert(node, 1) for node in children)))


class _Converter:
    def __init__(self, losses: Counter[str]) -> None:
        self._losses = losses

    def convert(self, node: Any, depth: int) -> str:
        if not isinstance(node, Mapping) or depth > _MAX_DEPTH:
            self._losses["unreadable parts"] += 1
            return ""
        name = node.get("type")
        if not isinstance(name, str):
            self._losses["unreadable parts"] += 1
            return self._convert_children(node, depth)
        if name in _TEXTS:
            return _convert_text(node)
        if name in _INLINE:
            return _INLINE[name]
        return self._convert_block(name, node, depth)

    def _convert_block(self, name: str, node: Mapping[str, Any], depth: int) -> str:
        if name in ("paragraph", "heading", "extended-heading", "aside", "root", *_BLOCKS):
            return _wrap(name, node, self._convert_children(node, depth))
        if name in ("link", "autolink"):
            title, url, rel, target = map(node.get, ("title", "url", "rel", "target"))
            text = self._convert_children(node, depth)
            return element("a", text, href=url, title=title, rel=rel, target=target)
        if name == "list":
            return self._convert_list(node, depth)
        if name == "code":
            return element("pre", element("code", self._convert_children(node, depth)))
        html = convert_card(name, node, self._losses)
        if html is None:
            self._losses[f"unknown cards ({name[:50]})"] += 1
            html = node["html"] if isinstance(node.get("html"), str) else _convert_text(node)
            html = html or self._convert_children(node, depth)
        return html

    def _convert_children(self, node: Mapping[str, Any], depth: int) -> str:
        children = node.get("children")
        listed = children if isinstance(children, list) else []
        return "".join([self.convert(child, depth + 1) for child in listed])

    def _convert_list(self, node: Mapping[str, Any], depth: int) -> str:
        items: list[str] = []
        for child in _list_children(node):
            if child.get("type") != "listitem":
                items.append(self.convert(child, depth + 1))
                continue
            html = self._convert_children(child, depth + 1)
            # An item that contains only a list is the nested list of the item before it.
            if items and [one.get("type") for one in _list_children(child)] == ["list"]:
                items[-1] += html
            else:
                items.append(html)
        start = node.get("start")
        is_numbered = node.get("listType") == "number" or node.get("tag") == "ol"
        first = start if is_numbered and isinstance(start, int) and start != 1 else None
        return element(
            "ol" if is_numbered else "ul", "".join(element("li", item) for item in items), start=first
        )


def _list_children(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    children = node.get("children")
    return (child for child in (children if isinstance(children, list) else []) if isinstance(child, Mapping))


def _wrap(name: str, node: Mapping[str, Any], html: str) -> str:
    if name == "root" or not html.strip():
        return html.strip()
    if name in ("heading", "extended-heading"):
        tag = node.get("tag")
        tag = tag if tag in ("h1", "h2", "h3", "h4", "h5", "h6") else "h2"
        return element(tag, html, id=make_heading_id(html))
    if name == "aside":
        return element("blockquote", html, "kg-blockquote-alt")
    is_header = name == "tablecell" and node.get("headerState")
    return element("th" if is_header else _BLOCKS.get(name, "p"), html)


def _convert_text(node: Mapping[str, Any]) -> str:
    text = node.get("text")
    html = escape(text, quote=False) if isinstance(text, str) else ""
    bits = node.get("format")
    if not html or not isinstance(bits, int):
        return html
    tags = [tag for bit, tag in _FORMATS if bits & bit]
    return "".join([*map(start_tag, tags), html, *(f"</{tag}>" for tag in reversed(tags))])
