"""The endpoint of exports."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import marshmallow as ma
from flask import Response, current_app
from marshmallow import validate

from blogapi import clock
from blogapi.exporting import layouts
from blogapi.storage import files
from blogapi.web.access import allow, current_caller, editor_login
from blogapi.web.blueprint import Blueprint
from blogapi.web.downloads import send_download
from blogapi.web.errors import Conflict
from blogapi.web.fields import Fields, Schema, TextBoolean

_FOLDER_PREFIX = ".export-"
_ZIP_TYPE = "application/zip"

bp = Blueprint("exports", __name__, url_prefix="/api/v1/export", description="Exports", resource="export")


class ExportQuery(Schema):
    """The query parameters of an export."""

    format = ma.fields.String(
        validate=validate.OneOf(tuple(layouts.LAYOUTS)),
        load_default=layouts.DEFAULT_LAYOUT.name,
        metadata={"description": "The system for which the files are written.", "example": "hugo"},
    )
    drafts = TextBoolean(
        load_default=False,
        metadata={
            "description": "`true` exports the whole blog: drafts, scheduled, unlisted and archived texts "
            "and waiting edits too."
        },
    )


@bp.get("/")
@allow(editor_login)
@bp.arguments(ExportQuery, location="query")
@bp.response(200, {"type": "string", "format": "binary"}, content_type=_ZIP_TYPE, storable=False)
def download(query: Fields) -> Response:
    """Download the public texts, or with `drafts` the whole blog, as a zip archive.

    The archive contains files with front matter, and media files. Only one export runs at a time, until its
    archive has been sent.
    """
    # Imported here, so that the server loads the modules of the export only when they are needed.
    from blogapi.exporting import service

    with ExitStack() as stack:
        folder = _create_export_folder(stack)
        path = folder / "export.zip"
        layout, sees_admin_fields = layouts.LAYOUTS[query["format"]], current_caller().sees_admin_fields
        report = service.write_export(path, layout, drafts=query["drafts"], admin_fields=sees_admin_fields)
        if report.refused:
            first = report.refused[0]
            count = len(report.refused)
            current_app.logger.error("the export lacks %d files: %s: %s", count, first.path, first.reason)
        name = f"blog-{query['format']}-{clock.now():%Y-%m-%d}.zip"
        # The folder is deleted when the file has been sent.
        return send_download(path, name=name, mimetype=_ZIP_TYPE, on_close=stack.pop_all().close)


def _create_export_folder(stack: ExitStack) -> Path:
    """Create a temporary folder, and return its path; raises Conflict if another export is running."""
    instance = Path(current_app.instance_path)
    if not stack.enter_context(files.lock_file(instance / f"{_FOLDER_PREFIX}lock")):
        raise Conflict("Another export is running; wait until its file is downloaded.")
    for abandoned in instance.glob(f"{_FOLDER_PREFIX}*"):
        if abandoned.is_dir():
            shutil.rmtree(abandoned, ignore_errors=True)
    folder = tempfile.TemporaryDirectory(prefix=_FOLDER_PREFIX, dir=instance, ignore_cleanup_errors=True)
    return Path(stack.enter_context(folder))
