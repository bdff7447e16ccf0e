"""The profiles of users: each user gets one together with their account."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import delete, select
from sqlalchemy import event as events
from sqlalchemy.orm import Session

from blogapi.authors.models import Author
from blogapi.publication.events import AUTHOR, record
from blogapi.storage.database import db, transaction
from blogapi.taxonomies.models import FormerTermSlug
from blogapi.taxonomies.service import get_state
from blogapi.users import queries as users
from blogapi.users.models import Account
from blogapi.web.errors import Conflict, Invalid
from blogapi.web.fields import Fields
from blogapi.web.unique_slugs import choose_slug, is_similar, similar_slug_range


def init_app() -> None:
    """Create and delete profiles in every flush of the session that creates or deletes users."""
    if not events.contains(db.session, "before_flush", _write_profiles):
        events.listen(db.session, "before_flush", _write_profiles)


def find_profile(user: UUID) -> Author | None:
    """Return the profile of the user, or None."""
    return db.session.scalar(select(Author).where(Author.owner_id == user))


def get_or_create_profile(user: UUID) -> Author:
    """Return the profile of the user; create one if an admin has removed the user from theirs."""
    with transaction():
        profile = find_profile(user)
        if profile is None:
            account = users.find_by_uuid(user)
            assert account is not None, "the user of a write exists"
            profile = _make_profile(account, ())
            db.session.add(profile)
            record(AUTHOR, profile.uuid, None, get_state(profile))
            db.session.flush()
    return profile


def check_user(uuid: UUID | None, fields: Fields) -> None:
    """Check the user in the fields of a profile; `uuid` is None for a new profile.

    Raises Invalid if there is no such user, and Conflict if the user has another profile.
    """
    user = fields.get("owner_id")
    if user is None:
        return
    if users.find_by_uuid(user) is None:
        raise Invalid(
            "There is no such user; `user list` shows all users.", errors={"user": ["There is no such user."]}
        )
    profile = find_profile(user)
    if profile is not None and profile.uuid != uuid:
        raise Conflict(
            f"This user already has the profile {profile.slug!r}; change that profile, or set its user to "
            "null first.",
            code="profile_exists",
            errors={"user": ["Has another profile."]},
        )


def _write_profiles(session: Session, context: Any, instances: Any) -> None:
    slugs: set[str] = set()
    for row in list(session.new):
        if isinstance(row, Account):
            # SQLAlchemy applies the default of the column only during the flush, which is too late here.
            row.uuid = row.uuid or uuid4()
            profile = _make_profile(row, slugs)
            slugs.add(profile.slug)
            session.add(profile)
            record(AUTHOR, profile.uuid, None, get_state(profile))
    for row in list(session.deleted):
        if isinstance(row, Account):
            _release_profile(session, row)


def _release_profile(session: Session, account: Account) -> None:
    """Delete the profile of a deleted user; keep it for a guest if it has articles."""
    profile = find_profile(account.uuid)
    if profile is None:
        return
    if session.scalar(select(Author.article_links.any()).where(Author.uuid == profile.uuid)):
        # The foreign key would set it to null too, but not in the stored JSON.
        profile.owner_id = None
        record(AUTHOR, profile.uuid, get_state(profile), get_state(profile))
    else:
        record(AUTHOR, profile.uuid, get_state(profile), None)
        session.delete(profile)
        # Otherwise, these slugs would stay taken.
        is_former = FormerTermSlug.kind == Author.kind, FormerTermSlug.term_id == profile.uuid
        session.execute(delete(FormerTermSlug).where(*is_former))


def _make_profile(account: Account, taken: Collection[str]) -> Author:
    slug = choose_slug(None, account.username, lambda slug: {*_find_similar_slugs(slug), *taken})
    return Author(uuid=uuid4(), owner_id=account.uuid, name=account.username, slug=slug)


def _find_similar_slugs(slug: str) -> set[str]:
    return set(
        db.session.scalars(select(Author.slug).where(is_similar(Author.slug)), similar_slug_range(slug))
    )
