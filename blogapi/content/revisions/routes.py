"""The endpoints of the former versions of articles and pages."""

from __future__ import annotations

from uuid import UUID

from blogapi.content.articles import permissions
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article
from blogapi.content.articles.resource import Resource
from blogapi.content.revisions import service
from blogapi.content.revisions.schemas import (
    MAX_REVISION_NUMBER,
    SCHEMAS_BY_KIND,
    ComparisonQuery,
    ComparisonSchema,
    RevisionBodySchema,
    RevisionSchema,
)
from blogapi.web.access import allow, current_caller, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import EmptySchema, Fields, WithAttributes
from blogapi.web.pagination import DetailQuery, ListQuery, Query
from blogapi.web.representation import PartialResult

_REVISION_PATH = f"/<int(max={MAX_REVISION_NUMBER}):number>/"


def build_blueprint(resource: Resource) -> Blueprint:
    """Return the blueprint with the operations on the versions of articles or pages."""
    body_schema, schema = SCHEMAS_BY_KIND[resource.kind]
    bp = Blueprint(
        resource.make_blueprint_name("revisions"),
        __name__,
        url_prefix=f"/api/v1/blog{resource.item_path}/revisions",
        description=f"Former versions of {resource.kind}s",
    )

    @bp.get("/")
    @allow(resource.access_rule)
    @bp.response(200, RevisionSchema(many=True), partial_schema=schema, query=ListQuery)
    def listed(query: Query, id: UUID) -> PartialResult:
        """List the former versions, newest first; the article or page may have been deleted."""
        permissions.check_history_access(id, resource.kind)
        return PartialResult(service.list_revisions(id, query.page), query)

    @bp.post("/")
    @allow(resource.access_rule, scope="write")
    @bp.check_exists(resource.check_access)
    @bp.arguments(body_schema(partial=("title",)))
    @bp.response(201, RevisionSchema())
    def create(new_revision: tuple[str, ArticleInput | None], id: UUID) -> WithAttributes:
        """Add a version to the history without changing the article or page.

        If the body contains only a name, the version is the working copy, or the current version if there is
        no working copy.
        """
        name, edits = new_revision
        if edits is not None:
            permissions.check_working_copy_save(id, edits)
        return service.add_content_fields(service.add_revision(current_user_id(), id, name, edits))

    @bp.patch(_REVISION_PATH)
    @allow(resource.access_rule, scope="write")
    @bp.arguments(RevisionBodySchema)
    @bp.response(200, RevisionSchema())
    def change(fields: Fields, id: UUID, number: int) -> WithAttributes:
        """Name a former version, or the current version."""
        permissions.check_history_access(id, resource.kind)
        return service.add_content_fields(service.name_revision(id, number, **fields))

    @bp.get(_REVISION_PATH)
    @allow(resource.access_rule)
    @bp.response(200, schema(), partial_schema=schema, query=DetailQuery)
    def single(query: Query, id: UUID, number: int) -> PartialResult:
        """Return a former version with its whole content."""
        permissions.check_history_access(id, resource.kind)
        return PartialResult(service.add_content_fields(service.get_revision(id, number)), query)

    @bp.get(f"{_REVISION_PATH}compare/")
    @allow(resource.access_rule)
    @bp.arguments(ComparisonQuery, location="query")
    @bp.response(200, ComparisonSchema())
    def compare(query: Fields, id: UUID, number: int) -> Fields:
        """List the fields that differ between this version and a later one, with both values."""
        permissions.check_history_access(id, resource.kind)
        return service.compare_revisions(id, number, **query)

    def prerender_version(nothing: Fields, id: UUID, number: int) -> None:
        permissions.check_restoration(id, resource.kind)
        service.prerender_revision(id, number)

    @bp.post(f"{_REVISION_PATH}restore/")
    @allow(resource.access_rule, scope="write")
    @bp.arguments(EmptySchema, required=False)
    @bp.write(
        200,
        resource.schema,
        resource.representation,
        partial_schema=resource.fields_schema,
        prepare_write=prerender_version,
    )
    def restore(nothing: Fields, id: UUID, number: int) -> Article:
        """Restore the content of this version; the current content is kept as a former version."""
        permissions.check_restoration(id, resource.kind)
        keeps_authors = current_caller().is_author
        return service.restore_revision(
            current_user_id(), id, number, resource.kind, keeps_authors=keeps_authors
        )

    return bp
