"""Compare the speed of two checkouts: `python .ci/compare.py FORMER NEW [ROUNDS]`.

Each checkout has an environment with tests/requirements.txt in `.venv`. Both are measured in turns, so that
other load on the machine affects both. The exit status is 1 if a median of the new one is more than a fifth
slower.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROUNDS = 5
LIMIT = 1.2
COMMAND = ("-m", "tests.benchmarks", "hot", "writes", "--rounds", "1", "--seconds", "1")
NUMBERS = ("--writes", "40", "--imports", "50")
SERVER = "blogapi"

Times = dict[str, float]


def read_times(parts: dict[str, Any]) -> Times:
    """Return the milliseconds of each read and write of blogapi in the document of a benchmark."""
    reads = {
        f"read: {row['read']}": 1000 / row["requests_per_second"]
        for row in parts["hot"]
        if row["server"] == SERVER
    }
    writes = {
        f"write: {row['write']}": row["http_elapsed_ms"] or row["elapsed_ms"]
        for row in parts["writes"]
        if row["server"] == SERVER
    }
    return reads | writes


def compare(former: list[Times], new: list[Times]) -> dict[str, tuple[float, float]]:
    """Return both medians of each time that both have."""
    names = [name for name in former[0] if name in new[0]]
    return {
        name: (median(times[name] for times in former), median(times[name] for times in new))
        for name in names
    }


def is_slower(former: float, new: float) -> bool:
    """Return whether the new time is more than a fifth longer."""
    return new > former * LIMIT


def _measure(checkout: Path) -> Times:
    with TemporaryDirectory() as folder:
        file = Path(folder, "times.json")
        python = checkout / ".venv" / "bin" / "python"
        done = subprocess.run(
            [python, *COMMAND, *NUMBERS, "--json", file],
            cwd=checkout,
            env={
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("BLOGAPI_", "PYTHON"))
            },
            capture_output=True,
            encoding="utf-8",
        )
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        return read_times(json.loads(file.read_text(encoding="utf-8"))["parts"])


def main(former: Path, new: Path, rounds: int = ROUNDS) -> None:
    """Measure both in turns, print the medians, and exit with 1 if one is too slow."""
    times: dict[Path, list[Times]] = {former: [], new: []}
    for number in range(rounds):
        # The second of a round may run on a warmer machine, so the order changes.
        for checkout in (former, new) if number % 2 == 0 else (new, former):
            times[checkout].append(_measure(checkout))
        print(f"Round {number + 1} of {rounds} is measured.", flush=True)
    found = compare(times[former], times[new])
    for name, (before, after) in found.items():
        mark = "  SLOWER" if is_slower(before, after) else ""
        print(f"{name:<50} {before:9.3f} ms  {after:9.3f} ms  {after / before:5.2f}{mark}")
    if not found or any(is_slower(*both) for both in found.values()):
        sys.exit("A median is more than a fifth slower than in the former release.")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3]) if sys.argv[3:] else ROUNDS
    )
