"""The endpoints of imports."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any
from uuid import UUID, uuid4

from flask import Flask, Response, current_app, request

from blogapi.accounts.users.queries import get_user_by_name
from blogapi.content.media.folder import report_full_disk
from blogapi.importing.format_api.source import DEFINE_NONE
from blogapi.importing.jobs import folders, queries, schemas, service
from blogapi.importing.jobs.queries import JobView
from blogapi.importing.jobs.runner import get_runner
from blogapi.web.access import allow, check_before_body, current_caller, current_user_id, editor_login
from blogapi.web.blueprint import Blueprint
from blogapi.web.downloads import send_download
from blogapi.web.errors import Forbidden, Invalid, InvalidQuery, NotFound
from blogapi.web.fields import EmptySchema, Fields
from blogapi.web.uploads import FileBodySchema, receive_file

bp = Blueprint(
    "imports",
    __name__,
    url_prefix="/api/v1/imports",
    description="Imports of other blogs, which run in the background",
)


@bp.get("/")
@allow(editor_login)
@bp.response(200, schemas.ImportJobSchema(many=True))
def listed() -> list[JobView]:
    """List the imports, newest first."""
    return queries.list_jobs()


@bp.post("/")
@allow(editor_login, scope="write")
@check_before_body(service.check_no_import_is_running)
@bp.arguments(schemas.ImportQuery, location="query")
@bp.response(201, schemas.SingleImportJobSchema())
@bp.file_body(FileBodySchema)
def create(query: Fields) -> Any:
    """Upload the file of another blog and start its trial, which stores nothing.

    The file is a zip archive, or one file, such as an export of WordPress or Ghost. One import runs at a
    time. At most 10 imports are kept, for at most 7 days.
    """
    options = _make_job_options(query)
    uuid = uuid4()
    path = folders.create_upload_file(uuid)
    try:
        max_size = current_app.config["MAX_IMPORT_SIZE"]
        with report_full_disk():
            received = receive_file(request, query, path, max_size=max_size, schema=FileBodySchema)
        name = folders.make_file_name(received.name)
        path.rename(path.with_name(name))
        lock = service.create_job(uuid, current_user_id(), name, options)
    except BaseException:
        folders.delete_job_folders([uuid])
        raise
    return _start_job(uuid, lock)


@bp.get("/<id:id>/")
@allow(editor_login)
@bp.response(200, schemas.SingleImportJobSchema())
def single(id: UUID) -> JobView:
    """Return an import with its progress."""
    return queries.get_job(id)


@bp.post("/<id:id>/start/")
@allow(editor_login, scope="write")
@bp.arguments(schemas.ImportStartSchema, required=False)
@bp.response(200, schemas.SingleImportJobSchema())
def start(options: Fields, id: UUID) -> JobView:
    """Import the file, or continue an interrupted import; nothing is imported twice."""
    lock = service.start_job(id, options, restricted=not current_caller().is_admin)
    return _start_job(id, lock)


@bp.post("/<id:id>/cancel/")
@allow(editor_login, scope="write")
@bp.arguments(EmptySchema, required=False)
@bp.response(200, schemas.SingleImportJobSchema())
def cancel(nothing: Fields, id: UUID) -> JobView:
    """End an import; articles that were imported stay. A running import ends after the current articles."""
    service.cancel_job(id)
    return queries.get_job(id)


@bp.get("/<id:id>/report/")
@allow(editor_login)
@bp.response(200, {"type": "object"}, storable=False)
def download_report(id: UUID) -> Response:
    """Download the whole report of the last trial or import."""
    return send_download(queries.get_report_path(id), name="import-report.json", mimetype="application/json")


@bp.delete("/<id:id>/")
@allow(editor_login, scope="write")
@bp.response(204)
def delete(id: UUID) -> None:
    """Delete an import with its file and its report; its articles stay."""
    service.delete_job(id)


def _start_job(uuid: UUID, lock: ExitStack) -> JobView:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    view = queries.get_job(uuid)
    get_runner(app).start_job(app, uuid, lock)
    return view


def _make_job_options(query: Fields) -> Fields:
    restricted = not current_caller().is_admin
    if query["define_fields"] != DEFINE_NONE and restricted:
        raise Forbidden("Only admins define custom fields; send the file without `define_fields`.")
    name = query["author"] or current_caller().username
    try:
        owner = get_user_by_name(name)
    except (NotFound, Invalid) as error:
        raise InvalidQuery("The author is unknown.", errors={"author": [error.detail]}) from error
    options = {key: query[key] for key in ("base_url", "pages", "publish_undated", "define_fields")}
    return options | {"author": owner.username, "owner": str(owner.uuid), "restricted": restricted}
