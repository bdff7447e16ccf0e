"""Copies the package and its tests, so that a test can follow a recipe of CONTRIBUTING on the copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import blogapi
import tests
from blogapi.storage.migration_names import list_migrations

LAST = list_migrations()[-1]
NEXT = f"{int(LAST) + 1:04}"


def copy_package(folder: Path) -> Path:
    """Copy the package and its tests into the folder, and return the folder."""
    for package in (blogapi, tests):
        source = Path(package.__path__[0])
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(tests.__path__[0]).parent / "setup.cfg", folder)
    return folder


def run_copy(folder: Path, *arguments: object) -> tuple[int, str]:
    """Start Python with the copied package in place of the original; return its exit status and output.

    It has a blog of its own, also on PostgreSQL: a new migration would change the database of the test.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "BLOGAPI_DATABASE_URL"}
    result = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=inherited | {"BLOGAPI_INSTANCE_PATH": str(folder / "instance"), "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    return result.returncode, result.stdout + result.stderr
