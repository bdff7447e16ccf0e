"""The folders of import jobs: `imports/<uuid>` in the instance folder.

Each folder contains the uploaded file, and as JSON the reports and the names of the wrong guesses.
"""

from __future__ import annotations

import re
import shutil
import time
import unicodedata
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from blogapi.content.media.folder import report_full_disk
from blogapi.importing import archives
from blogapi.importing.format_api.source_files import MAX_OUTER_FOLDERS
from blogapi.parsing import parse_uuid
from blogapi.storage import files

TRIAL_REPORT_FILE, REPORT_FILE, MARKED_FILE = "trial.json", "report.json", "marked.json"

# The readers of some formats search outer folders for other files of a blog, so the upload is in nested empty
# folders. The key of a file that is not an archive starts with the name of the innermost folder.
_UPLOAD_FOLDER = Path(*["_"] * MAX_OUTER_FOLDERS, "upload")
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MAX_NAME_BYTES = 200
# A folder without a job belongs to a running upload until it has this age; no upload takes longer.
_ABANDONED_SECONDS = 86_400


def make_file_name(sent: str) -> str:
    """Return a safe name for an uploaded file: the name that was sent, or `import` with its extension."""
    name = unicodedata.normalize("NFC", re.split(r"[/\\]", sent)[-1]).encode("utf-8", "replace").decode()
    name = _CONTROL_CHARACTER.sub("", name).strip(". ")
    if name and archives.is_allowed_on_windows(name) and len(name.encode()) <= _MAX_NAME_BYTES:
        return name
    extension = re.search(r"\.[A-Za-z0-9]{1,10}\Z", name)
    return f"import{extension[0] if extension else ''}"


def get_job_folder(uuid: UUID) -> Path:
    return archives.get_import_folder() / str(uuid)


def get_upload_path(uuid: UUID, name: str) -> Path:
    """Return the path of the uploaded file, even if it is missing."""
    return get_job_folder(uuid) / _UPLOAD_FOLDER / name


def create_upload_file(uuid: UUID) -> Path:
    """Create the folder of a job and the empty file that receives the upload; return the path of this file.

    Raises StorageFull if the disk is full.
    """
    path = get_upload_path(uuid, "receiving")
    with report_full_disk():
        archives.get_import_folder().mkdir(mode=0o700, exist_ok=True)
        path.parent.mkdir(mode=0o700, parents=True)
        files.create_private_file(path)
    return path


def delete_upload(uuid: UUID) -> None:
    """Delete the uploaded file of a job; its reports stay."""
    shutil.rmtree(get_job_folder(uuid) / _UPLOAD_FOLDER.parts[0], ignore_errors=True)


def delete_job_folders(uuids: Iterable[UUID]) -> None:
    for uuid in uuids:
        shutil.rmtree(get_job_folder(uuid), ignore_errors=True)


def delete_abandoned_folders(known_jobs: Collection[UUID]) -> None:
    """Delete the leftovers of killed servers and commands: folders of unknown jobs, and archives."""
    root = archives.get_import_folder()
    archives.delete_abandoned_folders(root)
    for path in root.iterdir() if root.is_dir() else ():
        uuid = parse_uuid(path.name)
        with suppress(OSError):
            if uuid and uuid not in known_jobs and time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
