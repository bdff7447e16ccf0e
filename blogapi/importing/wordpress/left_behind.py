"""Counts what the import does not take from an export of WordPress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from blogapi.importing.article_record import CommentRecord
from blogapi.importing.markdown.text import to_line, to_plain_line
from blogapi.importing.sources import LeftBehind
from blogapi.importing.wordpress import seo
from blogapi.importing.wordpress.publication import parse_time
from blogapi.importing.xml_elements import Element

# More names than these are counted together, so that the memory is bounded.
_MAX_NAMES = 200
_MAX_CUSTOM_FIELDS = 1_000
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
    names = [{"name": name, "items": number} for name, number in custom_fields.most_common()]
    details: dict[str, list[object]] = {"parents of categories": [*parents], "custom fields": [*names]}
    left_behind.counts["parents of categories"] = len(details["parents of categories"])
    left_behind.details |= {name: found for name, found in details.items() if found}
    left_behind.counts = +left_behind.counts


def read_comments(item: Element, counts: Counter[str]) -> tuple[CommentRecord, ...]:
    """Return the comments of an item that are approved or wait for approval, and count all comments.

    Mail and IP addresses of commenters are not read.
    """
    comments = []
    for element in item.list_children("wp:comment"):
        name = _get_name(element)
        counts[name] += 1
        if name == "comments":
            comments.append(_read_comment(element))
    return tuple(comments)


def _get_name(element: Element) -> str:
    if element.get_text("wp:comment_type") in _PINGS:
        return "pingbacks and trackbacks"
    return _REMOVED.get(element.get_text("wp:comment_approved"), "comments")


def _read_comment(element: Element) -> CommentRecord:
    dates = (parse_time(element.get_text(name)) for name in ("wp:comment_date_gmt", "wp:comment_date"))
    return CommentRecord(
        author=to_plain_line(element.get_text("wp:comment_author")),
        url=to_line(element.get_text("wp:comment_author_url")),
        created=next(filter(None, dates), None),
        is_approved=element.get_text("wp:comment_approved") == "1",
        content=element.get_text("wp:comment_content"),
    )
