"""Queries for the site."""

from __future__ import annotations

from sqlalchemy import select

from blogapi.site.models import Site
from blogapi.storage import transaction_info
from blogapi.storage.database import db
from blogapi.web.errors import NotFound

_SELECT_SITE = select(Site)
_SELECT_SERVICE_URL = select(Site.service_url)
_SERVICE_URL_KEY = "service-url"


def get_public_site() -> Site:
    """Return the site; raises NotFound if it has no URL, because its pages then have no addresses."""
    site = get_site()
    if not site.url:
        raise NotFound("The site has no URL; an admin sets it with `site set`.")
    return site


def get_site() -> Site:
    """Return the site, which every blog has."""
    return db.session.scalars(_SELECT_SITE).one()


def get_service_url() -> str:
    """Return the public address of the service, or an empty string if it is not set.

    It is read once in a transaction, unless the transaction changes it.
    """
    session = db.session()
    # The transaction begins with its first connection.
    session.connection()
    info = transaction_info.get_info(session)
    if _SERVICE_URL_KEY not in info:
        info[_SERVICE_URL_KEY] = session.scalars(_SELECT_SERVICE_URL).one()
    url: str = info[_SERVICE_URL_KEY]
    return url


def forget_service_url() -> None:
    """Read the address of the service again, which the transaction has changed."""
    transaction_info.get_info(db.session()).pop(_SERVICE_URL_KEY, None)
