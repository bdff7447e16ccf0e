"""Preview links: secret links with which anybody can read a draft until the link expires."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, String, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from blogapi import clock
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.articles.queries import check_item_exists
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.schemas import PageFieldsSchema
from blogapi.content.pages.schemas import PAGE_FIELDS
from blogapi.content.working_copies.queries import get_edited_json
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import Base, Identified, db, transaction
from blogapi.web.errors import NotFound, require_item
from blogapi.web.fields import WithAttributes
from blogapi.web.json import JsonBody
from blogapi.web.key_format import digest_token
from blogapi.web.pagination import Page, PageRequest, fetch_page


class Preview(Identified, Base):
    """A preview link to one article: the digest of its token, its expiry and the user who created it."""

    __tablename__ = "preview"

    digest: Mapped[str] = mapped_column(String(64), unique=True)
    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), index=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid", ondelete="CASCADE"), index=True)
    created: Mapped[datetime] = mapped_column(default=lambda: clock.now())
    expires: Mapped[datetime] = mapped_column(index=True)


_PAGE_FIELD_NAMES = frozenset(PageFieldsSchema().fields)


def list_previews(article_id: UUID, page: PageRequest | None) -> Page[Sequence[Preview]]:
    """Return the preview links of an article that have not expired, newest first."""
    return fetch_page(
        select(Preview)
        .where(Preview.article_id == article_id, Preview.expires > clock.now())
        .order_by(Preview.created.desc(), Preview.uuid),
        page,
    )


def get_item_json(token: str, names: Sequence[str] | None) -> tuple[JsonBody, bool]:
    """Return the article or page of the preview link with this token, and whether it has a working copy.

    The item can have any status, and contains the edits of its working copy. Without `names`, the JSON has
    the documented fields of an article or page. Raises NotFound if the token is unknown, or if its link has
    expired or was revoked.
    """
    row: Any = db.session.execute(
        select(Preview.article_id, Article.type, WorkingCopy)
        .join(Article, Article.uuid == Preview.article_id)
        .outerjoin(WorkingCopy, WorkingCopy.article_id == Preview.article_id)
        .where(Preview.digest == digest_token(token), Preview.expires > clock.now())
    ).one_or_none()
    detail = "This preview link is unknown or has expired; ask the author for a new link."
    article_id, type_, copy = require_item(row, detail)
    if type_ == ItemType.PAGE:
        names = PAGE_FIELDS if names is None else [name for name in names if name in _PAGE_FIELD_NAMES]
    if copy is None:
        return article_bodies.get_item_body(article_id, names), False
    return get_edited_json(copy, names), True


def get_preview(article_id: UUID, uuid: UUID) -> Preview:
    """Return the preview link; raises NotFound if the article has no such link."""
    preview = db.session.get(Preview, uuid)
    if preview is None or preview.article_id != article_id:
        raise NotFound("There is no such preview link; GET …/preview/ lists the links of the article.")
    return preview


# The maximum number of valid links of one article.
MAX_PREVIEWS = 50


def create_preview(user: UUID, article_id: UUID, *, seconds: int) -> WithAttributes:
    """Create a preview link and return it with its `token`, of which only the digest is stored.

    Also deletes expired links, and the oldest links of an article with more than MAX_PREVIEWS links. Raises
    NotFound if the article does not exist.
    """
    token, now = secrets.token_urlsafe(32), clock.now()
    with transaction(visible=False):
        check_item_exists(article_id)
        db.session.execute(delete(Preview).where(Preview.expires <= now))
        preview = Preview(
            digest=digest_token(token),
            article_id=article_id,
            user_id=user,
            expires=now + timedelta(seconds=seconds),
        )
        db.session.add(preview)
        db.session.flush()
        newest = select(Preview.uuid).where(Preview.article_id == article_id)
        newest = newest.order_by(Preview.created.desc(), Preview.uuid != preview.uuid).limit(MAX_PREVIEWS)
        surplus = (Preview.article_id == article_id) & Preview.uuid.not_in(newest)
        db.session.execute(delete(Preview).where(surplus))
    return WithAttributes(preview, token=token)


def revoke_preview(article_id: UUID, uuid: UUID) -> None:
    """Delete a preview link; raises NotFound if the article has no such link."""
    with transaction(visible=False):
        db.session.delete(get_preview(article_id, uuid))
