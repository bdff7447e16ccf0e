"""Counts what the import does not take from an export of WordPress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from blogapi.importing.markdown.text import to_line
from blogapi.importing.wordpress import seo
from blogapi.importing.xml_elements import Element

# More names than these are counted together, so that the memory is bounded.
_MAX_NAMES = 200
# Custom fields that the import reads.
_KNOWN_FIELDS = seo.FIELDS | {"footnotes"}
_PINGS = ("pingback", "trackback")
# The names in the report, by the value of `wp:comment_approved`.
_REMOVED = {
    "spam": "spam comments",
    "trash": "comments in the trash",
    "post-trashed": "comments in the trash",
}


def count_name(counts: Counter[str], prefix: str, name: str) -> None:
    """Count something as `prefix` and its name; after too many names, the others are counted together."""
    full_name = f"{prefix} {name[:40]}"
    counts[full_name if full_name in counts or len(counts) < _MAX_NAMES else f"{prefix} (others)"] += 1


def count_custom_fields(names: Iterable[str], counts: Counter[str]) -> None:
    """Count custom fields that no plugin hides with an underscore, each by its name."""
    for name in names:
        if name and not name.startswith(("_", "rank_math_")) and name not in _KNOWN_FIELDS:
            count_name(counts, "custom fields", to_line(name))


def count_comments(item: Element, counts: Counter[str]) -> None:
    """Count the comments of an item by their kind."""
    for element in item.list_children("wp:comment"):
        counts[_get_name(element)] += 1


def _get_name(element: Element) -> str:
    if element.get_text("wp:comment_type") in _PINGS:
        return "pingbacks and trackbacks"
    return _REMOVED.get(element.get_text("wp:comment_approved"), "comments")
