"""The command `service`, which prints a file for a service manager and installs nothing."""

from __future__ import annotations

from pathlib import Path

import click

from blogapi import blog_folder, config, program
from blogapi.operations.backups.service import get_media_folder
from blogapi.serving import listening
from blogapi.serving.service_files import files
from blogapi.storage.connections import sqlite_path

_BUILDERS = {
    "systemd": files.build_systemd_unit,
    "launchd": files.build_launchd_job,
    "windows": files.build_windows_task,
    "winsw": files.build_winsw_service,
}


@click.command()
@click.argument("kind", type=click.Choice(list(_BUILDERS)))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Port.")
@click.option("--user", default="blogapi", show_default=True, help="User of the service, except on Windows.")
def service(kind: str, host: str, port: int, user: str) -> None:
    """Print a file with which the operating system runs the blog as a service; nothing is installed.

    It is a systemd unit, a launchd property list, a script that registers a scheduled task of Windows, or a
    configuration of WinSW 2.
    """
    home = blog_folder.find_blog()
    if home.name != "instance":
        raise config.CannotStart(
            f"A service uses --blog, so the instance folder {home} must be called `instance`."
        )
    command = [*program.make_serve_command(), "--blog", str(home.parent), "--host", host, "--port", str(port)]
    click.echo(_BUILDERS[kind](files.Service(command, user, _list_folders(home))), nl=False)
    # Standard output is usually redirected, and contains only the file.
    url = listening.make_local_url(host, port)
    click.echo(f"To ask the service for its state: {program.get_command()} health --url {url}", err=True)
    if names := ", ".join(f"{config.PREFIX}{name}" for name in config.read_environment()):
        click.echo(f"The service does not get {names}; set them in {home / 'config.toml'}.", err=True)


def _list_folders(home: Path) -> list[Path]:
    """Return the instance folder, and the folders outside it that contain media files or the database."""
    database = sqlite_path(config.read_settings(home)["DATABASE_URL"], home)
    folders = {get_media_folder(home).root.resolve(), database.parent.resolve() if database else home}
    return [home, *sorted(folder for folder in folders if not folder.is_relative_to(home))]
