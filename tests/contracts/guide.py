"""The generated tables of the guide; `python -m tests.contracts.guide` writes them again."""

from __future__ import annotations

import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from flask import Flask

import blogapi
from blogapi import blueprints, create_app
from blogapi.config import SETTINGS, Setting
from blogapi.storage.database import db
from blogapi.web.access import SCOPES, STRANGER, Access, Caller, Role, Scope, authorize
from blogapi.web.errors import Problem

GUIDE = Path(blogapi.__file__).parent / "docs" / "guide"
SETTINGS_PAGE = GUIDE / "operating.md"
PERMISSIONS_PAGE = GUIDE / "reading.md"

PUBLISHED, READ, WRITE = (frozenset(SCOPES[: number + 1]) for number in range(3))


def _make_caller(scopes: frozenset[Scope], role: Role, *, is_login: bool = False) -> Caller:
    key = None if is_login else uuid4()
    return Caller(user=uuid4(), role=role, scopes=scopes, key=key, is_authenticated=True)


CALLERS = {
    "stranger": STRANGER,
    "anonymous key": Caller(is_authenticated=True, key=uuid4(), scopes=PUBLISHED),
    "user's `published` key": _make_caller(PUBLISHED, Role.ADMIN),
    "reader's `read` key": _make_caller(READ, Role.READER),
    "reader's `write` key": _make_caller(WRITE, Role.READER),
    "reader's login": _make_caller(WRITE, Role.READER, is_login=True),
    "admin's `read` key": _make_caller(READ, Role.ADMIN),
    "admin's `write` key": _make_caller(WRITE, Role.ADMIN),
    "admin's login": _make_caller(WRITE, Role.ADMIN, is_login=True),
}


def get_section(page: Path, heading: str) -> str:
    """Return the text below a second-level heading of a page, up to the next heading."""
    return page.read_text(encoding="utf-8").split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def get_table(page: Path, heading: str) -> str:
    """Return the first table below a second-level heading of a page."""
    lines = get_section(page, heading).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|"))
    last = next((number for number in range(first, len(lines)) if not lines[number].startswith("|")), None)
    return "\n".join(lines[first:last])


def make_settings_table() -> str:
    """Return the table of all settings."""
    return _make_table(
        ("Setting", "Default", "What it does"),
        [(f"`{setting.name}`", _format_default(setting), setting.description) for setting in SETTINGS],
    )


def make_permissions_table(app: Flask) -> str:
    """Return the table of all operations, except the admin pages, with the result for each caller.

    The methods of a path are in one row if their results are equal.
    """
    methods_by_row: dict[tuple[str, ...], list[str]] = {}
    for path, method, endpoint, access in blueprints.list_operations(app):
        # The documents of the admin pages are the same for everybody, and contain no data.
        if endpoint.startswith("admin."):
            continue
        shown_path = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r":\1", path)
        results = tuple(_result(access, caller) for caller in CALLERS.values())
        methods_by_row.setdefault((shown_path, *results), []).append(method)
    return _make_table(
        ("Path", "Methods", *CALLERS),
        [(f"`{path}`", ", ".join(methods), *results) for (path, *results), methods in methods_by_row.items()],
    )


def _make_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = (header, ("---",) * len(header), *rows)
    return (
        "\n".join(f"| {' | '.join(row)} |" for row in lines)
        .replace("| --- ", "|---")
        .replace("--- |", "---|")
    )


def _format_default(setting: Setting) -> str:
    default = setting.default
    if isinstance(default, bool | int):
        return f"`{str(default).lower()}`"
    text = ",".join(default) if isinstance(default, tuple) else default
    return f"`{text}`" if text else "empty"


def _result(access: Access, caller: Caller) -> str:
    try:
        authorize(access, caller)
    except Problem as error:
        return str(error.status)
    return "yes"


def write_tables() -> None:
    """Write both tables for the default settings into the guide."""
    with TemporaryDirectory() as folder:
        os.environ["BLOGAPI_INSTANCE_PATH"] = folder
        app = create_app({"SECRET_KEY": "x" * 32})
        with app.app_context():
            db.engine.dispose()
        _replace_table(SETTINGS_PAGE, "Settings", make_settings_table())
        _replace_table(PERMISSIONS_PAGE, "Permissions", make_permissions_table(app))


def _replace_table(page: Path, heading: str, table: str) -> None:
    text = page.read_text(encoding="utf-8").replace(get_table(page, heading), table)
    page.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_tables()
