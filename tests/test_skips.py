"""Tests the rule for skipped tests with a separate pytest run that contains each kind of skip."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAM = """
import pytest

@pytest.fixture
def server():
    pytest.skip("no server")

def test_a():
    pytest.skip("no browser")

def test_b(server):
    pass

@pytest.mark.skip(reason="no network")
def test_c():
    pass

@pytest.mark.skipif(True, reason="about SQLite: its file")
def test_listed():
    pass

@pytest.mark.xfail(reason="a known fault")
def test_expected_failure():
    assert False
"""
MODULE = 'import pytest\npytest.skip("no library", allow_module_level=True)\n'


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_tests.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "test_module.py").write_text(MODULE, encoding="utf-8")
    options = ["-p", "tests.skips", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    kept = {name: value for name, value in os.environ.items() if name != "CI" and "PYTEST" not in name}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        **{"cwd": folder, "capture_output": True, "encoding": "utf-8"},
        env=kept | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | environment,
    )


def test_on_ci_a_skip_whose_reason_is_not_listed_fails(tmp_path):
    ended = run(tmp_path, CI="true")
    assert ended.returncode == 1
    assert " 1 failed, 1 skipped, 1 xfailed, 3 errors in " in ended.stdout.splitlines()[-1]
    for reason in ("no server", "no browser", "no network", "no library"):
        assert f"Skipped: {reason}\nWith CI=true a test is skipped only for" in ended.stdout


def test_outside_ci_any_test_may_be_skipped(tmp_path):
    ended = run(tmp_path)
    assert ended.returncode == 0
    assert " 5 skipped, 1 xfailed in " in ended.stdout.splitlines()[-1]
