"""The addresses of items on the site, as events record them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from blogapi.publication.events import ItemAddress
from blogapi.site import addresses
from blogapi.site.queries import get_site


def make_term_address(kind: str, uuid: UUID, slug: str) -> ItemAddress:
    """Return the address of the page of a term; `kind` is `category`, `tag` or `author`."""
    return ItemAddress(slug, addresses.make_term_path(get_site(), kind, uuid=uuid, slug=slug))


def make_article_address(
    uuid: UUID, slug: str, get_category_slug: Callable[[], str], published_at: datetime, language: str
) -> ItemAddress:
    """Return the address of the page of an article that is public or scheduled; the time is aware."""
    site = get_site()
    category_slug = get_category_slug() if "{category}" in site.article_path else ""
    path = addresses.make_article_path(
        site, uuid=uuid, slug=slug, category_slug=category_slug, published_at=published_at, language=language
    )
    return ItemAddress(slug, path)
