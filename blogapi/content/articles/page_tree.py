"""The tree of the pages; `site.page_paths` computes the paths of pages from the tree."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select

from blogapi.content.articles.models import Article
from blogapi.publication.visibility import is_readable, match_pages
from blogapi.site.page_paths import PageNode, PageTree
from blogapi.storage.database import current_time, db, table_of
from blogapi.storage.database_clock import CachedValue
from blogapi.web.access import current_caller

_article = table_of(Article).c
_SELECT_PAGES = select(
    *(_article.uuid, _article.slug, _article.parent_id),
    *(_article.status, _article.published_at, _article.was_public, _article.language, _article.title),
).where(match_pages(_article))


def read_tree() -> dict[UUID, PageNode]:
    """Return the node of each page by uuid; all pages are read, because a site has only few pages."""
    rows = db.session.connection().execute(_SELECT_PAGES)
    return {uuid: PageNode(*place) for uuid, *place in rows}


_tree = CachedValue[PageTree](lambda session: read_tree())


def get_tree() -> PageTree:
    """Return the tree of the pages, which is read once in each transaction; see also `reread_tree`."""
    return _tree.get(db.session())


def reread_tree() -> PageTree:
    """Read the tree again after a write in this transaction; `get_tree` then returns the new tree."""
    _tree.discard(db.session())
    return get_tree()


def is_visible_page(uuid: UUID | None, tree: PageTree) -> bool:
    """Return whether there is a page with this uuid and the caller may see it."""
    place = tree.get(uuid) if uuid else None
    return place is not None and (current_caller().sees_drafts or is_readable(place, current_time()))


def list_children(uuids: Collection[UUID]) -> list[UUID]:
    """Return the uuids of the pages directly below these pages; pages in `uuids` are left out."""
    return [child for child, place in get_tree().items() if place.parent in uuids and child not in uuids]
