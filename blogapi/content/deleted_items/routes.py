"""The endpoints of deleted articles and pages: list, read, restore, and delete them for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from blogapi.content.articles import permissions
from blogapi.content.articles.resource import Resource
from blogapi.content.deleted_items import queries
from blogapi.content.deleted_items.schemas import (
    DeletedItemDetailsSchema,
    DeletedItemSchema,
    DeletedItemsQuery,
    RestoredSchema,
)
from blogapi.content.deleted_items.service import delete_items_for_good, prerender_items, restore_items
from blogapi.web.access import allow, author, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import EmptySchema, Fields, ItemUuidsSchema, WithAttributes
from blogapi.web.json import JsonBody
from blogapi.web.pagination import BulkDeleteQuery, Query
from blogapi.web.representation import PartialResult, Representation
from blogapi.web.writes import write_items

bp = Blueprint(
    "deleted_items", __name__, url_prefix="/api/v1/blog/deleted", description="Deleted articles and pages"
)
REPRESENTATION = Representation(
    queries.get_deleted_item_json,
    DeletedItemDetailsSchema(),
    lambda: queries.list_deleted_items(None).rows,
    DeletedItemSchema(many=True),
)


@bp.get("/")
@allow(author, scope="write")
@bp.response(200, DeletedItemSchema(many=True), partial_schema=DeletedItemSchema, query=DeletedItemsQuery)
def listed(query: Query) -> PartialResult:
    """List the deleted articles and pages that the caller may restore, the newest deletion first."""
    return PartialResult(queries.list_deleted_items(query.page, **query.filters), query)


@bp.get("/<id:id>/")
@allow(author, scope="write")
@bp.response(200, DeletedItemDetailsSchema())
def single(id: UUID) -> JsonBody:
    """Return a deleted article or page with its text, its edits, and the HTML of both."""
    permissions.check_deleted_item_access(id)
    return queries.get_deleted_item_json(id)


@bp.delete("/<id:id>/")
@allow(author, scope="write")
@bp.check_exists(permissions.check_deleted_item_access)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete an article or page for good, with its versions, edits and former addresses.

    The files that the item uses are not deleted.
    """
    permissions.check_deleted_item_access(id)
    delete_items_for_good([id])


@bp.delete("/")
@allow(author, scope="write")
@bp.arguments(BulkDeleteQuery, location="query")
@bp.write(204, None, REPRESENTATION)
def delete_all(query: Fields) -> None:
    """Delete several articles and pages for good, all or none."""
    write_items(query["uuid"], permissions.check_deleted_item_access)
    delete_items_for_good(query["uuid"])


def build_blueprint(resource: Resource) -> Blueprint:
    """Return the blueprint that restores deleted articles or pages."""
    kind, item = resource.kind.value, replace(resource.representation, get_items_by_uuid=None)
    path = f"/api/v1/blog/{kind}s"
    bp = Blueprint(
        f"deleted_{kind}s", __name__, url_prefix=path, description=f"Deleted {kind}s", resource=f"{kind}s"
    )

    def check_deleted_item_access(uuid: UUID) -> None:
        permissions.check_deleted_item_access(uuid, kind)

    @bp.post("/<id:id>/restore/")
    @allow(resource.access_rule, scope="write")
    @bp.check_exists(check_deleted_item_access, in_view=True)
    @bp.arguments(EmptySchema, required=False)
    @bp.write(200, RestoredSchema(), item, prepare_write=lambda nothing, id: prerender_items([id]))
    def restore(nothing: Fields, id: UUID) -> WithAttributes:
        """Restore a deleted article or page with its edits; `notes` describes each change to it."""
        check_deleted_item_access(id)
        return restore_items(current_user_id(), [id])[0]

    @bp.post("/restore/")
    @allow(resource.access_rule, scope="write")
    @bp.arguments(ItemUuidsSchema)
    @bp.write(
        200, RestoredSchema(many=True), item, prepare_write=lambda fields: prerender_items(fields["uuids"])
    )
    def restore_all(fields: Fields) -> Sequence[WithAttributes]:
        """Restore several deleted articles or pages, all or none; `notes` describes each change to them."""
        write_items(fields["uuids"], check_deleted_item_access)
        return restore_items(current_user_id(), fields["uuids"])

    return bp
