"""Tags over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from blogapi.articles import queries as articles
from blogapi.core import pieces
from blogapi.core.access import admin, allow, reader, writer
from blogapi.core.blueprint import Blueprint, Placed, Representation
from blogapi.core.paging import BulkDeleteQuery, Page, Query
from blogapi.core.pieces import Rendered
from blogapi.core.schema import Fields
from blogapi.core.writing import each
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

bp = Blueprint("tags", __name__, url_prefix="/api/v1/blog/tags", description="Tags")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(TagListQuery, location="query")
@bp.response(200, TagSchema(many=True), trimmed=TagFieldsSchema, section="4.5", replayed=True)
def listed(query: Query) -> Page[Rendered]:
    """List the tags by name."""
    return queries.listed(query.fields, query.window)


@bp.get("/<id:id>/")
@allow(reader, scope="published")
@bp.arguments(TagQuery, location="query")
@bp.response(200, SingleTagSchema(), trimmed=SingleTagFieldsSchema, section="4.6", replayed=True)
def single(query: Query, id: UUID) -> Rendered:
    """Show a tag with its published articles, newest first."""
    return _whole(id, query.fields)


def _whole(id: UUID, names: Sequence[str] | None = None) -> Rendered:
    carried = queries.carried(id)
    chosen = SingleTagSchema._declared_fields if names is None else names
    shown = pieces.part(Tag, carried, chosen)
    if "articles" not in chosen:
        return Rendered(shown.encode(), beside=carried)
    listed = articles.published(tag=(str(id),)).rows
    return pieces.extended(shown, "articles", listed, beside=carried)


SHOWN = Representation(_whole, SingleTagSchema(), lambda: queries.listed().rows, TagSchema(many=True))


@bp.post("/")
@allow(admin, scope="write")
@bp.arguments(TagBodySchema)
@bp.write(201, TagSchema(), SHOWN)
def create(fields: Fields) -> Tag:
    """Make a tag; without a slug its name gives one."""
    return service.create(writer(), fields)


@bp.put("/<id:id>/")
@allow(admin, scope="write")
@bp.named
@bp.arguments(TagBodySchema)
@bp.write(200, TagSchema(), SHOWN, creates=True)
def replace(fields: Fields, id: UUID) -> Placed:
    """Make the tag under this uuid, or replace it."""
    return Placed(*service.replace(writer(), id, fields))


@bp.patch("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.by_uuid)
@bp.arguments(TagBodySchema(partial=True))
@bp.write(200, TagSchema(), SHOWN)
def change(fields: Fields, id: UUID) -> Tag:
    """Change what is named of a tag."""
    return service.change(id, fields)


@bp.delete("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.by_uuid)
@bp.write(204, None, SHOWN)
def delete(id: UUID) -> None:
    """Delete a tag; its articles go on without it."""
    service.delete(id)


@bp.put("/")
@allow(admin, scope="write")
@bp.arguments(TagItemSchema(many=True))
@bp.write(200, TagSchema(many=True), SHOWN)
def replace_all(items: list[Fields]) -> list[Tag]:
    """Make or replace several tags, all or none."""
    return each(items, lambda fields: service.replace(writer(), fields.pop("uuid"), fields)[0])


@bp.patch("/")
@allow(admin, scope="write")
@bp.arguments(TagItemSchema(many=True, partial=("name",)))
@bp.write(200, TagSchema(many=True), SHOWN)
def change_all(items: list[Fields]) -> list[Tag]:
    """Change what is named of several tags, all or none."""
    return each(items, lambda fields: service.change(fields.pop("uuid"), fields))


@bp.delete("/")
@allow(admin, scope="write")
@bp.arguments(BulkDeleteQuery, location="query")
@bp.write(204, None, SHOWN)
def delete_all(query: Fields) -> None:
    """Delete several tags, all or none."""
    each(query["uuid"], service.delete)
