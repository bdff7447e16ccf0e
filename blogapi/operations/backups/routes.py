"""The endpoints and the metrics of backups."""

from __future__ import annotations

from pathlib import Path

import marshmallow as ma
from flask import Response, current_app

from blogapi.operations.backups import instance_backups, service
from blogapi.operations.backups.instance_backups import StoredBackup, VerificationResult
from blogapi.operations.backups.naming import BackupKind
from blogapi.operations.backups.status import read_status
from blogapi.storage.database import end_read
from blogapi.web import metrics
from blogapi.web.access import admin_login, allow
from blogapi.web.blueprint import Blueprint
from blogapi.web.downloads import send_download
from blogapi.web.fields import OutputSchema, Timestamp

bp = Blueprint("backups", __name__, url_prefix="/api/v1/backups", description="Backups")

_ZIP_TYPE = "application/zip"
_BACKUP_PATH = "/<name>/"
_EXAMPLE_NAME = "blogapi-20260131T093000000000Z.zip"


class BackupSchema(OutputSchema):
    """A backup in the instance folder."""

    name = ma.fields.String(metadata={"example": _EXAMPLE_NAME})
    size = ma.fields.Integer(metadata={"description": "Size of the file, in bytes.", "example": 4_194_304})
    created = Timestamp(dump_only=True)
    kind = ma.fields.String(
        metadata={"enum": [kind.name.lower() for kind in BackupKind], "example": "manual"}
    )
    has_media = ma.fields.Boolean(
        metadata={
            "description": "Whether the file contains the media files; otherwise they are in the folder "
            "`media` beside the file."
        }
    )
    missing = ma.fields.Integer(
        metadata={"description": "Number of media files that could not be saved.", "example": 0}
    )
    readable = ma.fields.Boolean(metadata={"description": "Whether the file is a backup that can be read."})


class VerificationSchema(OutputSchema):
    """The result of a check of a backup."""

    ok = ma.fields.Boolean(metadata={"description": "Whether the backup can be restored."})
    detail = ma.fields.String(metadata={"example": "The backup can be restored."})
    articles = ma.fields.Integer(metadata={"description": "Number of articles in the backup.", "example": 12})
    media = ma.fields.Integer(metadata={"description": "Number of media files in the backup.", "example": 40})
    missing = BackupSchema._declared_fields["missing"]


@bp.get("/")
@allow(admin_login)
@bp.response(200, BackupSchema(many=True))
def listed() -> list[StoredBackup]:
    """List the backups in the instance folder, newest first."""
    instance = _get_instance()
    with service.convert_errors(instance / "backups"):
        return instance_backups.list_backups(instance)


@bp.post("/")
@allow(admin_login)
@bp.response(201, BackupSchema())
def create() -> StoredBackup:
    """Write a backup of the whole blog, media files included. Only one backup is made at a time."""
    end_read()
    return instance_backups.create_backup(_get_instance())


@bp.get(_BACKUP_PATH)
@allow(admin_login)
@bp.response(200, {"type": "string", "format": "binary"}, content_type=_ZIP_TYPE, storable=False)
def download(name: str) -> Response:
    """Download a backup. It contains drafts, users and hashes of passwords and keys, so keep it secret."""
    return send_download(
        instance_backups.get_backup_path(_get_instance(), name), name=name, mimetype=_ZIP_TYPE
    )


@bp.post(f"{_BACKUP_PATH}verify/")
@allow(admin_login)
@bp.response(200, VerificationSchema())
def verify(name: str) -> VerificationResult:
    """Check a backup by restoring it into a temporary folder or database.

    If the database user may not create a database, the dump is only read, and `detail` says so.
    """
    end_read()
    return instance_backups.verify_backup(_get_instance(), name)


@bp.delete(_BACKUP_PATH)
@allow(admin_login)
@bp.response(204)
def delete(name: str) -> None:
    """Delete a backup.

    For a daily backup, the response is 409, because the service deletes daily backups itself.
    """
    instance_backups.delete_backup(_get_instance(), name)


def _get_instance() -> Path:
    return Path(current_app.instance_path)


@metrics.gauge("backup_last_success_timestamp_seconds", "Time of the last good backup.")
def _read_last_success_time() -> float | metrics.MetricValues:
    last = read_status(_get_instance()).last_success
    return last.timestamp() if last else {}


@metrics.gauge("backup_last_failed", "Whether a daily backup has failed since the last good backup.")
def _has_last_backup_failed() -> bool:
    return bool(read_status(_get_instance()).reason)


@metrics.gauge("backup_late", "Whether there has been no good backup for 36 hours.")
def _is_backup_late() -> bool:
    return read_status(_get_instance()).is_overdue(current_app.config["DAILY_BACKUPS"])
