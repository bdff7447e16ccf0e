"""The command line: `python -m blogapi`, and `blogapi` where it is installed."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import click
from flask.cli import ScriptInfo

from blogapi import __version__, create_app
from blogapi.registry import COMMANDS

# The application is made when a command needs it: `--help` touches no folder and no database.
main = click.Group(
    "blogapi",
    commands=list(COMMANDS),
    help="A self-hosted headless blog.",
    context_settings={"obj": ScriptInfo(create_app=create_app), "help_option_names": ["-h", "--help"]},
)
click.version_option(__version__, prog_name="blogapi")(main)


def run(words: list[str] | None = None, *, name: str = "blogapi") -> None:
    """Run the command line: `words`, or what the program was started with."""
    for stream in (sys.stdout, sys.stderr):
        # Redirected on Windows, a stream takes the code page of the machine and breaks on any other letter.
        if isinstance(stream, TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    main(words, prog_name=name)


if __name__ == "__main__":
    run(name="python -m blogapi")
