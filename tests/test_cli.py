"""The common behaviour of all commands: one-sentence errors and progress bars."""

from __future__ import annotations

import io
import signal
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory

import click
import pytest
from sqlalchemy.exc import OperationalError

from blogapi import cli
from blogapi.web.errors import Conflict, Invalid


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (Conflict("The name is taken."), "The name is taken."),
        (
            Invalid("It is not valid.", errors={"name": ["Must not be empty."]}),
            "It is not valid. name: Must not",
        ),
        (
            OperationalError("BEGIN", None, sqlite3.OperationalError("database is locked")),
            "database is locked",
        ),
    ],
)
def test_an_error_becomes_one_message_and_the_exit_status_1(error, message):
    with pytest.raises(click.ClickException) as raised, cli.report_problems():
        raise error
    assert message in raised.value.message
    assert raised.value.exit_code == 1


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_the_progress_bar_yields_every_item_and_is_drawn_only_on_a_terminal(monkeypatch, stream):
    shown = stream()
    monkeypatch.setattr(sys, "stderr", shown)
    assert list(cli.show_progress(iter("abc"), total=3, label="Reading")) == ["a", "b", "c"]
    assert bool(shown.getvalue()) is shown.isatty()


def test_without_a_progress_bar_every_item_is_yielded():
    assert list(cli.hide_progress(iter("abc"), total=3, label="Reading")) == ["a", "b", "c"]


def test_a_terminated_command_deletes_its_temporary_files(tmp_path):
    former = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as end, cli.exit_on_sigterm(), TemporaryDirectory(dir=tmp_path):
        signal.raise_signal(signal.SIGTERM)
    assert end.value.code == 128 + signal.SIGTERM
    assert [*tmp_path.iterdir()] == []
    assert signal.getsignal(signal.SIGTERM) is former


def test_other_threads_handle_no_signals():
    with ThreadPoolExecutor() as executor, cli.exit_on_sigterm():
        handler = signal.getsignal(signal.SIGTERM)
        executor.submit(cli.exit_on_sigterm().__enter__).result()
        assert signal.getsignal(signal.SIGTERM) is handler
