"""Freed memory returns to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.no_database]

# Each thread renders a text that occupies about 20 MB for a moment, one after the other.
PROGRAM = """
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from blogapi.rendering import renderer
from blogapi.serving import commands


def measure():
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) // 256


commands.configure_malloc()
renderer.render("a", "markdown")
before = measure()
for _ in range(8):
    with_columns = "|a" * 1_000 + "\\n" + "|-" * 1_000 + "\\n" + ("|b" * 1_000 + "\\n") * 40
    pool = ThreadPoolExecutor(1)
    pool.submit(renderer.render, with_columns, "markdown").result()
    POOLS = [*globals().get("POOLS", ()), pool]
print(measure() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory is read from /proc")
def test_threads_keep_no_memory_of_large_texts():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 100
