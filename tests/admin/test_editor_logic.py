"""The parts of the editor that need no page; Node.js runs their tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.sqlite("no database")


@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")
def test_saving_journal_commands_and_line_breaks():
    tests = Path(__file__).with_name("editor_logic.mjs")
    result = subprocess.run(["node", "--test", str(tests)], capture_output=True, encoding="utf-8")
    assert result.returncode == 0, result.stdout + result.stderr
