"""Digests of records, by which an import recognises what has changed since the last one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields

from blogapi.transfer.article_record import ArticleRecord

# The fields of a record that do not change its article.
_WITHOUT_DIGEST = (
    *("source_digest", "is_undated", "path", "source", "cover_alt", "addresses", "names", "has_templates"),
    *("comments", "media_folder", "former_paths"),
)


def compute_digest(record: ArticleRecord, key: str = "") -> str:
    """Return the digest of everything in a record that can change its article; `key` is part of it."""
    # The digest does not include the notes, so that a new wording of a note does not count as a change of the
    # file. Empty fields that former versions did not have are left out, so that their digests stay valid.
    content = {field.name: getattr(record, field.name) for field in fields(record)}
    content |= {"key": key, "notes": ()}
    for name in _WITHOUT_DIGEST:
        del content[name]
    if not record.authors:
        # Former versions have stored the names of the authors as one text.
        del content["authors"]
        content["author"] = ""
    else:
        content["authors"] = [asdict(author) for author in record.authors]
    for name in ("former_slugs", "excerpt", "og_image", "exported"):
        if not content[name]:
            del content[name]
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode("utf-8")).hexdigest()


def get_source_digest(record: ArticleRecord) -> str:
    """Return the digest of the source file, or of the record if it has no file of its own."""
    return record.source_digest or compute_digest(record)
