"""Servers as child processes: started, measured and ended."""

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

from tests.benchmarks.answers import Answer

ROOT = Path(__file__).parents[2]
HOST = "127.0.0.1"
THREADS = 8
PATIENCE_SECONDS = 60
POLL_SECONDS = 0.01
SETTLE_SECONDS = 10
REST_SECONDS = 0.1
MEGABYTE = 1_000_000

_CORES: list[int] = getattr(psutil.Process(), "cpu_affinity", list)() or []
PINNED = len(_CORES) > 1


class Failed(Exception):
    """What was to be measured does not run; the text says why."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs; `started` is the moment before its process was made (time.monotonic)."""

    name: str
    port: int
    process: psutil.Process
    started: float

    def cpu_seconds(self) -> float:
        """Return the CPU time that it has used so far, in seconds."""
        return sum(sum(one.cpu_times()[:2]) for one in self._processes())

    def rss(self) -> float:
        """Return its resident memory in MB (10^6 bytes)."""
        return sum(one.memory_info().rss for one in self._processes()) / MEGABYTE

    def settle(self) -> None:
        """Wait until it rests, for a bounded time."""
        deadline = time.monotonic() + SETTLE_SECONDS
        used, before = self.cpu_seconds(), -1.0
        while used - before > REST_SECONDS / 10 and time.monotonic() < deadline:
            time.sleep(REST_SECONDS)
            used, before = self.cpu_seconds(), used

    def _processes(self) -> list[psutil.Process]:
        # On Windows the python.exe of a virtual environment runs another one.
        return [self.process, *(self.process.children(recursive=True) if os.name == "nt" else ())]


def in_folder(folder: Path) -> dict[str, str]:
    """Return the environment of a process whose blog is in that folder, with our defaults."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("BLOGAPI_")}
    return ours | {"BLOGAPI_INSTANCE_PATH": str(folder), "PYTHONIOENCODING": "utf-8"}


def own(port: int) -> list[str]:
    """Return the command that serves the blog of the environment, as its owner would."""
    return [sys.executable, "wsgi.py", "--host", HOST, "--port", str(port), "--threads", str(THREADS)]


@contextmanager
def pinned(which: str) -> Iterator[None]:
    """Let processes made meanwhile run on one core: the first for a "server", the last for a "client".

    Does nothing where the system cannot, or has one core.
    """
    if not PINNED:
        yield
        return
    this = psutil.Process()
    this.cpu_affinity([_CORES[0] if which == "server" else _CORES[-1]])
    try:
        yield
    finally:
        this.cpu_affinity(_CORES)


@contextmanager
def running(
    name: str, command: Sequence[str], port: int, folder: Path, ready: str, key: str
) -> Iterator[Server]:
    """Run a server from the first 200 for the path `ready` on; raises Failed where that never comes."""
    log = folder / f"{name.replace(' ', '-')}.log"
    with log.open("w", encoding="utf-8") as output:
        started = time.monotonic()
        with pinned("server"):
            child = subprocess.Popen(
                command, cwd=ROOT, env=in_folder(folder), stdout=output, stderr=subprocess.STDOUT
            )
        try:
            _wait(child, port, ready, key, log)
            yield Server(name, port, psutil.Process(child.pid), started)
        finally:
            end(child)


def end(child: subprocess.Popen[bytes]) -> None:
    """End a process that we made."""
    child.terminate()
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait(10)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def fetch(port: int, path: str, headers: Mapping[str, str]) -> Answer:
    """Return the answer to one GET on a connection of its own; raises OSError, HTTPException."""
    connection = HTTPConnection(HOST, port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path, headers=dict(headers))
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


def _wait(child: subprocess.Popen[bytes], port: int, path: str, key: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and child.poll() is None:
        with suppress(OSError, HTTPException):
            if fetch(port, path, {"X-API-KEY": key}).status == 200:
                return
            break
        time.sleep(POLL_SECONDS)
    said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["and printed nothing"]
    raise Failed(f"it did not answer {path} with 200: {said[-1]}")
