"""The numbers of public articles by month, in the time zone of the site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import ColumnElement, select

from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.content.categories.models import Category
from blogapi.content.taxonomies.hierarchy import find_descendants
from blogapi.content.taxonomies.queries import find_term
from blogapi.publication import kinds
from blogapi.publication.visibility import listed
from blogapi.site.queries import get_site
from blogapi.site.time_zones import to_time_zone
from blogapi.storage.database import current_time, db, table_of
from blogapi.web.fields import Fields

_article, _tag, _byline = table_of(Article).c, table_of(ArticleTag).c, table_of(ArticleAuthor).c


def list_months(filters: Mapping[str, str]) -> list[Fields]:
    """Return the months (year, month and count) with public articles, newest first.

    `filters` contains the uuid or slug of a category, a tag and an author; an unknown term has no articles. A
    category includes the categories below it. SQLite knows no time zones, so the articles of each month are
    counted in Python.
    """
    conditions = [listed(_article, current_time())]
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
