"""Former versions of blogapi, from the history of the repository."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.migrations.record_blog import LATER
from tests.migrations.test_landed import BLOGS

ROOT = Path(__file__).parent.parent.parent
VERSIONS = "blogapi/migrations/versions/"
# A pin of a requirements file, with the lines of its digests.
_PIN = re.compile(r"^(\S+==[^\\\n]+)(\\\n(?: {4}--hash=\S+(?: \\)?\n)+)", re.MULTILINE)

# Sends the requests in argv[1] (pairs of a key and a path) at the time argv[2], changes the title of the
# article at the path argv[4] with the key argv[3], and prints the responses.
_CLIENT = """
import json, sys
from datetime import datetime
from blogapi import create_app
try:
    from blogapi import clock
except ImportError:
    from blogapi.core import clock
later = datetime.fromisoformat(sys.argv[2])
clock.now = lambda: later
app = create_app({"SECRET_KEY": "x" * 32, "TESTING": True})
client = app.test_client()
found = [client.get(path, headers={"X-API-KEY": key}).json for key, path in json.loads(sys.argv[1])]
changed = client.patch(sys.argv[4], json={"title": "Changed"}, headers={"X-API-KEY": sys.argv[3]})
assert changed.status_code == 200, changed.text
print(json.dumps(found))
"""


@dataclass(frozen=True, slots=True)
class FormerVersion:
    """A checkout of a former version, and the folder of those packages that only former versions need."""

    checkout: Path
    packages: Path

    def read_and_write(self, recorded: Mapping[str, Any]) -> dict[str, Any]:
        """Start this version on the test's blog, and change an article; return the responses as recorded."""
        names = ("anonymous", "read")
        requests = [(recorded["keys"][name], path) for name in names for path in recorded[name]]
        article = next(iter(recorded["read"]))
        arguments = (json.dumps(requests), LATER.isoformat(), recorded["keys"]["write"], article)
        printed = self._run("-c", _CLIENT, *arguments)
        found = iter(json.loads(printed.splitlines()[-1]))
        return {name: {path: next(found) for path in recorded[name]} for name in names}

    def import_export(self, folder: Path) -> str:
        """Import an export with this version; return what it prints."""
        return self._run("-m", "blogapi", "import", str(folder), "--author", "ada")

    def _run(self, *arguments: str) -> str:
        # Without the audit hook of the tests, which is about this version.
        environment = os.environ | {"PYTHONPATH": f"{self.checkout}{os.pathsep}{self.packages}"}
        result = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.checkout,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout


def find_commit(migration: str) -> str | None:
    """Return the commit that recorded the blog of the migration, or None if that had a later migration too.

    Skips the test if the history of the repository is missing.
    """
    path = (BLOGS / f"{migration}.sql").relative_to(ROOT).as_posix()
    try:
        is_shallow = _run_git("rev-parse", "--is-shallow-repository") != b"false\n"
    except (OSError, subprocess.CalledProcessError):
        is_shallow = True
    if is_shallow:
        pytest.skip("the history of the repository is missing")
    for commit in _run_git("log", "--diff-filter=A", "--format=%H", "--", path).decode().split():
        files = _run_git("ls-tree", "--name-only", commit, VERSIONS).decode().split()
        if max(Path(file).name for file in files if re.search(r"/\d{4}_", file))[:4] == migration:
            return commit
    return None


def _run_git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def check_out(commit: str, folder: Path) -> FormerVersion:
    """Write the version of the commit into the folder, and install the packages that it needs."""
    checkout = folder / commit
    archive = _run_git("archive", commit, "blogapi", "requirements.txt")
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(checkout, filter="data")
    pins = (checkout / "requirements.txt").read_text(encoding="utf-8")
    return FormerVersion(checkout, _install(_select_missing(pins), folder))


def _select_missing(pins: str) -> str:
    installed = {canonicalize_name(found.metadata["Name"]) for found in distributions()}
    missing = []
    for pin in _PIN.finditer(pins):
        requirement = Requirement(pin[1])
        is_for_this_system = requirement.marker is None or requirement.marker.evaluate()
        if is_for_this_system and canonicalize_name(requirement.name) not in installed:
            missing.append(pin[0])
    return "".join(missing)


@cache
def _install(pins: str, folder: Path) -> Path:
    """Install the pinned packages into a new folder; skips the test if that is impossible."""
    target = Path(tempfile.mkdtemp(prefix="packages-", dir=folder))
    if pins:
        path = target / "requirements.txt"
        path.write_text(pins, encoding="utf-8")
        options = ("--quiet", "--no-deps", "--require-hashes", f"--target={target}", f"--requirement={path}")
        result = subprocess.run(
            [sys.executable, "-m", "pip", "install", *options], capture_output=True, text=True, check=False
        )
        if result.returncode:
            names = ", ".join(pin[1].strip() for pin in _PIN.finditer(pins))
            pytest.skip(f"the package registry cannot be reached for {names}: {result.stderr[-200:]}")
    return target
