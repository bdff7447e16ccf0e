"""Installs and starts the Django REST framework service, and compares its responses."""

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

from tests.benchmarks.plan import ARTICLES, TAGS, Plan
from tests.benchmarks.recorded_responses import Response
from tests.benchmarks.servers import THREADS, MeasurementError, Server, fetch, free_port, run_server

SERVER_NAME = "DRF"
PINS = ("django==5.2.19", "djangorestframework==3.18.3", f"waitress=={version('waitress')}")
INSTALL_SECONDS = 300


def start_server(stack: ExitStack, plan: Plan, responses: Mapping[str, Response]) -> Server | None:
    """Start the server with the content of the responses. If this fails, note the reason and return None."""
    blog, port = plan.hot_blog(), free_port()
    file, database = plan.home / "drf.json", plan.home / "drf.sqlite3"
    file.write_text(json.dumps(_make_content(responses, blog.key)), encoding="utf-8")
    for old in plan.home.glob(f"{database.name}*"):
        old.unlink()
    try:
        python = _create_environment(plan.home / "drf-environment", plan)
        command = [str(python), "-m", "tests.benchmarks.drf.serve", str(file), str(database)]
        command += [str(port), str(THREADS)]
        return stack.enter_context(run_server(SERVER_NAME, command, port, plan.home, ARTICLES, blog.key))
    except (MeasurementError, OSError, subprocess.SubprocessError) as error:
        plan.add_note(f"hot: Django REST framework is left out: {_format_reason(error)}")
        return None


def find_differences(
    server: Server, responses: Mapping[str, Response], key: str
) -> dict[tuple[str, str], str]:
    """Return a problem for each response that differs as JSON."""
    found = {}
    for path, answer in responses.items():
        try:
            body = json.loads(fetch(server.port, path, {"X-API-KEY": key}).body)
        except (OSError, HTTPException, ValueError) as error:
            body = error
        if body != json.loads(answer.body):
            found[server.name, path] = "its response has other content"
    return found


def _make_content(responses: Mapping[str, Response], key: str) -> dict[str, Any]:
    articles, tags = (json.loads(responses[path].body) for path in (ARTICLES, TAGS))
    return {"key": key, "articles": articles, "tags": tags}


def _create_environment(folder: Path, plan: Plan) -> Path:
    """Return the Python of an environment with the pinned packages; create it if necessary."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    marker = folder / "pins.txt"
    if not (marker.exists() and marker.read_text(encoding="utf-8") == "\n".join(PINS)):
        plan.print_progress(f"hot: installing {', '.join(PINS)}")
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINS]
        subprocess.run(install, check=True, capture_output=True, timeout=INSTALL_SECONDS)
        marker.write_text("\n".join(PINS), encoding="utf-8")
    return python


def _format_reason(error: Exception) -> str:
    output_lines = (getattr(error, "stderr", None) or b"").decode("utf-8", "replace").strip().splitlines()
    return output_lines[-1] if output_lines else str(error)
