"""The endpoints of pages; their versions, working copies and previews are those of articles."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from uuid import UUID

from blogapi.articles import page_tree, permissions, queries, service
from blogapi.articles.content import ArticleInput
from blogapi.articles.filters import ArticleFilters
from blogapi.articles.lifecycle import Unset
from blogapi.articles.models import Article
from blogapi.articles.page_schemas import PAGE_FIELDS, PageBodySchema, PageListQuery, PageQuery, PageSchema
from blogapi.articles.schemas import PageFieldsSchema
from blogapi.publication import events
from blogapi.publication.shared_caching import shows
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import transaction
from blogapi.web.access import allow, current_caller, current_user_id, editor, reader
from blogapi.web.blueprint import Blueprint, PartialResult, Representation, UpsertResult
from blogapi.web.errors import Forbidden
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Query
from blogapi.web.slug_lookup import accept_slugs

PAGE = ItemType.PAGE.value

bp = Blueprint("pages", __name__, url_prefix="/api/v1/blog/pages", description="Pages such as an imprint")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(PageListQuery, location="query")
@bp.response(200, PageSchema(many=True), partial_schema=PageFieldsSchema, cacheable=True)
@shows("page", "tag", "author")
def listed(query: Query) -> PartialResult:
    """List the published pages by their position; with `status`, an editor lists those in other statuses."""
    filters = ArticleFilters(**{"ordering": "position", **query.filters}, type=PAGE)
    if filters.status and not current_caller().sees_drafts:
        raise Forbidden("Only editors and admins may use `status` here; leave it out.")
    names = PAGE_FIELDS if query.fields is None else query.fields
    read = queries.list_published if not filters.status else _list_in_any_status
    return PartialResult(read(names, query.page, filters), hidden_state=_hidden_state())


def _list_in_any_status(names: Sequence[str], page: object, filters: ArticleFilters) -> object:
    return queries.list_in_any_status(None, names, page, filters)  # type: ignore[arg-type]


def _hidden_state() -> str:
    return str(events.last_position()) if current_caller().sees_drafts else ""


@bp.get("/<reference:id>/")
@allow(reader, scope="published")
@bp.arguments(PageQuery, location="query")
@bp.response(200, PageSchema(), partial_schema=PageFieldsSchema, cacheable=True)
@accept_slugs(queries.find_slug_owner)
@shows("page", "article", "tag", "author")
def single(query: Query, id: UUID) -> JsonBody:
    """Return a page; one that is not public only to editors and admins."""
    is_public = not permissions.sees(id, current_caller())
    return queries.get_visible_json(id, query.fields or PAGE_FIELDS, public=is_public, type_=PAGE)


def _get_json(uuid: UUID, names: Sequence[str] | None = None) -> JsonBody:
    return queries.get_json(uuid, names or PAGE_FIELDS, type_=PAGE)


REPRESENTATION = Representation(
    _get_json,
    PageSchema(),
    lambda: queries.list_published(PAGE_FIELDS, None, ArticleFilters(ordering="position", type=PAGE)).rows,
    PageSchema(many=True),
    hidden_state=_hidden_state,
    get_fields=_get_json,
    fields_schema=PageFieldsSchema,
)


def _check_exists(id: UUID) -> None:
    queries.check_exists(id, PAGE)


@bp.post("/")
@allow(editor, scope="write")
@bp.arguments(PageBodySchema)
@bp.write(
    201,
    PageSchema(),
    REPRESENTATION,
    partial_schema=PageFieldsSchema,
    prepare=lambda fields: service.prepare([fields]),
)
def create(fields: ArticleInput) -> Article:
    """Create a page; without `status` it is a draft."""
    _check_place(None, fields)
    return service.create(current_user_id(), fields)


@bp.put("/<id:id>/")
@allow(editor, scope="write")
@bp.arguments(PageBodySchema)
@bp.write(
    200,
    PageSchema(),
    REPRESENTATION,
    partial_schema=PageFieldsSchema,
    creates=True,
    prepare=lambda fields, id: service.prepare([dataclasses.replace(fields, uuid=id)]),
)
def replace(fields: ArticleInput, id: UUID) -> UpsertResult:
    """Create or replace the page with this uuid; the response to a GET is a valid body."""
    _check_place(id, fields)
    return UpsertResult(*service.replace(current_user_id(), id, fields))


@bp.patch("/<id:id>/")
@allow(editor, scope="write")
@bp.check_exists(_check_exists)
@bp.arguments(PageBodySchema(partial=True))
@bp.write(
    200,
    PageSchema(),
    REPRESENTATION,
    partial_schema=PageFieldsSchema,
    prepare=lambda fields, id: service.prepare([dataclasses.replace(fields, uuid=id)], partial=True),
)
def change(fields: ArticleInput, id: UUID) -> Article:
    """Change the given fields of a page."""
    _check_place(id, fields)
    return service.change(current_user_id(), id, fields)


@bp.delete("/<id:id>/")
@allow(editor, scope="write")
@bp.check_exists(_check_exists)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete a page; its former versions are kept, and the pages below it move to the top."""
    with transaction(visible=False):
        for child in page_tree.list_children(id):
            service.change(current_user_id(), child, ArticleInput(type=PAGE, parent=None))
        service.delete(id, PAGE)


def _check_place(uuid: UUID | None, fields: ArticleInput) -> None:
    if not isinstance(fields.parent, Unset):
        page_tree.check_parent(uuid, fields.parent)
