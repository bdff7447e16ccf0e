"""Starts, measures and stops servers as child processes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psutil

from tests.benchmarks.recorded_responses import Response
from tests.benchmarks.wsgi_calls import find_problem

ROOT = Path(__file__).parents[2]
HOST = "127.0.0.1"
THREADS = 8
TIMEOUT_SECONDS = 60
POLL_SECONDS = 0.01
MAX_SETTLE_SECONDS = 10
SETTLE_CHECK_SECONDS = 0.1
MEGABYTE = 1_000_000

_CORES: list[int] = getattr(psutil.Process(), "cpu_affinity", list)() or []
PINNED = len(_CORES) > 1


class MeasurementError(Exception):
    """A measurement is impossible; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; `started` is the monotonic time just before the start of its process."""

    name: str
    port: int
    process: psutil.Process
    started_at: float

    def cpu_seconds(self) -> float:
        """Return the CPU time in seconds that the server and its finished child processes have used."""
        return sum(_sum_cpu_times(process) for process in self._processes())

    def rss(self) -> float:
        """Return the resident memory of the server in MB (10^6 bytes)."""
        return sum(process.memory_info().rss for process in self._processes()) / MEGABYTE

    def total_rss(self) -> float:
        """Return the resident memory of the server and of its running child processes in MB."""
        total = 0.0
        for process in (self.process, *self.process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                total += process.memory_info().rss / MEGABYTE
        return total

    def settle(self) -> None:
        """Wait until the server is idle, for at most SETTLE_SECONDS."""
        deadline = time.monotonic() + MAX_SETTLE_SECONDS
        cpu_seconds, before = self.cpu_seconds(), -1.0
        while cpu_seconds - before > SETTLE_CHECK_SECONDS / 10 and time.monotonic() < deadline:
            time.sleep(SETTLE_CHECK_SECONDS)
            cpu_seconds, before = self.cpu_seconds(), cpu_seconds

    def _processes(self) -> list[psutil.Process]:
        # On Windows the python.exe of a virtual environment starts another process.
        return [self.process, *(self.process.children(recursive=True) if os.name == "nt" else ())]


def _sum_cpu_times(process: psutil.Process) -> float:
    times = process.cpu_times()
    # Some systems do not report the times of child processes.
    finished = getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    return float(times.user + times.system + finished)


def make_environment(folder: Path) -> dict[str, str]:
    """Return environment variables that select the blog in the folder and default settings."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BLOGAPI_")}
    return environment | {"BLOGAPI_INSTANCE_PATH": str(folder), "PYTHONIOENCODING": "utf-8"}


def make_serve_command(port: int) -> list[str]:
    """Return the usual command that serves the blog."""
    return [sys.executable, "wsgi.py", "--host", HOST, "--port", str(port), "--threads", str(THREADS)]


@contextmanager
def pin_to_core(role: str) -> Iterator[None]:
    """Pin processes started in the block to one core: the first for a "server", the last for a "client".

    Does nothing if the machine has only one core or the system cannot pin processes.
    """
    if not PINNED:
        yield
        return
    this_process = psutil.Process()
    this_process.cpu_affinity([_CORES[0] if role == "server" else _CORES[-1]])
    try:
        yield
    finally:
        this_process.cpu_affinity(_CORES)


@contextmanager
def run_server(
    name: str,
    command: Sequence[str],
    port: int,
    folder: Path,
    ready: str,
    key: str,
    *,
    variables: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Run a server; yield it once a request for the path `ready` has returned 200.

    `variables` are added to its environment. Raises MeasurementError if the server does not start.
    """
    log = folder / f"{name.replace(' ', '-')}.log"
    with log.open("w", encoding="utf-8") as output:
        started_at = time.monotonic()
        with pin_to_core("server"):
            child = subprocess.Popen(
                command,
                cwd=ROOT,
                env=make_environment(folder) | dict(variables or {}),
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            _wait_until_ready(child, port, ready, key, log)
            yield Server(name, port, psutil.Process(child.pid), started_at)
        finally:
            end_process(child)


def end_process(child: subprocess.Popen[bytes]) -> None:
    """End a child process."""
    child.terminate()
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait(10)


def free_port() -> int:
    """Return a port that is not in use."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def fetch(port: int, path: str, headers: Mapping[str, str]) -> Response:
    """Return the response to a GET on a new connection. Raises OSError or HTTPException on failure."""
    connection = HTTPConnection(HOST, port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", path, headers=dict(headers))
        response = connection.getresponse()
        return Response(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


def fetch_measured(port: int, path: str, key: str) -> Response:
    """Return the response to a read that is measured; raises MeasurementError for an error or an empty body.

    Raises OSError or HTTPException if there is no response.
    """
    response = fetch(port, path, {"X-API-KEY": key} if key else {})
    if problem := find_problem("GET", response.status, response.body):
        raise MeasurementError(f"{path}: {problem}")
    return response


def _wait_until_ready(child: subprocess.Popen[bytes], port: int, path: str, key: str, log: Path) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline and child.poll() is None:
        with suppress(OSError, HTTPException):
            fetch_measured(port, path, key)
            return
        time.sleep(POLL_SECONDS)
    output_lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or [
        "and printed nothing"
    ]
    raise MeasurementError(f"it did not answer {path} with 200: {output_lines[-1]}")
