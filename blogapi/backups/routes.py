"""The endpoints of backups."""

from __future__ import annotations

from pathlib import Path

from flask import Response, current_app

from blogapi.backups import library
from blogapi.backups.library import StoredBackup, Verification
from blogapi.backups.schemas import BackupSchema, VerificationSchema
from blogapi.storage.database import end_read
from blogapi.web.access import admin_login, allow
from blogapi.web.blueprint import Blueprint
from blogapi.web.downloads import send_download
from blogapi.web.pagination import Page

bp = Blueprint("backups", __name__, url_prefix="/api/v1/backups", description="Backups")

_ZIP = "application/zip"
_BACKUP = "/<name>/"


@bp.get("/")
@allow(admin_login)
@bp.response(200, BackupSchema(many=True), may_conflict=True)
def listed() -> Page[list[StoredBackup]]:
    """List the backups in the instance folder, newest first.

    If the blog is on a database server, all operations return 409 and name the tool to use.
    """
    found = library.list_backups(_get_home())
    return Page(found, len(found), None)


@bp.post("/")
@allow(admin_login)
@bp.response(201, BackupSchema(), may_conflict=True)
def create() -> StoredBackup:
    """Write a backup of the whole blog, media files included. Only one backup is made at a time."""
    end_read()
    return library.create(_get_home())


@bp.get(_BACKUP)
@allow(admin_login)
@bp.response(
    200, {"type": "string", "format": "binary"}, content_type=_ZIP, storable=False, may_conflict=True
)
def download(name: str) -> Response:
    """Download a backup. It contains drafts, users and digests of passwords and keys, so keep it secret."""
    return send_download(library.get_path(_get_home(), name), name=name, mimetype=_ZIP)


@bp.post(f"{_BACKUP}verify/")
@allow(admin_login)
@bp.response(200, VerificationSchema(), may_conflict=True)
def verify(name: str) -> Verification:
    """Check a backup by restoring it into a temporary folder."""
    end_read()
    return library.verify(_get_home(), name)


@bp.delete(_BACKUP)
@allow(admin_login)
@bp.response(204, may_conflict=True)
def delete(name: str) -> None:
    """Delete a backup.

    For a daily backup, the response is 409, because the service deletes daily backups itself.
    """
    library.delete(_get_home(), name)


def _get_home() -> Path:
    return Path(current_app.instance_path)
