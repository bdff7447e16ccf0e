"""Measures writes in this process: `python -m tests.benchmarks.write_process`.

Reads the requests and the key from standard input as JSON, and prints the results as JSON.
"""

from __future__ import annotations

import json
import sys

from blogapi import create_app
from tests.benchmarks.wsgi_calls import call_all

if __name__ == "__main__":
    task = json.load(sys.stdin)
    print(json.dumps(call_all(create_app(), task["requests"], {"X-API-KEY": task["key"]})))
