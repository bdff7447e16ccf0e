"""Reads the settings from four sources; each source overrides the sources before it.

The sources are the defaults, `config.toml` in the instance folder, environment variables (`BLOGAPI_<NAME>`),
and the argument of `create_app`.
"""

from __future__ import annotations

import difflib
import os
import secrets
import tomllib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click

from blogapi.settings import REMOVED_SETTINGS, SETTINGS

if TYPE_CHECKING:
    from flask import Flask


Value = TypeVar("Value")


class AppState(Generic[Value]):
    """A typed value that each application stores in its own `app.extensions`."""

    def __init__(self, name: str) -> None:
        self._key = f"blogapi-{name}"

    def set(self, app: Flask, value: Value) -> None:
        """Store the value for this application; this replaces a former value."""
        app.extensions[self._key] = value

    def get(self, app: Flask | None = None) -> Value:
        """Return the value of the given application, or by default of the current application."""
        # Imported here because commands that open no blog do not import Flask.
        from flask import current_app

        value: Value = (app or current_app).extensions[self._key]
        return value


VARIABLE_PREFIX = "BLOGAPI_"
INSTANCE_PATH_VARIABLE = f"{VARIABLE_PREFIX}INSTANCE_PATH"
# In a container, this variable contains the start of a command line on the host that runs blogapi.
COMMAND_VARIABLE = f"{VARIABLE_PREFIX}COMMAND"

_SETTINGS_BY_NAME = {setting.name: setting for setting in SETTINGS}


def get_setting_default(name: str) -> Any:
    return _SETTINGS_BY_NAME[name].default


def load_settings(app: Flask, overrides: Mapping[str, Any] | None) -> None:
    """Fill `app.config` from all sources and create the instance folder; the secret key is loaded later.

    Raises CannotStart for a setting that is unknown or has an invalid value.
    """
    folder = Path(app.instance_path)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStart(f"The instance folder {folder} cannot be created: {error.strerror}.") from error
    app.config.update(read_settings(folder))
    overrides = overrides or {}
    app.config.update({name: value for name, value in overrides.items() if name not in _SETTINGS_BY_NAME})
    known_settings = {name: value for name, value in overrides.items() if name in _SETTINGS_BY_NAME}
    app.config.update(_parse_settings(known_settings, source="create_app"))
    app.config["PERMANENT_SESSION_LIFETIME"] = timedelta(days=app.config["SESSION_DAYS"])


def read_settings(folder: Path) -> dict[str, Any]:
    """Return all settings from the folder and the environment, without creating anything.

    Raises CannotStart for a setting that is unknown or has an invalid value.
    """
    values = {setting.name: setting.default for setting in SETTINGS}
    values |= _parse_settings(_read_toml(folder / "config.toml"), source="config.toml")
    return values | _parse_settings(read_environment(), source="the environment")


def has_settings(folder: Path) -> bool:
    """Return whether the file `config.toml` in the folder has settings of blogapi."""
    return any(name in _SETTINGS_BY_NAME for name in _read_toml(folder / "config.toml"))


def describe_removed_settings(folder: Path) -> list[str]:
    """Return a sentence about each removed setting that the folder or the environment sets."""
    sources = {"config.toml": _read_toml(folder / "config.toml"), "the environment": read_environment()}
    return [
        f"The setting {name} in {source} has no effect any more. {REMOVED_SETTINGS[name].reason}"
        for source, values in sources.items()
        for name in values
        if name in REMOVED_SETTINGS
    ]


def build_process_environment(app: Flask) -> dict[str, str]:
    """Return the environment of a process that opens the blog of the application with the same settings."""
    # The process reads all other settings itself; the settings of `create_app` exist only in this process.
    settings = read_settings(Path(app.instance_path))
    overrides = {name: app.config[name] for name in settings if app.config[name] != settings[name]}
    overrides.pop("SECRET_KEY", None)
    texts = {f"{VARIABLE_PREFIX}{name}": _format_setting_value(value) for name, value in overrides.items()}
    return {**os.environ, INSTANCE_PATH_VARIABLE: app.instance_path} | texts


def _format_setting_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CannotStart(f"{path} cannot be read: {error}.") from error
    except OSError as error:
        raise CannotStart(f"{path} cannot be read: {error.strerror}.") from error


def read_environment() -> dict[str, str]:
    """Return the settings in the environment as text, by name, including settings with unknown names."""
    # Keep unknown names: the caller refuses them, so that nobody misspells a security setting unnoticed.
    # BLOGAPI_INSTANCE_PATH, BLOGAPI_COMMAND and the variables of the test suite are not settings.
    return {
        name.removeprefix(VARIABLE_PREFIX): value
        for name, value in os.environ.items()
        if name.startswith(VARIABLE_PREFIX)
        and name not in (INSTANCE_PATH_VARIABLE, COMMAND_VARIABLE)
        and not name.startswith(f"{VARIABLE_PREFIX}TEST_")
    }


def _parse_settings(values: Mapping[str, Any], *, source: str) -> dict[str, Any]:
    parsed = {}
    for name, value in values.items():
        if name in REMOVED_SETTINGS:
            continue
        setting = _SETTINGS_BY_NAME.get(name)
        if setting is None:
            raise CannotStart(f"The setting {name} in {source} is unknown.{_suggest_correction(name, value)}")
        try:
            parsed[name] = setting.parse(value)
        except ValueError as error:
            raise CannotStart(f"The setting {name} in {source} {error}.") from error
    return parsed


def _suggest_correction(name: str, value: Any) -> str:
    """Return a space and a sentence that helps to correct an unknown setting, or an empty string."""
    if isinstance(value, Mapping):
        return f" Settings do not belong in a table; delete the line [{name}]."
    similar = difflib.get_close_matches(name.upper().removeprefix(VARIABLE_PREFIX), _SETTINGS_BY_NAME, n=1)
    return f" Did you mean {similar[0]}?" if similar else ""


def load_secret_key(folder: str) -> str:
    """Return the secret key that is stored in the folder, or create and store one if there is none."""
    path = Path(folder, "secret_key")
    try:
        if not path.exists():
            _store_secret_key(path, secrets.token_hex(32))
        key = path.read_text(encoding="ascii", errors="ignore").strip()
    except OSError as error:
        raise CannotStart(f"{path} cannot be created or read: {error.strerror}.") from error
    if len(key) < 32:
        raise CannotStart(f"{path} is damaged; delete it to create a new key, which ends all logins.")
    return key


def _store_secret_key(path: Path, key: str) -> None:
    # Two processes may start at the same time. Each process writes a temporary file, and only the first link
    # succeeds, so that both processes use the same key and neither reads a partial file.
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(key)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return
        except OSError:
            # The file system does not support hard links (for example exFAT). Without links, the key of the
            # later process replaces the key of the earlier one.
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class CannotStart(click.ClickException):
    """The service cannot start; the message says what to do (exit status 1)."""
