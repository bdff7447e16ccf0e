"""`serve`: the blog under waitress."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import click
from flask import Flask, current_app
from flask.cli import with_appcontext

from blogapi import config
from blogapi.articles import queries as articles
from blogapi.backups import daily
from blogapi.health import queries as health
from blogapi.metrics import exposition as metrics
from blogapi.serving import listening, log, server
from blogapi.storage.database import db

NEXT_STEPS = """The blog is empty. In another terminal, in this folder:
  python -m blogapi user create NAME --admin      who writes
  python -m blogapi import FOLDER                 take in Markdown with front matter
  python -m blogapi key create                    a key for a web page
Or stop, and start with --demo for a sample blog."""


def _proxy(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    try:
        return None if value is None else config.network(value)
    except ValueError as error:
        raise click.BadParameter(f"It {error}.") from error


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0: any free one."
)
@click.option(
    "--threads", default=8, show_default=True, type=click.IntRange(1, 64), help="Requests at a time."
)
@click.option("--demo", "with_demo", is_flag=True, help="Fill a blog that is empty with a sample.")
@click.option(
    "--unix-socket",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Listen on this socket file instead; who may open it is the proxy.",
)
@click.option(
    "--url-scheme",
    default="http",
    show_default=True,
    type=click.Choice(["http", "https"]),
    help="https: TLS ends in front, and nothing says so.",
)
@click.option("--trusted-proxy", metavar="ADDRESS", callback=_proxy, help="Over the setting TRUSTED_PROXY.")
@with_appcontext
def serve(
    host: str,
    port: int,
    threads: int,
    with_demo: bool,
    unix_socket: Path | None,
    url_scheme: str,
    trusted_proxy: str | None,
) -> None:
    """Serve the blog until Ctrl-C, or until a supervisor ends it; what has come in is answered first."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    if unix_socket is not None and not listening.UNIX_SOCKETS:
        raise click.UsageError("--unix-socket: this system has none.")
    try:
        made = server.create(
            app,
            host=host,
            port=port,
            threads=threads,
            unix_socket=unix_socket,
            url_scheme=url_scheme,
            trusted_proxy=trusted_proxy,
        )
    except OSError as error:
        where = unix_socket or f"{host}:{port}"
        raise click.ClickException(f"Cannot listen on {where}: {error.strerror or error}.") from error
    _welcome(with_demo)
    health.look(app)
    daily.start(app)
    address = f"[{host}]" if ":" in host else host
    where = unix_socket or f"http://{address}:{made.effective_port}/"
    click.echo(f"Serving {Path(app.instance_path)} at {where}  (Ctrl-C ends)")
    _end_on_signals(made)
    made.journal = _journal(app)
    try:
        made.run()
    finally:
        if made.journal is not None:
            made.journal.close()


def _journal(app: Flask) -> log.AccessLog | None:
    form, counted = app.config["ACCESS_LOG"], metrics.get_request_metrics(app)
    takers = [] if form == "off" else [log.log_lines(form)]
    if counted is not None:
        takers.append(log.count_requests(counted.count))
    return log.AccessLog(*takers) if takers else None


def _end_on_signals(made: server.Server) -> None:
    def end(number: int, _: object) -> None:
        if made.stopping:
            # Whoever asks twice is not made to wait.
            sys.exit(128 + number)
        made.stop()

    # SIGBREAK is how Windows ends a program in another console group.
    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def _welcome(with_demo: bool) -> None:
    if with_demo:
        # Imported where it is needed, like all that only commands do: a server starts sooner without.
        from blogapi.demo import seed as demo

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
