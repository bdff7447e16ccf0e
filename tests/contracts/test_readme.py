"""The README against the code: every setting and every command is in it, and nothing else."""

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


def shown(default):
    if isinstance(default, bool | int):
        return f"`{str(default).lower()}`"
    return f"`{','.join(default) if isinstance(default, tuple) else default}`" if default else "empty"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_in_the_table(setting):
    assert f"| `{setting.name}` | {shown(setting.default)} | {setting.description} |" in README


def test_no_other_setting_is_in_the_table():
    table = README[README.index("## Settings") :].split("\n## ")[0]
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.M)) == {setting.name for setting in SETTINGS}


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=lambda value: str(value))
def test_every_command_is_in_the_table(name, command):
    options = [
        max(parameter.opts, key=len) for parameter in command.params if isinstance(parameter, click.Option)
    ]
    (row,) = [line for line in README.splitlines() if line.startswith(f"| `{name}")]
    missing = [option for option in options if option not in row]
    assert not missing


def test_no_other_command_is_in_the_table():
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


def verdict(access, caller):
    try:
        authorize(access, caller)
    except Problem as error:
        return str(error.status)
    return "yes"


def permissions(app):
    """Return the table of permissions as the rules give it, methods with equal verdicts in one row."""
    rows = {}
    for path, method, _, access in registry.rules(app):
        plain = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r":\1", path)
        verdicts = tuple(verdict(access, caller) for caller in CALLERS)
        rows.setdefault((plain, verdicts), []).append(method)
    return "\n".join(
        f"| `{path}` | {', '.join(methods)} | {' | '.join(verdicts)} |"
        for (path, verdicts), methods in rows.items()
    )


def test_the_permissions_are_those_of_the_rules(app):
    table = README[README.index("### Who may do what") :].split("\n\n")[1]
    assert "\n".join(table.splitlines()[2:]) == permissions(app)


def test_environment_names_are_told():
    assert f"`{PREFIX}<NAME>`" in README and f"`{PREFIX}INSTANCE_PATH`" in README
