"""Fail if the coverage of any single file is too low.

`python -m tests.coverage_floor coverage.json` reads the output of `coverage json`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

MIN_PERCENT = 90


def list_insufficient(report: dict[str, Any]) -> list[str]:
    """Return a line for each file with a coverage below MIN_PERCENT."""
    covered = {name: found["summary"]["percent_covered"] for name, found in report["files"].items()}
    return [f"{name}: {percent:.1f} %" for name, percent in sorted(covered.items()) if percent < MIN_PERCENT]


if __name__ == "__main__":
    if found := list_insufficient(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))):
        sys.exit("\n".join((f"Covered to less than {MIN_PERCENT} %:", *found)))
