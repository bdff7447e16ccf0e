"""Runs BACKUP_COMMAND after a new backup, for example to copy the backup to another machine."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from blogapi import blog_owner, config
from blogapi.operations.backups import status
from blogapi.storage import files
from blogapi.web.errors import Conflict

MAX_COMMAND_SECONDS = 3600.0

_running_processes: set[subprocess.Popen[bytes]] = set()

_LOCK_NAME = ".command.lock"
_MAX_OUTPUT_BYTES = 300


def run_backup_command(instance: Path, path: Path, made_at: datetime | None = None) -> None:
    """Run BACKUP_COMMAND for a backup made at `made_at` (None: now), and record that the backup is good.

    Raises Conflict if the command fails; the backup then counts as failed, but its file stays.
    """
    if command := config.read_settings(instance)["BACKUP_COMMAND"]:
        folder = instance / "backups"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with files.lock_file(folder / _LOCK_NAME) as held:
            if not held:
                raise _make_conflict(path, "the command of another backup is running")
            _run_process(command, path, instance)
    status.record_success(instance, made_at)


def _run_process(command: tuple[str, ...], path: Path, instance: Path) -> None:
    options = blog_owner.make_owner_process_options(instance)
    options["env"]["BLOGAPI_BACKUP"] = str(path.resolve())
    # Errors go to a file, because a pipe stays open until every program that the command has started ends.
    with tempfile.TemporaryFile() as messages:
        try:
            process = subprocess.Popen(  # noqa: S603, the owner's command
                command,
                **options,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=messages,
                # On POSIX, the command gets a process group, so that programs that it starts are killed too.
                start_new_session=True,
            )
        except OSError as error:
            raise _make_conflict(path, f"{command[0]}: {error.strerror}") from error
        _running_processes.add(process)
        try:
            code = process.wait(MAX_COMMAND_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise _make_conflict(
                path, f"it did not end within {MAX_COMMAND_SECONDS / 60:.0f} minutes"
            ) from error
        finally:
            _kill_process(process)
            _running_processes.discard(process)
        if code:
            messages.seek(max(messages.seek(0, os.SEEK_END) - _MAX_OUTPUT_BYTES, 0))
            output = " ".join(messages.read().decode("utf-8", "replace").split())
            raise _make_conflict(path, f"its exit status is {code}. {output}".strip().rstrip("."))


def stop_running_command() -> bool:
    """Kill the running command and the programs that it has started; return whether a command was running."""
    running = [process for process in _running_processes if process.poll() is None]
    for process in running:
        _kill_process(process)
    return bool(running)


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, and on POSIX its process group, unless the process has ended."""
    if process.poll() is None:
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()


def _make_conflict(path: Path, reason: str) -> Conflict:
    return Conflict(f"The backup {path} was written, but BACKUP_COMMAND failed: {reason}.")
