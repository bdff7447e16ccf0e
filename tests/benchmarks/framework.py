"""Installs and starts the Django REST framework service, and compares its responses with those of blogapi."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from collections.abc import Mapping
from contextlib import ExitStack
from http.client import HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.benchmarks.blogs import Blog
from tests.benchmarks.in_process import run_program
from tests.benchmarks.plan import ARTICLES, TAGS, Plan
from tests.benchmarks.recorded_responses import Response
from tests.benchmarks.servers import THREADS, MeasurementError, Server, fetch, free_port, run_server

SERVER_NAME = "DRF"
CONTENT_FILE = "drf.json"
PINS = ("django==5.2.19", "djangorestframework==3.18.3", f"waitress=={version('waitress')}")
INSTALL_SECONDS = 300


def start_server(
    stack: ExitStack, plan: Plan, responses: Mapping[str, Response], blog: Blog
) -> Server | None:
    """Start the server with the content of the responses. If this fails, note the reason and return None."""
    port = free_port()
    content = json.dumps(_make_content(responses, blog))
    (plan.home / CONTENT_FILE).write_text(content, encoding="utf-8")
    try:
        command = [*_make_command(plan, "serve"), str(port), str(THREADS)]
        return stack.enter_context(run_server(SERVER_NAME, command, port, plan.home, ARTICLES, blog.key))
    except (MeasurementError, OSError, subprocess.SubprocessError) as error:
        plan.add_note(f"Django REST framework is left out: {_format_reason(error)}")
        return None


def measure_writes(plan: Plan, task: Mapping[str, Any]) -> dict[str, Any]:
    """Measure writes in a new process, on a database with the content of the server that was started last."""
    return run_program(_make_command(plan, "write"), plan.home, task)


def find_differences(
    server: Server, responses: Mapping[str, Response], key: str
) -> dict[tuple[str, str], str]:
    """Return a problem for each response whose JSON differs from the expected response."""
    found = {}
    for path, answer in responses.items():
        try:
            body = json.loads(fetch(server.port, path, {"X-API-KEY": key}).body)
        except (OSError, HTTPException, ValueError) as error:
            body = error
        if body != json.loads(answer.body):
            found[server.name, path] = "its response has other content"
    return found


def _make_content(responses: Mapping[str, Response], blog: Blog) -> dict[str, Any]:
    articles, tags = (json.loads(responses[path].body) for path in (ARTICLES, TAGS))
    return {"key": blog.key, "admin_key": blog.admin_key, "articles": articles, "tags": tags}


def _make_command(plan: Plan, program: str) -> list[str]:
    """Return the command that starts a program of the service with a new database."""
    database = plan.home / f"drf-{program}.sqlite3"
    for old in plan.home.glob(f"{database.name}*"):
        old.unlink()
    python = _create_environment(plan.home / "drf-environment", plan)
    return [
        *(str(python), "-m", f"tests.benchmarks.drf.{program}"),
        *(str(plan.home / CONTENT_FILE), str(database)),
    ]


def _create_environment(folder: Path, plan: Plan) -> Path:
    """Return the Python interpreter of an environment with the pinned packages.

    The environment is created if necessary.
    """
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    marker = folder / "pins.txt"
    if not (marker.exists() and marker.read_text(encoding="utf-8") == "\n".join(PINS)):
        plan.print_progress(f"installing {', '.join(PINS)}")
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINS]
        subprocess.run(install, check=True, capture_output=True, timeout=INSTALL_SECONDS)
        marker.write_text("\n".join(PINS), encoding="utf-8")
    return python


def _format_reason(error: Exception) -> str:
    output_lines = (getattr(error, "stderr", None) or b"").decode("utf-8", "replace").strip().splitlines()
    return output_lines[-1] if output_lines else str(error)
