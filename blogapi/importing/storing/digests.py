"""The digest of a record, which shows whether an article must be updated."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields, replace

from blogapi.importing.format_api.article_record import ArticleRecord

# The fields of a record that do not change its article. A new wording of a note is not a change either.
_WITHOUT_DIGEST = {
    *("key", "former_key", "notes", "is_undated", "path", "source", "cover_alt", "addresses", "names"),
    *("has_templates", "is_mdx", "media_folder", "former_paths", "other_fields", "categories_above"),
    *("left_out", "unread_rules"),
}
_NEW_FIELDS = {
    *("featured", "robots", "language", "translation_key", "custom"),
    *("is_page", "parent_key", "position"),
}
# Before blogs had pages, imports made articles with the tag `page` from the pages in these formats.
_TAGGED_FORMATS = ("blogger:", "ghost:", "substack:", "wordpress:")
PAGE_TAG = "page"


def add_page_tag(record: ArticleRecord) -> ArticleRecord:
    """Return the record with the tag that earlier imports gave to pages, so that its digest is the same."""
    is_tagged = PAGE_TAG in map(str.casefold, record.tags)
    is_due = record.is_page and record.key.startswith(_TAGGED_FORMATS) and not is_tagged
    return replace(record, tags=(*record.tags, PAGE_TAG)) if is_due else record


def compute_digest(record: ArticleRecord) -> str:
    """Return the digest of everything in a record that can change its article."""
    names = [field.name for field in fields(record) if field.name not in _WITHOUT_DIGEST]
    content = {name: getattr(record, name) for name in names}
    # Older versions did not have these fields, and their digests must stay valid.
    content = {name: value for name, value in content.items() if value or name not in _NEW_FIELDS}
    content["authors"] = [asdict(author) for author in record.authors]
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode("utf-8")).hexdigest()
