"""Writes an export as one JSON document, with one item per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from blogapi.transfer.exports.snapshot import Item, Snapshot, get_media_path


def write_document(snapshot: Snapshot) -> Iterator[str]:
    """Yield the parts of the document: its head, the text of each article, and its end."""
    contents = "all" if snapshot.includes_drafts else "public"
    service_url = snapshot.site["service_url"]
    yield f'{{"format":"blogapi-export","version":1,"contents":"{contents}",\n'
    yield f'"site":{_dump(snapshot.site)},\n'
    for kind in ("categories", "tags", "authors"):
        yield _list(kind, getattr(snapshot, kind))
    yield _list("media", [{**file, "url": f"{service_url}{get_media_path(file)}"} for file in snapshot.media])
    if snapshot.includes_drafts:
        yield _list("working_copies", snapshot.read_working_copies())
    yield '"articles":['
    separator = "\n"
    for article in snapshot.read_articles():
        yield f"{separator}{_dump(article)}"
        separator = ",\n"
    yield "\n]}\n"


def _list(kind: str, items: Iterable[Item]) -> str:
    return f'"{kind}":[\n{join_lines(items)}\n],\n'


def join_lines(items: Iterable[Item]) -> str:
    """Return the items of a list as JSON, each on a line of its own."""
    return ",\n".join(map(_dump, items))


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
