"""The endpoints of pages; versions, working copies and previews have the same endpoints as for articles."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from blogapi.content.articles import page_tree, permissions, queries, write_routes
from blogapi.content.articles.lists.conditions import ArticleFilters
from blogapi.content.articles.resource import Resource
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.responses.markdown_output import MARKDOWN_CONTENT, offer_markdown
from blogapi.content.articles.schemas import PageFieldsSchema
from blogapi.content.pages import hierarchy
from blogapi.content.pages.schemas import PAGE_FIELDS, PageBodySchema, PageListQuery, PageSchema
from blogapi.parsing import parse_uuid
from blogapi.publication import events
from blogapi.publication.kinds import KINDS_WITH_PAGES
from blogapi.publication.shared_caching import ShownContent, declare_shown_kinds
from blogapi.publication.visibility import ItemType
from blogapi.web.access import allow, current_caller, editor, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Forbidden
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.pagination import DetailQuery, Query
from blogapi.web.representation import PartialResult, Representation
from blogapi.web.slug_lookup import accept_slugs

PAGE = ItemType.PAGE.value

bp = Blueprint("pages", __name__, url_prefix="/api/v1/blog/pages", description="Pages such as an imprint")


@bp.get("/")
@allow(reader, scope="published")
@bp.response(200, PageSchema(many=True), partial_schema=PageFieldsSchema, query=PageListQuery, cacheable=True)
@declare_shown_kinds(*KINDS_WITH_PAGES)
def listed(query: Query) -> PartialResult:
    """List the published pages by their position.

    With `status` or `working_copy`, an editor or admin also lists pages that are not public.
    """
    values = {"ordering": "position", **query.filters, **_make_parent_filter(query.filters.get("parent"))}
    filters = ArticleFilters(**values, type=PAGE)
    if filters.needs_draft_access and not current_caller().sees_drafts:
        raise Forbidden("Only editors and admins may use `status` and `working_copy` here; leave them out.")
    names = PAGE_FIELDS if query.fields is None else query.fields
    body = (
        article_bodies.list_items_in_any_status(None, names, query.page, filters)
        if filters.needs_draft_access
        else article_bodies.list_published_items(names, query.page, filters)
    )
    return PartialResult(body, hidden_state=_get_hidden_state())


def _make_parent_filter(reference: str | None) -> Fields:
    """Return the filters for `parent`: a uuid, a slug, or "" for pages without a parent (None: no filter)."""
    if not reference:
        return {} if reference is None else {"parent": None, "top": True}
    if uuid := parse_uuid(reference):
        return {"parent": uuid}
    owner, tree = queries.find_slug_owner(reference), page_tree.read_tree()
    # A hidden page and an unknown slug must give the same empty list: no page has a new uuid as its parent.
    return {"parent": owner.uuid if owner and page_tree.is_visible_page(owner.uuid, tree) else uuid4()}


def _get_hidden_state() -> str:
    return str(events.get_last_position()) if current_caller().sees_drafts else ""


@bp.get("/<reference:id>/")
@allow(reader, scope="published")
@bp.response(200, PageSchema(), partial_schema=PageFieldsSchema, query=DetailQuery, cacheable=True)
@bp.doc(responses=MARKDOWN_CONTENT)
@accept_slugs(queries.find_slug_owner)
@declare_shown_kinds(find=lambda query, id: ShownContent(KINDS_WITH_PAGES, {PAGE: [id]}))
@offer_markdown
def single(query: Query, id: UUID) -> JsonBody:
    """Return a page; if it is not public, only to editors and admins."""
    is_public = not permissions.may_see_hidden_article(id, current_caller())
    with permissions.report_deleted_items([id], PAGE):
        return article_bodies.get_item_body(id, query.fields or PAGE_FIELDS, public=is_public, type_=PAGE)


def _get_page_body(uuid: UUID, names: Sequence[str] | None = None) -> JsonBody:
    return article_bodies.get_item_body(uuid, names or PAGE_FIELDS, type_=PAGE)


_ALL_PAGES = ArticleFilters(ordering="position", type=PAGE)
REPRESENTATION = Representation(
    _get_page_body,
    PageSchema(),
    lambda: article_bodies.list_published_items(PAGE_FIELDS, None, _ALL_PAGES).rows,
    PageSchema(many=True),
    hidden_state=_get_hidden_state,
    get_fields=_get_page_body,
    fields_schema=PageFieldsSchema,
    get_items_by_uuid=lambda uuids, names: article_bodies.get_buffered_array(uuids, names or PAGE_FIELDS),
)
PAGES = Resource(ItemType.PAGE, editor, REPRESENTATION, PageSchema(), PageFieldsSchema)


write_routes.add_write_operations(
    bp,
    PAGES,
    body_schema=PageBodySchema,
    list_fields_schema=PageFieldsSchema,
    resolve_parents=hierarchy.resolve_parents,
    deletion_predicate="can be restored for some days, and the pages below it move to the top",
)
