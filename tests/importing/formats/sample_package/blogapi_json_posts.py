"""Imports a JSON file of posts: `{"posts_of": "example.com", "posts": [{"id": 1, "title": "Hello", …}]}`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from blogapi.importing.format_api import (
    ArticleRecord,
    Entry,
    Format,
    ImportOptions,
    RefusedFile,
    read_bytes,
    read_each,
)


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether the file begins as such a file does."""
    return head.lstrip().startswith(b'{"posts_of"')


def read(entry: Entry, options: ImportOptions) -> Iterator[ArticleRecord]:
    """Yield the record of each post of the file."""
    try:
        blog = json.loads(read_bytes(entry.path))
        posts, host = blog["posts"], blog["posts_of"]
    except (ValueError, KeyError) as error:
        raise RefusedFile(f"It is not a JSON file of posts ({error}); export the posts again.") from error
    for post in posts:
        date = datetime.fromisoformat(post["date"]).replace(tzinfo=UTC) if post.get("date") else None
        path = post.get("path", "")
        yield ArticleRecord(
            key=f"json-posts:{host}:{post['id']}",
            source=entry.key,
            path=entry.path,  # pictures are looked up beside this file
            title=post["title"],
            content=post["html"],
            content_type="html",
            # A text that visitors could not see becomes a draft.
            status="published" if date and not post.get("private") else "draft",
            published_at=date,
            tags=tuple(post.get("tags", ())),
            former_paths=(path,) if path else (),  # readers are redirected from it
            addresses=(path,) if path else (),  # links of the other posts lead to it
        )


FORMAT = Format(name="json-posts", contract=1, detect=detect, open_source=read_each(read))
