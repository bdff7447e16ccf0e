"""Queries for preview links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select

from blogapi import clock
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.articles.responses import json_queries
from blogapi.content.articles.schemas import PageFieldsSchema
from blogapi.content.pages.schemas import PAGE_FIELDS
from blogapi.content.working_copies.queries import get_edited_json
from blogapi.delivery.previews.models import Preview
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import db
from blogapi.web.errors import NotFound, or_not_found
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest, paginate
from blogapi.web.tokens import digest_token

_FIELDS_OF_PAGES = frozenset(PageFieldsSchema().fields)


def list_previews(article_id: UUID, page: PageRequest | None) -> Page[Sequence[Preview]]:
    """Return the preview links of an article that have not expired, newest first."""
    return paginate(
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
    article_id, type_, copy = or_not_found(row, detail)
    if type_ == ItemType.PAGE:
        names = PAGE_FIELDS if names is None else [name for name in names if name in _FIELDS_OF_PAGES]
    if copy is None:
        return json_queries.get_json(article_id, names), False
    return get_edited_json(copy, names), True


def get_preview(article_id: UUID, uuid: UUID) -> Preview:
    """Return the preview link; raises NotFound if the article has no such link."""
    preview = db.session.get(Preview, uuid)
    if preview is None or preview.article_id != article_id:
        raise NotFound("There is no such preview link; GET …/preview/ lists the links of the article.")
    return preview
