"""Tags over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from blogapi.articles import queries as articles
from blogapi.tags import queries, service
from blogapi.tags.models import Tag
from blogapi.tags.schemas import (
    SingleTagFieldsSchema,
    SingleTagSchema,
    TagBodySchema,
    TagFieldsSchema,
    TagItemSchema,
    TagListQuery,
    TagQuery,
    TagSchema,
)
from blogapi.web import json_fragments
from blogapi.web.access import admin, allow, current_user_id, reader
from blogapi.web.blueprint import Blueprint, Representation, UpsertResult
from blogapi.web.bulk import write_all
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.pagination import BulkDeleteQuery, Page, Query

bp = Blueprint("tags", __name__, url_prefix="/api/v1/blog/tags", description="Tags")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(TagListQuery, location="query")
@bp.response(200, TagSchema(many=True), partial_schema=TagFieldsSchema, section="4.5", cacheable=True)
def listed(query: Query) -> Page[JsonBody]:
    """List the tags by name."""
    return queries.list_json(query.fields, query.window)


@bp.get("/<id:id>/")
@allow(reader, scope="published")
@bp.arguments(TagQuery, location="query")
@bp.response(200, SingleTagSchema(), partial_schema=SingleTagFieldsSchema, section="4.6", cacheable=True)
def single(query: Query, id: UUID) -> JsonBody:
    """Show a tag with its published articles, newest first."""
    return _whole(id, query.fields)


def _whole(id: UUID, names: Sequence[str] | None = None) -> JsonBody:
    carried = queries.get_fragments(id)
    chosen = SingleTagSchema._declared_fields if names is None else names
    shown = json_fragments.select_fields(Tag, carried, chosen)
    if "articles" not in chosen:
        return JsonBody(shown.encode(), beside=carried)
    listed = articles.list_published(tag=(str(id),)).rows
    return json_fragments.add_member(shown, "articles", listed, beside=carried)


REPRESENTATION = Representation(
    _whole, SingleTagSchema(), lambda: queries.list_json().rows, TagSchema(many=True)
)


@bp.post("/")
@allow(admin, scope="write")
@bp.arguments(TagBodySchema)
@bp.write(201, TagSchema(), REPRESENTATION)
def create(fields: Fields) -> Tag:
    """Make a tag; without a slug its name gives one."""
    return service.create(current_user_id(), fields)


@bp.put("/<id:id>/")
@allow(admin, scope="write")
@bp.named
@bp.arguments(TagBodySchema)
@bp.write(200, TagSchema(), REPRESENTATION, creates=True)
def replace(fields: Fields, id: UUID) -> UpsertResult:
    """Make the tag under this uuid, or replace it."""
    return UpsertResult(*service.replace(current_user_id(), id, fields))


@bp.patch("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.get_by_uuid)
@bp.arguments(TagBodySchema(partial=True))
@bp.write(200, TagSchema(), REPRESENTATION)
def change(fields: Fields, id: UUID) -> Tag:
    """Change what is named of a tag."""
    return service.change(id, fields)


@bp.delete("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.get_by_uuid)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete a tag; its articles go on without it."""
    service.delete(id)


@bp.put("/")
@allow(admin, scope="write")
@bp.arguments(TagItemSchema(many=True))
@bp.write(200, TagSchema(many=True), REPRESENTATION)
def replace_all(items: list[Fields]) -> list[Tag]:
    """Make or replace several tags, all or none."""
    return write_all(items, lambda fields: service.replace(current_user_id(), fields.pop("uuid"), fields)[0])


@bp.patch("/")
@allow(admin, scope="write")
@bp.arguments(TagItemSchema(many=True, partial=("name",)))
@bp.write(200, TagSchema(many=True), REPRESENTATION)
def change_all(items: list[Fields]) -> list[Tag]:
    """Change what is named of several tags, all or none."""
    return write_all(items, lambda fields: service.change(fields.pop("uuid"), fields))


@bp.delete("/")
@allow(admin, scope="write")
@bp.arguments(BulkDeleteQuery, location="query")
@bp.write(204, None, REPRESENTATION)
def delete_all(query: Fields) -> None:
    """Delete several tags, all or none."""
    write_all(query["uuid"], service.delete)
