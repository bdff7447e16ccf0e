"""Creates, starts, cancels and deletes import jobs.

One job runs at a time. A transaction checks this, so the limit also holds for several servers.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from datetime import timedelta
from uuid import UUID

from sqlalchemy import select

from blogapi.importing.jobs import folders, queries
from blogapi.importing.jobs.queries import FINAL_STATUSES, RUNNING_STATUSES, JobStatus
from blogapi.importing.models import ImportJob
from blogapi.storage.database import BUSY_ERRORS, current_time, db, transaction
from blogapi.storage.version_check import NewerSchema
from blogapi.web.errors import Conflict, Forbidden, require_item
from blogapi.web.fields import Fields

MAX_JOBS, MAX_JOB_AGE = 10, timedelta(days=7)


def check_no_import_is_running() -> None:
    """Raise Conflict if an import is running."""
    if any(view.status in RUNNING_STATUSES for view in queries.list_jobs()):
        raise Conflict("Another import is running; wait until it ends, or cancel it.", code="import_running")


def create_job(uuid: UUID, user: UUID, name: str, options: Fields) -> ExitStack:
    """Create a job for the uploaded file in its folder; return its lock, which the trial needs.

    Deletes old jobs. Raises Conflict if another import is running.
    """
    size = folders.get_upload_path(uuid, name).stat().st_size
    with transaction(visible=False):
        check_no_import_is_running()
        deleted = _delete_old_jobs(MAX_JOBS - 1)
        job = ImportJob(
            uuid=uuid,
            user_id=user,
            name=name,
            size=size,
            options=json.dumps(options),
            status=JobStatus.TRYING,
        )
        db.session.add(job)
        db.session.flush()
        lock = queries.take_job_lock(uuid)
    folders.delete_job_folders(deleted)
    return lock


def start_job(uuid: UUID, options: Fields, *, restricted: bool) -> ExitStack:
    """Mark a job as running, and return its lock; with `restricted`, a user who is not an admin starts it.

    The next run is the import, or the trial if no trial has ended. `options` replace options of the job.
    Raises NotFound, Forbidden, and Conflict if the job cannot be started or another import is running.
    """
    with transaction(visible=False):
        job = _get_job(uuid)
        if restricted and not json.loads(job.options).get("restricted"):
            raise Forbidden("Only admins start an import that an admin uploaded; upload the file yourself.")
        status = queries.get_job_status(job)
        if status in FINAL_STATUSES:
            raise Conflict(f"This import is {status.value}; upload the file again.", code="import_ended")
        check_no_import_is_running()
        if not folders.get_upload_path(uuid, job.name).is_file():
            raise Conflict(
                "The server no longer has the uploaded file; upload it again.", code="import_ended"
            )
        job.options = json.dumps(json.loads(job.options) | dict(options))
        job.status = JobStatus.IMPORTING if job.trial_report else JobStatus.TRYING
        job.cancel_requested, job.error, job.report = False, "", ""
        job.stage, job.done, job.total = "", 0, 0
        job.last_updated = current_time()
        return queries.take_job_lock(uuid)


def cancel_job(uuid: UUID) -> None:
    """Cancel a job; the articles that it has imported stay.

    Raises NotFound, and Conflict if the job has ended.
    """
    with transaction(visible=False):
        job = _get_job(uuid)
        status = queries.get_job_status(job)
        if status in FINAL_STATUSES:
            raise Conflict(f"This import is already {status.value}.", code="import_ended")
        if status in RUNNING_STATUSES:
            job.cancel_requested = True
            return
        job.status = JobStatus.CANCELLED
    folders.delete_upload(uuid)


def delete_job(uuid: UUID) -> None:
    """Delete a job with its file and its reports; raises NotFound, and Conflict if it is running."""
    with transaction(visible=False):
        job = _get_job(uuid)
        if queries.get_job_status(job) in RUNNING_STATUSES:
            raise Conflict("This import is running; cancel it first.", code="import_running")
        db.session.delete(job)
    folders.delete_job_folders([uuid])


def delete_old_jobs() -> None:
    """Delete old jobs, and the folders that killed servers have left, unless the database is busy."""
    try:
        with transaction(wait=False, visible=False):
            deleted = _delete_old_jobs(MAX_JOBS)
            known_jobs = set(db.session.scalars(select(ImportJob.uuid)))
    except (*BUSY_ERRORS, NewerSchema):
        return
    folders.delete_job_folders(deleted)
    folders.delete_abandoned_folders(known_jobs)


def _delete_old_jobs(keep: int) -> list[UUID]:
    """Delete old jobs and all but the newest `keep`, unless they are running; return their uuids."""
    now, deleted = current_time(), []
    for number, view in enumerate(queries.list_jobs()):
        is_old = number >= keep or now - view.job.last_updated > MAX_JOB_AGE
        if is_old and view.status not in RUNNING_STATUSES:
            deleted.append(view.job.uuid)
            db.session.delete(view.job)
    return deleted


def _get_job(uuid: UUID) -> ImportJob:
    job = db.session.get(ImportJob, uuid)
    return require_item(job, "There is no such import; GET /api/v1/imports/ lists them.")
