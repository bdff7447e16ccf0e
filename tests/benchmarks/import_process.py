"""Measures the command `import`: `python -m tests.benchmarks.import_process FOLDER`.

Prints JSON: the CPU time of all threads, the elapsed time, and the number of articles that the command
created. Both times are in seconds and do not include the start of the process.
"""

from __future__ import annotations

import json
import sys
import time

from blogapi import create_app

if __name__ == "__main__":
    runner = create_app().test_cli_runner()
    cpu, wall = time.process_time(), time.perf_counter()
    outcome = runner.invoke(args=["import", "--json", sys.argv[1]])
    seconds = (time.process_time() - cpu, time.perf_counter() - wall)
    if outcome.exit_code:
        sys.exit(outcome.output)
    created = json.loads(outcome.stdout)["counts"]["created"]
    print(json.dumps({"cpu": seconds[0], "wall": seconds[1], "created": created}))
