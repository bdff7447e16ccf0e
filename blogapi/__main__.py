"""The command line: `python -m blogapi`, or `blogapi` if the package is installed."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import click

from blogapi import __version__, commands, create_app
from blogapi.commands import EPILOG, CommandGroup, make_blog_option


class _MainGroup(CommandGroup):
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command; if its module imports Flask, import the application too."""
        command = super().get_command(ctx, cmd_name)
        # A command whose module does not import Flask needs no application and starts sooner without it.
        if ctx.obj is None and "flask" in sys.modules:
            from flask.cli import ScriptInfo

            # Commands such as `restore` create no application, but need the models of all tables.
            from blogapi import application  # noqa: F401

            # `open_blog` refuses a missing blog; `serve` itself checks whether it may create one.
            ctx.obj = ScriptInfo(create_app=create_app if cmd_name == "serve" else commands.open_blog)
        return command


main = _MainGroup(
    "blogapi",
    help="A self-hosted headless blog.",
    epilog=EPILOG,
    params=[make_blog_option()],
    context_settings={"help_option_names": ["-h", "--help"]},
)
click.version_option(__version__, prog_name="blogapi")(main)


def run_command_line(arguments: list[str] | None = None, *, name: str = "blogapi") -> None:
    """Run the command line with the given arguments (default: `sys.argv`)."""
    for stream in (sys.stdout, sys.stderr):
        # On Windows, a redirected stream uses the system's code page, which lacks most characters.
        if isinstance(stream, TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        main(arguments or ["--help"], prog_name=name)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "new thread" not in str(error):
            raise
        sys.exit("Error: There is not enough memory. Raise the limit of memory or threads of this process.")


if __name__ == "__main__":
    run_command_line(name="python -m blogapi")
