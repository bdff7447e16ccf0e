"""The addresses of items on the site, as events record them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import cast
from uuid import UUID

from sqlalchemy import select

from blogapi.publication.events import ItemAddress
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.storage import transaction_info
from blogapi.storage.database import db

_SELECT_PATHS = select(
    *(Site.url, Site.article_path, Site.page_path),
    *(Site.category_path, Site.tag_path, Site.author_path, Site.time_zone, Site.language),
)


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
        site,
        uuid=uuid,
        slug=slug,
        category_slug=category_slug,
        published_at=published_at,
        language=language,
    )
    return ItemAddress(slug, path)


def forget_site() -> None:
    """Let the current transaction read the site again, which it has changed."""
    transaction_info.get_info(db.session()).pop("site", None)


def get_site() -> Site:
    """Return the columns of the site that paths depend on; they are read once in a transaction."""
    info = transaction_info.get_info(db.session())
    if "site" not in info:
        info["site"] = db.session.connection().execute(_SELECT_PATHS).one()
    return cast(Site, info["site"])
