"""Measures writes in this process: `python -m tests.benchmarks.drf.write FILE DATABASE`.

Reads the requests and the key from standard input as JSON, and prints the results as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from django.core.wsgi import get_wsgi_application

from tests.benchmarks.drf.serve import configure, fill
from tests.benchmarks.wsgi_calls import call_all

if __name__ == "__main__":
    file, database = Path(sys.argv[1]), Path(sys.argv[2])
    task = json.load(sys.stdin)
    configure(database)
    fill(json.loads(file.read_text(encoding="utf-8")))
    print(json.dumps(call_all(get_wsgi_application(), task["requests"], {"X-API-KEY": task["key"]})))
