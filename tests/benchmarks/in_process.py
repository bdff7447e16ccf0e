"""Measure the cost of the first read after a write, in one process and without HTTP.

As a program (`python -m tests.benchmarks.in_process`) it reads its task from standard input as JSON and
prints the results as JSON; `measure_reads` runs it, so that each blog has a process of its own.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from flask import Flask

from blogapi import create_app
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies import tags as tags_definition
from blogapi.storage.database import db
from tests.benchmarks.blogs import Blog
from tests.benchmarks.servers import ROOT, MeasurementError, make_environment, pin_to_core
from tests.benchmarks.wsgi_calls import call, cpu_clock

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ColdRead:
    """Medians in ms for the whole application, for the view alone and for the write.

    The medians are CPU times, except `elapsed_ms`, the elapsed time of the whole application. All medians are
    0 if there is a `problem`.
    """

    wsgi_ms: float
    elapsed_ms: float
    view_ms: float
    write_ms: float
    problem: str


def measure_reads(blog: Blog, paths: Mapping[str, str], samples: int) -> dict[str, ColdRead]:
    """Measure the first read of each path after a write in a new process; return the costs by path name."""
    task = {"key": blog.key, "tag": blog.tag, "paths": dict(paths), "samples": samples}
    found = run_program([sys.executable, "-m", "tests.benchmarks.in_process"], blog.folder, task)
    return {name: ColdRead(**cold) for name, cold in found.items()}


def run_program(command: Sequence[str], folder: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    """Run a program that reads its task from standard input as JSON; return the results that it prints.

    The program uses the blog in `folder`. Raises MeasurementError if the program fails.
    """
    with pin_to_core("server"):
        completed = subprocess.run(
            command,
            cwd=ROOT,
            env=make_environment(folder),
            input=json.dumps(task).encode("utf-8"),
            capture_output=True,
        )
    if completed.returncode:
        raise MeasurementError(
            f"the measuring process failed: {completed.stderr.decode('utf-8', 'replace').strip()[-300:]}"
        )
    found: dict[str, Any] = json.loads(completed.stdout)
    return found


def measure_view(app: Flask, path: str, headers: Headers) -> float:
    """Return the CPU ms from the call of the view to the bytes of the response, without hooks and WSGI."""
    with app.test_request_context(path, headers=dict(headers)):
        app.preprocess_request()
        started_at = cpu_clock()
        app.make_response(app.dispatch_request()).get_data()
        return (cpu_clock() - started_at) * 1000


def measure_write(app: Flask, tag: UUID, name: str) -> float:
    """Rename a tag, which is the smallest possible write; return its CPU ms."""
    started_at = cpu_clock()
    with app.app_context():
        taxonomies.change_term(tags_definition.TAGS, tag, {"name": name})
    return (cpu_clock() - started_at) * 1000


def take_samples(app: Flask, tag: UUID, path: str, headers: Headers, samples: int) -> ColdRead:
    """Return the medians over this number of samples; each read is the first one after a write."""
    problem = call(app, ("GET", path, None), headers).problem
    if problem:
        return ColdRead(0.0, 0.0, 0.0, 0.0, problem)
    calls, view_times, write_times = [], [], []
    for number in range(samples):
        write_times.append(measure_write(app, tag, f"Tag to turn {number}"))
        calls.append(call(app, ("GET", path, None), headers))
        write_times.append(measure_write(app, tag, f"Tag turned {number}"))
        view_times.append(measure_view(app, path, headers))
    return ColdRead(
        statistics.median(one.cpu_ms for one in calls),
        statistics.median(one.wall_ms for one in calls),
        statistics.median(view_times),
        statistics.median(write_times),
        next((one.problem for one in calls if one.problem), ""),
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
