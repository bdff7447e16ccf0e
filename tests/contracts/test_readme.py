"""The README names every setting and command, and no others."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

import click
import pytest

from blogapi import registry
from blogapi.__main__ import main
from blogapi.config import PREFIX, SETTINGS
from blogapi.web.access import SCOPES, STRANGER, Caller, authorize
from blogapi.web.errors import Problem

README = (Path(__file__).parent.parent.parent / "README.md").read_text(encoding="utf-8")


def commands(group: click.Group = main, path: str = ""):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


def format_default(default):
    if isinstance(default, bool | int):
        return f"`{str(default).lower()}`"
    return f"`{','.join(default) if isinstance(default, tuple) else default}`" if default else "empty"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_in_the_readme(setting):
    assert f"| `{setting.name}` | {format_default(setting.default)} | {setting.description} |" in README


def test_the_readme_names_no_other_setting():
    table = README[README.index("## Settings") :].split("\n## ")[0]
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.M)) == {setting.name for setting in SETTINGS}


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=lambda value: str(value))
def test_every_command_is_in_the_readme(name, command):
    options = [
        max(parameter.opts, key=len) for parameter in command.params if isinstance(parameter, click.Option)
    ]
    (row,) = [line for line in README.splitlines() if line.startswith(f"| `{name}")]
    missing = [option for option in options if option not in row]
    assert not missing


def test_the_readme_names_no_other_command():
    table = README[README.index("## Commands") :].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert len(rows) == len(list(commands()))


PUBLISHED, READ, WRITE = (frozenset(SCOPES[: number + 1]) for number in range(3))
CALLERS = (
    STRANGER,
    Caller(known=True, scopes=PUBLISHED),
    Caller(known=True, user=uuid4(), is_admin=True, scopes=PUBLISHED),
    Caller(known=True, user=uuid4(), scopes=READ),
    Caller(known=True, user=uuid4(), scopes=WRITE),
    Caller(known=True, user=uuid4(), is_admin=True, scopes=READ),
    Caller(known=True, user=uuid4(), is_admin=True, scopes=WRITE),
)


def outcome_of(access, caller):
    try:
        authorize(access, caller)
    except Problem as error:
        return str(error.status)
    return "yes"


def permissions(app):
    """Return the table of permissions; methods with the same outcomes share a row."""
    rows = {}
    for path, method, _, access in registry.rules(app):
        plain = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r":\1", path)
        outcomes = tuple(outcome_of(access, caller) for caller in CALLERS)
        rows.setdefault((plain, outcomes), []).append(method)
    return "\n".join(
        f"| `{path}` | {', '.join(methods)} | {' | '.join(outcomes)} |"
        for (path, outcomes), methods in rows.items()
    )


def test_the_permissions_in_the_readme_are_those_of_the_access_rules(app):
    table = README[README.index("### Who may do what") :].split("\n\n")[1]
    assert "\n".join(table.splitlines()[2:]) == permissions(app)


def test_the_readme_names_the_environment_variables():
    assert f"`{PREFIX}<NAME>`" in README and f"`{PREFIX}INSTANCE_PATH`" in README
