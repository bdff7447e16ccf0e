"""Digests of records, by which an import recognises what has changed since the last one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields

from blogapi.transfer.article_record import ArticleRecord

# The fields of a record that do not change its article. A new wording of a note is no change either.
_WITHOUT_DIGEST = frozenset(
    (
        *("key", "former_key", "notes", "is_undated", "path", "source", "cover_alt", "addresses", "names"),
        *("has_templates", "comments", "media_folder", "former_paths"),
    )
)


def compute_digest(record: ArticleRecord) -> str:
    """Return the digest of everything in a record that can change its article."""
    names = [field.name for field in fields(record) if field.name not in _WITHOUT_DIGEST]
    content = {name: getattr(record, name) for name in names}
    content["authors"] = [asdict(author) for author in record.authors]
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode("utf-8")).hexdigest()
