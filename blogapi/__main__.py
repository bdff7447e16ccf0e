"""The command line: `python -m blogapi`, or `blogapi` if the package is installed."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import click
from flask.cli import ScriptInfo

from blogapi import __version__, create_app
from blogapi.commands import CommandGroup

# The application is created only when a command needs it, so `--help` does not open the database.
main = CommandGroup(
    "blogapi",
    help="A self-hosted headless blog.",
    context_settings={"obj": ScriptInfo(create_app=create_app), "help_option_names": ["-h", "--help"]},
)
click.version_option(__version__, prog_name="blogapi")(main)


def run(arguments: list[str] | None = None, *, name: str = "blogapi") -> None:
    """Run the command line with the given arguments (default: those of `sys.argv`)."""
    for stream in (sys.stdout, sys.stderr):
        # On Windows, a redirected stream uses the code page of the operating system, which lacks most
        # characters.
        if isinstance(stream, TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        main(arguments, prog_name=name)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "new thread" not in str(error):
            raise
        sys.exit("Error: There is not enough memory. Raise the limit of memory or threads of this process.")


if __name__ == "__main__":
    run(name="python -m blogapi")
