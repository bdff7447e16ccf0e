"""The parts of the editor and of lists that need no page; Node.js runs their tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from blogapi.admin.routes import SCRIPT_TEXT_FIELDS

pytestmark = pytest.mark.sqlite("no database")


@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")
@pytest.mark.parametrize("name", ["editor", "list", "device", "webhook"])
def test_logic_without_a_page(name):
    tests = Path(__file__).with_name(f"{name}_logic.mjs")
    fields = os.environ | {"TEXT_FIELDS": json.dumps(SCRIPT_TEXT_FIELDS)}
    command = ["node", "--test", str(tests)]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", env=fields)
    assert result.returncode == 0, result.stdout + result.stderr
