"""The tags with which a shared cache finds the responses that a change makes outdated.

A response carries the tags of all items that it shows, and a change purges the tags of the changed item. A
list, whose members can change with any item of a kind, carries the tag of the kind instead.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from blogapi.publication.kinds import KINDS

SITE = "site"

# The tag of each kind, in the order that headers use. Every response depends on the site.
KIND_TAGS = {name: KINDS[name].plural for name in sorted(KINDS)}

# The maximum length of the tags of one response: proxies often limit all headers to 4 or 8 kB.
MAX_BYTES = 2_000


def make_item_tag(kind: str, uuid: UUID) -> str:
    """Return the tag of one item, such as `article-3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d`."""
    return f"{kind}-{uuid}"


def list_purged_tags(kind: str, uuid: UUID, *, listed: bool = True) -> list[str]:
    """Return the tags that a change of the item purges; an item that is not `listed` changes no list."""
    return [make_item_tag(kind, uuid), *([KIND_TAGS[kind]] if listed else [])]


def list_shown_tags(kinds: Collection[str], items: Mapping[str, Collection[UUID]]) -> list[str]:
    """Return the tags of a response that shows these items (uuids by kind), and lists of these kinds.

    If the tags would be longer than MAX_BYTES, the kind with the most items gets the tag of the kind instead.
    """
    shown_kinds, shown_items = {*kinds, SITE}, {**items}
    while True:
        tags = [tag for kind, tag in KIND_TAGS.items() if kind in shown_kinds]
        tags += [make_item_tag(kind, uuid) for kind, uuids in shown_items.items() for uuid in uuids]
        if len(" ".join(tags)) <= MAX_BYTES:
            return tags
        largest_kind = max(shown_items, key=lambda kind: len(shown_items[kind]))
        shown_kinds.add(largest_kind)
        del shown_items[largest_kind]
