"""Measure the cost of the first read after a write, in one process and without HTTP.

As a program (`python -m tests.benchmarks.in_process`) it reads its task from standard input as JSON and
prints the results as JSON; `measure_reads` runs it, so that each blog has a process of its own.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from flask import Flask
from werkzeug.test import create_environ

from blogapi import create_app
from blogapi.storage.database import db
from blogapi.tags import taxonomy as tags_definition
from blogapi.taxonomies import service as taxonomies
from tests.benchmarks.blogs import Blog
from tests.benchmarks.servers import ROOT, MeasurementError, make_environment, pin_to_core

# The CPU time of the thread. On Windows its resolution is 16 ms, so elapsed time is used there.
CLOCK = "perf_counter" if os.name == "nt" else "thread_time"
_now: Callable[[], float] = getattr(time, CLOCK)

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ColdRead:
    """Median times of the whole application, the view alone and the write; 0 if `status` is not 200."""

    wsgi_ms: float
    view_ms: float
    write_ms: float
    status: int


def measure_reads(blog: Blog, paths: Mapping[str, str], samples: int) -> dict[str, ColdRead]:
    """Measure the first read of each path after a write in a new process; return the costs by path name."""
    task = {"key": blog.key, "tag": blog.tag, "paths": dict(paths), "samples": samples}
    with pin_to_core("server"):
        completed = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.in_process"],
            cwd=ROOT,
            env=make_environment(blog.folder),
            input=json.dumps(task).encode("utf-8"),
            capture_output=True,
        )
    if completed.returncode:
        raise MeasurementError(
            f"the measuring process failed: {completed.stderr.decode('utf-8', 'replace').strip()[-300:]}"
        )
    return {name: ColdRead(**cold) for name, cold in json.loads(completed.stdout).items()}


def measure_application(app: Flask, path: str, headers: Headers) -> tuple[float, int]:
    """Return the CPU ms and the status of one call of the WSGI application, without building the environ."""
    environ = create_environ(path, headers=dict(headers))
    status = 0

    def start_response(line: str, *_: Any) -> Callable[[bytes], Any]:
        nonlocal status
        status = int(line[:3])
        return lambda data: None

    started_at = _now()
    chunks = app(environ, start_response)
    for _ in chunks:
        pass
    if hasattr(chunks, "close"):
        chunks.close()
    return (_now() - started_at) * 1000, status


def measure_view(app: Flask, path: str, headers: Headers) -> float:
    """Return the CPU ms from the call of the view to the bytes of the response, without hooks and WSGI."""
    with app.test_request_context(path, headers=dict(headers)):
        app.preprocess_request()
        started_at = _now()
        app.make_response(app.dispatch_request()).get_data()
        return (_now() - started_at) * 1000


def measure_write(app: Flask, tag: UUID, name: str) -> float:
    """Rename a tag, which is the smallest possible write; return its CPU ms."""
    started_at = _now()
    with app.app_context():
        taxonomies.change(tags_definition.TAGS, tag, {"name": name})
    return (_now() - started_at) * 1000


def take_samples(app: Flask, tag: UUID, path: str, headers: Headers, samples: int) -> ColdRead:
    """Return the medians over this number of samples; each read is the first one after a write."""
    _, status = measure_application(app, path, headers)
    if status != 200:
        return ColdRead(0.0, 0.0, 0.0, status)
    application_times, view_times, write_times = [], [], []
    for number in range(samples):
        write_times.append(measure_write(app, tag, f"Tag to turn {number}"))
        application_times.append(measure_application(app, path, headers)[0])
        write_times.append(measure_write(app, tag, f"Tag turned {number}"))
        view_times.append(measure_view(app, path, headers))
    return ColdRead(
        statistics.median(application_times),
        statistics.median(view_times),
        statistics.median(write_times),
        status,
    )


def _main(task: dict[str, Any]) -> dict[str, Any]:
    app = create_app()
    tag, headers = UUID(task["tag"]), {"X-API-KEY": task["key"]}
    found = {
        name: asdict(take_samples(app, tag, path, headers, task["samples"]))
        for name, path in task["paths"].items()
    }
    with app.app_context():
        db.engine.dispose()
    return found


if __name__ == "__main__":
    print(json.dumps(_main(json.load(sys.stdin))))
