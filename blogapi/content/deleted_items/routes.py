"""The endpoints that restore deleted articles and pages."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from blogapi.content.articles import permissions
from blogapi.content.articles.resource import Resource
from blogapi.content.deleted_items import service
from blogapi.content.deleted_items.schemas import RestoredSchema
from blogapi.web.access import allow, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.bulk import write_all
from blogapi.web.fields import EmptySchema, Fields, ItemUuidsSchema, WithAttributes


def build_blueprint(resource: Resource) -> Blueprint:
    """Return the blueprint that restores deleted articles or pages."""
    kind, item = resource.kind.value, replace(resource.representation, get_several=None)
    path = f"/api/v1/blog/{kind}s"
    bp = Blueprint(
        f"deleted_{kind}s", __name__, url_prefix=path, description=f"Deleted {kind}s", resource=f"{kind}s"
    )

    def check(uuid: UUID) -> None:
        permissions.check_deleted(uuid, kind)

    @bp.post("/<id:id>/restore/")
    @allow(resource.role, scope="write")
    @bp.check_exists(check)
    @bp.arguments(EmptySchema, required=False)
    @bp.write(200, RestoredSchema(), item, prepare=lambda nothing, id: service.prepare([id]))
    def restore(nothing: Fields, id: UUID) -> WithAttributes:
        """Restore a deleted article or page as it was, with its edits; `notes` says what differs."""
        check(id)
        return service.restore(current_user_id(), [id])[0]

    @bp.post("/restore/")
    @allow(resource.role, scope="write")
    @bp.arguments(ItemUuidsSchema)
    @bp.write(200, RestoredSchema(many=True), item, prepare=lambda fields: service.prepare(fields["uuids"]))
    def restore_all(fields: Fields) -> list[WithAttributes]:
        """Restore several deleted articles or pages, all or none; `notes` says what differs."""
        write_all(fields["uuids"], check)
        return service.restore(current_user_id(), fields["uuids"])

    return bp
