"""Queries for import jobs."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.orm import load_only

from blogapi.accounts.users.models import Account
from blogapi.importing.format_api.source import DEFINE_NONE, UNREAD_RULES_DRAFT
from blogapi.importing.jobs import folders
from blogapi.importing.models import EMPTY_SUMMARY, ImportJob
from blogapi.storage import files
from blogapi.storage.database import db, end_read
from blogapi.web import metrics
from blogapi.web.errors import NotFound
from blogapi.web.fields import Fields

_LOCK_FILE = "running.lock"
# The key has two numbers, so that it differs from the key of the write lock.
_TAKE_LOCK_SQL = text("SELECT pg_advisory_lock(625184621, hashtext(:job))")
_IS_LOCKED_SQL = text(
    "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE "
    "datname = current_database() AND locktype = 'advisory' AND classid = 625184621 AND "
    "objid = hashtext(:job)::oid)"
)


def take_job_lock(uuid: UUID) -> ExitStack:
    """Lock a job that is not running; return a stack that frees the lock when it is closed."""
    with ExitStack() as stack:
        if db.engine.dialect.name == "sqlite":
            # Wait, because a runner that has just stored the result of the job frees the lock soon.
            stack.enter_context(files.lock_file(folders.get_job_folder(uuid) / _LOCK_FILE, wait=True))
        else:
            # The connection is not returned to the pool; closing it frees the lock.
            engine = db.engine.execution_options(isolation_level="AUTOCOMMIT")
            connection = stack.enter_context(engine.connect())
            connection.detach()
            connection.execute(_TAKE_LOCK_SQL, {"job": str(uuid)})
        return stack.pop_all()


def is_job_running(uuid: UUID) -> bool:
    if db.engine.dialect.name == "sqlite":
        return files.is_locked(folders.get_job_folder(uuid) / _LOCK_FILE)
    return bool(db.session.scalar(_IS_LOCKED_SQL, {"job": str(uuid)}))


class JobStatus(StrEnum):
    """The state of a job: its current activity, or how it ended.

    A job begins with its trial, which is a dry run. `tried`, `failed` and `interrupted` jobs can be started.
    """

    TRYING = "trying"
    TRIED = "tried"
    IMPORTING = "importing"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


RUNNING_STATUSES = (JobStatus.TRYING, JobStatus.IMPORTING)
FINAL_STATUSES = (JobStatus.FINISHED, JobStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as responses show it, with the numbers and problems of its last summary."""

    job: ImportJob
    status: JobStatus
    user: Fields | None
    options: Fields
    summary: Fields

    def __getattr__(self, name: str) -> Any:
        # All other fields come from the summary or from the job.
        return self.summary[name] if name in self.summary else getattr(self.job, name)


def list_jobs() -> list[JobView]:
    return _read_job_views(_build_jobs_statement().order_by(ImportJob.created.desc(), ImportJob.uuid))


def get_job(uuid: UUID) -> JobView:
    """Return a job; raises NotFound if there is none."""
    views = _read_job_views(_build_jobs_statement().where(ImportJob.uuid == uuid))
    if not views:
        raise NotFound("There is no such import; GET /api/v1/imports/ lists them.")
    return views[0]


def get_job_status(job: ImportJob) -> JobStatus:
    """Return the status of a job; a running job whose server was killed is interrupted."""
    status = JobStatus(job.status)
    return JobStatus.INTERRUPTED if status in RUNNING_STATUSES and not is_job_running(job.uuid) else status


@metrics.gauge("imports", "Imports that the blog keeps.", "status", reads_database=True)
def _count_jobs() -> metrics.MetricValues:
    jobs = db.session.scalars(select(ImportJob).options(load_only(ImportJob.status)))
    counts = Counter(map(get_job_status, jobs))
    return {(status.value,): counts[status] for status in JobStatus}


def get_report_path(uuid: UUID) -> Path:
    """Return the path of the last report of a job; raises NotFound if there is none."""
    get_job(uuid)
    for name in (folders.REPORT_FILE, folders.TRIAL_REPORT_FILE):
        path = folders.get_job_folder(uuid) / name
        if path.is_file():
            return path
    raise NotFound("This import has no report yet; wait until its trial has ended.")


def _build_jobs_statement() -> Any:
    return select(ImportJob, Account.username).outerjoin(Account, Account.uuid == ImportJob.user_id)


def _read_job_views(statement: Any) -> list[JobView]:
    rows = [(*row, get_job_status(row[0])) for row in db.session.execute(statement).all()]
    if any(status is JobStatus.INTERRUPTED for *_, status in rows):
        # A job can have ended after its row was read and before its lock was checked.
        end_read()
        rows = [(*row, get_job_status(row[0])) for row in db.session.execute(statement).all()]
    # Jobs of an earlier version do not have these options.
    defaults = {"define_fields": DEFINE_NONE, "unread_rules": UNREAD_RULES_DRAFT, "publish_marked": []}
    views = []
    for job, name, status in rows:
        user = name and {"uuid": job.user_id, "username": name}
        # After the trial, its summary is shown; later, the summary of the import.
        summary = json.loads((job.trial_report if job.status == JobStatus.TRIED else job.report) or "{}")
        options = defaults | json.loads(job.options)
        views.append(JobView(job, status, user, options, EMPTY_SUMMARY | summary))
    return views
