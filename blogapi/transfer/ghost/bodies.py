"""Chooses the body of a post: lexical, mobiledoc, Markdown, HTML or plain text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from blogapi.transfer.ghost import lexical, mobiledoc
from blogapi.transfer.ghost.markdown import to_commonmark
from blogapi.transfer.ghost.markup import clean_addresses, clean_text

_Convert = Callable[[Mapping[str, Any], Counter[str]], str]
_FindMarkdown = Callable[[Mapping[str, Any]], str | None]

_FORMATS: dict[str, tuple[_Convert, _FindMarkdown]] = {
    "lexical": (lexical.convert_lexical, lexical.find_markdown),
    "mobiledoc": (mobiledoc.convert_mobiledoc, mobiledoc.find_markdown),
}
_ERRORS = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)
# Ghost shows what is between these comments only to some readers. The first has the conditions in it.
_GATE_START, _GATE_END = "<!--kg-gated-block:begin", "<!--kg-gated-block:end-->"


@dataclass(slots=True)
class Body:
    """The content of a post, with LF line endings and without control characters."""

    content: str = ""
    content_type: str = "html"
    notes: list[str] = field(default_factory=list)
    #: The numbers of cards and other parts that were left out or changed, by name.
    leftovers: Counter[str] = field(default_factory=Counter)


def read_body(post: Mapping[str, object]) -> Body:
    """Return the content of a post; "" if it has none."""
    body = Body()
    for content_type, content in _list_contents(post, body):
        if content.strip():
            body.content, body.content_type = clean_addresses(clean_text(content)), content_type
            break
    return body


def _list_contents(post: Mapping[str, object], body: Body) -> Iterator[tuple[str, str]]:
    """Yield the content types and contents in which the post is present, the source of the others first."""
    for name in _FORMATS:
        if post.get(name):
            yield _convert(name, post[name], body)
    yield "markdown", to_commonmark(_get_text(post, "markdown"))
    yield "html", _remove_gated_blocks(_get_text(post, "html"), body.leftovers)
    yield "text", _get_text(post, "plaintext")


def _convert(name: str, source: object, body: Body) -> tuple[str, str]:
    convert, find_markdown = _FORMATS[name]
    leftovers: Counter[str] = Counter()
    try:
        document = json.loads(source) if isinstance(source, str) else source
        if not isinstance(document, Mapping):
            raise TypeError
        html = convert(document, leftovers)
        markdown = find_markdown(document) if not leftovers else None
    except _ERRORS:
        body.notes.append(
            f"Its {name} body is damaged; the next body that the export has (such as HTML) was taken instead."
        )
        return "html", ""
    body.leftovers += leftovers
    return ("html", html) if markdown is None else ("markdown", to_commonmark(markdown))


def _get_text(post: Mapping[str, object], name: str) -> str:
    value = post.get(name)
    return value if isinstance(value, str) else ""


def _remove_gated_blocks(html: str, leftovers: Counter[str]) -> str:
    if _GATE_START not in html:
        return html
    first, *blocks = html.split(_GATE_START)
    parts = [first]
    for block in blocks:
        condition, _, rest = block.partition("-->")
        content, _, after = rest.partition(_GATE_END)
        if "nonMember:false" in condition.replace(" ", ""):
            leftovers["cards that only members could read"] += 1
            content = ""
        parts += [content, after]
    return "".join(parts)
