"""The endpoints of working copies."""

from __future__ import annotations

from uuid import UUID

from flask import request

from blogapi.articles import permissions
from blogapi.articles import queries as articles
from blogapi.articles.content import ArticleInput
from blogapi.articles.models import Article
from blogapi.articles.routes import REPRESENTATION as ARTICLE
from blogapi.articles.schemas import ArticleSchema, SingleArticleFieldsSchema
from blogapi.web.access import allow, author, current_caller, current_user_id
from blogapi.web.blueprint import Blueprint, Representation, UpsertResult
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.headers import contains_state
from blogapi.working_copies import queries, service
from blogapi.working_copies.schemas import PublishSchema, WorkingCopyBodySchema, WorkingCopySchema

bp = Blueprint(
    "working_copies",
    __name__,
    url_prefix="/api/v1/blog/articles/<id:id>/working-copy",
    description="Working copies of articles",
)


class _Representation(Representation):
    """The representation of a working copy, whose ETag a write compares with `If-Match`."""

    def etag(self, id: UUID | None) -> str | None:
        """Return the ETag of the working copy.

        If there is no working copy and the request has `If-Match`, this is the ETag of the article.
        """
        etag = _WORKING_COPY.etag(id)
        return ARTICLE.etag(id) if etag is None and "If-Match" in request.headers else etag


_WORKING_COPY = Representation(
    queries.get_details, WorkingCopySchema(), lambda: [], WorkingCopySchema(many=True)
)
REPRESENTATION = _Representation(
    queries.get_details, WorkingCopySchema(), lambda: [], WorkingCopySchema(many=True)
)
_PUBLISHED = _Representation(
    articles.get_json,
    ArticleSchema(),
    lambda: [],
    ArticleSchema(many=True),
    get_fields=articles.get_json,
    fields_schema=SingleArticleFieldsSchema,
)


@bp.get("/")
@allow(author)
@bp.response(200, WorkingCopySchema())
def single(id: UUID) -> WithAttributes:
    """Return the working copy of an article: the edits that are not part of the article yet."""
    permissions.check_own(id)
    return queries.get_details(id)


@bp.put("/")
@allow(author, scope="write")
@bp.check_exists(permissions.check_exists)
@bp.arguments(WorkingCopyBodySchema)
@bp.write(200, WorkingCopySchema(), REPRESENTATION, creates=True)
def replace(fields: ArticleInput, id: UUID) -> UpsertResult:
    """Save the working copy of an article; no version is created, and readers do not see the edits.

    If there is no working copy, `If-Match` is compared with the ETag of the article. If it contains the ETags
    of both, the edits are based on the current version of the article from then on.
    """
    permissions.check_working_copy(id, fields)
    copy, created = service.save(current_user_id(), id, fields, rebase=_names_article(id))
    return UpsertResult(WithAttributes(copy, uuid=id), created)


def _names_article(id: UUID) -> bool:
    if "If-Match" not in request.headers or request.if_match.star_tag:
        return False
    return contains_state(request.if_match, ARTICLE.etag(id) or "")


@bp.delete("/")
@allow(author, scope="write")
@bp.check_exists(permissions.check_own)
@bp.check_exists(queries.check_exists)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Discard the working copy of an article; the history keeps it as a former version."""
    permissions.check_own(id)
    service.discard(id)


@bp.post("/publish/")
@allow(author, scope="write")
@bp.check_exists(permissions.check_exists)
@bp.arguments(PublishSchema, required=False)
@bp.write(
    200,
    ArticleSchema(),
    _PUBLISHED,
    partial_schema=SingleArticleFieldsSchema,
    prepare=lambda fields, id: service.prepare_publication(id),
)
def publish(fields: Fields, id: UUID) -> Article:
    """Write the working copy to the article, in one version, and delete the copy.

    `If-Match` is compared with the ETag of the working copy, or of the article if there is no copy. If the
    content of the article has changed since the version that the edits are based on, the response is `409`.
    """
    permissions.check_publication(id, fields.get("status"))
    return service.publish(current_user_id(), id, **fields, provisional_slug=current_caller().is_author)
