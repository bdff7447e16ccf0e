"""Runs an import job: starts the `import` command in a process of its own, and stores its progress.

When the server stops, it ends the process. If the server is killed, the process ends itself; see
`importing.pipeline.background`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any
from uuid import UUID

from flask import Flask, current_app
from sqlalchemy.exc import SQLAlchemyError

from blogapi import config
from blogapi.accounts.users.queries import find_user
from blogapi.importing.format_api.source import DEFINE_NONE, UNREAD_RULES_DRAFT
from blogapi.importing.jobs import folders
from blogapi.importing.jobs.queries import FINAL_STATUSES, JobStatus
from blogapi.importing.models import ImportJob
from blogapi.importing.texts.messages import SERVER_ERROR
from blogapi.storage.database import current_time, db, end_read, transaction
from blogapi.web.errors import Problem

PROGRESS_INTERVAL_SECONDS = 1.0
# The maximum number of bytes of a line; a summary has at most about one million.
MAX_LINE_BYTES = 8_000_000
# The time that a process gets to end after its current article; then the server kills the process.
STOP_SECONDS = 3.0
# The number of attempts to store the result of a job if the database is busy.
_STORE_TRIES = 5
# The exit statuses after SIGTERM, with which the operating system ends all processes of a service.
_TERMINATED_STATUSES = (-signal.SIGTERM, 128 + signal.SIGTERM)
_EXTENSION_NAME = "blogapi-import-jobs"


class JobRunner:
    """Starts the jobs of this process, and ends them when the server stops."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start_job(self, app: Flask, uuid: UUID, lock: ExitStack) -> None:
        """Run a job in a new thread, which frees the lock when the job has ended."""
        self._thread = threading.Thread(
            target=_run_job, args=(app, uuid, self, lock), name="import", daemon=True
        )
        self._thread.start()

    def stop_job(self, seconds: float) -> None:
        """Stop the running job, and wait at most `seconds` for its end."""
        self.stopping.set()
        self.wait_for_job(seconds)

    def wait_for_job(self, seconds: float) -> None:
        """Wait at most `seconds` for the end of the job."""
        if self._thread is not None:
            self._thread.join(seconds)


def get_runner(app: Flask) -> JobRunner:
    runner: JobRunner = app.extensions.setdefault(_EXTENSION_NAME, JobRunner())
    return runner


class ImportProcess:
    """The process of an import, and the last line that the process has written."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.last_line: dict[str, Any] = {"stage": "unpacking", "done": 0, "total": 0, "summary": None}
        # The process logs to standard error, as the server does. Ctrl-C ends only the server, which then ends
        # the process.
        self._process = subprocess.Popen(  # noqa: S603, the command is our own
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
            # On Windows, this flag has the same effect as a new session.
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._reader = threading.Thread(target=self._read_lines, daemon=True)
        self._reader.start()

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            while line := lines.readline(MAX_LINE_BYTES):
                # The last line of a killed process can be incomplete.
                with suppress(ValueError):
                    value = json.loads(line)
                    if isinstance(value, dict):
                        self.last_line = self.last_line | value if "format" in value else value

    def wait_for_end(self, seconds: float) -> bool:
        """Wait at most `seconds` for the end of the process; return whether it has ended."""
        self._reader.join(seconds)
        return not self._reader.is_alive()

    def stop_process(self) -> int:
        """End the process if it is running; return its exit status."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        if not self.wait_for_end(STOP_SECONDS):
            self._process.kill()
            self._reader.join()
        return self._process.wait()


def _run_job(app: Flask, uuid: UUID, runner: JobRunner, lock: ExitStack) -> None:
    with lock, app.app_context():
        job = db.session.get(ImportJob, uuid)
        if job is None:
            return
        is_trial = job.status == JobStatus.TRYING
        try:
            command = build_import_command(job, is_trial=is_trial)
            end_read()
            # With this path, the process finds the packages of the server in any working directory.
            path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            child = ImportProcess(command, config.build_process_environment(app) | path)
        except (OSError, config.CannotStart):
            app.logger.exception("the import %s cannot be started", uuid)
            _store_outcome(uuid, JobStatus.FAILED, SERVER_ERROR, {})
            return
        status, error = _watch_process(uuid, child, runner.stopping), ""
        exit_status = child.stop_process()
        if "error" in child.last_line:
            error = child.last_line["error"]
            status = JobStatus.FAILED if error else JobStatus.TRIED if is_trial else JobStatus.FINISHED
        elif status is JobStatus.FAILED and exit_status in _TERMINATED_STATUSES:
            status = JobStatus.INTERRUPTED
        elif status is JobStatus.FAILED:
            app.logger.error("the process of the import %s ended with status %s", uuid, exit_status)
            error = (
                f"{name} ended the import; update the package or uninstall it."
                if (name := child.last_line.get("format", ""))
                else SERVER_ERROR
            )
        _store_outcome(uuid, status, error, child.last_line)


def build_import_command(job: ImportJob, *, is_trial: bool) -> list[str]:
    """Return the `import` command for the uploaded file of a job, and write the file that it reads."""
    options = json.loads(job.options)
    owner = find_user(UUID(options["owner"]))
    name = folders.TRIAL_REPORT_FILE if is_trial else folders.REPORT_FILE
    report = folders.get_job_folder(job.uuid) / name
    # The names can be longer than a command on Windows, which has at most 32,767 characters.
    marked = report.with_name(folders.MARKED_FILE)
    marked.write_text(json.dumps(options.get("publish_marked", [])), encoding="utf-8")
    return [
        *(sys.executable, "-P", "-m", "blogapi", "import"),
        f"--background={report}",
        f"--author={owner.username if owner else options['author']}",
        f"--base-url={options['base_url']}",
        # Jobs of an earlier version have `tag` in place of `keep`.
        f"--pages={'skip' if options['pages'] == 'skip' else 'keep'}",
        f"--define-fields={options.get('define_fields', DEFINE_NONE)}",
        f"--unread-rules={options.get('unread_rules', UNREAD_RULES_DRAFT)}",
        f"--marked-file={marked}",
        *(["--restricted"] if options.get("restricted") else []),
        *(["--publish-undated"] if options["publish_undated"] else []),
        *(["--dry-run"] if is_trial else []),
        *("--", str(folders.get_upload_path(job.uuid, job.name))),
    ]


def _watch_process(uuid: UUID, child: ImportProcess, stopping: threading.Event) -> JobStatus:
    """Store the progress until the process ends or must end; return the status for a job without a result."""
    while not stopping.is_set():
        if child.wait_for_end(PROGRESS_INTERVAL_SECONDS):
            return JobStatus.FAILED
        # The database can be busy; the next update follows soon.
        with suppress(SQLAlchemyError, Problem), transaction(visible=False):
            job = db.session.get(ImportJob, uuid)
            if job is None or job.cancel_requested:
                return JobStatus.CANCELLED
            _store_progress(job, child.last_line)
    return JobStatus.INTERRUPTED


def _store_progress(job: ImportJob, line: Mapping[str, Any]) -> None:
    job.stage, job.done, job.total = line.get("stage", ""), line.get("done", 0), line.get("total", 0)
    job.last_updated = current_time()
    if job.status == JobStatus.IMPORTING:
        job.report = _dump_summary(line)


def _dump_summary(line: Mapping[str, Any]) -> str:
    return json.dumps(line["summary"], ensure_ascii=False) if line.get("summary") else ""


def _store_outcome(uuid: UUID, status: JobStatus, error: str, line: Mapping[str, Any]) -> None:
    for tries_left in reversed(range(_STORE_TRIES)):
        try:
            with transaction(visible=False):
                job = db.session.get(ImportJob, uuid)
                if job is None:
                    return
                _store_progress(job, line)
                if status is JobStatus.TRIED:
                    job.trial_report = _dump_summary(line)
                job.status, job.error = status, error
            break
        except SQLAlchemyError:
            if not tries_left:
                current_app.logger.exception("the result of the import %s cannot be stored", uuid)
                return
    if status in FINAL_STATUSES:
        folders.delete_upload(uuid)
