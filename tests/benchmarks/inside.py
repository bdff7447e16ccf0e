"""Reads inside one process, without HTTP: what the first read after a write costs.

As a program (`python -m tests.benchmarks.inside`) it reads its task from standard input as JSON and prints
what it measured as JSON; `measured` runs it like that, so that each blog has a fresh process.
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
from tests.benchmarks.servers import ROOT, Failed, in_folder, pinned

# CPU time of the thread; on Windows it moves in steps of 16 ms, so that there the time itself must do.
CLOCK = "perf_counter" if os.name == "nt" else "thread_time"
_now: Callable[[], float] = getattr(time, CLOCK)

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Cold:
    """Medians in ms: the whole application, the view alone, the write; none where `status` is not 200."""

    wsgi_ms: float
    alone_ms: float
    write_ms: float
    status: int


def measured(blog: Blog, paths: Mapping[str, str], samples: int) -> dict[str, Cold]:
    """Return what the first read after a write costs, by the names of the paths; in a process of its own."""
    task = {"key": blog.key, "tag": blog.tag, "paths": dict(paths), "samples": samples}
    with pinned("server"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.inside"],
            cwd=ROOT,
            env=in_folder(blog.folder),
            input=json.dumps(task).encode("utf-8"),
            capture_output=True,
        )
    if done.returncode:
        raise Failed(f"the measuring process broke: {done.stderr.decode('utf-8', 'replace').strip()[-300:]}")
    return {name: Cold(**cold) for name, cold in json.loads(done.stdout).items()}


def read_whole(app: Flask, path: str, headers: Headers) -> tuple[float, int]:
    """Return the CPU ms and the status of one call of the WSGI application, its environ ready-made."""
    environ = create_environ(path, headers=dict(headers))
    status = 0

    def start(line: str, *_: Any) -> Callable[[bytes], Any]:
        nonlocal status
        status = int(line[:3])
        return lambda data: None

    begun = _now()
    pieces = app(environ, start)
    for _ in pieces:
        pass
    if hasattr(pieces, "close"):
        pieces.close()
    return (_now() - begun) * 1000, status


def read_alone(app: Flask, path: str, headers: Headers) -> float:
    """Return the CPU ms of the view alone up to the bytes of its answer: no WSGI, no hooks, no key."""
    with app.test_request_context(path, headers=dict(headers)):
        app.preprocess_request()
        begun = _now()
        app.make_response(app.dispatch_request()).get_data()
        return (_now() - begun) * 1000


def write(app: Flask, tag: UUID, name: str) -> float:
    """Rename a tag, which is the smallest write there is; return its CPU ms."""
    begun = _now()
    with app.app_context():
        taxonomies.change(tags_definition.TAGS, tag, {"name": name})
    return (_now() - begun) * 1000


def sampled(app: Flask, tag: UUID, path: str, headers: Headers, samples: int) -> Cold:
    """Return the medians over so many samples, each read the first after a write."""
    _, status = read_whole(app, path, headers)
    if status != 200:
        return Cold(0.0, 0.0, 0.0, status)
    whole, alone, written = [], [], []
    for number in range(samples):
        written.append(write(app, tag, f"Tag to turn {number}"))
        whole.append(read_whole(app, path, headers)[0])
        written.append(write(app, tag, f"Tag turned {number}"))
        alone.append(read_alone(app, path, headers))
    return Cold(statistics.median(whole), statistics.median(alone), statistics.median(written), status)


def _main(task: dict[str, Any]) -> dict[str, Any]:
    app = create_app()
    tag, headers = UUID(task["tag"]), {"X-API-KEY": task["key"]}
    found = {
        name: asdict(sampled(app, tag, path, headers, task["samples"]))
        for name, path in task["paths"].items()
    }
    with app.app_context():
        db.engine.dispose()
    return found


if __name__ == "__main__":
    print(json.dumps(_main(json.load(sys.stdin))))
