"""Queries for the redirects that an admin sets."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import or_, select

from blogapi.redirects.own.models import OwnRedirect
from blogapi.site.paths import without_slash
from blogapi.storage.database import bytewise, db
from blogapi.web.errors import NotFound
from blogapi.web.pagination import Page, PageRequest, paginate


def get_by_uuid(uuid: UUID) -> OwnRedirect:
    """Return the redirect; raises NotFound if there is none."""
    redirect = db.session.get(OwnRedirect, uuid)
    if redirect is None:
        raise NotFound("No redirect has this uuid.")
    return redirect


def list_own(page: PageRequest | None, *, q: str = "") -> Page[Sequence[OwnRedirect]]:
    """Return the redirects in the order of their paths; `q` is a part of the path or of the target."""
    statement = select(OwnRedirect).order_by(bytewise(OwnRedirect.path))
    if q:
        statement = statement.where(
            or_(
                OwnRedirect.path.icontains(q, autoescape=True),
                OwnRedirect.target.icontains(q, autoescape=True),
            )
        )
    return paginate(statement, page)


def find_by_path(path: str) -> OwnRedirect | None:
    """Return the redirect from a path, with or without a slash at its end."""
    bare = without_slash(path)
    return db.session.scalars(select(OwnRedirect).where(OwnRedirect.path.in_({bare, f"{bare}/"}))).first()
