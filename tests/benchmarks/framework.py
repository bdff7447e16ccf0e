"""Django REST framework to compare with: its environment, its process, and whether it says the same."""

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

from tests.benchmarks.answers import Answer
from tests.benchmarks.plan import ARTICLES, TAGS, Plan
from tests.benchmarks.servers import THREADS, Failed, Server, fetch, free_port, running

NAME = "DRF"
PINS = ("django==5.2.19", "djangorestframework==3.18.3", f"waitress=={version('waitress')}")
INSTALL_SECONDS = 300


def started(stack: ExitStack, plan: Plan, taken: Mapping[str, Answer]) -> Server | None:
    """Start it with the content of the answers; None, with a sentence, where that cannot be done."""
    blog, port = plan.hot_blog(), free_port()
    file, database = plan.home / "drf.json", plan.home / "drf.sqlite3"
    file.write_text(json.dumps(_content(taken, blog.key)), encoding="utf-8")
    for old in plan.home.glob(f"{database.name}*"):
        old.unlink()
    try:
        python = _environment(plan.home / "drf-environment", plan)
        command = [str(python), "-m", "tests.benchmarks.drf.serve", str(file), str(database)]
        command += [str(port), str(THREADS)]
        return stack.enter_context(running(NAME, command, port, plan.home, ARTICLES, blog.key))
    except (Failed, OSError, subprocess.SubprocessError) as error:
        plan.note(f"hot: Django REST framework is left out: {_reason(error)}")
        return None


def differences(server: Server, taken: Mapping[str, Answer], key: str) -> dict[tuple[str, str], str]:
    """Return which of its answers do not say the same, as JSON."""
    found = {}
    for path, answer in taken.items():
        try:
            theirs = json.loads(fetch(server.port, path, {"X-API-KEY": key}).body)
        except (OSError, HTTPException, ValueError) as error:
            theirs = error
        if theirs != json.loads(answer.body):
            found[server.name, path] = "it does not say the same"
    return found


def _content(taken: Mapping[str, Answer], key: str) -> dict[str, Any]:
    articles, tags = (json.loads(taken[path].body) for path in (ARTICLES, TAGS))
    return {"key": key, "articles": articles, "tags": tags}


def _environment(folder: Path, plan: Plan) -> Path:
    """Return the Python of an environment with the pinned packages, made first where it is not there."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "pins.txt"
    if not (done.exists() and done.read_text(encoding="utf-8") == "\n".join(PINS)):
        plan.tell(f"hot: installing {', '.join(PINS)}")
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINS]
        subprocess.run(install, check=True, capture_output=True, timeout=INSTALL_SECONDS)
        done.write_text("\n".join(PINS), encoding="utf-8")
    return python


def _reason(error: Exception) -> str:
    said = (getattr(error, "stderr", None) or b"").decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else str(error)
