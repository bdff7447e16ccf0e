"""The logging configuration: each log line is text or JSON, and names the request to which it belongs.

Lines contain no API keys, passwords or secret settings.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Any
from urllib.parse import quote

import click
from flask import has_request_context, request
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from blogapi.storage.connections import PASSWORD_OPTIONS
from blogapi.web.request_environ import REQUEST_ID_KEY, ROUTE_KEY

# The key of the WSGI environment for the name of the user who is logged in.
USERNAME_KEY = "blogapi.user"
# The attribute that marks a log record whose message is already a complete line, as in the access log.
FORMATTED_KEY = "is_formatted"

# The group matches the prefix of an API key, which is not secret; the other characters of the key are secret.
API_KEY_PATTERN = re.compile(r"(blogapi_[0-9A-Za-z]{6})[0-9A-Za-z]{32}", re.ASCII)
_SECRET_SETTINGS = ("SECRET_KEY", "SMTP_PASSWORD")
_URL_SETTINGS = ("DATABASE_URL", "LIMITS_URL")
_MIN_HIDDEN_SECRET_LENGTH = 6

logger = logging.getLogger("blogapi")


def get_log_format(settings: Mapping[str, Any]) -> str:
    """Return the format of the log: `json` or `text`."""
    return "json" if "json" in (settings["LOG_FORMAT"], settings["ACCESS_LOG"]) else "text"


def configure_logging(settings: Mapping[str, Any]) -> None:
    """Log to standard error in the configured format, unless a program using blogapi has set up handlers."""
    level = logging.getLevelNamesMapping()[settings["LOG_LEVEL"].upper()]
    logger.setLevel(level)
    root = logging.getLogger()
    if any(not isinstance(handler.formatter, _LogFormatter) for handler in root.handlers):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LogFormatter(get_log_format(settings), _find_secrets(settings)))
    # Below WARNING, libraries log values such as the parameters of SQL statements.
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught_exception
    threading.excepthook = lambda raised: _log_uncaught_exception(
        raised.exc_type, raised.exc_value, raised.exc_traceback
    )


@contextmanager
def log_command_errors(settings: Mapping[str, Any]) -> Iterator[None]:
    """Log the error that ends a command as JSON and exit with its status; a text log shows it as usual."""
    try:
        yield
    except click.ClickException as error:
        if get_log_format(settings) != "json":
            raise
        logger.critical(error.format_message())
        raise SystemExit(error.exit_code) from error


def get_key_prefix(key: str) -> str:
    """Return the prefix of an API key, which is not secret, or "" if the text is not an API key."""
    found = API_KEY_PATTERN.fullmatch(key)
    return found[1] if found else ""


def format_log_time(seconds: float) -> str:
    """Return a time, given in seconds since 1970, in UTC with milliseconds."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{int(seconds % 1 * 1000):03}Z"


class _LogFormatter(logging.Formatter):
    def __init__(self, log_format: str, secrets: list[str]) -> None:
        super().__init__()
        self._is_json = log_format == "json"
        self._secret = re.compile("|".join(map(re.escape, secrets)) or "(?!)")

    def format(self, record: logging.LogRecord) -> str:
        if getattr(record, FORMATTED_KEY, False):
            return record.getMessage()
        message = self._hide_secrets(record.getMessage())
        traceback = self._hide_secrets(self.formatException(record.exc_info)) if record.exc_info else ""
        context = _get_request_context()
        if self._is_json:
            fields = {"time": format_log_time(record.created), "level": record.levelname.lower()}
            fields |= {"logger": record.name, "message": message} | context
            return json.dumps(fields | ({"traceback": traceback} if traceback else {}), separators=(",", ":"))
        suffix = f" ({', '.join(f'{name} {value}' for name, value in context.items())})" if context else ""
        lines = f"{message}{suffix}\n{traceback}".strip().splitlines()
        # Further lines are indented, so that a text from a client cannot look like another log line.
        return f"{format_log_time(record.created)} {record.levelname} {record.name}: " + "\n  ".join(lines)

    def _hide_secrets(self, text: str) -> str:
        return self._secret.sub("•••", API_KEY_PATTERN.sub(r"\1*", text))


def _get_request_context() -> dict[str, str]:
    """Return the id, the route, the client and the user or key of the current request, if there is one."""
    if not has_request_context():
        return {}
    environ = request.environ
    context = {
        "request_id": environ.get(REQUEST_ID_KEY),
        "method": request.method,
        "route": environ.get(ROUTE_KEY),
        "client": environ.get("REMOTE_ADDR"),
        "user": environ.get(USERNAME_KEY),
        "key": get_key_prefix(environ.get("HTTP_X_API_KEY", "")),
    }
    return {name: value for name, value in context.items() if value}


def _find_secrets(settings: Mapping[str, Any]) -> list[str]:
    """Return the secret settings and the passwords in addresses.

    A short password is returned as `:password@`, its form in an address, because the password alone can be a
    word that many messages contain, such as the name of the blog.
    """
    secrets = [settings[name] for name in _SECRET_SETTINGS]
    secrets += [password for name in _URL_SETTINGS for password in _find_passwords(settings[name])]
    texts = {text if len(text) >= _MIN_HIDDEN_SECRET_LENGTH else f":{text}@" for text in secrets if text}
    return sorted(texts, key=len, reverse=True)


def _find_passwords(address: str) -> list[str]:
    """Return the passwords in the URL of a database or of Redis; SQLAlchemy can parse both."""
    try:
        url = make_url(address)
    except ArgumentError:
        return []
    options = url.normalized_query
    found = [url.password or "", *(value for name in PASSWORD_OPTIONS for value in options.get(name, ()))]
    as_written = address.partition("://")[2].rpartition("@")[0].partition(":")[2]
    return [*found, *(quote(password, safe="") for password in found), as_written]


def _log_uncaught_exception(
    kind: type[BaseException], error: BaseException | None, traceback: TracebackType | None
) -> None:
    if error is not None and not issubclass(kind, KeyboardInterrupt | SystemExit):
        logger.critical("uncaught exception", exc_info=(kind, error, traceback))
