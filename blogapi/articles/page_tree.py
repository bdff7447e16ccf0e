"""The tree of the pages: their paths, and which page may be below which."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select

from blogapi.articles.models import Article
from blogapi.publication.visibility import is_page
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.storage.database import db, table_of
from blogapi.web.errors import Invalid

_article = table_of(Article).c
_SELECT_PAGES = select(_article.uuid, _article.slug, _article.parent_id).where(is_page(_article))


@dataclass(frozen=True, slots=True)
class Place:
    """The slug of a page, and the page above it."""

    slug: str
    parent: UUID | None


def read_tree() -> dict[UUID, Place]:
    """Return the places of all pages; a site has few of them."""
    rows = db.session.connection().execute(_SELECT_PAGES)
    return {row.uuid: Place(row.slug, row.parent_id) for row in rows}


def list_children(uuid: UUID) -> list[UUID]:
    """Return the pages directly below a page."""
    return [child for child, place in read_tree().items() if place.parent == uuid]


def make_path(site: Site, uuid: UUID, slug: str, parent: UUID | None, tree: Mapping[UUID, Place]) -> str:
    """Return the path of a page below the address of the site, which may contain the slugs above it."""
    slugs = [slug]
    for ancestor in _list_ancestors(parent, tree):
        slugs.insert(0, tree[ancestor].slug)
    return addresses.make_page_path(site, uuid=uuid, slugs=slugs)


def check_parent(uuid: UUID | None, parent: UUID | None) -> None:
    """Raise Invalid unless the page may be below the parent; a new page has no uuid."""
    if parent is None:
        return
    tree = read_tree()
    if parent not in tree:
        _refuse("There is no such page.")
    if uuid is not None and uuid in _list_ancestors(parent, tree):
        _refuse("A page cannot be below itself.")


def _list_ancestors(parent: UUID | None, tree: Mapping[UUID, Place]) -> Collection[UUID]:
    """Return the parent and the pages above it, the nearest first."""
    ancestors: dict[UUID, None] = {}
    while parent is not None and parent in tree and parent not in ancestors:
        ancestors[parent] = None
        parent = tree[parent].parent
    return ancestors


def _refuse(message: str) -> None:
    raise Invalid("The page is invalid; `errors` names the fields to correct.", errors={"parent": [message]})
