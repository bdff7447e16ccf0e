"""`serve`: the blog under waitress."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import NoReturn

import click
from flask import Flask, current_app
from flask.cli import with_appcontext

from blogapi.articles import queries as articles
from blogapi.core.database import db
from blogapi.serving import server

NEXT_STEPS = """The blog is empty. In another terminal, in this folder:
  python -m blogapi user create NAME --admin      who writes
  python -m blogapi import FOLDER                 take in Markdown with front matter
  python -m blogapi key create                    a key for a front end
Or stop, and start with --demo for a sample blog."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0: any free one."
)
@click.option(
    "--threads", default=8, show_default=True, type=click.IntRange(1, 64), help="Requests at a time."
)
@click.option("--demo", "with_demo", is_flag=True, help="Fill a blog that is empty with a sample.")
@with_appcontext
def serve(host: str, port: int, threads: int, with_demo: bool) -> None:
    """Serve the blog until Ctrl-C, or until a supervisor ends it; requests at work are answered first."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    try:
        listening = server.create(app, host=host, port=port, threads=threads)
    except OSError as error:
        raise click.ClickException(f"Cannot listen on {host}:{port}: {error.strerror or error}.") from error
    _welcome(with_demo)
    address = f"[{host}]" if ":" in host else host
    click.echo(
        f"Serving {Path(app.instance_path)} at http://{address}:{listening.effective_port}/  (Ctrl-C ends)"
    )
    signal.signal(signal.SIGTERM, _end)
    listening.run()


def _end(*_: object) -> NoReturn:
    # The server takes it like Ctrl-C; by default the process would be gone with answers half sent.
    raise SystemExit(0)


def _welcome(with_demo: bool) -> None:
    if with_demo:
        # Imported where it is needed, like all that only commands do: a server starts sooner without.
        from blogapi.demo import service as demo

        stored = demo.fill()
        click.echo(
            f"The sample blog is there: {stored} articles by the admin {demo.AUTHOR!r}."
            if stored
            else "The blog has articles; the sample is left out."
        )
    elif articles.is_empty():
        click.echo(NEXT_STEPS)
    # The pages are served from other contexts; this one gives its connection back.
    db.session.remove()
