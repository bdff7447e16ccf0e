"""The name and the version of the running program."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
import sys
from pathlib import Path

from blogapi import config
from blogapi.storage.migration_names import list_migrations
from blogapi.version import __version__

_PACKAGE = Path(__file__).parent

# The folder of the checkout that contains the running program, or None for an installed package.
CHECKOUT = _PACKAGE.parent if (_PACKAGE.parent / "wsgi.py").is_file() else None


def get_command() -> str:
    """Return the beginning of a command line that starts this program, for messages."""
    if in_container := os.environ.get(config.COMMAND):
        return in_container
    started = Path(sys.argv[0]).stem
    if started == "blogapi":
        return "blogapi"
    return "flask --app wsgi" if started == "flask" else "python -m blogapi"


def make_serve_command() -> list[str]:
    """Return the command line with which a service starts `serve`, as a list with absolute paths."""
    if CHECKOUT is not None:
        return [sys.executable, str(CHECKOUT / "wsgi.py")]
    script = Path(sys.executable).with_name("blogapi.exe" if os.name == "nt" else "blogapi")
    return [str(script), "serve"] if script.is_file() else [sys.executable, "-P", "-m", "blogapi", "serve"]


def list_start_commands(folder: str) -> list[str]:
    """Return the command lines that serve the blog in the folder; a checkout runs only in its own folder."""
    serve = f"{get_command()} serve"
    return [f"cd {folder}", serve] if CHECKOUT is None else [f"{serve} --blog {folder}"]


def describe() -> dict[str, str | None]:
    """Return the version of the program and of what it runs on; `schema` is its newest migration."""
    return {
        "version": __version__,
        "commit": _read_commit(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "schema": list_migrations()[-1],
    }


def _read_commit() -> str | None:
    """Return the commit from which the package was built, or the commit of the checkout, or None."""
    built = _PACKAGE / "commit.txt"
    if built.is_file():
        return built.read_text(encoding="ascii").strip()
    if CHECKOUT is None:
        return None
    try:
        command = ["git", "-C", str(CHECKOUT), "rev-parse", "HEAD"]
        result = subprocess.run(command, capture_output=True, check=True, timeout=5, text=True)  # noqa: S603, our own command
        return result.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
