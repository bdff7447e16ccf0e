"""The way back: restores the copy that was made before an upgrade, and keeps what was written since."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from flask import Flask
from sqlalchemy import Engine, create_engine, select, text

from blogapi import clock
from blogapi.api_keys.models import ApiKey
from blogapi.backups import restoring
from blogapi.backups import service as backup_service
from blogapi.exporting import layouts
from blogapi.exporting import service as exporting_service
from blogapi.exporting.results import ExportReport
from blogapi.redirects.custom.models import CustomRedirect
from blogapi.storage import driver_options, files, integrity, migration_names, postgresql_dumps, upgrades
from blogapi.storage.database import db
from blogapi.storage.postgresql_dumps import DumpError
from blogapi.storage.releases import Release
from blogapi.upgrading.service import Copy, find_copy, get_database_url
from blogapi.users.models import Account
from blogapi.web.errors import Conflict
from blogapi.webhooks.models import Webhook

# The file system may round the time of the copy.
_STAGING_PREFIX = ".rollback-"

_MARGIN = timedelta(seconds=2)


@dataclass(slots=True)
class Kept:
    """What was written after the upgrade.

    `version` is the version before the upgrade, or None if that is older than 1.0. `folder` has the export of
    articles, pages, terms and media files. `redirects` has the lines of a file that `redirect import` reads.
    `lost` has the names of new users, keys and webhooks, by kind.
    """

    version: str | None
    folder: Path
    report: ExportReport
    redirects: list[str] = field(default_factory=list)
    lost: dict[str, list[str]] = field(default_factory=dict)


def get_copy(home: Path) -> Copy:
    """Return the newest copy that an upgrade has made; raises Conflict if there is none."""
    copy = find_copy(home)
    if copy is None:
        raise Conflict(
            f"{home / 'backups'} contains no copy from before an upgrade; `restore` restores a backup."
        )
    return copy


def refuse_use(home: Path, copy: Copy) -> None:
    """Raise Conflict if the blog is already at the migration of the copy, or if another process uses it."""
    engine = _make_engine(home)
    try:
        current = upgrades.current_migration(engine)
        if current == copy.migration:
            raise Conflict(f"The blog is already in the state before the upgrade (schema {current}).")
        if current not in migration_names.list_migrations():
            raise Conflict(f"A newer version of blogapi has upgraded the blog (schema {current}); use it.")
        if _is_in_use(engine):
            raise Conflict("The blog is in use; stop the service, and then run the command again.")
    finally:
        engine.dispose()


def export_changes(home: Path, copy: Copy, create_app: Callable[[], Flask]) -> Kept:
    """Export what was written since the copy was made; raises StorageFull or Conflict."""
    since = copy.made - _MARGIN
    folder = home / "backups" / f"since-upgrade-{clock.now():%Y%m%dT%H%M%S}"
    app = create_app()
    try:
        with app.app_context():
            report = exporting_service.export_files(folder, layouts.DEFAULT, drafts=True, since=since)
            version = db.session.scalar(
                select(Release.version)
                .where(Release.started < since)
                .order_by(Release.started.desc())
                .limit(1)
            )
            redirects = db.session.scalars(select(CustomRedirect).where(CustomRedirect.last_updated >= since))
            lines = [f"{one.path} {one.target or '/'} {one.status}" for one in redirects]
            return Kept(version, folder, report, lines, _list_lost(since))
    finally:
        with app.app_context():
            db.session.remove()
            db.engine.dispose()


def _list_lost(since: datetime) -> dict[str, list[str]]:
    users = select(Account.username).where(Account.created >= since)
    keys = select(ApiKey.prefix, ApiKey.name).where(ApiKey.created >= since, ApiKey.owner_id.is_not(None))
    webhooks = select(Webhook.name).where(Webhook.created >= since)
    found = {
        "users": sorted(db.session.scalars(users)),
        "keys": sorted(f"{prefix}… {name}".rstrip() for prefix, name in db.session.execute(keys)),
        "webhooks": sorted(db.session.scalars(webhooks)),
    }
    return {kind: names for kind, names in found.items() if names}


def restore_copy(home: Path, copy: Copy) -> Path:
    """Replace the database with the copy; return the file in which the current state was saved.

    Raises Conflict if the database is in use, or the copy cannot be restored; nothing is then changed.
    """
    refuse_use(home, copy)
    url = get_database_url(home)
    aside = home / "backups" / f"before-rollback-{clock.now():%Y%m%dT%H%M%S%f}{copy.path.suffix}"
    if copy.path.suffix == ".dump":
        try:
            postgresql_dumps.dump(url, aside)
            postgresql_dumps.replace_content(url, copy.path)
        except DumpError as error:
            raise Conflict(f"The copy cannot be restored: {error}.") from error
        return aside
    live = Path(str(url.database))
    with (
        backup_service.convert_errors(copy.path),
        files.temporary_folder(live.parent, ".rollback-") as folder,
    ):
        staged = folder / "blog.db"
        files.create_private(staged)
        backup_service.copy(copy.path, staged)
        with integrity.open_database(staged) as connection:
            if faults := integrity.check_integrity(connection):
                raise Conflict(f"{copy.path} is damaged ({faults[0]}); nothing was changed.")
        former, _ = restoring.replace_database(staged, live, aside)
    return former or aside


def _is_in_use(engine: Engine) -> bool:
    if engine.dialect.name == "sqlite":
        # SQLite leaves the journal mode WAL only if no other connection has opened the file.
        with integrity.open_database(Path(str(engine.url.database))) as connection:
            try:
                mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
            except sqlite3.OperationalError:
                return True
            if mode != "delete":
                return True
            connection.execute("PRAGMA journal_mode=WAL")
            return False
    others = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND application_name = 'blogapi'"
    )
    with engine.connect() as connection:
        return bool(connection.scalar(others))


def _make_engine(home: Path) -> Engine:
    url = get_database_url(home)
    return create_engine(url, hide_parameters=True, connect_args=driver_options.get_typed_options(url))
