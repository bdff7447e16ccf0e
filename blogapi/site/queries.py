"""Reads the site, the size of its logo, and the public address of the service."""

from __future__ import annotations

from sqlalchemy import select

from blogapi.site.models import Site
from blogapi.site.paths import is_local_address
from blogapi.storage.database import db
from blogapi.storage.database_clock import CachedValue
from blogapi.web.errors import NotFound
from blogapi.web.media_addresses import FILE_PATH, MEDIA_LIBRARY

_SELECT_SITE = select(Site)
_cached_site = CachedValue(lambda session: session.scalars(_SELECT_SITE).one())


def get_public_site() -> Site:
    """Return the site; raises NotFound if it has no URL, because its pages then have no addresses."""
    site = get_site()
    if not site.url:
        raise NotFound("The site has no URL; an admin sets it with `site set`.")
    return site


def get_site() -> Site:
    """Return the site; a transaction reads it only once."""
    return _cached_site.get(db.session())


def cache_site(site: Site) -> Site:
    """Cache the site for the calls of `get_site` in this transaction, and return it."""
    return _cached_site.set(db.session(), site)


def find_logo_size(site: Site) -> tuple[int, int] | None:
    """Return the width and the height of the logo, or None if the logo is not in the media library."""
    return MEDIA_LIBRARY.get().find_picture_size(site.logo) if FILE_PATH.fullmatch(site.logo) else None


def get_service_url(site: Site | None = None) -> str:
    """Return the public address of the service, or an empty string if it is unknown.

    If `service_url` is not set, the service has the address of the built-in site, unless only this machine or
    its network can reach this address: addresses of files then stay relative, so that the blog also works
    through another port or name.
    """
    site = site or get_site()
    uses_site_url = site.built_in and not site.service_url and not is_local_address(site.url)
    return site.url if uses_site_url else site.service_url
