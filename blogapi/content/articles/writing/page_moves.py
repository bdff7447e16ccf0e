"""Records pages whose addresses change, because they or pages above them get another slug or parent.

The former path of such a page redirects to it, and an event is recorded even if the row of the page does not
change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from blogapi.content.articles import page_tree
from blogapi.content.articles.models import FormerPath
from blogapi.publication import events
from blogapi.publication.events import ItemAddress, ItemState
from blogapi.publication.visibility import LISTED_STATUSES, ItemType, get_readable_from, is_readable
from blogapi.site import page_paths
from blogapi.site.models import Site
from blogapi.site.page_paths import PageNode, PageTree
from blogapi.site.paths import extract_former_path
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db, get_write_transaction, table_of
from blogapi.storage.expressions import make_upsert_statement

_PAGE = ItemType.PAGE.value


def record_page_moves(before: PageTree, after: PageTree, *, keeps_paths: bool = True) -> None:
    """Record the pages whose paths a write has changed, in a fixed number of statements.

    The session has noted the changes of the written pages already, but with paths that later writes can have
    changed, so these changes are recorded again. Without `keeps_paths`, the former paths are not stored.
    """
    site, notes = get_site(), get_write_transaction(db.session()).noted_changes
    # No reader knows the address that a new page had earlier in the transaction.
    known = {uuid: place for uuid, place in before.items() if _is_known_to_readers(uuid, notes)}
    old_paths, paths = page_paths.make_all_paths(site, before), page_paths.make_all_paths(site, after)
    for uuid, place in after.items():
        old = before.get(uuid)
        state = _make_page_state(place, paths[uuid])
        if (_PAGE, uuid) in notes:
            events.note_change(_PAGE, uuid, state, state)
        elif old is not None and old_paths[uuid] != paths[uuid] and state.readable_from is not None:
            events.note_change(_PAGE, uuid, _make_page_state(old, old_paths[uuid]), state, fields=["url"])
    if keeps_paths:
        _store_former_paths(site, known, old_paths, paths)


def _is_known_to_readers(uuid: UUID, notes: Mapping[events.ItemKey, Any]) -> bool:
    noted_change = notes.get((_PAGE, uuid))
    return noted_change is None or noted_change.before is not None


def keep_former_paths(before: Site, after: Site) -> None:
    """Store the former path of each page whose path changes with the settings of the site."""
    tree = page_tree.read_tree()
    paths = page_paths.make_all_paths(before, tree), page_paths.make_all_paths(after, tree)
    _store_former_paths(before, tree, *paths)


def _make_page_state(place: PageNode, path: str) -> ItemState:
    readable_from = get_readable_from(place)
    if readable_from is None:
        return ItemState(None, ItemAddress(place.slug))
    return ItemState(readable_from, ItemAddress(place.slug, path), listed=place.status in LISTED_STATUSES)


def _store_former_paths(
    site: Site, tree: PageTree, old_paths: Mapping[UUID, str], paths: Mapping[UUID, str]
) -> None:
    now = current_time()
    rows = [
        {"path": path, "article_id": uuid, "created": now}
        for uuid, path in _list_moved_pages(site, tree, old_paths, paths)
    ]
    if not rows:
        return
    connection, table = db.session.connection(), table_of(FormerPath)
    # Another page can have had the same path before; the path leads to the page that had it last.
    connection.execute(make_upsert_statement(connection.dialect.name, table, "article_id", "created"), rows)


def _list_moved_pages(
    site: Site, tree: PageTree, old_paths: Mapping[UUID, str], paths: Mapping[UUID, str]
) -> Iterator[tuple[UUID, str]]:
    """Yield the pages that have moved and that readers can know, with their former paths."""
    now, folder = current_time(), urlsplit(site.url).path
    for uuid, place in tree.items():
        is_known = place.was_public or is_readable(place, now)
        is_moved = paths.get(uuid, old_paths[uuid]) != old_paths[uuid]
        if is_known and is_moved and (path := extract_former_path(f"{folder}{old_paths[uuid]}")):
            yield uuid, path
