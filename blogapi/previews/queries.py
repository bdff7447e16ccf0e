"""Reads of preview links."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select

from blogapi.articles import queries as articles
from blogapi.core import clock
from blogapi.core.database import db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window, paged
from blogapi.core.pieces import Rendered
from blogapi.previews.models import Preview


def digest(token: str) -> str:
    """Return what is stored of a token: 256 random bits need no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def listed(article_id: UUID, window: Window | None) -> Page[Sequence[Preview]]:
    """Return the links of an article that still lead there, newest first; raises NotFound."""
    articles.by_uuid(article_id)
    return paged(
        select(Preview)
        .where(Preview.article_id == article_id, Preview.expires > clock.now())
        .order_by(Preview.created.desc(), Preview.uuid),
        window,
    )


def article(token: str, names: Sequence[str] | None) -> Rendered:
    """Return the article that the link leads to, in whatever state; raises NotFound."""
    found = db.session.scalar(
        select(Preview.article_id).where(Preview.digest == digest(token), Preview.expires > clock.now())
    )
    if found is None:
        raise NotFound("This preview has ended; ask its author for a new link.")
    return articles.shown(found, names)


def one(article_id: UUID, uuid: UUID) -> Preview:
    """Return the link of that article; raises NotFound."""
    preview = db.session.get(Preview, uuid)
    if preview is None or preview.article_id != article_id:
        raise NotFound("There is no such preview link.")
    return preview
