"""Custom redirects: paths that lead to other paths or addresses."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from urllib.parse import quote
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Text, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.delivery.redirects.custom import targets
from blogapi.site.paths import strip_slash
from blogapi.site.queries import get_site
from blogapi.site.service import record_site_change
from blogapi.storage.database import Base, Identified, Timestamped, bytewise, db, transaction
from blogapi.web.errors import Conflict, Invalid, require_item
from blogapi.web.fields import Fields
from blogapi.web.pagination import Page, PageRequest, fetch_page

GONE_STATUS = 410
REDIRECT_STATUSES = (301, 302, GONE_STATUS)


class CustomRedirect(Identified, Timestamped, Base):
    """A redirect from a path, which is decoded and begins with a slash, to a target.

    `target` is a path or an absolute address, percent-encoded; it is empty if the page is gone.
    """

    __tablename__ = "redirect"
    __table_args__ = (
        CheckConstraint("status IN (301, 302, 410)", name="status"),
        CheckConstraint("(status = 410) = (target = '')", name="target"),
    )

    path: Mapped[str] = mapped_column(Text(), unique=True)
    target: Mapped[str] = mapped_column(Text(), default="")
    status: Mapped[int]


# In PostgreSQL, the index of the unique constraint has another order than the list of redirects.
Index("ix_redirect_order", bytewise(CustomRedirect.path)).ddl_if(dialect="postgresql")


def get_redirect(uuid: UUID) -> CustomRedirect:
    """Return the redirect with the uuid; raises NotFound if there is none."""
    return require_item(db.session.get(CustomRedirect, uuid), "No redirect has this uuid.")


def list_custom_redirects(page: PageRequest | None, *, q: str = "") -> Page[Sequence[CustomRedirect]]:
    """Return the redirects in the order of their paths; `q` is a part of the path or of the target."""
    statement = select(CustomRedirect).order_by(bytewise(CustomRedirect.path))
    if q:
        # Targets are stored percent-encoded, paths are not.
        encoded = quote(q, safe=string.punctuation)
        statement = statement.where(
            or_(
                CustomRedirect.path.icontains(q, autoescape=True),
                CustomRedirect.target.icontains(encoded, autoescape=True),
            )
        )
    return fetch_page(statement, page)


def find_redirect_from_path(path: str) -> CustomRedirect | None:
    """Return the redirect from a path, with or without a slash at its end."""
    bare = strip_slash(path)
    return db.session.scalars(
        select(CustomRedirect).where(CustomRedirect.path.in_({bare, f"{bare}/"}))
    ).first()


def create_redirect(fields: Fields) -> CustomRedirect:
    """Create a redirect; raises Conflict if its path has a redirect, and Invalid if redirects form a loop."""
    with transaction():
        redirect = CustomRedirect(**fields)
        _check_redirect(redirect)
        db.session.add(redirect)
        db.session.flush()
        record_site_change(["redirects"])
    return redirect


def change_redirect(uuid: UUID, fields: Fields) -> CustomRedirect:
    """Change the given fields of a redirect, with the same errors as `create_redirect`."""
    with transaction():
        redirect = get_redirect(uuid)
        changes = {name: value for name, value in fields.items() if getattr(redirect, name) != value}
        with db.session.no_autoflush:
            for name, value in changes.items():
                setattr(redirect, name, value)
            _check_redirect(redirect)
        db.session.flush()
        if changes:
            record_site_change(["redirects"])
    return redirect


def create_or_replace_redirects(rows: Iterable[Fields]) -> tuple[int, int]:
    """Store or replace redirects by their paths; return the numbers of new and of changed redirects.

    Loops are checked at the end, so the order has no effect. If there is a loop, nothing is stored.
    """
    created = changed = 0
    with transaction():
        stored = []
        for fields in rows:
            redirect = find_redirect_from_path(fields["path"])
            if redirect is None:
                redirect = CustomRedirect(**fields)
                db.session.add(redirect)
                created += 1
            elif (redirect.target, redirect.status) != (fields["target"], fields["status"]):
                redirect.target, redirect.status = fields["target"], fields["status"]
                changed += 1
            stored.append(redirect)
            db.session.flush()
        for redirect in stored:
            _check_loop(redirect)
        if created or changed:
            record_site_change(["redirects"])
    return created, changed


def delete_redirect(uuid: UUID) -> None:
    """Delete a redirect; raises NotFound if there is none with the uuid."""
    with transaction():
        db.session.delete(get_redirect(uuid))
        db.session.flush()
        record_site_change(["redirects"])


def _check_redirect(redirect: CustomRedirect) -> None:
    if (redirect.status == GONE_STATUS) != (not redirect.target):
        sentence = (
            "Omit the target: 410 says that the page is gone." if redirect.target else "Name the target."
        )
        raise Invalid(sentence, errors={"target": [sentence]})
    other = find_redirect_from_path(redirect.path)
    if other is not None and other is not redirect:
        raise Conflict(f"There is a redirect from {other.path} already; change that redirect.")
    _check_loop(redirect)


def _check_loop(redirect: CustomRedirect) -> None:
    """Raise Invalid if the redirect leads back to its path, or through too many other redirects."""

    def find_target(path: str) -> str | None:
        next_redirect = redirect if path == start else find_redirect_from_path(path)
        return None if next_redirect is None else next_redirect.target

    start = strip_slash(redirect.path)
    chain = targets.find_redirect_chain(redirect.target, get_site().url, find_target)
    if start in chain:
        steps = " → ".join([start, *chain[: chain.index(start) + 1]])
        sentence = f"It leads to a loop: {steps}. Choose another target."
    elif len(chain) > targets.MAX_CHAIN_LENGTH:
        sentence = f"It leads through more than {targets.MAX_CHAIN_LENGTH} redirects; name the last address."
    else:
        return
    raise Invalid(sentence, errors={"target": [sentence]})
