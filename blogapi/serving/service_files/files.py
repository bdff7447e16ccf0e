"""Builds a systemd unit, a launchd job, a scheduled task of Windows, and a configuration of WinSW.

Each function raises CannotStart if the file cannot contain a path of the service.
"""

from __future__ import annotations

import plistlib
import re
import shlex
import struct
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from blogapi.config import CannotStart

_LOG_NAME = "serve.log"
# Windows replaces %NAME% in a command line with the value of an environment variable.
_CHANGED_BY_WINDOWS = r'%[^%\\]+%|"'


class Service(NamedTuple):
    """What a service runs, its user, and the folders that it may change, first the instance folder."""

    command: list[str]
    user: str
    folders: list[Path]


def build_systemd_unit(service: Service) -> str:
    # A backslash has different meanings in the settings of a unit, and the path of a program must not
    # contain quotes.
    _refuse_characters(service, r"\\")
    _refuse_characters(Service(service.command[:1], "", []), "['\"]")
    folders = [str(folder) for folder in service.folders]
    return _read_template("systemd.service").format(
        user=service.user.replace("%", "%%"),
        command=_quote_for_systemd(service.command),
        folders=_quote_for_systemd(folders),
        # systemd ignores a missing folder whose path follows a minus, so that `serve` can report it.
        writable=_quote_for_systemd([f"-{folder}" for folder in folders]),
    )


def build_launchd_job(service: Service) -> str:
    _refuse_characters(service)
    job = plistlib.loads(_read_template("launchd.plist").encode("utf-8"))
    job |= {"ProgramArguments": service.command, "UserName": service.user}
    job["WorkingDirectory"] = str(service.folders[0].parent)
    job["StandardOutPath"] = job["StandardErrorPath"] = str(service.folders[0] / _LOG_NAME)
    return plistlib.dumps(job).decode("utf-8")


def build_windows_task(service: Service) -> str:
    _refuse_characters(service, _CHANGED_BY_WINDOWS)
    log = _quote_for_windows([str(service.folders[0] / _LOG_NAME)])
    # cmd.exe removes the outer quotes.
    arguments = f'/d /s /c "{_quote_for_windows(service.command)} >> {log} 2>&1"'
    return _read_template("task.ps1").format(
        folders=", ".join(_quote_for_powershell(str(folder)) for folder in service.folders),
        arguments=_quote_for_powershell(arguments),
    )


def build_winsw_service(service: Service) -> str:
    _refuse_characters(service, _CHANGED_BY_WINDOWS)
    text = _read_template("winsw.xml").format(
        program=escape(service.command[0]),
        arguments=escape(_quote_for_windows(service.command[1:])),
        log_folder=escape(str(service.folders[0])),
    )
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _read_template(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def _refuse_characters(service: Service, *patterns: str) -> None:
    """Raise CannotStart if a text of the service has control characters or matches a pattern."""
    refused = re.compile("|".join([r"[\x00-\x1f\x7f\ud800-\udfff]", *patterns]))
    for text in (*service.command, service.user, *map(str, service.folders)):
        if found := refused.search(text):
            raise CannotStart(f"The file cannot contain {found[0]!r} in {text!r}; rename the folder.")


def _quote_for_systemd(words: list[str]) -> str:
    # systemd reads quotes as a shell does, and % begins a specifier.
    return " ".join(shlex.quote(word).replace("%", "%%") for word in words)


def _quote_for_windows(words: list[str]) -> str:
    """Return a command line for cmd.exe and for CreateProcess."""
    # A program reads a backslash before a quote as an escape, unless it is doubled.
    return " ".join('"' + re.sub(r"(\\*)$", r"\1\1", word, count=1) + '"' for word in words)


def _quote_for_powershell(text: str) -> str:
    """Return an expression in ASCII, because programs of Windows read scripts in several encodings."""

    def write_code_units(found: re.Match[str]) -> str:
        units = struct.iter_unpack(">H", found[0].encode("utf-16-be"))
        return "".join(f"' + [char]0x{unit:x} + '" for (unit,) in units)

    literal = text.replace("'", "''")
    return f"'{literal}'" if text.isascii() else f"('{re.sub('[^ -~]', write_code_units, literal)}')"
