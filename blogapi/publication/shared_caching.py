"""The headers with which shared caches, such as a CDN, may store responses that are the same for everyone.

Views declare with `declare_shown_kinds` what such a response shows. With the setting PUBLIC_READS, these
views answer requests without credentials too. A response to a request with credentials is never shared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from flask import Response, current_app, g, has_request_context, request

from blogapi.publication.kinds import KINDS
from blogapi.web.access import SAFE_METHODS, current_caller
from blogapi.web.headers import PUBLIC_VARY
from blogapi.web.operation import OPERATIONS, View, set_declarations

SITE_KIND = "site"

# The cache tag of each kind, in the order that headers use. Every response depends on the site.
KIND_TAGS = {name: KINDS[name].plural for name in sorted(KINDS)}

# The maximum length of the tags of one response: proxies often limit all headers to 4 or 8 kB.
MAX_CACHE_TAGS_BYTES = 2_000


def make_item_cache_tag(kind: str, uuid: UUID) -> str:
    """Return the cache tag of one item, such as `article-3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d`."""
    return f"{kind}-{uuid}"


def list_purged_cache_tags(kind: str, uuid: UUID, *, listed: bool = True) -> list[str]:
    """Return the cache tags that a change of an item purges; if it is not `listed`, no list changes."""
    return [make_item_cache_tag(kind, uuid), *([KIND_TAGS[kind]] if listed else [])]


def list_shown_cache_tags(kinds: Collection[str], items: Mapping[str, Collection[UUID]]) -> list[str]:
    """Return the cache tags of a response that shows these items (uuids by kind) and lists of these kinds.

    If the tags would be longer than MAX_CACHE_TAGS_BYTES, the tag of the kind with the most items replaces
    the tags of these items.
    """
    shown_kinds, shown_items = {*kinds, SITE_KIND}, {**items}
    while True:
        tags = [tag for kind, tag in KIND_TAGS.items() if kind in shown_kinds]
        tags += [make_item_cache_tag(kind, uuid) for kind, uuids in shown_items.items() for uuid in uuids]
        if len(" ".join(tags)) <= MAX_CACHE_TAGS_BYTES:
            return tags
        largest_kind = max(shown_items, key=lambda kind: len(shown_items[kind]))
        shown_kinds.add(largest_kind)
        del shown_items[largest_kind]


@dataclass(frozen=True, slots=True)
class ShownContent:
    """The items that a response shows (uuids by kind), and the kinds whose items can all change it.

    A change of the site can change every response.
    """

    kinds: Collection[str] = ()
    items: Mapping[str, Collection[UUID]] = field(default_factory=dict)


def declare_shown_kinds(
    *kinds: str, find: Callable[..., ShownContent] | None = None
) -> Callable[[View], View]:
    """Declare the kinds of items that can change the response of the view.

    `find` replaces the kinds: it gets the arguments of the view and returns what the response shows.
    """
    return set_declarations(shows=kinds if find is None else find)


def add_shown_item(kind: str, uuid: UUID) -> None:
    """Record that the response to the current request, if there is one, shows this item."""
    if has_request_context():
        g.setdefault("more_shown", defaultdict[str, set[UUID]](set))[kind].add(uuid)


def add_caching_headers(response: Response) -> Response:
    """Add the headers that let shared caches store the response if it is the same for everyone.

    A view forbids this with `no-store`.
    """
    operation = OPERATIONS.get().get(request.endpoint or "")
    if operation is None or operation.shows is None or operation.access.rule.requires_credentials:
        return response
    if operation.access.rule.checks_credentials:
        response.headers["Vary"] = PUBLIC_VARY
    # Errors are not cached, because a scheduled article must not be missing after its publication.
    is_read = request.method in SAFE_METHODS and response.status_code == 200
    if is_read and not response.cache_control.no_store and not current_caller().is_authenticated:
        # `Blueprint.run_view` sets `g.shown`.
        shown: ShownContent = g.shown if callable(operation.shows) else ShownContent(operation.shows)
        items = {**shown.items}
        for kind, uuids in g.get("more_shown", {}).items():
            items[kind] = sorted({*items.get(kind, ()), *uuids})
        tags = list_shown_cache_tags(shown.kinds, items)
        # The times are constant, because a shorter time would announce a scheduled article.
        shared, stale = (current_app.config[name] for name in ("SHARED_MAX_AGE", "STALE_WHILE_REVALIDATE"))
        cache_control = f"public, max-age=0, s-maxage={shared}, stale-while-revalidate={stale}"
        response.headers["Cache-Control"] = cache_control
        response.headers["Cache-Tag"] = ",".join(tags)
        response.headers["Surrogate-Key"] = " ".join(tags)
    return response
