"""Chooses the body of a post: lexical, mobiledoc, Markdown, HTML or plain text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from blogapi.transfer.ghost import lexical, mobiledoc
from blogapi.transfer.ghost.cards import MEMBERS_ONLY
from blogapi.transfer.ghost.markup import clean_addresses, to_commonmark

_Convert = Callable[[Mapping[str, Any], Counter[str]], str]
_FindMarkdown = Callable[[Mapping[str, Any]], str | None]

_FORMATS: dict[str, tuple[_Convert, _FindMarkdown]] = {
    "lexical": (lexical.convert_lexical, lexical.find_markdown),
    "mobiledoc": (mobiledoc.convert_mobiledoc, mobiledoc.find_markdown),
}
_ERRORS = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError, RecursionError)
# Ghost shows what is between these comments only to some readers. The first has the conditions in it.
_GATE_START, _GATE_END = "<!--kg-gated-block:begin", "<!--kg-gated-block:end-->"


@dataclass(slots=True)
class Body:
    """The content of a post, with LF line endings."""

    content: str = ""
    content_type: str = "html"
    notes: list[str] = field(default_factory=list)
    #: The numbers of cards and other parts that were left out or changed, by name.
    losses: Counter[str] = field(default_factory=Counter)


def read_body(post: Mapping[str, object]) -> Body:
    """Return the content of a post; "" if it has none."""
    body = Body()
    for content_type, content, losses in _list_contents(post, body.notes):
        if content.strip():
            content = clean_addresses(content.replace("\r\n", "\n").replace("\r", "\n"))
            return Body(content, content_type, body.notes, losses)
        body.losses = body.losses or losses
    return body


def _list_contents(post: Mapping[str, object], notes: list[str]) -> Iterator[tuple[str, str, Counter[str]]]:
    """Yield content types, contents and losses: first the source from which Ghost made the others."""
    for name in _FORMATS:
        if post.get(name):
            try:
                yield _convert(name, post[name])
            except _ERRORS:
                notes.append(
                    f"Its {name} body is damaged; another body of the post was taken, if there is one."
                )
    yield "markdown", to_commonmark(_get_text(post, "markdown")), Counter()
    yield "html", *_remove_gated_blocks(_get_text(post, "html"))
    yield "text", _get_text(post, "plaintext"), Counter()


def _convert(name: str, source: object) -> tuple[str, str, Counter[str]]:
    convert, find_markdown = _FORMATS[name]
    losses: Counter[str] = Counter()
    document = json.loads(source) if isinstance(source, str) else source
    if not isinstance(document, Mapping):
        raise TypeError
    html = convert(document, losses)
    with suppress(*_ERRORS):
        if (markdown := find_markdown(document)) is not None:
            return "markdown", to_commonmark(markdown), losses
    return "html", html, losses


def _get_text(post: Mapping[str, object], name: str) -> str:
    value = post.get(name)
    return value if isinstance(value, str) else ""


def _remove_gated_blocks(html: str) -> tuple[str, Counter[str]]:
    first, *blocks = html.split(_GATE_START)
    parts, losses = [first], Counter[str]()
    for block in blocks:
        condition, _, rest = block.partition("-->")
        content, _, after = rest.partition(_GATE_END)
        if "nonMember:false" in condition.replace(" ", ""):
            losses[MEMBERS_ONLY] += 1
            content = ""
        parts += [content, after]
    return "".join(parts), losses
