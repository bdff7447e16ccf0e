"""Sentences that several readers write into reports, and functions that format numbers and lists in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SERVER_ERROR = "Something went wrong on the server; its log has the details. You can start the import again."
DISK_FULL = "The disk is full; free some space and start the import again."

IMPORT_TIME_NOTE = "It has no date; the article gets the time of the import."
PRIVATE_BLOG_NOTE = "“{}” is the export of a private blog; all its articles become drafts."
#: The maximum number of names that a sentence lists; --json contains all.
MAX_LISTED = 10


def describe_unread_rules(plugins: str) -> str:
    """Return the note of an article that became a draft because these plugins may have hidden it."""
    return f"Rules of {plugins} that the file does not contain can hide it; the article became a draft."


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun: "1 tag", "2,000 tags"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def join_names(names: Sequence[str], limit: int = MAX_LISTED) -> str:
    """Return at most `limit` names in one line: "a, b and 3 more"."""
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def join_counts(counts: Mapping[str, int], limit: int = MAX_LISTED) -> str:
    """Return names with their numbers, most frequent first: "a (12), b (1)"; at most `limit`."""
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return join_names([f"{name} ({number:,})" for name, number in ranked], limit)
