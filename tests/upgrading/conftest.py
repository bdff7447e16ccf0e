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

from blogapi import commands, create_app
from blogapi.__main__ import main
from blogapi.upgrading import commands as upgrade_commands
from blogapi.upgrading import comparison
from tests.audit_hooks.sqlite_files import allow_opening
from tests.databases import close_connections, open_sqlite
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

    monkeypatch.setattr(comparison, "_TIMEOUT_SECONDS", 60)
    monkeypatch.setattr(commands, "create_app", create)
    monkeypatch.setattr(upgrade_commands, "create_app", create)
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


def replace_content(target: Path, source: Path) -> None:
    """Empty the folder, which may be a mounted disk, and copy the content of the other folder into it."""
    for path in target.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    with allow_opening():
        shutil.copytree(source, target, dirs_exist_ok=True)


def read_migration(path: Path) -> str:
    with open_sqlite(path) as connection:
        return connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]


def list_temporary(home: Path) -> list[str]:
    """Return what is left of unfinished work; the next daily backup deletes old partial files."""
    partial = [path.name for path in home.rglob(".*.partial*") if ".before-rollback-" not in path.name]
    return partial + [path.name for path in home.rglob(".rollback-*")]


@pytest.fixture
def old_blog(install: Callable[[str], Path], tmp_path: Path) -> Path:
    """A copy of the instance folder of a blog of a former version, which is the blog of the test."""
    return copy_folder(install("0030"), tmp_path / "old")


@pytest.fixture
def new_blog(old_blog: Path, run: Callable[..., Result], instance: Path, tmp_path: Path) -> Path:
    """A copy of the instance folder after an upgrade and an import, which is the blog of the test."""
    assert run("upgrade").exit_code == 0
    assert run("import", write_post(tmp_path, "Since"), "--author", "ada").exit_code == 0
    return copy_folder(instance, tmp_path / "new")


def copy_folder(source: Path, target: Path) -> Path:
    with allow_opening():
        shutil.copytree(source, target)
    return target
