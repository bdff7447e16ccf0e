"""The endpoints of former versions."""

from __future__ import annotations

from uuid import UUID

from blogapi.articles import permissions
from blogapi.articles.models import Article
from blogapi.articles.routes import REPRESENTATION
from blogapi.articles.schemas import ArticleSchema, SingleArticleFieldsSchema
from blogapi.revisions import queries, service
from blogapi.revisions.schemas import (
    MAX_NUMBER,
    ComparisonQuery,
    ComparisonSchema,
    NewRevision,
    NewRevisionSchema,
    RevisionBodySchema,
    RevisionListQuery,
    RevisionQuery,
    RevisionSchema,
    SingleRevisionFieldsSchema,
    SingleRevisionSchema,
)
from blogapi.web.access import allow, author, current_caller, current_user_id
from blogapi.web.blueprint import Blueprint, PartialResult
from blogapi.web.fields import EmptySchema, Fields, WithAttributes
from blogapi.web.pagination import Query

bp = Blueprint(
    "revisions",
    __name__,
    url_prefix="/api/v1/blog/articles/<id:id>/revisions",
    description="Former versions of articles",
)
_REVISION = f"/<int(max={MAX_NUMBER}):number>/"


@bp.get("/")
@allow(author)
@bp.arguments(RevisionListQuery, location="query")
@bp.response(200, RevisionSchema(many=True), partial_schema=SingleRevisionFieldsSchema)
def listed(query: Query, id: UUID) -> PartialResult:
    """List the former versions of an article, newest first; the article may have been deleted."""
    permissions.check_history(id)
    return PartialResult(queries.list_revisions(id, query.page), query)


@bp.post("/")
@allow(author, scope="write")
@bp.check_exists(permissions.check_exists)
@bp.arguments(NewRevisionSchema(partial=("title",)))
@bp.response(201, RevisionSchema())
def create(new_revision: NewRevision, id: UUID) -> WithAttributes:
    """Add a version to the history of an article without changing the article.

    If the body contains only a name, the version is the working copy, or the current version if there is no
    working copy.
    """
    if new_revision.edits is not None:
        permissions.check_working_copy(id, new_revision.edits)
    return queries.with_content(service.add(current_user_id(), id, new_revision.name, new_revision.edits))


@bp.patch(_REVISION)
@allow(author, scope="write")
@bp.arguments(RevisionBodySchema)
@bp.response(200, RevisionSchema())
def change(fields: Fields, id: UUID, number: int) -> WithAttributes:
    """Name a former version, or the current one."""
    permissions.check_history(id)
    return queries.with_content(service.rename(id, number, **fields))


@bp.get(_REVISION)
@allow(author)
@bp.arguments(RevisionQuery, location="query")
@bp.response(200, SingleRevisionSchema(), partial_schema=SingleRevisionFieldsSchema)
def single(query: Query, id: UUID, number: int) -> PartialResult:
    """Return a former version with its whole content."""
    permissions.check_history(id)
    return PartialResult(queries.with_content(queries.get_revision(id, number)), query)


@bp.get(f"{_REVISION}compare/")
@allow(author)
@bp.arguments(ComparisonQuery, location="query")
@bp.response(200, ComparisonSchema())
def compare(query: Fields, id: UUID, number: int) -> service.Comparison:
    """List the fields that differ between this version and a later one, with both values."""
    permissions.check_history(id)
    return service.compare(id, number, **query)


def _prepare(id: UUID, number: int) -> None:
    permissions.check_restoration(id)
    service.prepare(id, number)


@bp.post(f"{_REVISION}restore/")
@allow(author, scope="write")
@bp.arguments(EmptySchema, required=False)
@bp.write(
    200,
    ArticleSchema(),
    REPRESENTATION,
    partial_schema=SingleArticleFieldsSchema,
    prepare=lambda nothing, id, number: _prepare(id, number),
)
def restore(nothing: Fields, id: UUID, number: int) -> Article:
    """Restore the content of this version; the current content is kept as a former version."""
    permissions.check_restoration(id)
    return service.restore(current_user_id(), id, number, provisional_slug=current_caller().is_author)
