"""The command line: `python -m blogapi`, and `blogapi` where it is installed."""

from __future__ import annotations

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

if __name__ == "__main__":
    main(prog_name="python -m blogapi")
