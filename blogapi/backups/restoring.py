"""A backup takes the place of the blog."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from flask import Flask
from sqlalchemy import URL, create_engine, select, text

from blogapi import clock, config
from blogapi.articles import json_writer
from blogapi.articles.fingerprint import fingerprint
from blogapi.articles.models import ArticleStats
from blogapi.backups import archive, service
from blogapi.backups.manifest import DATABASE, SETTINGS, InvalidBackup, Manifest
from blogapi.backups.staging import staging
from blogapi.cli import ProgressReporter, no_progress
from blogapi.config import CannotStart
from blogapi.storage import database, files, integrity, sqlite_errors, upgrades
from blogapi.storage.database import Base, db
from blogapi.web import json_fragments
from blogapi.web.errors import Conflict, Problem

# How long a restore waits for another's write, and how long SQLite does before it is asked again.
_WAIT_SECONDS = 30.0
_TURN_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: where the former state is, if there was any, and what became of the settings.

    `unreadable`: the former file could not be read, so it was moved away as it was.
    """

    manifest: Manifest
    kept: Path | None
    unreadable: bool
    settings: str


class _Busy(Exception):
    """Another writes, and goes on and on."""


def restore(path: Path, home: Path, *, watch: ProgressReporter = no_progress) -> Restored:
    """Put the content of a backup in the place of the blog's; what was there is kept aside.

    Safe while the blog is served: SQLite exchanges the content in one transaction, and what was there is
    copied inside of it, so that no write falls between. Raises Conflict, with nothing touched, for a file
    that cannot be restored.
    """
    live = service.database_of(home)
    _refuse_unsealed(path, watch)
    with service.troubles(path):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        live.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with staging(live.parent) as folder:
            manifest = _staged(path, folder, watch)
            aside = home / "backups" / f"before-restore-{clock.now():%Y%m%dT%H%M%S%f}.db"
            kept, unreadable = _exchange(folder / DATABASE, live, aside)
            return Restored(manifest, kept and _pack(kept, home), unreadable, _settings(folder, home))


def verify(path: Path, *, watch: ProgressReporter = no_progress) -> Manifest:
    """Restore a backup into a temporary folder and look at it there; return what is in it.

    Raises Conflict for a file that could not be restored.
    """
    with tempfile.TemporaryDirectory(prefix="blogapi-", ignore_cleanup_errors=True) as folder:
        return _staged(path, Path(folder), watch)


def _staged(path: Path, folder: Path, watch: ProgressReporter) -> Manifest:
    """Lay a backup into the folder, proven whole and brought up to this version; return what is in it."""
    manifest = service.unpacked(path, folder, watch=watch)
    try:
        _bring_up(folder)
    except CannotStart as error:
        raise Conflict(f"{path} cannot be restored: {error.message}") from error
    return manifest


def _refuse_unsealed(path: Path, watch: ProgressReporter) -> None:
    # Before any folder is made.
    if upgrades.is_set_aside(path):
        return
    try:
        with service.troubles(path):
            archive.check_seal(path, watch=watch)
    except InvalidBackup as error:
        raise Conflict(f"{path} cannot be restored: {error}.") from error


def _bring_up(folder: Path) -> None:
    """Bring the content to this version's schema and rendering, before anybody sees it.

    Raises CannotStart where its schema is not that of the models.
    """
    app = Flask("blogapi", instance_path=str(folder))
    app.config.update({setting.name: setting.default for setting in config.SETTINGS})
    app.config["SQLALCHEMY_DATABASE_URI"] = URL.create("sqlite", database=str(folder / DATABASE))
    if _is_present(folder / DATABASE):
        return
    try:
        database.init_app(app)
        json_fragments.init_app()
        json_writer.init_app(app)
    finally:
        _close(app)
    with integrity.open_database(folder / DATABASE) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def _is_present(path: Path) -> bool:
    """Tell whether the content is of this version; raises CannotStart where only its last migration is."""
    engine = create_engine(URL.create("sqlite", database=str(path)))
    try:
        with upgrades.convert_errors(engine), engine.connect() as connection:
            if (
                connection.scalar(text("SELECT version_num FROM alembic_version"))
                != upgrades.list_migrations()[-1]
            ):
                return False
            upgrades.check_schema(connection, Base.metadata)
            return connection.scalar(select(ArticleStats.renderer)) == fingerprint()
    finally:
        engine.dispose()


def _close(app: Flask) -> None:
    if "sqlalchemy" in app.extensions:
        with app.app_context():
            db.session.remove()
            db.engine.dispose()


def _exchange(staged: Path, live: Path, aside: Path) -> tuple[Path | None, bool]:
    """Put the staged content into the live file.

    Returns where the former file is, and whether it could not be read and was moved as it was.
    """
    aside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if live.is_file() and live.stat().st_size and not integrity.count_lost_writes(live):
        try:
            _write_through(staged, live, aside)
            return aside, False
        except _Busy as error:
            aside.unlink(missing_ok=True)
            raise Conflict("The database is busy; nothing was restored. Try it again.") from error
        except (sqlite3.Error, OSError) as error:
            aside.unlink(missing_ok=True)
            # Not even SQLite can tell what it holds; a full disk or the like is no reason to move it.
            if not sqlite_errors.is_damage(error):
                raise
    moved = _move(live, aside)
    files.replace(staged, live)
    return (aside, True) if moved else (None, False)


def _write_through(staged: Path, live: Path, aside: Path) -> None:
    """Write the staged content into the live file in one transaction, and copy aside what was there."""
    deadline, begun = time.monotonic() + _WAIT_SECONDS, False

    def hold(status: int, remaining: int, total: int) -> None:
        nonlocal begun
        if status != sqlite3.SQLITE_OK:
            if time.monotonic() > deadline:
                raise _Busy
        elif not begun:
            # From the first page on nobody else can write, so that this is the last state before ours.
            begun = True
            with files.partial_file(aside) as made:
                service.copy(live, made)
                files.replace(made, aside)

    with (
        closing(sqlite3.connect(staged)) as source,
        integrity.open_database(live, seconds=_TURN_SECONDS) as target,
    ):
        # The file would not be there whole after a power cut otherwise, whoever had set it up.
        target.execute("PRAGMA synchronous=FULL")
        source.backup(target, pages=1, progress=hold, sleep=0.05)
        with suppress(sqlite3.Error):
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _move(live: Path, aside: Path) -> bool:
    """Move a file that SQLite cannot read aside with its log, which would spoil the one to come."""
    moved = False
    pairs = zip((*files.side_files(live), live), (*files.side_files(aside), aside), strict=True)
    for source, target in pairs:
        if source.exists():
            files.replace(source, target)
            moved = True
    return moved


def _pack(kept: Path, home: Path) -> Path:
    """Make a backup of the copy, so that it can be restored in its turn; a damaged one stays as it is."""
    if integrity.count_lost_writes(kept):
        return kept
    packed = kept.with_suffix(".zip")
    try:
        with files.partial_file(packed) as made:
            service.packed(kept, made, home)
            files.replace(made, packed)
    except (Problem, OSError, sqlite3.Error):
        return kept
    kept.unlink()
    return packed


def _settings(folder: Path, home: Path) -> str:
    """Take the settings of the backup where there are none; say what became of them."""
    theirs, ours = folder / SETTINGS, home / SETTINGS
    if not theirs.is_file():
        return ""
    if ours.exists():
        return (
            "" if ours.read_bytes() == theirs.read_bytes() else "stay as they are; those of the backup differ"
        )
    try:
        elsewhere = config.read(folder)["DATABASE_URL"] != config.read(home)["DATABASE_URL"]
    except CannotStart as error:
        return f"of the backup were left out: {error.message.rstrip('.')}"
    if elsewhere:
        return "of the backup were left out, since they name another DATABASE_URL"
    files.replace(theirs, ours)
    return "are those of the backup"
