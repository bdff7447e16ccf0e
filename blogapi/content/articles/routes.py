"""The endpoints of articles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

from sqlalchemy import bindparam, literal, select, union_all

from blogapi.content.articles import permissions, queries, write_routes
from blogapi.content.articles.lists.conditions import ArticleFilters
from blogapi.content.articles.lists.query_schemas import ArticleCountsQuery, ArticleListQuery
from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.content.articles.resource import Resource
from blogapi.content.articles.responses import article_bodies, article_links, neighbours
from blogapi.content.articles.responses.markdown_output import (
    MARKDOWN_CONTENT,
    offer_markdown,
    prefers_markdown,
)
from blogapi.content.articles.schemas import (
    ArticleBodySchema,
    ArticleCountsSchema,
    ArticleFieldsSchema,
    ArticleSchema,
    ListedArticleFieldsSchema,
    SingleArticleFieldsSchema,
)
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.hierarchy import find_ancestors
from blogapi.content.taxonomies.tags import Tag
from blogapi.publication import events
from blogapi.publication.kinds import KINDS_WITH_PAGES
from blogapi.publication.shared_caching import ShownContent, declare_shown_kinds
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import db, table_of
from blogapi.web.access import admin, allow, author, current_caller, current_user_id, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Forbidden
from blogapi.web.json import JsonBody
from blogapi.web.pagination import DetailQuery, Page, Query
from blogapi.web.representation import PartialResult, Representation
from blogapi.web.slug_lookup import accept_slugs

_article, _tag = table_of(Article).c, table_of(ArticleTag).c
_author = table_of(ArticleAuthor).c

_SELECT_TERMS = union_all(
    select(literal(Category.kind).label("kind"), _article.category_id).where(
        _article.uuid == bindparam("uuid")
    ),
    select(literal(Tag.kind), _tag.tag_id).where(_tag.article_id == bindparam("uuid")),
    select(literal(Author.kind), _author.author_id).where(_author.article_id == bindparam("uuid")),
)
_SELECT_TRANSLATION_KEY = select(_article.translation_key).where(_article.uuid == bindparam("uuid"))


def find_shown_content(uuid: UUID, names: Sequence[str] | None) -> ShownContent:
    """Return the items on which a response with these fields depends: the article, its terms and its links.

    The fields NEIGHBOUR_FIELDS depend on all articles, because any article can become a neighbour.
    """
    items = defaultdict[str, list[UUID]](list, {Article.kind: [uuid]})
    for kind, term in db.session.connection().execute(_SELECT_TERMS, {"uuid": uuid}):
        items[kind].append(term)
    if names is not None and "html" in names:
        for kind, linked in article_links.find_linked_items(uuid).items():
            items[kind] += sorted(linked - {*items[kind]})
    if names is not None and "head" in names:
        parents = find_ancestors(Category, items[Category.kind])
        items[Category.kind] += sorted({UUID(term["uuid"]) for terms in parents.values() for term in terms})
    shows_others = names is not None and not {*names}.isdisjoint(neighbours.NEIGHBOUR_FIELDS)
    if names is not None and not {"head", "translations"}.isdisjoint(names):
        # Any other article can become a translation.
        shows_others = shows_others or bool(
            db.session.connection().scalar(_SELECT_TRANSLATION_KEY, {"uuid": uuid})
        )
    return ShownContent((Article.kind,) if shows_others else (), items)


bp = Blueprint("articles", __name__, url_prefix="/api/v1/blog/articles", description="Articles")

_article_list_response = partial(
    bp.response,
    200,
    ArticleSchema(many=True),
    partial_schema=ListedArticleFieldsSchema,
    query=ArticleListQuery,
    single=SingleArticleFieldsSchema,
    cacheable=True,
)


@bp.get("/")
@allow(reader, scope="published")
@_article_list_response(section="4.7")
# The HTML of an article contains the addresses of the pages to which it links.
@declare_shown_kinds(*KINDS_WITH_PAGES)
def published(query: Query) -> PartialResult:
    """List the published articles, newest first, or by relevance if `q` is sent.

    With `status` or `working_copy`, an editor or admin lists the articles of all authors, including those
    that are not public. In such a list, saving a working copy counts as a change for `ordering`.
    """
    filters = ArticleFilters(**query.filters)
    if filters.needs_draft_access and not current_caller().sees_drafts:
        raise Forbidden(
            "Only editors and admins may use `status` and `working_copy` here; leave them out to list the "
            "published articles. GET /api/v1/blog/articles/own/ lists your own articles."
        )
    body = (
        article_bodies.list_items_in_any_status(None, query.fields, query.page, filters)
        if filters.needs_draft_access
        else article_bodies.list_published_items(query.fields, query.page, filters)
    )
    return PartialResult(body, hidden_state=_get_hidden_state())


@bp.get("/<reference:id>/")
@allow(reader, scope="published")
@bp.response(
    200,
    ArticleSchema(),
    partial_schema=SingleArticleFieldsSchema,
    query=DetailQuery,
    section="4.8",
    cacheable=True,
)
@bp.doc(responses=MARKDOWN_CONTENT)
@accept_slugs(queries.find_slug_owner)
@declare_shown_kinds(
    find=lambda query, id: find_shown_content(id, ("html",) if prefers_markdown() else query.fields)
)
@offer_markdown
def single(query: Query, id: UUID) -> JsonBody:
    """Return an article; if it is not public, only to its author, editors and admins."""
    is_public = not permissions.may_see_hidden_article(id, current_caller())
    with permissions.report_deleted_items([id]):
        return article_bodies.get_item_body(id, query.fields, public=is_public, type_=ItemType.ARTICLE.value)


@bp.get("/author/me/")
@bp.doc(operationId="listOwnArticles")
@allow(admin)
@_article_list_response(section="4.9")
def list_own(query: Query) -> Page[JsonBody]:
    """List the articles of the caller, in any status."""
    return _list_own_articles(query, hashes_body=False)


@bp.get("/own/")
@bp.doc(operationId="listWrittenArticles")
@allow(author)
@_article_list_response()
def list_written(query: Query) -> Page[JsonBody]:
    """List the caller's own articles in any status."""
    return _list_own_articles(query, hashes_body=current_caller().is_author)


def _list_own_articles(query: Query, *, hashes_body: bool) -> Page[JsonBody]:
    filters = ArticleFilters(**query.filters)
    return article_bodies.list_items_in_any_status(
        current_user_id(), query.fields, query.page, filters, hashes_body=hashes_body
    )


def _get_hidden_state() -> str:
    # A bulk write can also change drafts, which the list does not show. Each change that the caller may see
    # therefore changes the ETag of the list, so that If-Match detects it.
    caller = current_caller()
    if caller.restricted_to_author is not None:
        return permissions.get_own_articles_state(caller.restricted_to_author)
    return str(events.get_last_position()) if caller.sees_drafts else ""


REPRESENTATION = Representation(
    article_bodies.get_item_body,
    ArticleSchema(),
    lambda: article_bodies.list_published_items().rows,
    ArticleSchema(many=True),
    hidden_state=_get_hidden_state,
    get_fields=article_bodies.get_item_body,
    fields_schema=SingleArticleFieldsSchema,
    get_items_by_uuid=article_bodies.get_buffered_array,
)
ARTICLES = Resource(ItemType.ARTICLE, author, REPRESENTATION, ArticleSchema(), SingleArticleFieldsSchema)


write_routes.add_write_operations(
    bp,
    ARTICLES,
    body_schema=ArticleBodySchema,
    list_fields_schema=ArticleFieldsSchema,
    resolve_parents=lambda items, is_bulk: items,
    deletion_predicate="can be restored for some days, and its former versions are kept",
)

counts_bp = Blueprint(
    "article_counts",
    __name__,
    url_prefix="/api/v1/blog/article-counts",
    description="The numbers of articles",
)


@counts_bp.get("/")
@counts_bp.doc(operationId="getArticleCounts")
@allow(author)
@counts_bp.arguments(ArticleCountsQuery, location="query")
@counts_bp.response(200, ArticleCountsSchema())
def count_by_status(query: Query) -> Mapping[str, int]:
    """Count the matching articles in each status; authors get the numbers of their own articles."""
    return article_bodies.count_articles_by_status(
        ArticleFilters(**query.filters), current_caller().restricted_to_author
    )
