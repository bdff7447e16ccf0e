"""Makes the paths of pages from the tree of pages, which `articles.page_tree` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from blogapi.publication.visibility import LISTED_STATUSES, is_readable
from blogapi.site import addresses
from blogapi.site.models import Site


@dataclass(frozen=True, slots=True)
class PageNode:
    """A page in the tree of pages; `parent` is the page above it."""

    slug: str
    parent: UUID | None
    status: str
    published_at: datetime | None
    was_public: bool
    language: str
    title: str


PageTree = Mapping[UUID, PageNode]


def make_path(site: Site, uuid: UUID, slug: str, parent: UUID | None, tree: PageTree, language: str) -> str:
    """Return the path of a page below the site's address, which can contain the slugs of the pages above."""
    slugs = [slug]
    for ancestor in list_ancestors(parent, tree):
        slugs.insert(0, tree[ancestor].slug)
    return addresses.make_page_path(site, uuid=uuid, slugs=slugs, language=language)


def find_page_by_slug(slug: str, tree: PageTree) -> UUID | None:
    """Return the page that has this slug, or None."""
    return next((uuid for uuid, node in tree.items() if node.slug == slug), None)


def list_listed_ancestors(parent: UUID | None, tree: PageTree, now: datetime) -> list[UUID]:
    """Return the parent and the pages above it, without pages that are not listed, the outermost first."""
    return [
        uuid
        for uuid in reversed(list_ancestors(parent, tree))
        if tree[uuid].status in LISTED_STATUSES and is_readable(tree[uuid], now)
    ]


def make_path_in_tree(site: Site, uuid: UUID, tree: PageTree) -> str:
    """Return the path of a page of the tree below the address of the site."""
    node = tree[uuid]
    return make_path(site, uuid, node.slug, node.parent, tree, node.language)


def make_all_paths(site: Site, tree: PageTree) -> dict[UUID, str]:
    """Return the paths of all pages of the tree below the address of the site."""
    return {uuid: make_path_in_tree(site, uuid, tree) for uuid in tree}


def list_ancestors(parent: UUID | None, tree: PageTree) -> dict[UUID, None]:
    """Return the parent and the pages above it, the nearest first."""
    ancestors: dict[UUID, None] = {}
    while parent is not None and parent in tree and parent not in ancestors:
        ancestors[parent] = None
        parent = tree[parent].parent
    return ancestors
