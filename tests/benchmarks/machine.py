"""The machine and the software versions of a measurement."""

from __future__ import annotations

import platform
import sqlite3
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psutil

from tests.benchmarks.servers import MEGABYTE, PINNED
from tests.benchmarks.wsgi_calls import CLOCK

PACKAGES = ("blogapi", "flask", "sqlalchemy", "waitress", "marshmallow", "werkzeug")


def collect_facts(*, generator: str, postgresql: str) -> dict[str, str]:
    """Return the facts that a reader of the numbers must know, by name."""
    found = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": _cpu(),
        "cores": str(psutil.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / MEGABYTE:,.0f} MB",
        "platform": platform.platform(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "sqlite": sqlite3.sqlite_version,
        "postgresql": postgresql,
        "load": generator,
        "pinned": "server and load on a core each" if PINNED else "no: one core, or pinning is not possible",
        "cold clock": CLOCK,
    }
    return found | {name: _version(name) for name in PACKAGES}


def format_facts(facts: dict[str, str]) -> str:
    """Return the facts that are printed below the tables."""
    names = ("date", "cpu", "cores", "platform", "python", "sqlite", "postgresql", "load", "pinned")
    return "; ".join(f"{name}: {facts[name]}" for name in names) + "."


def _version(package: str) -> str:
    if package == "blogapi":
        from blogapi import __version__

        return __version__
    return version(package)


def _cpu() -> str:
    # On Linux, platform.processor() returns an empty string, so the model name is read from a file.
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
