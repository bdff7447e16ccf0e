"""The OpenAPI document as a Python package: openapi-python-client."""

from __future__ import annotations

import os
import shutil
import sys
import venv
from pathlib import Path

import pytest

from tests.clients.conftest import check_examples, read_guide_command

pytestmark = [pytest.mark.slow, pytest.mark.once]

FILES = Path(__file__).parent / "python"
STEPS = """\
listed ['The bread that waits (Kitchen)', 'Beans (Kitchen)']
found ['The bread that waits']
authors ['ada: Words.', 'ada: Words.']
created soup draft
replaced Fish soup Water, *salt*.
refused 412 stale
updated published
missing 404 not_found
renamed ['The kitchen']
rated Fish soup 4.5 easy ['Boil', 'Eat'] de False
page About unlisted 0 Quay 1
"""


def test_a_strictly_typed_python_program_uses_the_api(run, install, blog_address, define_fields, tmp_path):
    define_fields()
    venv.create(tmp_path / "venv")
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python, pip = programs / "python", [sys.executable, "-m", "pip", "--python", programs / "python"]
    install([*pip, "install", "--quiet", "--no-compile", "--no-deps", "-r", FILES / "requirements.txt"])
    output = run(read_guide_command("openapi-python-client", blog_address), programs=programs)
    assert "arning" not in output, output
    package = tmp_path / "blogapi-client"
    shutil.copy(FILES / "program.py", package)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python]
    run([*mypy, "--cache-dir", os.devnull, package / "program.py", package / "blogapi_client"])
    assert run([python, package / "program.py"]) == STEPS


def test_the_guide_shows_parts_of_the_program():
    check_examples("python", FILES / "program.py")
