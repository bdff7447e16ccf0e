"""Measures writes in this process: `python -m tests.benchmarks.write_process`.

Reads the requests and the key from standard input as JSON. Prints as JSON the calls of each kind of write,
and how long one of them holds the write lock, in ms.
"""

from __future__ import annotations

import json
import sys

from blogapi import create_app
from blogapi.storage.database import WRITE_LOCK
from tests.benchmarks.wsgi_calls import call_all

if __name__ == "__main__":
    task = json.load(sys.stdin)
    app = create_app()
    lock = WRITE_LOCK.get(app)
    calls: dict[str, list[tuple[float, float, str]]] = {}
    held_ms = {}
    for name, requests in task["requests"].items():
        before = lock.held_seconds
        calls |= call_all(app, {name: requests}, {"X-API-KEY": task["key"]})
        held_ms[name] = (lock.held_seconds - before) / len(requests) * 1000
    print(json.dumps({"calls": calls, "held_ms": held_ms}))
