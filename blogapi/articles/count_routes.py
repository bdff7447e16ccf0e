"""The endpoint that counts articles by status."""

from __future__ import annotations

from collections.abc import Mapping

from blogapi.articles import queries
from blogapi.articles.filters import ArticleFilters
from blogapi.articles.schemas import ArticleCountsQuery, ArticleCountsSchema
from blogapi.web.access import admin, allow
from blogapi.web.blueprint import Blueprint
from blogapi.web.pagination import Query

bp = Blueprint(
    "article_counts",
    __name__,
    url_prefix="/api/v1/blog/article-counts",
    description="The numbers of articles",
)


@bp.get("/")
@allow(admin)
@bp.arguments(ArticleCountsQuery, location="query")
@bp.response(200, ArticleCountsSchema())
def get_all(query: Query) -> Mapping[str, int]:
    """Return the numbers of matching articles in each status."""
    return queries.count_by_status(ArticleFilters(**query.filters))
