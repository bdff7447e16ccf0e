"""Fail if the coverage of any single file is too low.

`python -m tests.coverage_floor coverage.json` reads the output of `coverage json`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FLOOR = 90


def below(report: dict[str, Any]) -> list[str]:
    """Return a line for each file with a coverage below FLOOR percent."""
    covered = {name: found["summary"]["percent_covered"] for name, found in report["files"].items()}
    return [f"{name}: {percent:.1f} %" for name, percent in sorted(covered.items()) if percent < FLOOR]


if __name__ == "__main__":
    if found := below(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))):
        sys.exit("\n".join((f"Covered to less than {FLOOR} %:", *found)))
