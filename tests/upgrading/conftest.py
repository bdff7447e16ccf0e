"""A blog that a former version has stored, and the commands of this version."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask

from blogapi import basic_commands, create_app
from blogapi.__main__ import main
from blogapi.upgrading import commands
from tests.audit_hooks.sqlite_files import allow_opening
from tests.databases import close_connections
from tests.migrations.test_landed import BLOGS

POST = "---\ntitle: {title}\ndate: 2026-05-06 07:08:09\n---\nNew *words*.\n"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    """Return a function that runs a command as in a new process."""
    created: list[Flask] = []

    def create(settings: Any = None) -> Flask:
        created.append(create_app(settings))
        return created[-1]

    def invoke(*arguments: object) -> Result:
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        for app in created:
            close_connections(app)
        created.clear()
        return result

    monkeypatch.setattr(commands, "create_app", create)
    monkeypatch.setattr(basic_commands, "create_app", create)
    yield invoke


@pytest.fixture
def install(instance: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that makes the recorded blog of a migration the blog of the test."""

    def copy(migration: str) -> Path:
        path = tmp_path / "old.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript((BLOGS / f"{migration}.sql").read_text(encoding="utf-8"))
        instance.mkdir()
        with allow_opening():
            shutil.copy(path, instance / "blog.db")
        (instance / "blog.db").chmod(0o600)
        return instance

    return copy


def dump(path: Path) -> dict[str, list[Any]]:
    """Return the rows of each table."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)  # noqa: S608
            for (name,) in tables
            if not name.startswith("search_")
        }


def write_post(folder: Path, title: str) -> Path:
    path = folder / f"{title.lower().replace(' ', '-')}.md"
    path.write_text(POST.format(title=title), encoding="utf-8")
    return path
