"""Reads and measurements in the background of another measurement."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.benchmarks.load import Load
from tests.benchmarks.servers import ROOT, MeasurementError, end_process, make_environment, pin_to_core

REQUESTS_PER_SECOND = 20


@contextmanager
def read_at_rate(port: int, path: str, key: str) -> Iterator[list[Load]]:
    """Let a child process read the path at a fixed rate.

    After the block, the yielded list contains the result.
    """
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.client",
        "send_at_rate",
        str(port),
        path,
        key,
        str(REQUESTS_PER_SECOND),
    ]
    with pin_to_core("client"):
        child = subprocess.Popen(
            command, cwd=ROOT, env=make_environment(ROOT), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    loads: list[Load] = []
    try:
        yield loads
        output, _ = child.communicate(timeout=60)
    finally:
        if child.poll() is None:
            end_process(child)
    if child.returncode:
        raise MeasurementError("the reader of single articles failed")
    loads.append(Load(**json.loads(output)))


@contextmanager
def record_memory(measure: Callable[[], float], interval: float) -> Iterator[list[float]]:
    """Yield a list to which the result of `measure` is added every `interval` seconds."""
    samples, ended = [measure()], threading.Event()

    def record() -> None:
        while not ended.wait(interval):
            samples.append(measure())

    thread = threading.Thread(target=record)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()
