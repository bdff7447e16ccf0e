"""Runs a command in a process of its own, and measures its CPU time and its memory."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.benchmarks.servers import MEGABYTE, ROOT, MeasurementError, make_environment

SAMPLE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class CommandCost:
    """The CPU time and the elapsed time in seconds, and the largest resident memory in MB (10^6 bytes)."""

    cpu_seconds: float
    seconds: float
    peak_mb: float


def measure_command(folder: Path, *arguments: str) -> CommandCost:
    """Run `python -m blogapi` with the arguments on the blog in the folder.

    Raises MeasurementError if the command fails.
    """
    command = [sys.executable, "-m", "blogapi", *arguments]
    log = folder / "command.log"
    started, cpu, peak = time.monotonic(), 0.0, 0
    with log.open("w", encoding="utf-8") as output:
        child = subprocess.Popen(
            command, cwd=ROOT, env=make_environment(folder), stdout=output, stderr=subprocess.STDOUT
        )
        process = psutil.Process(child.pid)
        # A process that has ended, but for whose end nobody has waited, still has its CPU times.
        with suppress(psutil.Error):
            while process.status() != psutil.STATUS_ZOMBIE:
                peak = max(peak, process.memory_info().rss)
                time.sleep(SAMPLE_SECONDS)
            times = process.cpu_times()
            cpu = times.user + times.system + times.children_user + times.children_system
        status = child.wait()
    if status:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        # `doctor` prints what is right too.
        reason = "; ".join(line for line in lines if not line.startswith("ok "))[-300:]
        raise MeasurementError(f"{arguments[0]} failed: {reason}")
    return CommandCost(cpu, time.monotonic() - started, peak / MEGABYTE)
