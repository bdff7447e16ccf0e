"""Authors: the profiles that bylines name. Each user gets a profile together with their account."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID, uuid4

import marshmallow as ma
from sqlalchemy import ForeignKey, select
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogapi.accounts.users.models import Account
from blogapi.accounts.users.queries import find_user
from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.queries import find_taken_slugs
from blogapi.content.taxonomies.schemas import PAGE_URL_FIELD, TermBodySchema, TermDetails, TermDetailsBody
from blogapi.content.taxonomies.service import delete_term_row, get_term_state, store_term
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.publication.events import AUTHOR, note_change
from blogapi.rendering.slugs import make_term_slug
from blogapi.site.queries import get_site
from blogapi.site.served_paths import is_reserved_slug
from blogapi.storage.database import Base, db, transaction
from blogapi.web.errors import Conflict, Invalid
from blogapi.web.fields import Fields, Identifier, OutputSchema, Slug, Text, Timestamp, WebAddress
from blogapi.web.media_addresses import PictureAddress, PictureReference
from blogapi.web.unique_slugs import choose_slug


class Author(Term, Base):
    """The public profile of a person who writes articles.

    `owner_id` is the user whose profile this is, or None for a guest. Each user has one profile.
    """

    __tablename__ = "author"
    kind = "author"
    picture_fields = ("avatar", "cover_image", "og_image")

    owner_id: Mapped[UUID | None] = mapped_column(  # type: ignore[assignment]
        ForeignKey("account.uuid", ondelete="SET NULL"), unique=True
    )
    bio: Mapped[str] = mapped_column(default="")
    url: Mapped[str] = mapped_column(default="")
    avatar: Mapped[str] = mapped_column(default="")
    cover_image: Mapped[str] = mapped_column(default="", server_default="")

    # Without this relationship, a flush could insert the profile before the user.
    owner: Mapped[Account | None] = relationship()
    # The class is referenced by name, because an import would be circular.
    article_links: Mapped[list[Any]] = relationship("ArticleAuthor", viewonly=True)


_USER_METADATA = {"description": "The user whose profile this is; null for a guest."}


class AuthorSchema(OutputSchema):
    """An author in the list."""

    uuid = Identifier()
    name = ma.fields.String(metadata={"example": "Ada Lovelace"})
    slug = ma.fields.String(metadata={"example": "ada-lovelace"})
    bio = ma.fields.String(metadata={"description": "May be empty."})
    url = ma.fields.String(metadata={"description": "The author's own website; may be empty."})
    avatar = PictureAddress(metadata={"description": "URL of a picture; may be empty."})
    user = Identifier(attribute="owner_id", allow_none=True, metadata=_USER_METADATA)


class EmbeddedAuthorSchema(AuthorSchema):
    """An author in an article."""

    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)


class SingleAuthorSchema(AuthorSchema):
    """An author with their public articles, newest first."""

    # The schema is referenced by name, because an import would be circular.
    articles = ma.fields.Nested("ArticleSchema", many=True)


class AuthorFieldsSchema(EmbeddedAuthorSchema, TermDetails):
    """An author in the list, with the requested fields."""

    page_url = PAGE_URL_FIELD


class AuthorBodySchema(TermDetailsBody, TermBodySchema):
    """The fields of an author that a client writes."""

    read_only = TermBodySchema.read_only - {"user"} | {"page_url"}

    name = Text(max_length="MAX_NAME", required=True, metadata={"example": "Ada Lovelace"})
    slug = Slug(metadata={"example": "ada-lovelace"})
    bio = Text(max_length=10_000)
    url = WebAddress(metadata={"description": "The author's own website."})
    avatar = PictureReference()
    user = Identifier(attribute="owner_id", allow_none=True, metadata=_USER_METADATA | {"example": None})


def find_profile(user: UUID) -> Author | None:
    """Return the profile of the user, or None."""
    return db.session.scalar(select(Author).where(Author.owner_id == user))


def get_or_create_profile(user: UUID) -> Author:
    """Return the profile of the user; create one if an admin has detached the profile of this user."""
    with transaction():
        profile = find_profile(user)
        if profile is None:
            account = find_user(user)
            assert account is not None, "the user of a write exists"
            profile = create_profile(account)
    return profile


def create_profile(account: Account, name: str = "") -> Author:
    """Create the profile of a user, by default with their user name; derive its slug from the name."""
    name = name or account.username
    slug = choose_slug(
        None,
        name,
        partial(find_taken_slugs, AUTHORS),
        partial(is_reserved_slug, get_site(), AUTHOR),
        make_term_slug,
    )
    profile = Author(uuid=uuid4(), owner_id=account.uuid, name=name, slug=slug)
    db.session.add(profile)
    store_term(profile)
    note_change(AUTHOR, profile.uuid, None, get_term_state(profile))
    return profile


def check_profile_user(uuid: UUID | None, fields: Fields) -> None:
    """Check the user in the fields of a profile; `uuid` is None for a new profile.

    Raises Invalid if there is no such user, and Conflict if the user has another profile.
    """
    user = fields.get("owner_id")
    if user is None:
        return
    if find_user(user) is None:
        raise Invalid(
            "There is no such user; the command `user list` shows all users.",
            errors={"user": ["There is no such user."]},
        )
    profile = find_profile(user)
    if profile is not None and profile.uuid != uuid:
        raise Conflict(
            f"This user already has the profile {profile.slug!r}; change that profile, or set its user to "
            "null first.",
            code="profile_exists",
            errors={"user": ["Has another profile."]},
        )


def delete_or_detach_profile(account: Account) -> None:
    """Delete the profile of a user who is being deleted; a profile with articles stays, without a user."""
    profile = find_profile(account.uuid)
    if profile is None:
        return
    if db.session.scalar(select(Author.article_links.any()).where(Author.uuid == profile.uuid)):
        profile.owner_id = None
        store_term(profile)
        note_change(AUTHOR, profile.uuid, get_term_state(profile), get_term_state(profile))
    else:
        delete_term_row(profile)


AUTHORS = Taxonomy(
    singular="author",
    plural="authors",
    model=Author,
    embedded_schema=EmbeddedAuthorSchema,
    schema=AuthorSchema,
    fields_schema=AuthorFieldsSchema,
    single_schema=SingleAuthorSchema,
    body_schema=AuthorBodySchema,
    link="article_author.author_id",
    deletion="Delete an author who has no articles.",
    defaults={"bio": "", "url": "", "avatar": ""},
    # An author's `url` is their own website.
    address_field="page_url",
    creator_owns=False,
    names_are_unique=False,
    owner_changes=True,
    check_fields=check_profile_user,
)
