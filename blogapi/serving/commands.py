"""The `serve` command, which runs the blog with waitress."""

from __future__ import annotations

import ctypes
import signal
import socket
import sys
from contextlib import nullcontext, suppress
from pathlib import Path

import click
from flask import Flask, current_app
from sqlalchemy.exc import SQLAlchemyError

from blogapi import blog_folder, config, settings
from blogapi.accounts.users import links
from blogapi.accounts.users.queries import can_admin_log_in
from blogapi.content.articles import queries as article_queries
from blogapi.content.articles.writing.rerendering import needs_upgrade
from blogapi.content.deleted_items import service as deleted_item_service
from blogapi.content.media.folder import check_shared_folder
from blogapi.delivery.webhooks import sender
from blogapi.importing.jobs import service as import_job_service
from blogapi.importing.jobs.runner import get_runner
from blogapi.operations.backups import backup_command, daily
from blogapi.operations.health.routes import start_integrity_check
from blogapi.publication import background_thread
from blogapi.serving import access_log, listening, server
from blogapi.serving.upgrade_responses import serve_upgrade_responses
from blogapi.site.queries import get_service_url
from blogapi.storage.database import db
from blogapi.storage.version_check import NewerSchema
from blogapi.web import logs
from blogapi.web.metrics import get_metrics

# The numbers of two parameters of `mallopt`, in `malloc.h`.
_M_TRIM_THRESHOLD, _M_ARENA_MAX = -1, -8


def configure_malloc() -> None:
    """Make glibc use one memory pool for all threads, and return free memory at the end of the pool.

    By default, glibc has a pool for each thread and keeps up to 64 MB of freed memory in each pool. With a C
    library without `mallopt`, this does nothing.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(_M_ARENA_MAX, 1)
        # With a lower threshold, the pool can shrink and grow again for each part of a long response.
        mallopt(_M_TRIM_THRESHOLD, 1024 * 1024)


# How long a server that stops waits for a running import, in seconds.
IMPORT_STOP_SECONDS = 5

FIRST_ADMIN_TEXT = "No admin can log in yet. This link creates one; it works once, for one day:"
NEXT_STEPS_TEXT = """The blog is empty. In another terminal, in this folder and with the same --blog, if any:
  {program} user create NAME --admin      create an admin
  {program} import PATH                   import another blog (WordPress, Ghost, Markdown and others)
  {program} key create                    create a key for a web page
Or stop the server and start it with --demo for a sample blog."""


def _parse_proxy(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    try:
        return None if value is None else settings.parse_network(value)
    except ValueError as error:
        raise click.BadParameter(f"It {error}.") from error


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 selects any free port.",
)
@click.option(
    "--threads",
    default=8,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Number of reads, and number of writes, that are processed at the same time.",
)
@click.option("--demo", "with_demo", is_flag=True, help="Fill an empty blog with sample articles.")
@click.option(
    "--unix-socket",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Listen on this Unix socket, not on a port. Every process that can open it is trusted as the proxy.",
)
@click.option(
    "--url-scheme",
    default="http",
    show_default=True,
    type=click.Choice(["http", "https"]),
    help="Scheme of the addresses in responses if the proxy sends no X-Forwarded-Proto.",
)
@click.option(
    "--trusted-proxy", metavar="ADDRESS", callback=_parse_proxy, help="Override the TRUSTED_PROXY setting."
)
@click.pass_context
def serve(
    context: click.Context,
    host: str,
    port: int,
    threads: int,
    with_demo: bool,
    unix_socket: Path | None,
    url_scheme: str,
    trusted_proxy: str | None,
) -> None:
    """Serve the blog until Ctrl-C or SIGTERM.

    The server finishes the requests that it has received before it exits.
    """
    if unix_socket is not None and not listening.HAS_UNIX_SOCKETS:
        raise click.UsageError("--unix-socket: this operating system has no Unix sockets.")
    instance = _find_instance(with_demo)
    settings = config.read_settings(instance)
    logs.configure_logging(settings)
    with logs.log_command_errors(settings), _open_socket(host, port, unix_socket) as listening_socket:
        with serve_upgrade_responses(listening_socket) if needs_upgrade(instance) else nullcontext():
            app: Flask = context.obj.load_app()
        with app.app_context():
            check_shared_folder()
            configure_malloc()
            http_server = server.create_server(
                app,
                listening_socket=listening_socket,
                threads=threads,
                url_scheme=url_scheme,
                trusted_proxy=trusted_proxy,
            )
            _run_server(app, http_server, host, unix_socket, with_demo, bool(trusted_proxy))


def _open_socket(host: str, port: int, path: Path | None) -> socket.socket:
    try:
        return listening.open_socket(host, port, path)
    except OSError as error:
        address = path or f"{host}:{port}"
        hint = "" if path else " Choose another --port."
        raise click.ClickException(f"Cannot listen on {address}: {error.strerror or error}.{hint}") from error


def _find_instance(with_demo: bool) -> Path:
    """Return the instance folder; raises CannotStart if the folder must contain a blog and has none."""
    instance = blog_folder.find_instance()
    in_checkout = blog_folder.CHECKOUT is not None and (
        instance.parent == blog_folder.CHECKOUT or Path(sys.argv[0]).name == "wsgi.py"
    )
    if in_checkout and instance.is_dir() and not blog_folder.is_blog(instance):
        # In a new checkout, git has created the folder with access for all users.
        instance.chmod(0o700)
    return instance if with_demo or in_checkout else blog_folder.require_blog()


def _run_server(
    app: Flask,
    http_server: server.Server,
    host: str,
    unix_socket: Path | None,
    with_demo: bool,
    has_proxy: bool,
) -> None:
    port = 0 if unix_socket else http_server.effective_port
    address = unix_socket or f"{listening.make_server_url(host, port)}/"
    public_address = get_service_url() if unix_socket or has_proxy or app.config["TRUSTED_PROXY"] else ""
    local_address = "" if unix_socket else listening.make_local_url(host, port)
    if app.config["ADMIN_PAGES"]:
        _print_admin_links(public_address or local_address)
    import_job_service.delete_old_jobs()
    _create_sample_or_print_next_steps(with_demo, local_address)
    start_integrity_check(app)
    daily.start_daily_backups(app)
    stop_announcing = background_thread.start_background_thread(
        app, deleted_item_service.delete_expired_items
    )
    stop_webhooks = sender.start_sender(app)
    _print_or_log(f"Serving {Path(app.instance_path)} at {address}  (Ctrl-C ends)")
    _stop_on_signals(app, http_server)
    http_server.access_log = _open_access_log(app)
    listening.notify_service_manager("READY=1")
    try:
        http_server.run()
    finally:
        stop_announcing()
        stop_webhooks()
        get_runner(app).stop_job(IMPORT_STOP_SECONDS)
        if http_server.access_log is not None:
            http_server.access_log.close()


def _open_access_log(app: Flask) -> access_log.AccessLog | None:
    metrics = get_metrics(app)
    log_format = logs.get_log_format(app.config)
    handlers = [] if app.config["ACCESS_LOG"] == "off" else [access_log.make_log_handler(log_format)]
    if metrics is not None:
        handlers.append(access_log.make_count_handler(metrics.count_request))
    return access_log.AccessLog(*handlers) if handlers else None


def _stop_on_signals(app: Flask, http_server: server.Server) -> None:
    def stop(number: int, _: object) -> None:
        if http_server.stopping:
            # A second signal ends the process immediately.
            sys.exit(128 + number)
        get_runner(app).stopping.set()
        http_server.stop()
        if backup_command.stop_running_command():
            app.logger.warning("BACKUP_COMMAND was ended, because the server stops")
        listening.notify_service_manager("STOPPING=1")

    # On Windows, Ctrl-Break is the only signal that reaches a program in another process group.
    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)


def _is_log_json() -> bool:
    return logs.get_log_format(current_app.config) == "json"


def _print_or_log(text: str) -> None:
    """Print a text for the user who starts the server, or log it if the log is JSON."""
    if _is_log_json():
        current_app.logger.info(text)
    else:
        click.echo(text)


def _print_admin_links(address: str) -> None:
    """Print the address of the admin pages, and if no admin can log in, a link that creates one."""
    _print_or_log(f"Write here: {address}/admin/")
    # If the database refuses writes, no link can be stored, but readers can still use the blog.
    with suppress(SQLAlchemyError, NewerSchema):
        if not can_admin_log_in():
            if _is_log_json():
                # The link is a secret, so it must not be stored in a JSON log.
                command = f"{blog_folder.get_command()} user create NAME --admin"
                _print_or_log(f"No admin can log in yet; `{command}` creates one.")
            else:
                click.echo(f"{FIRST_ADMIN_TEXT}\n  {address}{links.create_setup_link().path}")


def _create_sample_or_print_next_steps(with_demo: bool, local_address: str) -> None:
    if with_demo:
        # Imported here, so that a server without --demo starts sooner.
        from blogapi.operations.demo.seed import AUTHOR_NAME, fill_empty_blog, update_loopback_address

        stored = fill_empty_blog(local_address)
        if not stored and local_address:
            update_loopback_address(local_address)
        _print_or_log(
            f"Created a sample blog: {stored} articles by the admin {AUTHOR_NAME!r}."
            if stored
            else "The blog already has articles; no sample was added."
        )
    elif article_queries.is_blog_empty():
        _print_or_log(NEXT_STEPS_TEXT.format(program=blog_folder.get_command()))
    # Requests use their own contexts. Return the database connection of this context to the pool.
    db.session.remove()
