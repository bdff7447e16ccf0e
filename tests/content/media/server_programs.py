"""Starts programs that use the media library of the test's blog in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parent.parent.parent.parent
BEGINNING = """
import random, sys, time
from pathlib import Path
from sqlalchemy import delete
from blogapi import create_app
from blogapi.content.media import folder, images, removal, service
from blogapi.content.media.models import Media
from blogapi.storage import connections
from blogapi.storage.database import db, transaction
from blogapi.web.errors import Unavailable

connections.WRITE_WAIT_SECONDS = 60
app = create_app()
app.app_context().push()

def upload(path):
    with service.prepare_file(Path(path), "file") as prepared:
        return service.store_file(prepared)[1]

print("ready", flush=True)
sys.stdin.readline()
"""


class Program:
    """A running program."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def go(self) -> None:
        """Let the program begin."""
        stdin: IO[str] | None = self.process.stdin
        assert stdin is not None
        stdin.write("\n")
        stdin.flush()

    def read_line(self) -> str:
        """Return the next line of the output."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@contextmanager
def start(program: str, *words: Any) -> Iterator[Program]:
    """Start a program, which waits for `go`; kill it at the end."""
    command = [sys.executable, "-c", BEGINNING + program, *map(str, words)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, encoding="utf-8") as process:
        try:
            running = Program(process)
            assert running.read_line() == "ready"
            yield running
        finally:
            process.kill()
