"""Assembles the JSON of an article as it would be with other content; nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import select

from blogapi.articles import json_reader
from blogapi.articles.content import ArticleContent
from blogapi.articles.json_writer import RenderedArticle, make_row
from blogapi.articles.lifecycle import get_api_status
from blogapi.articles.models import Article
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.storage.database import current_time, db, table_of
from blogapi.tags.models import Tag
from blogapi.web.fields import WithAttributes
from blogapi.web.json import JsonBody


class _Row(NamedTuple):
    """The columns of `json_reader.JsonRow`."""

    article_id: UUID
    version: int
    status: str
    fields: bytes
    tags: str
    category: str
    content: bytes
    html: bytes
    authors: str


def make_json(
    article: Article, content: ArticleContent, last_updated: datetime, names: Sequence[str] | None
) -> JsonBody:
    """Return the article with this content, changed at that time, and with these fields (None: documented).

    The status and the publication time are those of the article.
    """
    seo = WithAttributes(article.seo, **content.seo)
    changed: dict[str, Any] = {**content.texts, "slug": content.slug, "last_updated": last_updated}
    columns = make_row(RenderedArticle(WithAttributes(article, **changed, seo=seo)))
    row = _Row(
        article_id=article.uuid,
        version=article.version,
        status=get_api_status(article.status, article.published_at, current_time()),
        tags=_join_fragments(Tag, content.tags),
        category=_join_fragments(Category, [content.category]),
        authors=_join_fragments(Author, content.authors),
        **{name: columns[name] for name in ("fields", "content", "html")},
    )
    return json_reader.make_body(row, names)


def _join_fragments(model: type[Any], uuids: Sequence[UUID]) -> str:
    if not uuids:
        return ""
    table = table_of(model).c
    rows = db.session.connection().execute(select(table.uuid, table.pieces).where(table.uuid.in_(uuids)))
    found = {row.uuid: row.pieces for row in rows}
    return "},{".join(found[uuid] for uuid in uuids)
