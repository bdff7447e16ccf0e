"""The profiles of users: each user gets a profile together with their account."""

from __future__ import annotations

from uuid import UUID, uuid4

from sqlalchemy import select

from blogapi.accounts.users.models import Account
from blogapi.accounts.users.queries import find_user
from blogapi.content.authors.models import Author
from blogapi.content.taxonomies.service import get_term_state, remove, store
from blogapi.publication.events import AUTHOR, record
from blogapi.rendering.slugs import make_term_slug
from blogapi.storage.database import db, transaction
from blogapi.web.errors import Conflict, Invalid
from blogapi.web.fields import Fields
from blogapi.web.unique_slugs import choose_slug


def find_profile(user: UUID) -> Author | None:
    """Return the profile of the user, or None."""
    return db.session.scalar(select(Author).where(Author.owner_id == user))


def get_or_create_profile(user: UUID) -> Author:
    """Return the profile of the user; create one if there is none, because an admin removed its user."""
    with transaction():
        profile = find_profile(user)
        if profile is None:
            account = find_user(user)
            assert account is not None, "the user of a write exists"
            profile = create_profile(account)
    return profile


def create_profile(account: Account, name: str = "") -> Author:
    """Create the profile of a user, by default with their user name; its slug is derived from the name."""
    name = name or account.username
    slug = choose_slug(
        None,
        name,
        lambda slugs: db.session.scalars(select(Author.slug).where(Author.slug.in_(slugs))).all(),
        make_term_slug,
    )
    profile = Author(uuid=uuid4(), owner_id=account.uuid, name=name, slug=slug)
    db.session.add(profile)
    store(profile)
    record(AUTHOR, profile.uuid, None, get_term_state(profile))
    return profile


def check_user(uuid: UUID | None, fields: Fields) -> None:
    """Check the user in the fields of a profile; `uuid` is None for a new profile.

    Raises Invalid if there is no such user, and Conflict if the user has another profile.
    """
    user = fields.get("owner_id")
    if user is None:
        return
    if find_user(user) is None:
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


def release_profile(account: Account) -> None:
    """Delete the profile of a user who is about to be deleted; if it has articles, only remove its user."""
    profile = find_profile(account.uuid)
    if profile is None:
        return
    if db.session.scalar(select(Author.article_links.any()).where(Author.uuid == profile.uuid)):
        # The foreign key would also remove the user, but not from the stored JSON.
        profile.owner_id = None
        store(profile)
        record(AUTHOR, profile.uuid, get_term_state(profile), get_term_state(profile))
    else:
        remove(profile)
