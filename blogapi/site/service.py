"""Changes the fields of the site, records the change, and keeps the former paths of pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from types import SimpleNamespace
from typing import Protocol, cast

from blogapi.config import AppState
from blogapi.publication.events import EPOCH, ItemState, note_change
from blogapi.site import queries
from blogapi.site.models import Site
from blogapi.site.schemas import SiteChangesSchema
from blogapi.site.served_paths import find_serving_errors
from blogapi.storage.database import db, transaction
from blogapi.web import media_addresses
from blogapi.web.errors import Errors, Invalid
from blogapi.web.fields import Fields, list_changed_fields


class FormerPathStore(Protocol):
    """Stores the addresses that pages had before a change; `content.dependencies` sets the implementation."""

    def keep_former_paths(self, before: Site, after: Site) -> None:
        """Store the former path of each page whose path a change of the site has changed."""


FORMER_PATH_STORE = AppState[FormerPathStore]("former-path-store")

# The fields of the site on which the paths of pages depend.
_PAGE_PATH_FIELDS = ("url", "page_path", "language")

# The fields of the site on which the address of the service depends.
_SERVICE_URL_FIELDS = ("service_url", "url", "built_in")

# The site is always readable and has no page of its own.
SITE_STATE = ItemState(EPOCH)


def record_site_change(fields: Collection[str]) -> None:
    """Record that the site, or something that can change every response, has changed."""
    note_change(Site.kind, queries.get_site().uuid, SITE_STATE, SITE_STATE, fields=fields)


def prerender_articles(fields: Fields) -> None:
    """Before the transaction, render the articles that a change of these fields can change."""
    if {*list_changed_fields(SiteChangesSchema, queries.get_site(), fields)} & {*_SERVICE_URL_FIELDS}:
        media_addresses.MEDIA_LIBRARY.get().prerender_articles_with_files()


def change_site(fields: Fields) -> Site:
    """Change the given fields of the site, as SiteChangesSchema loads them, and return the site.

    Raises Invalid if `built_in` is set but blogapi cannot show the site with these fields.
    """
    with transaction():
        site = queries.get_site()
        pictures, address = site.list_pictures(), queries.get_service_url()
        before = cast(Site, SimpleNamespace(**{name: getattr(site, name) for name in _PAGE_PATH_FIELDS}))
        changed = list_changed_fields(SiteChangesSchema, site, fields)
        for name, value in fields.items():
            setattr(site, name, value)
        if site.built_in:
            _check_built_in_site(site, fields, changed)
        if changed:
            record_site_change(changed)
        db.session.flush()
        if any(getattr(site, name) != getattr(before, name) for name in ("page_path", "language")):
            FORMER_PATH_STORE.get().keep_former_paths(before, site)
        media_addresses.store_file_uses(site, pictures, site.list_pictures())
        if queries.get_service_url() != address:
            media_addresses.MEDIA_LIBRARY.get().rerender_articles_with_files()
    return site


def _check_built_in_site(site: Site, fields: Fields, changed: Collection[str]) -> None:
    """Raise Invalid if blogapi cannot show the site after a change; the errors name the given fields."""
    errors: Errors = defaultdict(list)
    for name, problems in find_serving_errors(site).items():
        if {name, "built_in"} & {*changed}:
            errors[name if name in fields else "built_in"] += problems
    if errors:
        raise Invalid("blogapi cannot show the site with these fields; correct them.", errors=errors)
