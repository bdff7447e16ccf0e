"""Runs imports over HTTP in a thread of the tests, because starting a process takes longer than they do."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.cli import ScriptInfo

from blogapi.importing import commands
from blogapi.importing.jobs import runner
from blogapi.importing.pipeline import background


class ThreadChild:
    """A `runner.ImportProcess` that runs its command in a thread. It is the output of the command, too."""

    def __init__(self, app: Flask, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.last_line: dict[str, Any] = {"stage": "unpacking"}
        self._text = ""
        self._stopping = threading.Event()
        system = SimpleNamespace(read=self._read, _exit=lambda _: None)
        monkeypatch.setattr(background, "os", system)
        streams = SimpleNamespace(stdin=SimpleNamespace(buffer=self), stdout=self)
        monkeypatch.setattr(commands, "sys", streams)
        self._thread = threading.Thread(target=self._run, args=(app, command), daemon=True)
        self._thread.start()

    def _run(self, app: Flask, command: list[str]) -> None:
        arguments = command[command.index("import") + 1 :]
        with suppress(SystemExit):
            commands.import_.main(arguments, standalone_mode=False, obj=ScriptInfo(create_app=lambda: app))
        self._stopping.set()

    def _read(self, *_: int) -> bytes:
        self._stopping.wait()
        return b""

    def fileno(self) -> int:
        return -1

    def write(self, text: str) -> None:
        self._text += text

    def flush(self) -> None:
        self.last_line, self._text = json.loads(self._text), ""

    def wait_for_end(self, seconds: float | None) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def stop_process(self) -> int:
        self._stopping.set()
        self.wait_for_end(None)
        return 0


def run_in_threads(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the jobs of the application run in threads, without the limits of a process."""
    for module, name in (
        *((background.process_limits, "limit_process"), (background.database, "leave_checkpoints_to_server")),
        *((background.faulthandler, "dump_traceback_later"), (background, "STOP_SECONDS")),
    ):
        monkeypatch.setattr(module, name, 0 if name == "STOP_SECONDS" else lambda *_, **__: None)
    monkeypatch.setattr(runner, "ImportProcess", lambda command, _: ThreadChild(app, command, monkeypatch))
