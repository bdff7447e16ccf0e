"""The settings: each named once, with its type, its default and one sentence.

Sources, later wins: the defaults, `config.toml` in the instance folder, the environment
(`BLOGAPI_<NAME>`), what `create_app` was given.
"""

from __future__ import annotations

import difflib
import os
import re
import secrets
import tomllib
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import click
import limits
from flask import Flask

PREFIX = "BLOGAPI_"
INSTANCE_PATH = f"{PREFIX}INSTANCE_PATH"

# An address with what people add to an origin: a path, a user, the port that browsers leave out.
_ORIGIN = re.compile(
    r"(?:(?P<scheme>https?)://|//)?(?:[^/@]*@)?"
    r"(?P<host>\[[0-9a-f:.]+\]|[^\s/:@?#\[\]]+)(?::(?P<port>[0-9]{1,5}))?(?:[/?#].*)?",
    re.IGNORECASE | re.ASCII,
)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def text(value: Any) -> str:
    """Return a text setting."""
    if not isinstance(value, str):
        raise ValueError("must be a text")
    return value


def number(most: int, *, least: int = 1) -> Callable[[Any], int]:
    """Return the reader of a setting that is a whole number from `least` to `most`."""

    def whole(value: Any) -> int:
        written = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if not re.fullmatch(r"[0-9]{1,18}", written) or not least <= int(written) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(written)

    whole.__doc__ = f"A whole number from {least} to {most}."
    return whole


def flag(value: Any) -> bool:
    """Return a setting that is true or false."""
    words = {True: True, False: False, "true": True, "false": False}
    if not isinstance(value, bool | str) or value not in words:
        raise ValueError("must be true or false")
    return words[value]


def names(value: Any) -> tuple[str, ...]:
    """Return a list setting, given as a list or as one text with commas."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise ValueError("must be a list of texts")
    return tuple(part.strip() for part in parts if part.strip())


def origins(value: Any) -> tuple[str, ...]:
    """Return a list of origins, each spelled as browsers send it."""
    written = names(value)
    for one in written:
        if one == "null":
            raise ValueError("must not hold 'null': any site can make a browser send it; name each origin")
        if "*" in one:
            raise ValueError(f"must not hold patterns such as {one!r}; name each origin")
        spelled = ", ".join(_spelled_by_browsers(part) for part in one.split())
        if spelled != one:
            raise ValueError(f"must hold origins as browsers send them: write {spelled!r} for {one!r}")
    return written


def _spelled_by_browsers(written: str) -> str:
    found = _ORIGIN.fullmatch(written.strip("'\""))
    host = _host_in_ascii(found["host"]) if found else ""
    port = int(found["port"] or 0) if found else 0
    if not found or not host or port > 65_535:
        raise ValueError(
            "must be a list of origins such as 'https://blog.example', with commas between; "
            f"{written!r} is not an origin"
        )
    local = host in ("localhost", "[::1]") or host.startswith("127.")
    scheme = (found["scheme"] or ("http" if local else "https")).lower()
    return f"{scheme}://{host}{f':{port}' if port not in (0, _DEFAULT_PORTS[scheme]) else ''}"


def _host_in_ascii(host: str) -> str:
    """Return a host as browsers send it, empty where it cannot be one."""
    # As browsers do and Python's own codec does not: ß stays a letter of its own.
    labels = unicodedata.normalize("NFKC", host.lower()).replace("。", ".").split(".")
    if host.startswith("[") or labels[-1].isdecimal():
        try:
            address = ip_address(host.strip("[]"))
        except ValueError:
            return ""
        return str(address) if address.version == 4 else f"[{address.compressed}]"
    ascii_labels = [
        label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in labels
    ]
    return ".".join(ascii_labels) if all(map(_LABEL.fullmatch, ascii_labels)) else ""


def rate(value: Any) -> str:
    """Return a limit such as `20 per minute`, or several with semicolons between."""
    try:
        usable = all(limit.amount for limit in limits.parse_many(text(value)))
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("must be a limit such as '20 per minute'")
    return text(value)


def rate_or_none(value: Any) -> str:
    """Return a limit such as `600 per minute`; empty: none."""
    return rate(value) if value != "" else ""


def network(value: Any) -> str:
    """Return an IP address or a network such as `172.16.0.0/12`; empty: none."""
    try:
        return value and str(ip_network(text(value), strict=False))
    except ValueError as error:
        raise ValueError("must be an IP address or a network") from error


def one_of(*words: str) -> Callable[[Any], str]:
    """Return the reader of a setting that is one of `words`."""

    def choice(value: Any) -> str:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}")
        return str(value)

    choice.__doc__ = " or ".join(f"`{word}`" for word in words)
    return choice


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: how it is called, read, what it is by default and what it does."""

    name: str
    read: Callable[[Any], Any]
    default: Any
    sentence: str


SETTINGS = (
    Setting(
        "DATABASE_URL", text, "", "Where the content is kept; empty means `blog.db` in the instance folder."
    ),
    Setting("SECRET_KEY", text, "", "Signs the session cookies; empty means: made on first start and kept."),
    Setting("KEY_CREATION", one_of("open", "users", "admins"), "open", "Who may create API keys."),
    Setting("REQUEST_ADDRESS_LIMIT", rate_or_none, "", "How many requests one address may make; empty: any."),
    Setting("REQUEST_KEY_LIMIT", rate_or_none, "", "How many requests may carry one key; empty: any."),
    Setting("KEY_LIMIT", rate, "300 per minute; 1000 per hour", "How many keys one address may create."),
    Setting("LOGIN_ADDRESS_LIMIT", rate, "30 per minute", "How many failed logins one address may make."),
    Setting(
        "LOGIN_ACCOUNT_LIMIT",
        rate,
        "10 per minute; 50 per hour",
        "How many failed logins one address may make to one account.",
    ),
    Setting(
        "LOGIN_STRANGERS_LIMIT",
        rate,
        "100 per minute; 1000 per hour",
        "How many failed logins one account may see from all addresses that it has no login from.",
    ),
    Setting(
        "LIMITS_URL",
        text,
        "",
        "Where limits are counted: a Redis (`redis://…`, `rediss://…`); empty means each process for itself.",
    ),
    Setting("SESSION_DAYS", number(3650), 14, "How long a login lasts, in days."),
    Setting(
        "CORS_ORIGINS", origins, (), "Origins whose pages may call the API from a browser; none by default."
    ),
    Setting("MAX_CONTENT_LENGTH", number(2**31 - 1), 16 * 1024 * 1024, "The largest request body, in bytes."),
    Setting("REQUEST_SECONDS", number(3600), 10, "How long a request may take to arrive, in seconds."),
    Setting(
        "CACHE_MEGABYTES",
        number(65_536),
        64,
        "How much memory the answers may take that are kept to be given again.",
    ),
    Setting(
        "UNREAD_MEGABYTES",
        number(65_536, least=32),
        256,
        "How much memory answers may take that clients leave unread; one address may hold an eighth of it.",
    ),
    Setting(
        "DAILY_BACKUPS",
        number(1000, least=0),
        0,
        "How many daily backups `serve` makes and keeps in `backups` of the instance folder; 0: none.",
    ),
    Setting("REQUIRE_IF_MATCH", flag, False, "Refuse changes of what exists that carry no `If-Match`."),
    Setting("MAX_NAME", number(10_000), 100, "The longest name of a category or tag, in characters."),
    Setting("MAX_TITLE", number(10_000), 255, "The longest title and SEO title, in characters."),
    Setting("MAX_SUBTITLE", number(100_000), 500, "The longest subtitle, in characters."),
    Setting("MAX_URL", number(100_000), 2048, "The longest address, in characters."),
    Setting("MAX_CONTENT", number(2**30), 2 * 1024 * 1024, "The longest text of an article, in characters."),
    Setting("MAX_TAGS", number(1000), 50, "The most tags of an article."),
    Setting("MAX_BULK", number(10_000), 100, "The most items that one request may write."),
    Setting(
        "TRUSTED_PROXY",
        network,
        "",
        "Address (or network) of the one proxy whose `X-Forwarded-*` headers are believed.",
    ),
    Setting(
        "ACCESS_LOG",
        one_of("off", "text", "json"),
        "text",
        "How `serve` logs each request on standard error: `off`, `text` or `json`.",
    ),
    Setting("METRICS", flag, False, "Show admins the figures of the process at `/metrics`."),
)
_BY_NAME = {setting.name: setting for setting in SETTINGS}


def default(name: str) -> Any:
    """Return what a setting is where nobody sets it."""
    return _BY_NAME[name].default


def instance_path() -> str:
    """Return the instance folder, absolute: that of the environment, else of the checkout we run from.

    Where blogapi is installed as a package there is no checkout: then it is `instance` in the current
    folder, and never inside an environment that somebody may throw away.
    """
    given = os.environ.get(INSTANCE_PATH)
    checkout = Path(__file__).parent.parent
    home = checkout if (checkout / "wsgi.py").is_file() else Path.cwd()
    return str(Path(given).resolve() if given else home / "instance")


def load(app: Flask, given: Mapping[str, Any] | None) -> None:
    """Fill `app.config` from all sources and prepare the instance folder.

    Raises CannotStart for a setting that is unknown or has an impossible value.
    """
    folder = Path(app.instance_path)
    _prepare(folder)
    app.config.update(read(folder))
    ours = {name: value for name, value in (given or {}).items() if name in _BY_NAME}
    app.config.update(_taken(ours, source="create_app"))
    app.config.update({name: value for name, value in (given or {}).items() if name not in _BY_NAME})
    app.config["SECRET_KEY"] = app.config["SECRET_KEY"] or _secret_key(folder / "secret_key")
    app.config["PERMANENT_SESSION_LIFETIME"] = timedelta(days=app.config["SESSION_DAYS"])


def read(folder: Path) -> dict[str, Any]:
    """Return every setting as the folder and the environment give it; touches nothing.

    Raises CannotStart for a setting that is unknown or has an impossible value.
    """
    values = {setting.name: setting.default for setting in SETTINGS}
    values |= _taken(_from_file(folder / "config.toml"), source="config.toml")
    return values | _taken(_from_environment(), source="the environment")


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CannotStart(f"{path} cannot be read: {error}.") from error
    except OSError as error:
        raise CannotStart(f"{path} cannot be read: {error.strerror}.") from error


def _from_environment() -> dict[str, str]:
    # A misspelt setting would leave a door open unnoticed, so every unknown name is refused; the names
    # of our own tests and of the folder itself are not settings.
    return {
        name.removeprefix(PREFIX): value
        for name, value in os.environ.items()
        if name.startswith(PREFIX) and name != INSTANCE_PATH and not name.startswith(f"{PREFIX}TEST_")
    }


def _taken(values: Mapping[str, Any], *, source: str) -> dict[str, Any]:
    found = {}
    for name, value in values.items():
        setting = _BY_NAME.get(name)
        if setting is None:
            close = difflib.get_close_matches(name, _BY_NAME, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise CannotStart(f"The setting {name} in {source} is unknown.{hint}")
        try:
            found[name] = setting.read(value)
        except ValueError as error:
            raise CannotStart(f"The setting {name} in {source} {error}.") from error
    return found


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStart(f"The instance folder {folder} cannot be made: {error.strerror}.") from error


def _secret_key(path: Path) -> str:
    """Return the kept key, made first where there is none."""
    try:
        if not path.exists():
            _keep(path, secrets.token_hex(32))
        key = path.read_text(encoding="ascii", errors="ignore").strip()
    except OSError as error:
        raise CannotStart(f"{path} cannot be made or read: {error.strerror}.") from error
    if len(key) < 32:
        raise CannotStart(f"{path} is damaged; delete it, and a new one is made (all logins end).")
    return key


def _keep(path: Path, key: str) -> None:
    # Two processes may start at once: each writes a file of its own, and only the first link stands, so
    # that both go on with one key and neither ever sees half of it.
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key)
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:
        # A file system without hard links, such as exFAT: there the later of two starts would win.
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


class CannotStart(click.ClickException):
    """The service cannot run as it is set up; the message says what to do (exit status 1)."""
