"""Samples of what a server uses, and what they show after a run: trends, growth, and sizes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from pathlib import Path
from statistics import fmean, median

import psutil
from sqlalchemy import text

from tests.benchmarks import databases
from tests.benchmarks.blogs import Blog
from tests.benchmarks.databases import SQLITE
from tests.benchmarks.servers import MEGABYTE, Server
from tests.durability.soak.client import Record

INTERVAL_SECONDS = 10.0
DATABASE_FILE = "blog.db"
# The number of files in these folders depends on the content.
CONTENT_FOLDERS = ("media", "backups")


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of the server after `seconds`; memory is in MB (10^6 bytes), sizes of files in bytes.

    `uss` is the memory that only the server uses, without that of its child processes. `instance_files` are
    the files of the instance folder, without media, backups and the log.
    """

    seconds: float
    requests: int
    rss: float
    uss: float
    descriptors: int
    threads: int
    children: int
    connections: int
    database_bytes: int
    wal_bytes: int
    log_bytes: int
    temporary_files: int
    instance_files: int


@dataclass(frozen=True, slots=True)
class Trend:
    """The slope of a line through values, and its standard error, both for ten minutes."""

    slope: float
    error: float


def find_trend(samples: Sequence[Sample], get: Callable[[Sample], float]) -> Trend:
    """Return the trend of a value by least squares. Needs samples of at least three times."""
    times, values = [sample.seconds / 600 for sample in samples], [get(sample) for sample in samples]
    mean_time, mean = fmean(times), fmean(values)
    spread = sum((time - mean_time) ** 2 for time in times)
    products = zip(times, values, strict=True)
    slope = sum((time - mean_time) * (value - mean) for time, value in products) / spread
    pairs = zip(times, values, strict=True)
    residual = sum((value - mean - slope * (time - mean_time)) ** 2 for time, value in pairs)
    return Trend(slope, sqrt(residual / (len(samples) - 2) / spread))


def split_thirds(samples: Sequence[Sample]) -> tuple[Sequence[Sample], ...]:
    """Return the samples of the first, the second and the last third of the run."""
    third = len(samples) // 3
    return samples[:third], samples[third:-third], samples[-third:]


def find_lows(samples: Sequence[Sample]) -> list[Sample]:
    """Return the sample with the least memory of each minute; an import needs more for some seconds."""
    minutes = groupby(samples, key=lambda sample: sample.seconds // 60)
    return [min(group, key=lambda sample: sample.uss) for _, group in minutes]


def find_median(samples: Sequence[Sample], name: str) -> float:
    """Return the median of a field."""
    return float(median(getattr(sample, name) for sample in samples))


class Sampler:
    """Takes samples of a server."""

    def __init__(self, server: Server, blog: Blog, temporary: Path, log: Path, record: Record) -> None:
        self.samples: list[Sample] = []
        self.record = record
        self._server, self._blog, self._temporary, self._log = server, blog, temporary, log
        self._started_at = time.monotonic()

    @contextmanager
    def run(self) -> Iterator[None]:
        """Take a sample every INTERVAL_SECONDS during the block."""
        ended = threading.Event()

        def repeat() -> None:
            while not ended.wait(INTERVAL_SECONDS):
                self.samples.append(self.take())

        thread = threading.Thread(target=repeat)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def take(self) -> Sample:
        """Return a sample."""
        process, folder = self._server.process, self._blog.folder
        memory = process.memory_full_info()
        return Sample(
            seconds=time.monotonic() - self._started_at,
            requests=self.record.requests,
            rss=memory.rss / MEGABYTE,
            uss=memory.uss / MEGABYTE,
            descriptors=_count_descriptors(process),
            threads=process.num_threads(),
            children=len(process.children(recursive=True)),
            connections=self._count_connections(),
            database_bytes=self._get_database_size(),
            wal_bytes=_get_size(folder / f"{DATABASE_FILE}-wal"),
            log_bytes=_get_size(self._log),
            temporary_files=len(list_files(self._temporary)),
            instance_files=sum(
                path.relative_to(folder).parts[0] not in (*CONTENT_FOLDERS, self._log.name)
                for path in list_files(folder)
            ),
        )

    def _count_connections(self) -> int:
        if self._blog.engine == SQLITE:
            return sum(Path(file.path).name == DATABASE_FILE for file in self._server.process.open_files())
        with databases.connect(databases.read_url(self._blog.folder)) as connection:
            statement = text(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid != pg_backend_pid()"
            )
            return int(connection.execute(statement).scalar_one())

    def _get_database_size(self) -> int:
        if self._blog.engine == SQLITE:
            return _get_size(self._blog.folder / DATABASE_FILE)
        return databases.get_size(self._blog.folder)


def list_files(folder: Path) -> list[Path]:
    """Return all files below a folder. Files that other processes delete meanwhile can be missing."""
    return [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]


def _count_descriptors(process: psutil.Process) -> int:
    return int(process.num_fds() if hasattr(process, "num_fds") else process.num_handles())


def _get_size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0
