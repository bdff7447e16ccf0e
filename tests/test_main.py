"""The command line as a program: streams, name and exit status."""

from __future__ import annotations

import json
import re
import runpy
import sys
import threading
from io import BytesIO, TextIOWrapper

import click
import pytest

from blogapi import __main__ as program
from blogapi import __version__, blog_folder


class Terminal(TextIOWrapper):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def greet(monkeypatch):
    """A command that prints characters that few code pages have."""
    command = click.Command("greet", callback=lambda: click.echo("Grüße, 世界 \udcff"))
    monkeypatch.setitem(program.main.commands, "greet", command)


@pytest.fixture
def stdout(monkeypatch):
    """Return a function that replaces standard output with a stream with a Western Windows code page."""

    def replace(kind):
        stream = kind(BytesIO(), encoding="cp1252")
        monkeypatch.setattr(sys, "stdout", stream)
        return stream

    return replace


def test_redirected_output_is_utf_8_on_any_code_page(greet, stdout):
    stream = stdout(TextIOWrapper)
    with pytest.raises(SystemExit) as ended:
        program.run_command_line(["greet"])
    stream.flush()
    assert ended.value.code == 0
    assert stream.buffer.getvalue().decode("utf-8").split() == ["Grüße,", "世界", "\\udcff"]


def test_a_terminal_keeps_its_encoding(greet, stdout):
    stream = stdout(Terminal)
    with pytest.raises(UnicodeEncodeError):
        program.run_command_line(["greet"])
    assert stream.encoding == "cp1252"


def start_huge_thread() -> None:
    old = threading.stack_size(1 << 46)
    try:
        threading.Thread(target=print).start()
    finally:
        threading.stack_size(old)


@pytest.mark.parametrize("fail", [lambda: bytes(1 << 60), start_huge_thread])
def test_too_little_memory_ends_with_a_sentence(monkeypatch, fail):
    monkeypatch.setitem(program.main.commands, "greet", click.Command("greet", callback=fail))
    with pytest.raises(SystemExit, match=r"^Error: There is not enough memory\."):
        program.run_command_line(["greet"])


def test_another_error_keeps_its_traceback(monkeypatch):
    def fail() -> None:
        raise RuntimeError("something else")

    monkeypatch.setitem(program.main.commands, "greet", click.Command("greet", callback=fail))
    with pytest.raises(RuntimeError, match="something else"):
        program.run_command_line(["greet"])


def test_an_unknown_command_is_a_usage_error_with_the_program_name(capsys):
    with pytest.raises(SystemExit) as ended:
        program.run_command_line(["nothing"], name="blogapi")
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("Usage: blogapi [OPTIONS] COMMAND")


def test_the_module_runs_as_a_program(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "blogapi.__main__")
    monkeypatch.setattr(sys, "argv", ["__main__.py", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("blogapi", run_name="__main__")
    assert (ended.value.code, capsys.readouterr().out) == (0, f"blogapi, version {__version__}\n")


@pytest.mark.parametrize("commit", ["4f2a", None])
def test_version_prints_the_versions_as_lines_and_as_json(monkeypatch, capsys, commit):
    monkeypatch.setattr(blog_folder, "_read_commit", lambda: commit)
    printed = []
    for options in ([], ["--json"]):
        with pytest.raises(SystemExit) as ended:
            program.run_command_line(["version", *options])
        assert ended.value.code == 0
        printed.append(capsys.readouterr().out)
    lines, document = dict(map(str.split, printed[0].splitlines())), json.loads(printed[1])
    assert (document["version"], document["commit"]) == (__version__, commit)
    assert [*document] == ["version", "commit", "python", "sqlite", "schema"]
    assert lines == {name: value or "unknown" for name, value in document.items()}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_of_the_shell_that_asks_the_program(capsys, shell):
    with pytest.raises(SystemExit) as ended:
        program.run_command_line(["completion", shell])
    assert ended.value.code == 0
    assert re.search(rf"_BLOGAPI_COMPLETE={shell}_complete.* (blogapi|\$1)\b", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["serv"], "Did you mean 'serve'"),
        (["users"], "Did you mean 'user'"),
        (["improt"], "Did you mean 'import'"),
        (["doctor", "--repiar"], "Did you mean --repair?"),
    ],
)
def test_a_misspelt_command_or_option_is_an_error_with_a_suggestion(capsys, words, hint):
    with pytest.raises(SystemExit) as ended:
        program.run_command_line(words)
    assert ended.value.code == 2
    assert hint in capsys.readouterr().err.replace("'--repair'", "--repair")


@pytest.mark.parametrize("name", ["webhook create", "webhook add", "key add", "user add"])
def test_add_and_create_are_the_same_command(capsys, name):
    with pytest.raises(SystemExit) as ended:
        program.run_command_line([*name.split(), "--help"])
    assert ended.value.code == 0
    assert "--blog" in capsys.readouterr().out
