"""The minimum coverage of each file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("percent", "status", "message"),
    [(89.9, 1, "Covered to less than 90 %:\nblogapi/low.py: 89.9 %\n"), (90.0, 0, "")],
)
def test_a_file_with_too_little_coverage_is_reported(tmp_path, percent, status, message):
    percents = {"blogapi/high.py": 100.0, "blogapi/low.py": percent}
    files = {name: {"summary": {"percent_covered": value}} for name, value in percents.items()}
    (tmp_path / "coverage.json").write_text(json.dumps({"files": files}), encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "tests.coverage_floor", str(tmp_path / "coverage.json")],
        **{"cwd": ROOT, "capture_output": True, "encoding": "utf-8"},
    )
    assert (ended.returncode, ended.stderr) == (status, message)
