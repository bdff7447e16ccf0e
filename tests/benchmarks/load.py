"""Sends many requests to one path, with wrk if it is installed, or else with the Python client."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.servers import HOST, ROOT, MeasurementError, make_environment, pin_to_core

CONNECTIONS = 16
TIMEOUT_SECONDS = 10
WRK = shutil.which("wrk")
SCRIPT = Path(__file__).with_name("report.lua")


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a load test. Errors are responses without a 2xx status, and broken connections."""

    requests: int
    seconds: float
    p50_ms: float
    p99_ms: float
    errors: int


def generate_load(port: int, path: str, key: str, seconds: float, *, wrk: bool) -> Load:
    """Read the path on CONNECTIONS connections; raises MeasurementError if the generator fails.

    With an empty key, the requests have no key.
    """
    command = (
        _make_wrk_command(port, path, key, seconds) if wrk else _make_client_command(port, path, key, seconds)
    )
    with pin_to_core("client"):
        completed = subprocess.run(
            command, cwd=ROOT, env=make_environment(ROOT), capture_output=True, timeout=seconds + 60
        )
    lines = [line for line in completed.stdout.decode("utf-8").splitlines() if line.startswith("{")]
    if completed.returncode or not lines:
        raise MeasurementError(
            f"the load generator failed: {completed.stderr.decode('utf-8', 'replace').strip()[-200:]}"
        )
    return Load(**json.loads(lines[-1]))


def _make_wrk_command(port: int, path: str, key: str, seconds: float) -> list[str]:
    # wrk accepts only whole seconds.
    return [
        *(str(WRK), "--threads", "1", "--connections", str(CONNECTIONS), "--duration"),
        *(f"{max(1, round(seconds))}s", "--timeout", f"{TIMEOUT_SECONDS}s"),
        *(("--header", f"X-API-KEY: {key}") if key else ()),
        *("--script", str(SCRIPT), f"http://{HOST}:{port}{path}"),
    ]


def _make_client_command(port: int, path: str, key: str, seconds: float) -> list[str]:
    program = [sys.executable, "-m", "tests.benchmarks.client", "send_continuously"]
    return [*program, str(port), path, key, str(CONNECTIONS), str(seconds)]
