"""Measures the media library: uploads of photos, a width of one, and the list of files."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks import in_process, recorded_responses
from tests.benchmarks.background import read_at_rate, record_memory
from tests.benchmarks.blogs import Blog, temporary_blog
from tests.benchmarks.hot import BARE, BLOGAPI
from tests.benchmarks.load import Load, generate_load
from tests.benchmarks.pictures import SIZE, make_photo
from tests.benchmarks.plan import ARTICLES, HOT_BLOG, Plan, Table, format_value
from tests.benchmarks.servers import (
    HOST,
    ROOT,
    THREADS,
    TIMEOUT_SECONDS,
    MeasurementError,
    Server,
    fetch_measured,
    free_port,
    make_environment,
    make_serve_command,
    pin_to_core,
    run_server,
)

MEDIA = "/api/v1/blog/media/"
# The width of a photo that is made and served.
WIDTH = 800
SAMPLE_SECONDS = 0.01
BASELINE_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement of the media library; `problem` is the reason for a missing value."""

    measure: str
    value: float
    unit: str
    problem: str = ""

    def __str__(self) -> str:
        """Return the name of the measurement."""
        return self.measure


def run(plan: Plan) -> list[Row]:
    """Measure on SQLite; raises MeasurementError if a server does not run or an upload fails."""
    with temporary_blog(plan.home, HOT_BLOG, server="") as blog:
        port = free_port()
        with run_server("media", make_serve_command(port), port, blog.folder, ARTICLES, blog.key) as server:
            rows, media = _measure_uploads(plan, blog, server)
            rows += _measure_width(plan, blog, server, media)
        return [*rows, *_measure_list(plan, blog)]


def make_tables(rows: Sequence[Row]) -> list[Table]:
    """Return a table of the rows."""
    lines = [
        (row.measure, "invalid" if row.problem else f"{format_value(row.value)} {row.unit}".strip())
        for row in rows
    ]
    return [Table("The media library", ("Measure", "value"), lines)]


def _measure_uploads(plan: Plan, blog: Blog, server: Server) -> tuple[list[Row], dict[str, Any]]:
    """Return the costs of an upload, and the last uploaded file."""
    plan.print_progress("media: uploads")
    single = f"{ARTICLES}{blog.newest}/"
    # Each photo is different, because the library stores the same file only once.
    photos = [make_photo(number) for number in range(2 * plan.uploads + 1)]
    with read_at_rate(server.port, single, blog.key) as alone:
        time.sleep(BASELINE_SECONDS)
    idle = server.total_rss()
    _upload(server, blog, photos.pop())
    with record_memory(server.total_rss, SAMPLE_SECONDS) as peaks:
        for photo in photos[: plan.uploads]:
            media = _upload(server, blog, photo)
    seconds, cpu_seconds = [], []
    with read_at_rate(server.port, single, blog.key) as meanwhile:
        for photo in photos[plan.uploads :]:
            server.settle()
            before, started_at = server.cpu_seconds(), time.perf_counter()
            media = _upload(server, blog, photo)
            seconds.append(time.perf_counter() - started_at)
            cpu_seconds.append(server.cpu_seconds() - before)
    photo_name = f"a photo of {SIZE[0] * SIZE[1] // 10**6} megapixels, {format_value(len(photo) / 10**6)} MB"
    rows = [
        Row(f"{photo_name}: CPU of server and image worker", median(cpu_seconds), "s"),
        Row(f"{photo_name}: in all", median(seconds), "s"),
        Row(f"{photo_name}: memory above idle at its peak", max(peaks) - idle, "MB"),
        *_make_latency_rows("alone", alone[0]),
        *_make_latency_rows("during uploads", meanwhile[0]),
    ]
    return rows, media


def _make_latency_rows(when: str, load: Load) -> list[Row]:
    problem = f"{load.errors} errors, {load.requests} responses" if load.errors or not load.requests else ""
    return [
        Row(f"single articles {when}: p50 of {load.requests}", load.p50_ms, "ms", problem),
        Row(f"single articles {when}: p99", load.p99_ms, "ms", problem),
    ]


def _upload(server: Server, blog: Blog, photo: bytes) -> dict[str, Any]:
    connection = HTTPConnection(HOST, server.port, timeout=TIMEOUT_SECONDS)
    headers = {"X-API-KEY": blog.admin_key, "Content-Type": "application/octet-stream"}
    try:
        with pin_to_core("client"):
            connection.request("POST", f"{MEDIA}?name=photo.jpg", photo, headers)
            response = connection.getresponse()
            body = response.read()
    except (OSError, HTTPException) as error:
        raise MeasurementError(f"an upload failed ({error!r})") from error
    finally:
        connection.close()
    if response.status != 201:
        raise MeasurementError(f"an upload returned {response.status}: {body[:300]!r}")
    media: dict[str, Any] = json.loads(body)
    return media


def _measure_width(plan: Plan, blog: Blog, server: Server, media: dict[str, Any]) -> list[Row]:
    """Compare with bare waitress, which sends the same file with the same headers."""
    path = next(one["url"] for one in media["renditions"] if one["width"] == WIDTH)
    responses = plan.home / "width.json"
    started_at = time.perf_counter()
    fetch_measured(server.port, path, "")
    first = Row(f"the first request for {WIDTH} pixels", time.perf_counter() - started_at, "s")
    # The response of the first request was made; the others are those of the stored file.
    recorded_responses.save(responses, {path: fetch_measured(server.port, path, "")})
    (file,) = (blog.folder / "media").rglob(f"w{WIDTH}.webp")
    with ExitStack() as stack:
        port = free_port()
        command = _make_bare_command(responses, file, port)
        bare = stack.enter_context(run_server(BARE, command, port, blog.folder, path, ""))
        pairs = [_load_both(plan, number, server, bare, path) for number in range(plan.rounds)]
    failed = [load for pair in pairs for load in pair if load.errors or not load.requests]
    problem = f"{sum(load.errors for load in failed)} errors or failed responses" if failed else ""
    name = f"a width of {file.stat().st_size / 1000:.0f} kB"
    rows = [
        first,
        Row(f"{name}: {BLOGAPI}", median(own.requests / own.seconds for own, _ in pairs), "req/s"),
        Row(f"{name}: {BARE}", median(other.requests / other.seconds for _, other in pairs), "req/s"),
        Row(f"{name}: of {BARE}", median(_compare(own, other) for own, other in pairs), ""),
        Row(f"{name}: p50", median(own.p50_ms for own, _ in pairs), "ms"),
        Row(f"{name}: p99", median(own.p99_ms for own, _ in pairs), "ms"),
    ]
    return [replace(row, problem=problem) for row in rows]


def _compare(own: Load, other: Load) -> float:
    return own.requests / own.seconds / max(other.requests / other.seconds, 0.001)


def _make_bare_command(responses: Path, file: Path, port: int) -> list[str]:
    program = [sys.executable, "-m", "tests.benchmarks.bare_file"]
    return [*program, str(responses), str(file), str(port), str(THREADS)]


def _load_both(plan: Plan, number: int, server: Server, bare: Server, path: str) -> tuple[Load, Load]:
    plan.print_progress(f"media: width, round {number + 1} of {plan.rounds}")
    own, other = (
        # Browsers ask for pictures without a key.
        generate_load(one.port, path, "", plan.seconds, wrk=plan.wrk)
        for one in (server, bare)
    )
    return own, other


def _measure_list(plan: Plan, blog: Blog) -> list[Row]:
    plan.print_progress(f"media: list of {plan.files:,} files")
    command = [sys.executable, "-m", "tests.benchmarks.pictures", str(plan.files)]
    if subprocess.run(command, cwd=ROOT, env=make_environment(blog.folder)).returncode:
        raise MeasurementError(f"the entries of {plan.files:,} files could not be created")
    admin = replace(blog, key=blog.admin_key)
    last = plan.files // 20
    pages = {
        f"page {page:,} of 20 of {plan.files:,} files, cold": f"{MEDIA}?page={page}&page_size=20"
        for page in (1, last)
    }
    results = in_process.measure_reads(admin, pages, plan.samples)
    return [
        *(
            Row(f"{name}: through WSGI", cold.wsgi_ms, "ms CPU", cold.problem)
            for name, cold in results.items()
        ),
        *(
            Row(f"{name}: the view alone", cold.view_ms, "ms CPU", cold.problem)
            for name, cold in results.items()
        ),
    ]
