"""The fields of a single article that show other public articles: `previous`, `next` and `related`.

They are computed at each read, because they depend on other articles. In a blog with several languages, they
show only articles in the language of the article.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, case, desc, func, or_, select

from blogapi.content.articles.models import Article, ArticleTag
from blogapi.content.articles.schemas import ArticleLinkSchema
from blogapi.content.taxonomies.categories import Category
from blogapi.publication.visibility import match_listable_articles, match_listed_articles
from blogapi.site.addresses import make_row_url
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db, table_of
from blogapi.web.fields import Fields, WithAttributes

NEIGHBOUR_FIELDS = ("previous", "next", "related")

MAX_RELATED_ARTICLES = 5

_article, _tag, _category = table_of(Article).c, table_of(ArticleTag).c, table_of(Category).c
_other = table_of(Article).alias("other").c
_LINK_SCHEMA = ArticleLinkSchema()
# The neighbours have the same order as the lists of articles.
_NEWEST_FIRST = (desc(_article.published_at), _article.uuid)
_OLDEST_FIRST = (_article.published_at, desc(_article.uuid))


def find_neighbours(uuid: UUID, names: Collection[str]) -> Fields:
    """Return the fields `names` of an article, by name; `names` contains some of NEIGHBOUR_FIELDS."""
    columns = (_article.uuid, _article.published_at, _article.category_id, _article.language)
    article = db.session.execute(select(*columns).where(_article.uuid == uuid)).one()
    find = {"previous": _find_previous_article, "next": _find_next_article, "related": _find_related_articles}
    site, found = get_site(), Fields()
    for name in names:
        links = [
            _LINK_SCHEMA.dump(WithAttributes(row, url=make_row_url(site, row))) for row in find[name](article)
        ]
        found[name] = links if name == "related" else next(iter(links), None)
    return found


def _find_previous_article(article: Any) -> Sequence[Any]:
    # A draft can lack a publication time, and a scheduled article comes after all public articles.
    if article.published_at is None:
        return ()
    time = min(article.published_at, current_time() + timedelta(microseconds=1))
    # With a single range of times, SQLite begins at this article in the index.
    is_older = _article.published_at <= time, or_(_article.published_at < time, _article.uuid > article.uuid)
    return _read_rows(article, match_listable_articles(_article), *is_older, order=_NEWEST_FIRST)


def _find_next_article(article: Any) -> Sequence[Any]:
    time, now = article.published_at, current_time()
    if time is None or time > now:
        return ()
    is_newer = _article.published_at >= time, or_(_article.published_at > time, _article.uuid < article.uuid)
    return _read_rows(article, match_listed_articles(_article, now), *is_newer, order=_OLDEST_FIRST)


def _find_related_articles(article: Any) -> Sequence[Any]:
    """Return the public articles that share most tags with the article, then the newest of its category."""
    now = current_time()
    is_common = _tag.tag_id.in_(select(_tag.tag_id).where(_tag.article_id == article.uuid))
    # The rows of ArticleTag repeat the category, so that no row of Article is read.
    in_category = case((_tag.category_id == article.category_id, 1), else_=0)
    score = (2 * func.count() + func.max(in_category)).label("score")
    named = select(_other.uuid).where(_other.language != "")
    is_in_language = (
        _tag.article_id.in_(named.where(_other.language == article.language))
        if article.language
        else _tag.article_id.not_in(named)
    )
    common = (
        select(_tag.article_id, score)
        .where(is_common, _tag.listed_from <= now, _tag.article_id != article.uuid, is_in_language)
        .group_by(_tag.article_id)
        .order_by(desc(score), desc(func.max(_tag.listed_from)), _tag.article_id)
        .limit(MAX_RELATED_ARTICLES)
        .subquery()
    )
    order = (desc(common.c.score), *_NEWEST_FIRST)
    found = _read_rows(article, _article.uuid == common.c.article_id, order=order, limit=MAX_RELATED_ARTICLES)
    left = MAX_RELATED_ARTICLES - len(found)
    if not left:
        return found
    is_left = (_article.category_id == article.category_id, _article.uuid.not_in([row.uuid for row in found]))
    return [
        *found,
        *_read_rows(article, match_listed_articles(_article, now), *is_left, order=_NEWEST_FIRST, limit=left),
    ]


def _read_rows(
    article: Any, *conditions: ColumnElement[bool], order: Sequence[ColumnElement[Any]], limit: int = 1
) -> Sequence[Any]:
    """Return the first `limit` other articles in the language of the article."""
    # The index of languages contains only articles that name their language.
    has_language = [_article.language != ""] if article.language else []
    statement = select(
        *(_article.uuid, _article.title, _article.slug, _article.published_at, _article.language),
        *(_article.cover_image, _article.cover, _category.slug.label("category_slug")),
    ).where(
        _category.uuid == _article.category_id,
        _article.uuid != article.uuid,
        _article.language == article.language,
        *has_language,
        *conditions,
    )
    return db.session.execute(statement.order_by(*order).limit(limit)).all()
