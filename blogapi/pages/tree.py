"""The tree of the pages, and their paths, which can contain the slugs of the pages above them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from blogapi.articles.models import Article
from blogapi.publication.visibility import LISTED_STATUSES, is_page, is_readable
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.storage import transaction_info
from blogapi.storage.database import db, table_of

_article = table_of(Article).c
# The key of the tree in the information of a transaction.
_KEY = "page-tree"
_SELECT_PAGES = select(
    *(_article.uuid, _article.slug, _article.parent_id),
    *(_article.status, _article.published_at, _article.was_public, _article.language, _article.title),
).where(is_page(_article))


@dataclass(frozen=True, slots=True)
class Place:
    """What the tree knows of a page; `parent` is the page above it."""

    slug: str
    parent: UUID | None
    status: str
    published_at: datetime | None
    was_public: bool
    language: str
    title: str


Tree = Mapping[UUID, Place]


def read_tree() -> dict[UUID, Place]:
    """Return the places of all pages; a site has few of them."""
    rows = db.session.connection().execute(_SELECT_PAGES)
    return {uuid: Place(*place) for uuid, *place in rows}


def get_tree() -> Tree:
    """Return the tree as the current transaction read it first, or as it was at the last `read_again`."""
    info = transaction_info.get_info(db.session())
    if _KEY not in info:
        info[_KEY] = read_tree()
    tree: Tree = info[_KEY]
    return tree


def read_again() -> Tree:
    """Return the tree after a write of the current transaction, and keep it for `get_tree`."""
    transaction_info.get_info(db.session()).pop(_KEY, None)
    return get_tree()


def list_children(uuids: Collection[UUID]) -> list[UUID]:
    """Return the other pages directly below these pages."""
    return [child for child, place in get_tree().items() if place.parent in uuids and child not in uuids]


def find_parent(parent: UUID | None) -> UUID | None:
    """Return the parent if it is a page, otherwise None: the top of the tree."""
    return parent if parent is not None and parent in get_tree() else None


def make_path(site: Site, uuid: UUID, slug: str, parent: UUID | None, tree: Tree, language: str) -> str:
    """Return the path of a page below the address of the site, which may contain the slugs above it."""
    slugs = [slug]
    for ancestor in list_ancestors(parent, tree):
        slugs.insert(0, tree[ancestor].slug)
    return addresses.make_page_path(site, uuid=uuid, slugs=slugs, language=language)


def list_public_above(parent: UUID | None, tree: Tree, now: datetime) -> list[UUID]:
    """Return the listed pages among the parent and the pages above it, the outermost first."""
    return [
        uuid
        for uuid in reversed(list_ancestors(parent, tree))
        if tree[uuid].status in LISTED_STATUSES and is_readable(tree[uuid], now)
    ]


def make_path_of(site: Site, uuid: UUID, tree: Tree) -> str:
    """Return the path of a page of the tree below the address of the site."""
    place = tree[uuid]
    return make_path(site, uuid, place.slug, place.parent, tree, place.language)


def make_paths(site: Site, tree: Tree) -> dict[UUID, str]:
    """Return the paths of all pages of the tree below the address of the site."""
    return {uuid: make_path_of(site, uuid, tree) for uuid in tree}


def list_ancestors(parent: UUID | None, tree: Tree) -> dict[UUID, None]:
    """Return the parent and the pages above it, the nearest first."""
    ancestors: dict[UUID, None] = {}
    while parent is not None and parent in tree and parent not in ancestors:
        ancestors[parent] = None
        parent = tree[parent].parent
    return ancestors
