"""Queries for the definitions of custom fields, which a transaction reads once."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select, true
from sqlalchemy.orm import Session

from blogapi.content.custom_fields.models import CustomField
from blogapi.site.models import Site
from blogapi.site.queries import cache_site
from blogapi.storage.database import db
from blogapi.storage.database_clock import CachedValue
from blogapi.web.access import Caller

# Writes also need the site, so one statement reads the site and the definitions.
_SELECT_SITE_AND_FIELDS = (
    select(Site, CustomField).outerjoin(CustomField, true()).order_by(CustomField.position, CustomField.name)
)


def _read_definitions(session: Session) -> Sequence[CustomField]:
    rows = session.execute(_SELECT_SITE_AND_FIELDS).all()
    cache_site(rows[0].Site)
    return [field for _, field in rows if field is not None]


_definitions = CachedValue[Sequence[CustomField]](_read_definitions)


def list_definitions() -> Sequence[CustomField]:
    """Return the definitions of all custom fields, ordered by their position."""
    return _definitions.get(db.session())


def detach_definitions() -> Sequence[CustomField]:
    """Return the definitions, detached from the session for use outside of this transaction."""
    definitions = list_definitions()
    for field in definitions:
        db.session.expunge(field)
    discard_definitions()
    return definitions


def discard_definitions() -> None:
    """Discard the definitions that the transaction has read, because it has changed them."""
    _definitions.discard(db.session())


def list_visible_fields(caller: Caller) -> Sequence[CustomField]:
    """Return the definitions of the fields that the caller may read."""
    sees_all = caller.sees_admin_fields
    return [field for field in list_definitions() if sees_all or not field.is_admin_only]
