"""Read the posts that programs have saved from the Blogger API as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, BinaryIO

import ijson

from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.blogger.items import BloggerItem

_KINDS = {"blogger#post": "post", "blogger#page": "page", "blogger#comment": "comment"}


def read_api(path: Path) -> Iterator[BloggerItem]:
    """Yield the items of a list of posts, or of an answer with the list `items`.

    Raises RefusedFile where the file is not valid JSON.
    """
    try:
        with path.open("rb") as file:
            for value in ijson.items(file, "item" if _is_list(file) else "items.item"):
                if isinstance(value, dict) and value.get("kind") in _KINDS:
                    yield _make_item(value)
    except (ijson.JSONError, OSError, ValueError, RecursionError) as error:
        raise RefusedFile(
            "The file is not valid JSON; the posts before the error were read. Save it again."
        ) from error


def _is_list(file: BinaryIO) -> bool:
    start = file.read(1024).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    file.seek(0)
    return start == b"["


def _make_item(value: dict[str, Any]) -> BloggerItem:
    author, blog, labels = (value.get(name) or {} for name in ("author", "blog", "labels"))
    return BloggerItem(
        kind=_KINDS[value["kind"]],
        id=_to_text(value.get("id")),
        blog=_to_text(blog.get("id")) if isinstance(blog, dict) else "",
        # Without a key of the author, the API returns only public posts, and no status.
        status=_to_text(value.get("status")) or ("LIVE" if value.get("url") else ""),
        published=_to_text(value.get("published")),
        title=_to_text(value.get("title")),
        content=_to_text(value.get("content")),
        author=unescape(_to_text(author.get("displayName"))) if isinstance(author, dict) else "",
        address=_to_text(value.get("url")),
        labels=[label for label in labels if isinstance(label, str)] if isinstance(labels, list) else [],
    )


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else ""
