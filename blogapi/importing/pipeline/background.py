"""An import that a server runs in a process of its own, so that a hostile file cannot harm the server.

The process writes JSON objects to standard output, one per line. A line about the progress has `stage`,
`done`, `total` and the `summary` so far. A line with only `format` names the format of another package whose
code starts; `format` is empty when the code has ended. The last line also has `error`, which is empty if the
import succeeded; if no line has `error`, the process was stopped or killed. The process ends after the
current article when its standard input is closed, which also happens when the server is killed.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar

from flask import current_app

from blogapi import clock
from blogapi.content.media import process_limits
from blogapi.importing.formats import foreign_code
from blogapi.importing.pipeline.report_output import format_json_report, summarize_run
from blogapi.importing.pipeline.run import ImportRun
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.messages import DISK_FULL, SERVER_ERROR
from blogapi.storage import database, files
from blogapi.storage.disk_errors import is_disk_full_error
from blogapi.web.errors import Problem

TrackedItem = TypeVar("TrackedItem")

MAX_MEMORY_BYTES = 2 * 1024**3
# 100,000 articles take about ten minutes of processor time. Pictures are decoded in other processes.
MAX_CPU_SECONDS, MAX_IMPORT_SECONDS = 3600, 6 * 3600
# The time until the process ends itself after its input is closed; a running server kills it earlier.
STOP_SECONDS = 5.0
PROGRESS_INTERVAL_SECONDS = 0.5

_TOO_LARGE_ERROR = f"The import needs more than {MAX_MEMORY_BYTES // 1024**3} GB of memory; split the file."


def run_import(
    open_import: Callable[[], AbstractContextManager[ImportRun]],
    report: Path,
    *,
    dry_run: bool,
    input: BinaryIO,
    output: TextIO,
) -> None:
    """Run an import, print its progress and its result, and write its report as JSON into the file `report`.

    Raises SystemExit if the input is closed.
    """
    process_limits.limit_process(memory_bytes=MAX_MEMORY_BYTES, cpu_seconds=MAX_CPU_SECONDS)
    # The thread of `faulthandler` also ends a process that hangs in a regular expression.
    faulthandler.dump_traceback_later(MAX_IMPORT_SECONDS, exit=True)
    database.leave_checkpoints_to_server()
    progress = _ProgressPrinter(_redirect_output(output))
    report_format, foreign_code.report_format = foreign_code.report_format, progress.print_format
    threading.Thread(target=progress.watch_input, args=(input.fileno(),), daemon=True).start()
    error, lock = "", report.with_name("process.lock")
    try:
        # Wait for the end of a process that a killed server has left; it ends soon.
        with foreign_code.exit_on_signals(), files.lock_file(lock, wait=True), open_import() as progress.run:
            try:
                progress.run.import_sources(progress.track_items)
            finally:
                with files.create_partial_file(report) as partial:
                    with partial.open("w", encoding="utf-8", newline="\n") as file:
                        file.writelines(format_json_report(progress.run, dry_run=dry_run))
                    files.replace_file(partial, report)
                progress.print_progress()
    except RefusedFile as refusal:
        error = str(refusal)
    except Problem as problem:
        error = problem.detail
    except MemoryError:
        error = _TOO_LARGE_ERROR
    except Exception as failure:
        current_app.logger.exception("the import failed")
        error = DISK_FULL if is_disk_full_error(failure) else SERVER_ERROR
    finally:
        foreign_code.report_format = report_format
        progress.ended.set()
        faulthandler.cancel_dump_traceback_later()
    progress.print_progress(error=error)


def _redirect_output(output: TextIO) -> TextIO:
    """Return the file for the progress; all other output of the process goes to standard error."""
    if output is not sys.stdout:
        return output
    copy = os.dup(output.fileno())
    os.dup2(sys.stderr.fileno(), output.fileno())
    return os.fdopen(copy, "w", encoding="utf-8")


class _ProgressPrinter:
    def __init__(self, output: TextIO) -> None:
        self.run: ImportRun | None = None
        self._output = output
        self._stage, self._done, self._total = "unpacking", 0, 0
        self._next_print = 0.0
        self._stopping, self.ended = threading.Event(), threading.Event()

    def track_items(self, items: Iterable[TrackedItem], *, total: int, label: str) -> Iterator[TrackedItem]:
        """Yield the items and count them; raises SystemExit when the import must end."""
        self._stage, self._done, self._total = label.lower(), 0, total
        self.print_progress()
        for item in items:
            if self._stopping.is_set():
                raise SystemExit
            yield item
            self._done += 1
            if clock.monotonic() >= self._next_print:
                self.print_progress()

    def print_format(self, name: str) -> None:
        """Print the name of another package's format when its code starts, and "" when its code has ended."""
        self._print_line({"format": name})

    def print_progress(self, **result: str) -> None:
        summary = summarize_run(self.run) if self.run else None
        line = {"stage": self._stage, "done": self._done, "total": self._total, "summary": summary} | result
        self._print_line(line)
        self._next_print = clock.monotonic() + PROGRESS_INTERVAL_SECONDS

    def _print_line(self, line: dict[str, Any]) -> None:
        print(json.dumps(line), file=self._output, flush=True)

    def watch_input(self, input: int) -> None:
        """Wait until the input is closed, and end the process unless the import has ended."""
        # Not buffered: a buffered read would still hold its lock when the process exits.
        while os.read(input, 1024):
            pass
        self._stopping.set()
        if not self.ended.wait(STOP_SECONDS):
            os._exit(1)
