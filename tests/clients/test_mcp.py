"""The clients of the Model Context Protocol from PyPI and npm, with the tools of the blog."""

from __future__ import annotations

import os
import shutil
import sys
import venv
from pathlib import Path

import pytest

from tests.mcp.conftest import open_door

pytestmark = [pytest.mark.slow, pytest.mark.once]

FILES = Path(__file__).parent / "mcp"
FOUND = "The bread that waits"


def test_the_clients_for_python_call_the_tools(app, run, install, tmp_path):
    open_door(app)
    venv.create(tmp_path / "venv")
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python, pip = programs / "python", [sys.executable, "-m", "pip", "--python", programs / "python"]
    install([*pip, "install", "--quiet", "--no-compile", "--no-deps", "-r", FILES / "requirements.txt"])
    assert run([python, FILES / "program.py"]).splitlines() == [
        f"mcp auto 2026-07-28 25 ['{FOUND}']",
        f"mcp 2026-07-28 2026-07-28 25 ['{FOUND}']",
        f"mcp legacy 2025-11-25 25 ['{FOUND}']",
        f"fastmcp 25 ['{FOUND}']",
    ]


@pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="Node.js is not installed")
def test_the_clients_for_node_call_the_tools(app, run, install, tmp_path):
    open_door(app)
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    install(["npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"])
    assert run(["node", "program.mjs"]).splitlines() == [
        f"sdk 25 {FOUND}",
        f"client legacy 25 {FOUND}",
        f"client auto 25 {FOUND}",
        f"client 2026-07-28 25 {FOUND}",
    ]
