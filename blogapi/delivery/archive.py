"""The archive: the years and months with the number of their articles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from uuid import UUID

import marshmallow as ma
from sqlalchemy import ColumnElement, select

from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.hierarchy import find_descendants
from blogapi.content.taxonomies.queries import find_term
from blogapi.publication import kinds, visibility
from blogapi.publication.kinds import TERM_KINDS
from blogapi.publication.shared_caching import shows
from blogapi.site.addresses import to_time_zone
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db, table_of
from blogapi.web.access import allow, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, InputSchema, OutputSchema, Text


class ArchiveQuery(InputSchema):
    """Selects the articles that are counted; an article must meet all parameters."""

    category = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a category."})
    tag = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a tag."})
    author = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of an author."})


class ArchiveMonthSchema(OutputSchema):
    """A month in the time zone of the site, and the number of its public articles."""

    year = ma.fields.Integer(metadata={"example": 2026})
    month = ma.fields.Integer(metadata={"minimum": 1, "maximum": 12, "example": 5})
    count = ma.fields.Integer(metadata={"minimum": 1, "example": 3})


_article, _tag, _byline = table_of(Article).c, table_of(ArticleTag).c, table_of(ArticleAuthor).c


def list_months(filters: Mapping[str, str]) -> list[Fields]:
    """Return the months (year, month and count) with public articles, newest first.

    `filters` contains the uuid or slug of a category, a tag and an author; an unknown term has no articles. A
    category includes the categories below it. SQLite knows no time zones, so the articles of each month are
    counted in Python.
    """
    conditions = [visibility.listed(_article, current_time())]
    for name, reference in filters.items():
        term = find_term(kinds.get_model(name), reference)
        if term is None:
            return []
        conditions.append(_has_term(name, term.uuid))
    times = db.session.connection().scalars(select(_article.published_at).where(*conditions))
    zone = get_site().time_zone
    months = Counter((local.year, local.month) for local in (to_time_zone(time, zone) for time in times))
    newest_first = sorted(months.items(), reverse=True)
    return [{"year": year, "month": month, "count": count} for (year, month), count in newest_first]


def _has_term(name: str, term: UUID) -> ColumnElement[bool]:
    if name == Category.kind:
        return _article.category_id.in_(find_descendants(Category, [term]))
    link, column = (_tag, _tag.tag_id) if name == "tag" else (_byline, _byline.author_id)
    return _article.uuid.in_(select(link.article_id).where(column == term))


bp = Blueprint("archive", __name__, url_prefix="/api/v1/blog/archive", description="Archive by month")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(ArchiveQuery, location="query")
@bp.response(200, ArchiveMonthSchema(many=True), cacheable=True)
@shows("article", *TERM_KINDS)
def listed(query: Fields) -> list[Fields]:
    """List the months with public articles, newest first, in the time zone of the site."""
    return list_months(query)
