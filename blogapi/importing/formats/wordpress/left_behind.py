"""Counts the data in an export of WordPress that is not imported."""

from __future__ import annotations

from collections import Counter

from blogapi.importing.texts.xml_elements import Element

# Further names are counted together, which limits the memory.
_MAX_NAMES = 200
_PING_TYPES = ("pingback", "trackback")
# The names in the report, by the value of `wp:comment_approved`.
_REMOVED_COMMENTS = {
    "spam": "spam comments",
    "trash": "comments in the trash",
    "post-trashed": "comments in the trash",
}


def count_name(counts: Counter[str], prefix: str, name: str) -> None:
    """Count an item under `prefix` and its name; if there are too many names, count it as `(others)`."""
    full_name = f"{prefix} {name[:40]}"
    counts[full_name if full_name in counts or len(counts) < _MAX_NAMES else f"{prefix} (others)"] += 1


def count_comments(item: Element, counts: Counter[str]) -> None:
    for element in item.list_children("wp:comment"):
        counts[_get_name(element)] += 1


def _get_name(element: Element) -> str:
    if element.get_text("wp:comment_type") in _PING_TYPES:
        return "pingbacks and trackbacks"
    return _REMOVED_COMMENTS.get(element.get_text("wp:comment_approved"), "comments")
