"""The archive: the months with public articles, and the number of articles in each month."""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Mapping
from uuid import UUID

import marshmallow as ma
from sqlalchemy import ColumnElement, select

from blogapi.content.articles.lists.conditions import match_language
from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.hierarchy import find_terms_and_descendants
from blogapi.content.taxonomies.queries import find_term
from blogapi.publication import kinds, visibility
from blogapi.publication.kinds import TERM_KINDS
from blogapi.publication.shared_caching import declare_shown_kinds
from blogapi.site.addresses import localize_site, to_time_zone
from blogapi.site.head_schemas import HeadSchema
from blogapi.site.heads import FIRST_PAGE, PageNumber, make_list_head
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.site.served_paths import make_month_path
from blogapi.storage.database import current_time, db, table_of
from blogapi.web.access import allow, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, Language, OutputSchema, Text
from blogapi.web.pagination import DetailQuery, Page, Query
from blogapi.web.representation import PartialResult


class ArchiveQuery(DetailQuery):
    """Selects the articles to count; an article must match all parameters."""

    category = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a category."})
    tag = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a tag."})
    author = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of an author."})
    language = Language(
        metadata={"description": "Count only articles in this language (BCP 47).", "example": "de"}
    )


class ArchiveMonthSchema(OutputSchema):
    """A month in the time zone of the site, and the number of its public articles."""

    year = ma.fields.Integer(metadata={"example": 2026})
    month = ma.fields.Integer(metadata={"minimum": 1, "maximum": 12, "example": 5})
    count = ma.fields.Integer(metadata={"minimum": 1, "example": 3})


class ArchiveMonthFieldsSchema(ArchiveMonthSchema):
    """A month with the requested fields."""

    head = ma.fields.Nested(HeadSchema, metadata={"description": "The head of the page of the month."})


_article, _tag, _byline = table_of(Article).c, table_of(ArticleTag).c, table_of(ArticleAuthor).c


def list_months(filters: Mapping[str, str]) -> list[Fields]:
    """Return the months (year, month and count) with public articles, newest first.

    `filters` maps `category`, `tag` and `author` to a uuid or slug, and `language` to a language. The list
    is empty for an unknown term. A category includes its subcategories. The articles are counted in Python,
    because SQLite has no time zones.
    """
    conditions = [visibility.match_listed_articles(_article, current_time())]
    for name, reference in filters.items():
        if name == "language":
            conditions.append(match_language(_article.uuid, reference))
            continue
        term = find_term(kinds.get_model_of_kind(name), reference)
        if term is None:
            return []
        conditions.append(_make_term_condition(name, term.uuid))
    times = db.session.connection().scalars(select(_article.published_at).where(*conditions))
    zone = get_site().time_zone
    months = Counter((local.year, local.month) for local in (to_time_zone(time, zone) for time in times))
    newest_first = sorted(months.items(), reverse=True)
    return [{"year": year, "month": month, "count": count} for (year, month), count in newest_first]


def make_month_head(
    site: Site, year: int, month: int, *, name: str = "", page: PageNumber = FIRST_PAGE
) -> Fields:
    """Return the data for the HTML `<head>` of the page of a month, in the language of `site`.

    The title contains `name`, by default `April 2026` on an English site and `2026-04` on other sites.
    """
    if site.language.partition("-")[0] == "en":
        name = name or f"{calendar.month_name[month]} {year}"
    return make_list_head(site, name or f"{year:04}-{month:02}", make_month_path(year, month), page=page)


def _make_term_condition(name: str, term: UUID) -> ColumnElement[bool]:
    if name == Category.kind:
        return _article.category_id.in_(find_terms_and_descendants(Category, [term]))
    link, column = (_tag, _tag.tag_id) if name == "tag" else (_byline, _byline.author_id)
    return _article.uuid.in_(select(link.article_id).where(column == term))


bp = Blueprint("archive", __name__, url_prefix="/api/v1/blog/archive", description="Archive by month")


@bp.get("/")
@allow(reader, scope="published")
@bp.response(
    200,
    ArchiveMonthSchema(many=True),
    partial_schema=ArchiveMonthFieldsSchema,
    query=ArchiveQuery,
    cacheable=True,
)
@declare_shown_kinds("article", *TERM_KINDS)
def listed(query: Query) -> PartialResult:
    """List the months with public articles, newest first, in the time zone of the site."""
    months = list_months(query.filters)
    if "head" in (query.fields or ()):
        site = localize_site(get_site(), query.filters.get("language", ""))
        months = [{**row, "head": make_month_head(site, row["year"], row["month"])} for row in months]
    return PartialResult(Page(months, len(months), None), query)
