"""The endpoints of the working copies of articles and pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from flask import request

from blogapi.content.articles import permissions
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.articles.resource import Resource
from blogapi.content.working_copies import queries, service
from blogapi.content.working_copies.schemas import COPY_FIELDS, SCHEMAS_BY_KIND, PublishSchema
from blogapi.web import json as web_json
from blogapi.web.access import allow, current_caller, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import PreconditionRequired
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.headers import matches_item_state
from blogapi.web.json import JsonBody
from blogapi.web.representation import Representation, UpsertResult


def build_blueprint(resource: Resource) -> Blueprint:
    """Return the blueprint with the operations on the working copies of articles or pages."""
    body_schema, schema = SCHEMAS_BY_KIND[resource.kind]
    item = resource.representation
    bp = Blueprint(
        resource.make_blueprint_name("working_copies"),
        __name__,
        url_prefix=f"/api/v1/blog{resource.item_path}/working-copy",
        description=f"Working copies of {resource.kind}s",
    )
    copy = Representation(queries.get_copy_details, schema(), lambda: [], schema(many=True))

    class WorkingCopyRepresentation(Representation):
        """A representation with the ETag of the working copy, which a write compares with `If-Match`.

        Without a working copy, it has the ETag of the item if the request needs an ETag: if the request has
        `If-Match`, or if the edits can be written into a scheduled item.
        """

        def compute_etag(self, id: UUID | None) -> str | None:
            etag = copy.compute_etag(id)
            sent = request.headers
            is_needed = "If-Match" in sent or ("If-None-Match" not in sent and service.is_scheduled_item(id))
            return item.compute_etag(id) if etag is None and is_needed else etag

    class EditedRepresentation(WorkingCopyRepresentation):
        """A representation of the working copy that can also show read-only fields of the item."""

        def read_fields(self, id: UUID | None, names: Sequence[str]) -> JsonBody:
            assert id is not None
            shown, edited = item.read_fields(id, names).body, schema().dump(queries.get_copy_or_item(id))
            assert isinstance(shown, bytes)
            own = {name: edited[name] for name in names if name in COPY_FIELDS}
            return JsonBody(web_json.to_json_bytes(json.loads(shown) | own))

    representation = EditedRepresentation(queries.get_copy_details, schema(), lambda: [], schema(many=True))
    published = WorkingCopyRepresentation(
        item.get_item,
        item.item_schema,
        lambda: [],
        item.items_schema,
        get_fields=item.get_fields,
        fields_schema=item.fields_schema,
    )

    def sends_item_etag(id: UUID) -> bool:
        if "If-Match" not in request.headers or request.if_match.star_tag:
            return False
        return matches_item_state(request.if_match, item.compute_etag(id) or "")

    def check_copy_was_read(id: UUID) -> None:
        """Raise PreconditionRequired if a key for drafts could overwrite edits that its client has not read.

        Overwritten edits are not kept as a version. Call this in the transaction of the write.
        """
        names_copy = "If-Match" in request.headers and not request.if_match.star_tag
        if current_caller().writes_drafts_only and not names_copy and queries.find_working_copy(id):
            raise PreconditionRequired(
                f"The {resource.kind} has a working copy; read it, and send its ETag as If-Match."
            )

    def save_edits(fields: ArticleInput, id: UUID, *, partial: bool = False) -> UpsertResult:
        permissions.check_working_copy_save(id, fields)
        check_copy_was_read(id)
        user, publishes = current_user_id(), current_caller().may_change_public
        options = {"partial": partial, "rebase": sends_item_etag(id), "publishes": publishes}
        saved, created = service.save_working_copy(user, id, fields, **options)
        if isinstance(saved, WorkingCopy):
            return UpsertResult(WithAttributes(saved, uuid=id), created)
        details = schema().dump(queries.get_item_as_working_copy(saved))
        response = web_json.make_json_response(web_json.to_json_bytes(details))
        response.set_etag(item.compute_etag(id) or "")
        return UpsertResult(response, created=False)

    @bp.get("/")
    @allow(resource.access_rule)
    @bp.response(200, schema())
    def single(id: UUID) -> WithAttributes:
        """Return the working copy of an article or page: the edits that are not part of it yet."""
        resource.check_access(id)
        return queries.get_copy_details(id)

    @bp.put("/")
    @allow(resource.access_rule, scope=resource.draft_scope)
    @bp.check_exists(resource.check_access)
    @bp.arguments(body_schema)
    @bp.write(200, schema(), representation, creates=True, prepare_write=service.prerender_saved_edits)
    def replace(fields: ArticleInput, id: UUID) -> UpsertResult:
        """Save the working copy of an article or page; no version is created, and readers see no changes.

        If the item is scheduled and the caller may publish it, the edits are written into the item, and the
        response has the `ETag` of the item. If the edits are invalid, they stay in the working copy, and
        `not_live` says why.

        Without a working copy, `If-Match` is compared with the ETag of the item. If `If-Match` contains the
        ETags of the copy and of the item, the edits are then based on the current version of the item. With a
        key of the scope `drafts`, send the ETag of an existing working copy; otherwise the response is `428`.
        """
        return save_edits(fields, id)

    @bp.patch("/")
    @allow(resource.access_rule, scope=resource.draft_scope)
    @bp.check_exists(resource.check_access)
    @bp.arguments(body_schema(partial=True))
    @bp.write(
        *(200, schema(), representation),
        creates=True,
        prepare_write=partial(service.prerender_saved_edits, partial=True),
    )
    def change(fields: ArticleInput, id: UUID) -> UpsertResult:
        """Change the given fields of the working copy, or of the item if it has no working copy.

        Other fields stay as they are in the copy or in the item. Edits that change nothing in the item create
        no copy; the response then shows the item, with its `ETag`. In all other respects, a PATCH is the same
        as a PUT.
        """
        return save_edits(fields, id, partial=True)

    @bp.delete("/")
    @allow(resource.access_rule, scope="write")
    @bp.check_exists(resource.check_access)
    @bp.check_exists(queries.check_working_copy_exists)
    @bp.write(204, None, representation)
    def delete(id: UUID) -> None:
        """Discard the working copy of an article or page; the history keeps it as a former version."""
        resource.check_access(id)
        service.discard_working_copy(id)

    @bp.post("/publish/")
    @allow(resource.access_rule, scope="write")
    @bp.check_exists(resource.check_access)
    @bp.arguments(PublishSchema, required=False)
    @bp.write(
        200,
        resource.schema,
        published,
        partial_schema=resource.fields_schema,
        prepare_write=lambda fields, id: service.prerender_publication(id),
    )
    def publish(fields: Fields, id: UUID) -> Article:
        """Write the working copy to the article or page, in one version, and delete the copy.

        `If-Match` is compared with the ETag of the working copy, or of the item if there is no copy. If the
        content of the item has changed since the version that the edits are based on, the response is `409`.
        """
        permissions.check_publication(id, fields.get("status"))
        return service.publish_working_copy(current_user_id(), id, **fields)

    return bp
