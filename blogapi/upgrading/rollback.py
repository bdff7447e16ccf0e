"""Restores the copy of the database that was made before an upgrade, and exports later changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from flask import Flask
from sqlalchemy import URL, Engine, func, select, text

from blogapi import clock
from blogapi.accounts.api_keys.models import ApiKey
from blogapi.accounts.users.models import Account
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.media.models import Media
from blogapi.delivery.redirects.custom.service import CustomRedirect
from blogapi.delivery.webhooks.models import Webhook
from blogapi.exporting import layouts
from blogapi.exporting import service as exporting_service
from blogapi.exporting.results import ExportReport
from blogapi.operations.backups import restoring
from blogapi.operations.backups import service as backup_service
from blogapi.storage import connections, files, integrity, migration_names, postgresql_dumps, upgrades
from blogapi.storage.connections import get_database_url, open_plain_engine
from blogapi.storage.database import db
from blogapi.storage.postgresql_dumps import DumpError
from blogapi.storage.releases import Release
from blogapi.upgrading.service import UpgradeCopy, find_upgrade_copy
from blogapi.web.errors import Conflict

# The prefix of the names of staging folders, which contain an unfinished export or copy.
_STAGING_PREFIX = ".rollback-"

# The file system can round the modification time of the copy.
_TIME_MARGIN = timedelta(seconds=2)

_WRITE_TIME_COLUMNS = {
    "articles and pages": Article.last_updated,
    "working copies": WorkingCopy.last_updated,
    "files": Media.last_updated,
}


@dataclass(slots=True)
class ExportedChanges:
    """The changes since the upgrade, which a rollback exports.

    `version` is the version before the upgrade, or None if that version is older than 1.0. `folder` is the
    export of articles, pages, terms and media files. `redirects` is the number of lines in `redirects_path`,
    a file that `redirect import` reads; without redirects, there is no such file. `lost` has the names of new
    users, keys and webhooks, by kind; a rollback loses them.
    """

    version: str | None
    folder: Path
    report: ExportReport
    numbers: dict[str, int] = field(default_factory=dict)  #: the number of written rows, by kind
    redirects: int = 0
    lost: dict[str, list[str]] = field(default_factory=dict)

    @property
    def redirects_path(self) -> Path:
        """The path of the file with the redirects."""
        return self.folder.with_name(f"{self.folder.name}-redirects.txt")


def delete_staging_folders(instance: Path) -> None:
    """Delete the staging folders that killed rollbacks of this blog have left."""
    url = get_database_url(instance)
    folders = [instance / "backups", *([Path(str(url.database)).parent] if _is_sqlite(url) else [])]
    for folder in folders:
        files.delete_temporary_folders(folder, _STAGING_PREFIX)


def get_upgrade_copy(instance: Path) -> UpgradeCopy:
    """Return the newest copy that an upgrade has made; raises Conflict if there is none."""
    copy = find_upgrade_copy(instance)
    if copy is None:
        raise Conflict(
            f"{instance / 'backups'} contains no copy from before an upgrade; `restore` restores a backup."
        )
    return copy


def check_rollback_possible(instance: Path, copy: UpgradeCopy) -> None:
    """Raise Conflict if the blog has the migration of the copy, or if another process uses the blog."""
    with open_plain_engine(get_database_url(instance)) as engine:
        current = upgrades.find_last_migration(engine)
        if current == copy.migration:
            raise Conflict(f"The blog is already in the state before the upgrade (schema {current}).")
        if current not in migration_names.list_migrations():
            raise Conflict(
                f"A newer version of blogapi upgraded the blog (schema {current}); use that version."
            )
        with backup_service.convert_errors(instance):
            is_in_use = _is_in_use(engine)
        if is_in_use:
            raise Conflict("The blog is in use; stop the service, and then run the command again.")


def refuse_later_versions(instance: Path, copy: UpgradeCopy) -> None:
    """Raise Conflict if several versions have used the blog since the copy was made.

    In this case, the last upgrade did not change the schema, so the copy is older than the user expects.
    """
    with open_plain_engine(get_database_url(instance)) as engine, engine.connect() as connection:
        statement = select(Release.version).where(Release.started > copy.made - _TIME_MARGIN)
        versions = list(connection.scalars(statement.order_by(Release.started)))
    if len(versions) > 1:
        raise Conflict(
            f"The copy of {copy.made:%Y-%m-%d %H:%M} UTC is from before the versions {', '.join(versions)}. "
            f"To go back to {versions[-2]}, install it, because the upgrade to {versions[-1]} has not "
            "changed the schema. To go back to the copy, add --force."
        )


def export_changes(instance: Path, copy: UpgradeCopy, create_app: Callable[[], Flask]) -> ExportedChanges:
    """Export the changes since the copy was made; raises StorageFull or Conflict.

    If the export fails or is killed, no incomplete export remains.
    """
    since = copy.made - _TIME_MARGIN
    folder = instance / "backups" / f"since-upgrade-{clock.now():%Y%m%dT%H%M%S%f}"
    app = create_app()
    try:
        with (
            app.app_context(),
            backup_service.convert_errors(folder),
            files.create_temporary_folder(folder.parent, _STAGING_PREFIX) as staging,
        ):
            export = staging / folder.name
            report = exporting_service.write_export(export, layouts.DEFAULT_LAYOUT, drafts=True, since=since)
            version = db.session.scalar(
                select(Release.version)
                .where(Release.started < since)
                .order_by(Release.started.desc())
                .limit(1)
            )
            redirects = db.session.scalars(select(CustomRedirect).where(CustomRedirect.last_updated >= since))
            lines = [f"{quote(item.path)} {item.target or '/'} {item.status}\n" for item in redirects]
            numbers = {
                kind: db.session.scalar(select(func.count()).where(time >= since)) or 0
                for kind, time in _WRITE_TIME_COLUMNS.items()
            }
            changes = ExportedChanges(version, folder, report, numbers, len(lines), _list_lost_items(since))
            if lines:
                redirect_file = staging / "redirects.txt"
                redirect_file.write_text("".join(lines), encoding="utf-8")
                files.rename_file(redirect_file, changes.redirects_path)
            files.rename_file(export, folder)
            return changes
    finally:
        with app.app_context():
            db.session.remove()
            db.engine.dispose()


def _list_lost_items(since: datetime) -> dict[str, list[str]]:
    users = select(Account.username).where(Account.created >= since)
    keys = select(ApiKey.prefix, ApiKey.name).where(ApiKey.created >= since, ApiKey.owner_id.is_not(None))
    webhooks = select(Webhook.name).where(Webhook.created >= since)
    names_by_kind = {
        "users": sorted(db.session.scalars(users)),
        "keys": sorted(f"{prefix}… {name}".rstrip() for prefix, name in db.session.execute(keys)),
        "webhooks": sorted(db.session.scalars(webhooks)),
    }
    return {kind: names for kind, names in names_by_kind.items() if names}


def restore_upgrade_copy(instance: Path, copy: UpgradeCopy) -> Path:
    """Replace the database with the copy; return the file in which the current state was saved.

    Raises Conflict if the database is in use, or the copy cannot be restored; nothing is then changed.
    """
    check_rollback_possible(instance, copy)
    url = get_database_url(instance)
    saved = instance / "backups" / f"before-rollback-{clock.now():%Y%m%dT%H%M%S%f}{copy.path.suffix}"
    if not _is_sqlite(url):
        with backup_service.convert_errors(saved):
            try:
                with files.create_partial_file(saved) as partial:
                    postgresql_dumps.dump_database(url, partial)
                    files.replace_file(partial, saved)
                postgresql_dumps.replace_tables(url, copy.path)
            except DumpError as error:
                saved.unlink(missing_ok=True)
                raise Conflict(f"The copy cannot be restored: {error}.") from error
        return saved
    live = Path(str(url.database))
    with (
        backup_service.convert_errors(copy.path),
        backup_service.report_full_disk(live),
        files.create_temporary_folder(live.parent, _STAGING_PREFIX) as folder,
    ):
        staged = folder / "blog.db"
        files.create_private_file(staged)
        backup_service.copy_database(copy.path, staged)
        with integrity.open_database(staged) as connection:
            if faults := integrity.check_integrity(connection):
                raise Conflict(f"{copy.path} is damaged ({faults[0]}); nothing was changed.")
        former, _ = restoring.replace_database(staged, live, saved)
    return former or saved


def _is_in_use(engine: Engine) -> bool:
    if engine.dialect.name == "sqlite":
        return integrity.is_database_in_use(Path(str(engine.url.database)))
    others = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND application_name = :name"
    )
    with engine.connect() as connection:
        return bool(connection.scalar(others, {"name": connections.get_application_name(engine.url)}))


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"
