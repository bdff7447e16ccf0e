"""The endpoints of the definitions of custom fields."""

from __future__ import annotations

from uuid import UUID

from blogapi.content.custom_fields import service
from blogapi.content.custom_fields.models import CustomField
from blogapi.content.custom_fields.schemas import FieldBodySchema, FieldSchema
from blogapi.web.access import admin_login, allow, author
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.representation import Representation, UpsertResult

bp = Blueprint("fields", __name__, url_prefix="/api/v1/blog/fields", description="Custom fields")

REPRESENTATION = Representation(
    service.get_field_details, FieldSchema(), service.list_fields, FieldSchema(many=True)
)


@bp.get("/")
@allow(author)
@bp.response(200, FieldSchema(many=True))
def listed() -> list[WithAttributes]:
    """List the custom fields in the order of the panel Details; only admins get the fields for admins."""
    return service.list_fields()


@bp.post("/")
@allow(admin_login, scope="write")
@bp.arguments(FieldBodySchema)
@bp.write(201, FieldSchema(), REPRESENTATION)
def create(fields: Fields) -> CustomField:
    """Define a custom field; values that articles already have under its name are shown again."""
    return service.define_field(fields)


@bp.get("/<id:id>/")
@allow(author)
@bp.response(200, FieldSchema())
def single(id: UUID) -> WithAttributes:
    """Return the definition of a custom field."""
    return service.get_field_details(id)


@bp.put("/<id:id>/")
@allow(admin_login, scope="write")
@bp.arguments(FieldBodySchema)
@bp.write(200, FieldSchema(), REPRESENTATION, creates=True)
def replace(fields: Fields, id: UUID) -> UpsertResult:
    """Define the custom field with this uuid, or replace its definition."""
    return service.replace_field(id, fields)


@bp.patch("/<id:id>/")
@allow(admin_login, scope="write")
@bp.check_exists(service.get_field)
@bp.arguments(FieldBodySchema(partial=True))
@bp.write(200, FieldSchema(), REPRESENTATION)
def change(fields: Fields, id: UUID) -> CustomField:
    """Change the definition of a custom field; values that no longer fit are kept, but not shown."""
    return service.change_field(id, fields)


@bp.delete("/<id:id>/")
@allow(admin_login, scope="write")
@bp.check_exists(service.get_field)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete the definition of a custom field; the values stay in the articles, hidden."""
    service.delete_field(id)
