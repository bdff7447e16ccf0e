"""The sdist and the wheel of the checkout for tests.

BLOGAPI_TEST_DIST can name the folder of a release, whose files the tests then judge instead.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
EPOCH = 1_780_000_000


def _can_build() -> bool:
    """Return whether this environment has pip and the setuptools that pyproject.toml requires."""
    build_system = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    try:
        return all(
            required.specifier.contains(version(required.name))
            for required in map(Requirement, ("pip", *build_system["requires"]))
        )
    except PackageNotFoundError:
        return False


needs_setuptools = pytest.mark.skipif(not _can_build(), reason="no pip or no setuptools 77")


def get_folder(factory: pytest.TempPathFactory) -> Path:
    """Return the folder with both files."""
    if given := os.environ.get("BLOGAPI_TEST_DIST"):
        return Path(given)
    return build(factory.mktemp("dist"))


def build(folder: Path) -> Path:
    """Write both files into the folder, and return it."""
    environment = {"SOURCE_DATE_EPOCH": str(EPOCH)}
    run(sys.executable, ROOT / ".ci" / "build.py", folder, COMMIT, environment=environment)
    return folder


def run(*words: str | Path, environment: dict[str, str] | None = None) -> str:
    """Return the output of a program that gets neither PYTHONPATH nor the settings of other tests."""
    done = subprocess.run(
        words, env=clean_environment() | (environment or {}), capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def clean_environment() -> dict[str, str]:
    """Return the environment variables for an installed package."""
    left_out = ("PYTHON", "BLOGAPI_", "COV_")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)}


def load_program(name: str) -> ModuleType:
    """Return a Python program of the folder `.ci` as a module."""
    spec = importlib.util.spec_from_file_location(f"ci_{name}", ROOT / ".ci" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    # A dataclass looks up its module.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
