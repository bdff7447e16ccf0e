"""The application for a WSGI server; `python wsgi.py` runs the `serve` command."""

import sys

from blogapi import create_app

if __name__ == "__main__":
    from blogapi.__main__ import run_command_line

    run_command_line(["serve", *sys.argv[1:]], name="python wsgi.py")

app = create_app()
