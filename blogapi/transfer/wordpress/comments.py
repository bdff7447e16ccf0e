"""The comments of WordPress items: they are counted, and the JSON report contains them."""

from __future__ import annotations

from collections import Counter

from blogapi.transfer.article_record import CommentRecord
from blogapi.transfer.markdown.text import to_line, to_plain_line
from blogapi.transfer.wordpress.dates import parse_time
from blogapi.transfer.xml_elements import Element

_PINGS = ("pingback", "trackback")
# The names in the report, by the value of `wp:comment_approved`.
_REMOVED = {
    "spam": "spam comments",
    "trash": "comments in the trash",
    "post-trashed": "comments in the trash",
}


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
