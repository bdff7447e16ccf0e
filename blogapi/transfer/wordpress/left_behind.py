"""Counts what the import does not take from an export of WordPress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from blogapi.transfer.sources import LeftBehind
from blogapi.transfer.wordpress import seo
from blogapi.transfer.xml_elements import Element

# More names than these are counted together, so that the memory is bounded.
_MAX_NAMES = 200
_MAX_CUSTOM_FIELDS = 1_000
# Custom fields that the import reads.
_KNOWN_FIELDS = seo.FIELDS | {"footnotes"}


def count_name(counts: Counter[str], prefix: str, name: str) -> None:
    """Count something as `prefix` and its name; after too many names, the others are counted together."""
    full_name = f"{prefix} {name[:40]}"
    counts[full_name if full_name in counts or len(counts) < _MAX_NAMES else f"{prefix} (others)"] += 1


def count_marks(item: Element, metas: Mapping[str, str], counts: Counter[str]) -> None:
    """Count the marks of an item that blogapi does not have."""
    counts["sticky marks"] += item.get_text("wp:is_sticky") == "1"
    robots = metas.get("rank_math_robots", "")
    is_hidden = metas.get("_yoast_wpseo_meta-robots-noindex") == "1" or "noindex" in robots
    counts["noindex marks"] += is_hidden


def count_custom_fields(metas: Iterable[str], fields: Counter[str], counts: Counter[str]) -> None:
    """Count custom fields that no plugin hides with an underscore, and in `fields` each by its name."""
    for name in metas:
        if name.startswith(("_", "rank_math_")) or name in _KNOWN_FIELDS or not name:
            continue
        counts["custom fields"] += 1
        if name in fields or len(fields) < _MAX_CUSTOM_FIELDS:
            fields[name] += 1


def add_details(
    left_behind: LeftBehind, parents: Iterable[Mapping[str, str]], custom_fields: Counter[str]
) -> None:
    """Add the categories that have parents and the names of custom fields, and remove counts of zero."""
    details: list[object] = [*parents]
    left_behind.counts["parents of categories"] = len(details)
    names = custom_fields.most_common()
    for name, found in (
        ("parents of categories", details),
        ("custom fields", [{"name": name, "items": number} for name, number in names]),
    ):
        if found:
            left_behind.details[name] = [*found]
    for name in [name for name, number in left_behind.counts.items() if not number]:
        del left_behind.counts[name]
