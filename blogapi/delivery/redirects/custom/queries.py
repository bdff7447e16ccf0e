"""Queries for custom redirects."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import or_, select

from blogapi.delivery.redirects.custom.models import CustomRedirect
from blogapi.site.paths import without_slash
from blogapi.storage.database import bytewise, db
from blogapi.web.errors import or_not_found
from blogapi.web.pagination import Page, PageRequest, paginate


def get_by_uuid(uuid: UUID) -> CustomRedirect:
    """Return the redirect; raises NotFound if there is none."""
    return or_not_found(db.session.get(CustomRedirect, uuid), "No redirect has this uuid.")


def list_custom_redirects(page: PageRequest | None, *, q: str = "") -> Page[Sequence[CustomRedirect]]:
    """Return the redirects in the order of their paths; `q` is a part of the path or of the target."""
    statement = select(CustomRedirect).order_by(bytewise(CustomRedirect.path))
    if q:
        statement = statement.where(
            or_(
                CustomRedirect.path.icontains(q, autoescape=True),
                CustomRedirect.target.icontains(q, autoescape=True),
            )
        )
    return paginate(statement, page)


def find_by_path(path: str) -> CustomRedirect | None:
    """Return the redirect from a path, with or without a slash at its end."""
    bare = without_slash(path)
    return db.session.scalars(
        select(CustomRedirect).where(CustomRedirect.path.in_({bare, f"{bare}/"}))
    ).first()
