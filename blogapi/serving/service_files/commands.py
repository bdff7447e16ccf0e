"""The command `service`, which prints a file for a service manager and installs nothing."""

from __future__ import annotations

import plistlib
import re
import shlex
import struct
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

import click

from blogapi import blog_folder, config
from blogapi.config import CannotStart
from blogapi.operations.backups.service import get_media_folder
from blogapi.serving import listening
from blogapi.storage.connections import get_sqlite_path

_LOG_NAME = "serve.log"
# Windows replaces %NAME% in a command line with the value of an environment variable.
_WINDOWS_SPECIAL_PATTERN = r'%[^%\\]+%|"'


class ServiceDefinition(NamedTuple):
    """The command of a service, its user, and the folders that it can change, the instance folder first."""

    command: list[str]
    user: str
    folders: list[Path]


def build_systemd_unit(service: ServiceDefinition) -> str:
    # In a unit, the meaning of a backslash varies, and the path of a program must not contain quotes.
    _refuse_special_characters(service, r"\\")
    _refuse_special_characters(ServiceDefinition(service.command[:1], "", []), "['\"]")
    folders = [str(folder) for folder in service.folders]
    return _read_template("systemd.service").format(
        user=service.user.replace("%", "%%"),
        command=_quote_for_systemd(service.command),
        folders=_quote_for_systemd(folders),
        # systemd ignores a missing folder whose path follows a minus, so that `serve` can report it.
        writable=_quote_for_systemd([f"-{folder}" for folder in folders]),
    )


def build_launchd_job(service: ServiceDefinition) -> str:
    _refuse_special_characters(service)
    job = plistlib.loads(_read_template("launchd.plist").encode("utf-8"))
    job |= {"ProgramArguments": service.command, "UserName": service.user}
    job["WorkingDirectory"] = str(service.folders[0].parent)
    job["StandardOutPath"] = job["StandardErrorPath"] = str(service.folders[0] / _LOG_NAME)
    return plistlib.dumps(job).decode("utf-8")


def build_windows_task(service: ServiceDefinition) -> str:
    _refuse_special_characters(service, _WINDOWS_SPECIAL_PATTERN)
    log = _quote_for_windows_command([str(service.folders[0] / _LOG_NAME)])
    # cmd.exe removes the outer quotes.
    arguments = f'/d /s /c "{_quote_for_windows_command(service.command)} >> {log} 2>&1"'
    return _read_template("task.ps1").format(
        folders=", ".join(_quote_for_powershell(str(folder)) for folder in service.folders),
        arguments=_quote_for_powershell(arguments),
    )


def build_winsw_service(service: ServiceDefinition) -> str:
    _refuse_special_characters(service, _WINDOWS_SPECIAL_PATTERN)
    text = _read_template("winsw.xml").format(
        program=escape(service.command[0]),
        arguments=escape(_quote_for_windows_command(service.command[1:])),
        log_folder=escape(str(service.folders[0])),
    )
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _read_template(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def _refuse_special_characters(service: ServiceDefinition, *patterns: str) -> None:
    """Raise CannotStart if a text of the service has control characters or matches a pattern."""
    refused = re.compile("|".join([r"[\x00-\x1f\x7f\ud800-\udfff]", *patterns]))
    for text in (*service.command, service.user, *map(str, service.folders)):
        if match := refused.search(text):
            raise CannotStart(f"The file cannot contain {match[0]!r} in {text!r}; rename the folder.")


def _quote_for_systemd(words: list[str]) -> str:
    # systemd reads quotes as a shell does, and % begins a specifier.
    return " ".join(shlex.quote(word).replace("%", "%%") for word in words)


def _quote_for_windows_command(words: list[str]) -> str:
    """Return a command line for cmd.exe and for CreateProcess."""
    # Programs read a single backslash before a quote as an escape, so it is doubled.
    ends = ("\\" * (len(word) - len(word.rstrip("\\"))) for word in words)
    return " ".join(f'"{word}{end}"' for word, end in zip(words, ends, strict=True))


def _quote_for_powershell(text: str) -> str:
    """Return the text as an ASCII expression, because Windows programs read scripts in several encodings."""

    def escape_characters(match: re.Match[str]) -> str:
        units = struct.iter_unpack(">H", match[0].encode("utf-16-be"))
        return "".join(f"' + [char]0x{unit:x} + '" for (unit,) in units)

    literal = text.replace("'", "''")
    return f"'{literal}'" if text.isascii() else f"('{re.sub('[^ -~]', escape_characters, literal)}')"


_BUILDERS = {
    "systemd": build_systemd_unit,
    "launchd": build_launchd_job,
    "windows": build_windows_task,
    "winsw": build_winsw_service,
}


@click.command()
@click.argument("kind", type=click.Choice(list(_BUILDERS)))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Port.")
@click.option("--user", default="blogapi", show_default=True, help="User of the service, except on Windows.")
def service(kind: str, host: str, port: int, user: str) -> None:
    """Print a file with which the operating system runs the blog as a service; nothing is installed.

    The file is a systemd unit, a launchd property list, a script that registers a scheduled task of Windows,
    or a configuration of WinSW 2.
    """
    instance = blog_folder.require_blog()
    if instance.name != "instance":
        raise config.CannotStart(
            f"A service uses --blog, so the instance folder {instance} must be called `instance`."
        )
    command = [
        *blog_folder.make_serve_command(),
        "--blog",
        str(instance.parent),
        "--host",
        host,
        "--port",
        str(port),
    ]
    click.echo(_BUILDERS[kind](ServiceDefinition(command, user, _list_writable_folders(instance))), nl=False)
    # Print these lines to standard error, because users redirect standard output into the file.
    url = listening.make_local_url(host, port)
    click.echo(f"To ask the service for its state: {blog_folder.get_command()} health --url {url}", err=True)
    if names := ", ".join(f"{config.VARIABLE_PREFIX}{name}" for name in config.read_environment()):
        click.echo(f"The service does not get {names}; set them in {instance / 'config.toml'}.", err=True)


def _list_writable_folders(instance: Path) -> list[Path]:
    """Return the instance folder, and the folders outside it that contain media files or the database."""
    database = get_sqlite_path(config.read_settings(instance)["DATABASE_URL"], instance)
    folders = {get_media_folder(instance).root.resolve(), database.parent.resolve() if database else instance}
    return [instance, *sorted(folder for folder in folders if not folder.is_relative_to(instance))]
