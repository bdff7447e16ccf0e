"""Upgrades a copy of the blog to find out what an upgrade would change."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from flask import Flask
from sqlalchemy import URL

from blogapi import config
from blogapi.blueprints import build_access_matrix, compare_access_matrices
from blogapi.content.articles.writing import rerendering
from blogapi.operations.backups import service as backup_service
from blogapi.storage import files, postgresql_dumps, releases, upgrades
from blogapi.storage.connections import get_database_url, open_plain_engine
from blogapi.storage.database import db
from blogapi.storage.postgresql_dumps import DumpError
from blogapi.upgrading import comparison
from blogapi.web.errors import Conflict

# The prefix of the folder, in the instance folder, with the copy that a check upgrades.
_STAGING_PREFIX = ".upgrade-check-"

CreateApp = Callable[[dict[str, object]], Flask]


@dataclass(frozen=True, slots=True)
class BlogState:
    """The version and the migration of the stored blog; `version` is None for versions before 1.0."""

    version: str | None
    rights: dict[str, str] | None
    migration: str
    is_current: bool


@dataclass(slots=True)
class UpgradeCheckResult:
    """What an upgrade would change; `needed` and `free` are bytes of disk space (0 on PostgreSQL).

    `stored` is the result of `comparison.compare_stored_articles`. `rights` is None if the former rights are
    unknown.
    """

    seconds: float
    needed: int
    free: int
    stored: dict[str, int] | None
    rights: list[str] | None
    answers: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class UpgradeCopy:
    """The copy that an upgrade made: its file, its migration, and the time at which it was made."""

    path: Path
    migration: str
    made: datetime


def read_blog_state(instance: Path) -> BlogState:
    """Return the state of the blog before the upgrade; raises CannotStart if the database cannot be used."""
    with open_plain_engine(get_database_url(instance)) as engine, upgrades.convert_database_errors(engine):
        migration = upgrades.find_last_migration(engine)
        upgrades.refuse_unknown_migration(migration)
        with engine.connect() as connection:
            last = releases.read_last_release(connection)
        is_current = rerendering.is_database_up_to_date(engine, migration)
    version, rights, _ = last or (None, None, None)
    return BlogState(version, rights, migration or "", is_current)


def delete_abandoned_copies(instance: Path) -> None:
    """Delete the copies that killed checks have left in the instance folder."""
    files.delete_temporary_folders(instance, _STAGING_PREFIX)


def check_upgrade(
    instance: Path, state: BlogState, create_app: CreateApp, *, url: str = "", key: str = ""
) -> UpgradeCheckResult:
    """Upgrade a copy of the database, and return what differs.

    With `url`, also compare the answers of the service at this URL with the answers of this version. Raises
    Conflict or CannotStart if the disk lacks the space or the copy cannot be made or upgraded.
    """
    live = get_database_url(instance)
    needed = free = 0
    delete_abandoned_copies(instance)
    if live.get_backend_name() == "sqlite":
        path = Path(str(live.database))
        # The check stores one copy more than an upgrade does.
        needed, free = upgrades.compute_needed_space(path), shutil.disk_usage(instance).free
        if free < needed * 4 / 3:
            upgrades.refuse_full_disk(path)
            raise Conflict(
                f"The check needs {needed * 4 / 3 / 1024**2:.1f} MB in {instance}, which has "
                f"{free / 1024**2:.1f} MB free; free some space, and repeat the check."
            )
    with files.create_temporary_folder(instance, _STAGING_PREFIX) as folder, _make_copy(live, folder) as copy:
        started = time.monotonic()
        with _create_app_on_copy(instance, folder, copy, create_app) as app:
            seconds = time.monotonic() - started
            result = UpgradeCheckResult(seconds, needed, free, _compare_stored_articles(live, copy), None)
            if state.rights is not None:
                result.rights = list(compare_access_matrices(state.rights, build_access_matrix(app)))
            if url:
                result.answers = list(comparison.compare_answers(app, url, key))
    return result


def find_upgrade_copy(instance: Path) -> UpgradeCopy | None:
    """Return the newest copy that an upgrade has made, or None."""
    suffix = ".db" if get_database_url(instance).get_backend_name() == "sqlite" else ".dump"
    paths = (instance / "backups").glob(f"{upgrades.COPY_PREFIX}*{suffix}")
    with (
        open_plain_engine(get_database_url(instance)) as engine,
        upgrades.convert_database_errors(engine),
        engine.connect() as connection,
    ):
        last = releases.read_last_release(connection)
    # If the files of the blog were copied since the upgrade, their times are later than the upgrade.
    latest = last[2] if last else datetime.max.replace(tzinfo=UTC)
    times = {path: min(datetime.fromtimestamp(path.stat().st_mtime, UTC), latest) for path in paths}
    path = max(times, key=lambda path: (times[path], path.name), default=None)
    if path is None:
        return None
    migration = path.name.removeprefix(upgrades.COPY_PREFIX).removesuffix(suffix)
    return UpgradeCopy(path, migration, times[path])


def find_obstacle_to_rollback(instance: Path) -> str | None:
    """Return why an upgrade of this blog could not be undone, or None."""
    if get_database_url(instance).get_backend_name() == "sqlite":
        return None
    missing = postgresql_dumps.find_missing_program()
    return missing and f"{missing} is not installed"


@contextmanager
def _make_copy(live: URL, folder: Path) -> Iterator[URL]:
    """Yield the URL of a copy of the live database; the copy of a SQLite file is in `folder`."""
    if live.get_backend_name() == "sqlite":
        path = folder / "blog.db"
        files.create_private_file(path)
        with backup_service.convert_errors(path):
            backup_service.copy_database(Path(str(live.database)), path)
        yield URL.create("sqlite", database=str(path))
        return
    try:
        postgresql_dumps.dump_database(live, folder / "copy.dump")
        with postgresql_dumps.restore_temporary_database(live, folder / "copy.dump") as copy:
            yield copy
    except DumpError as error:
        raise Conflict(f"The check cannot copy the database: {error}.") from error


@contextmanager
def _create_app_on_copy(instance: Path, folder: Path, copy: URL, create_app: CreateApp) -> Iterator[Flask]:
    """Yield the application on the copy, with the settings and the media files of the blog."""
    settings = config.read_settings(instance)
    overrides: dict[str, object] = {
        "DATABASE_URL": copy.render_as_string(hide_password=False),
        "MEDIA_PATH": str(backup_service.get_media_folder(instance).root),
        "SECRET_KEY": "0" * 64,
        "DAILY_BACKUPS": 0,
    }
    former = os.environ.get(config.INSTANCE_PATH_VARIABLE)
    os.environ[config.INSTANCE_PATH_VARIABLE] = str(folder)
    try:
        app = create_app({**settings, **overrides})
    finally:
        if former is None:
            del os.environ[config.INSTANCE_PATH_VARIABLE]
        else:
            os.environ[config.INSTANCE_PATH_VARIABLE] = former
    try:
        yield app
    finally:
        with app.app_context():
            db.session.remove()
            db.engine.dispose()


def _compare_stored_articles(live: URL, copy: URL) -> dict[str, int] | None:
    with (
        open_plain_engine(live) as old,
        open_plain_engine(copy) as new,
        old.connect() as before,
        new.connect() as after,
    ):
        return comparison.compare_stored_articles(before, after)
