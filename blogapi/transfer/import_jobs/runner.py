"""Runs an import job in a thread of this process, while another thread stores its progress.

A server that stops ends the job after the current article. If the server is killed, the updates stop.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from flask import Flask, current_app
from sqlalchemy.exc import SQLAlchemyError

from blogapi.storage import files
from blogapi.storage.database import current_time, db, transaction
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.import_jobs import folders
from blogapi.transfer.import_jobs.queries import ENDED, Status
from blogapi.transfer.import_jobs.summary import summarize
from blogapi.transfer.imports.preparing import open_run
from blogapi.transfer.imports.report_output import format_document
from blogapi.transfer.imports.run import ImportRun
from blogapi.transfer.imports.service import Importer
from blogapi.transfer.models import ImportJob
from blogapi.transfer.sources import ImportOptions
from blogapi.web.errors import Problem

Item = TypeVar("Item")

# Seconds between two updates of a job.
UPDATE_SECONDS = 1.0
# How many times storing the end of a job is tried if the database is busy.
_TRIES = 5

_EXTENSION = "blogapi-import-jobs"
_UNEXPECTED = "Something went wrong on the server; its log has the details. You can start the import again."


class _JobStopped(Exception):
    """The job was cancelled, or the server is stopping."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.value)
        self.status = status


class Runner:
    """Starts the jobs of this process, and ends them when the server stops."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, app: Flask, uuid: UUID) -> None:
        """Run a job in a new thread."""
        self._thread = threading.Thread(target=_run, args=(app, uuid, self), name="import", daemon=True)
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Stop the running job, and wait at most `seconds` for its end."""
        self.stopping.set()
        self.wait(seconds)

    def wait(self, seconds: float) -> None:
        """Wait at most `seconds` for the end of the job."""
        if self._thread is not None:
            self._thread.join(seconds)


def get_runner(app: Flask) -> Runner:
    """Return the runner of this process."""
    runner: Runner = app.extensions.setdefault(_EXTENSION, Runner())
    return runner


class _Progress:
    """The progress of a job: the thread of the job changes it, and another thread stores it."""

    def __init__(self, stopping: threading.Event) -> None:
        self.stage, self.done, self.total = "unpacking", 0, 0
        self.is_cancelled, self._stopping = False, stopping
        #: the import, as soon as its articles are stored
        self.run: ImportRun | None = None

    def report(self, items: Iterable[Item], *, total: int, label: str) -> Iterator[Item]:
        """Yield the items and count them; raises _JobStopped if the job must end."""
        self.stage, self.done, self.total = label.lower(), 0, total
        for item in items:
            if self.is_cancelled or self._stopping.is_set():
                raise _JobStopped(Status.CANCELLED if self.is_cancelled else Status.INTERRUPTED)
            yield item
            self.done += 1


def _run(app: Flask, uuid: UUID, runner: Runner) -> None:
    with app.app_context():
        job = db.session.get(ImportJob, uuid)
        if job is None:
            return
        progress, ended = _Progress(runner.stopping), threading.Event()
        updates = threading.Thread(target=_store_updates, args=(app, uuid, progress, ended), daemon=True)
        updates.start()
        is_trial = job.status == Status.TRYING
        status, error = Status.FAILED, _UNEXPECTED
        try:
            _import(job, progress, is_trial=is_trial)
            status, error = Status.TRIED if is_trial else Status.FINISHED, ""
        except _JobStopped as stop:
            status, error = stop.status, ""
        except RefusedFile as refusal:
            error = str(refusal)
        except Problem as problem:
            error = problem.detail
        except Exception:
            app.logger.exception("the import %s failed", uuid)
        finally:
            ended.set()
            updates.join()
            _finish(uuid, status, error, progress)


def _import(job: ImportJob, progress: _Progress, *, is_trial: bool) -> None:
    """Try or import the file of a job, and write the report; raises _JobStopped, RefusedFile and Problem."""
    uuid, options = job.uuid, json.loads(job.options)
    path = folders.get_upload_path(uuid, job.name)
    author = UUID(options.pop("owner"))
    options.pop("author")
    importer = Importer(author, dry_run=is_trial)
    reader_options = ImportOptions(now=current_time(), **options)
    with open_run([path], importer, reader_options) as run:
        progress.run = run
        try:
            run.run(progress.report)
        finally:
            name = folders.TRIAL_REPORT if is_trial else folders.REPORT
            _write_report(run, folders.get_folder(uuid) / name, is_trial=is_trial)


def _write_report(run: ImportRun, path: Path, *, is_trial: bool) -> None:
    with files.partial_file(path) as partial:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(format_document(run, dry_run=is_trial))
        files.replace(partial, path)


def _summarize(progress: _Progress) -> str:
    return summarize(progress.run) if progress.run else ""


def _store_updates(app: Flask, uuid: UUID, progress: _Progress, ended: threading.Event) -> None:
    """Store the progress until the job has ended, and check whether it was cancelled."""
    while not ended.wait(UPDATE_SECONDS):
        # The database can be busy; the next update follows soon.
        with app.app_context(), suppress(SQLAlchemyError, Problem), transaction():
            job = db.session.get(ImportJob, uuid)
            if job is None:
                return
            progress.is_cancelled = job.cancel_requested
            _store(progress, job)


def _store(progress: _Progress, job: ImportJob) -> None:
    job.stage, job.done, job.total = progress.stage, progress.done, progress.total
    job.last_updated = current_time()
    if job.status == Status.IMPORTING:
        job.report = _summarize(progress)


def _finish(uuid: UUID, status: Status, error: str, progress: _Progress) -> None:
    """Store the end of a job."""
    for tries_left in reversed(range(_TRIES)):
        try:
            with transaction():
                job = db.session.get(ImportJob, uuid)
                if job is None:
                    return
                _store(progress, job)
                if status is Status.TRIED:
                    job.trial_report = _summarize(progress)
                job.status, job.error = status, error
            break
        except SQLAlchemyError:
            if not tries_left:
                current_app.logger.exception("the end of the import %s cannot be stored", uuid)
                return
    if status in ENDED:
        folders.delete_upload(uuid)
