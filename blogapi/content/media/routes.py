"""The endpoints of the media library."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from uuid import UUID

from flask import Response, after_this_request, current_app, request

from blogapi.content.media import affected_items, editing, permissions, queries, removal, service
from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import Media
from blogapi.content.media.queries import MediaFilters
from blogapi.content.media.schemas import (
    DeletionQuery,
    MediaChangesSchema,
    MediaListQuery,
    MediaSchema,
    UploadBodySchema,
    UploadQuery,
)
from blogapi.content.media.service import PreparedFile
from blogapi.storage.database import end_read
from blogapi.web.access import allow, author, current_caller, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import NotFound, Unavailable
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.pagination import DetailQuery, Page, Query
from blogapi.web.representation import Representation, UpsertResult
from blogapi.web.uploads import FileBodySchema, FileQuery, receive_file

# The headers are empty here, because the OpenAPI document describes them once for all operations.
_HEADERS: Fields = {"Location": {}, "ETag": {}}

bp = Blueprint("media", __name__, url_prefix="/api/v1/blog/media", description="The media library")

REPRESENTATION = Representation(
    queries.get_file_json,
    MediaSchema(),
    lambda: queries.list_files_json(_limit_filters_to_caller(MediaFilters()), None).rows,
    MediaSchema(many=True),
    get_fields=queries.get_file_json,
    fields_schema=MediaSchema,
)


@bp.get("/")
@allow(author)
@bp.response(200, MediaSchema(many=True), partial_schema=MediaSchema, query=MediaListQuery)
def listed(query: Query) -> Page[JsonBody]:
    """List the files of the media library, newest first; authors get only files that they may see."""
    return queries.list_files_json(
        _limit_filters_to_caller(MediaFilters(**query.filters)), query.page, query.fields
    )


def _limit_filters_to_caller(filters: MediaFilters) -> MediaFilters:
    return dataclasses.replace(filters, visible_to=current_caller().restricted_to_author)


@contextmanager
def _receive_upload(
    query: Fields, *, schema: type[FileBodySchema] = UploadBodySchema, default_name: str = ""
) -> Iterator[tuple[PreparedFile, Fields]]:
    """Yield the file in the body of the request, which is checked but not stored, and its texts.

    `query` has the loaded query parameters. The body is written to a temporary file in the media folder,
    which is deleted at the end. A file without a name gets `default_name`. Raises a Problem if the body
    contains no acceptable file, and StorageFull if the disk is full.
    """
    max_size = current_app.config["MAX_MEDIA_SIZE"]
    with get_folder().create_temporary_file() as path:
        received = receive_file(
            request, query, path, max_size=max_size, schema=schema, default_name=default_name
        )
        texts = {name: value for name, value in received.values.items() if name in ("alt", "caption")}
        with service.prepare_file(path, received.name) as prepared:
            after_this_request(partial(_add_warning_header, prepared.note))
            yield prepared, texts


def _add_warning_header(note: str, response: Response) -> Response:
    if note:
        response.headers["X-Warning"] = note
    return response


@bp.post("/")
@allow(author, scope="drafts")
@bp.arguments(UploadQuery, location="query")
@bp.response(201, MediaSchema(), headers=_HEADERS)
@bp.alt_response(200, schema=MediaSchema(), headers={"ETag": _HEADERS["ETag"]}, success=True)
@bp.file_body(UploadBodySchema)
def create(query: Fields) -> Response:
    """Upload a file.

    If the library already has the file, the response is its existing entry with status 200. An alt text or a
    caption is added if the entry has none and the caller may change both the entry and what is public. An
    upload can therefore be repeated safely.
    """
    with _receive_upload(query) as (prepared, texts):
        media, created = editing.add_file(prepared, **texts, user=current_user_id())
    try:
        return bp.build_write_response(UpsertResult(media, created), 200, MediaSchema(), REPRESENTATION)
    except NotFound as error:
        raise Unavailable(service.DELETED_MEANWHILE_MESSAGE) from error


@bp.get("/<id:id>/")
@allow(author)
@bp.response(200, MediaSchema(), partial_schema=MediaSchema, query=DetailQuery)
def single(query: Query, id: UUID) -> JsonBody:
    """Return a file of the media library."""
    permissions.check_visible(id)
    return queries.get_file_json(id, query.fields)


@bp.patch("/<id:id>/")
@allow(author, scope="write")
@bp.check_exists(permissions.check_changeable)
@bp.arguments(MediaChangesSchema)
@bp.write(
    200,
    MediaSchema(),
    REPRESENTATION,
    partial_schema=MediaSchema,
    prepare_write=lambda changes, id: affected_items.prerender_articles([id]),
)
def change(changes: Fields, id: UUID) -> Media:
    """Change the name, the alt text, `decorative` or the caption of a file."""
    permissions.check_changeable(id)
    return editing.change_file(id, changes)


@contextmanager
def _receive_replacement(query: Fields, id: UUID) -> Iterator[PreparedFile]:
    default_name = queries.get_media(id).name
    # The upload can be slow, and must not keep a snapshot of the database open.
    end_read()
    with _receive_upload(query, schema=FileBodySchema, default_name=default_name) as (prepared, _):
        yield prepared


@bp.put("/<id:id>/content/")
@allow(author, scope="write")
@bp.check_exists(permissions.check_changeable)
@bp.arguments(FileQuery, location="query")
@bp.file_body(FileBodySchema)
@bp.write(
    200,
    MediaSchema(),
    REPRESENTATION,
    receive_body=_receive_replacement,
    prepare_write=lambda query, file, id: editing.prerender_affected_articles(file, id),
)
def replace(query: Fields, file: PreparedFile, id: UUID) -> Media:
    """Replace a file by another file, also of another type.

    The uuid, the texts and the uses of the entry stay, and every item that uses it shows the new file. Old
    addresses redirect to the new address. The name changes only if the parameter `name` is sent. If the
    library has the new file as another entry, the response is 409.
    """
    permissions.check_changeable(id)
    return editing.replace_file(id, file, name=query.get("name", ""))


@bp.delete("/<id:id>/")
@allow(author, scope="write")
@bp.check_exists(permissions.check_changeable)
@bp.arguments(DeletionQuery, location="query")
@bp.write(204, None, REPRESENTATION, prepare_write=lambda query, id: affected_items.prerender_articles([id]))
def delete(query: Fields, id: UUID) -> None:
    """Delete a file; a file that an item uses is deleted only with `force`."""
    permissions.check_changeable(id)
    removal.delete_file(id, **query)
