"""Quick checks of a running blog, whose results admins see in a browser.

The checks change nothing, and have a limit on their time or on the number of items. The command `doctor` runs
more checks, and can repair problems.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from flask import current_app
from sqlalchemy import Select, func, select

from blogapi import blog_folder, clock
from blogapi.accounts.api_keys.models import ApiKey
from blogapi.content.articles.models import Article
from blogapi.content.media import stored_files
from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import Media
from blogapi.content.search.models import SearchEntry
from blogapi.operations.backups import instance_backups, status
from blogapi.operations.doctor import findings, instance_checks, link_checks, server_checks, webhook_checks
from blogapi.operations.doctor.findings import Advice, Finding, Level
from blogapi.site.addresses import to_time_zone
from blogapi.site.queries import get_site
from blogapi.storage import connections, files, integrity, upgrades
from blogapi.storage.database import db
from blogapi.web import metrics
from blogapi.web.errors import Conflict

# The age from which the newest backup counts as old if there are no daily backups.
MAX_BACKUP_AGE = timedelta(days=7)

MAX_KEY_IDLE_TIME = timedelta(days=180)

# The limits of the checks: the time for the database file, and the number of media files.
_QUICK_CHECK_SECONDS = 2.0
_MAX_CHECKED_FILES = 1000

_LEVEL_ORDER = (Level.WRONG, Level.HINT, Level.OK)
_TITLES_BY_CHECK = {
    "folder": "The folder of the blog is not usable",
    "files": "Other users of the server can reach the blog's files",
    "disk": "The disk is nearly full",
    "clock": "The clock of the server is wrong",
    "clocks": "Two clocks differ",
    "limits": "Redis does not respond",
    "addresses": "Another page is at the address of an item",
    "theme": "A part of the theme is not used",
    "languages": "Texts have a language that the site does not list",
    "proxy": "No proxy is trusted",
}

_REPORT_KEY = "blogapi-doctor"
_run_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class QuickCheckReport:
    """The results of the checks, and the time at which the checks ran (None: not yet)."""

    checked: datetime | None = None
    findings: tuple[Advice, ...] = ()


def get_last_report() -> QuickCheckReport:
    """Return the report of the last checks in this process; it is empty if no checks have run."""
    report: QuickCheckReport = current_app.extensions.get(_REPORT_KEY, QuickCheckReport())
    return report


@metrics.gauge("doctor_findings", "Findings of the last quick checks.", "level")
def _count_findings() -> metrics.MetricValues:
    levels = [advice.level for advice in get_last_report().findings]
    return {(level.value,): levels.count(level) for level in _LEVEL_ORDER} if levels else {}


def update_last_report() -> QuickCheckReport:
    """Run the checks, store and return their report; raises Conflict while another thread runs the checks."""
    if not _run_lock.acquire(blocking=False):
        raise Conflict(
            "The checks are running already; read their results in a moment.", code="checks_running"
        )
    try:
        report = current_app.extensions[_REPORT_KEY] = QuickCheckReport(clock.now(), tuple(_run_checks()))
    finally:
        _run_lock.release()
    return report


def _run_checks() -> list[Advice]:
    instance = Path(current_app.instance_path)
    results = [
        *webhook_checks.list_advice(),
        *_check_backups(instance),
        *_check_upgrade_copy(instance),
        *_check_media_files(),
        *_check_alternative_texts(),
        *_check_idle_keys(),
        *link_checks.run_checks(),
        *_check_database(instance),
        *_check_server(instance),
        *_run_registered_checks(instance),
    ]
    return sorted(results, key=lambda advice: _LEVEL_ORDER.index(advice.level))


def _check_backups(instance: Path) -> Iterator[Advice]:
    link = "/admin/backups/"
    try:
        backups = [backup for backup in instance_backups.list_backups(instance) if backup.readable]
    except OSError as error:
        text = f"{error.strerror}. {findings.CHANGE_OWNER_REMEDY.capitalize()}."
        yield Advice("backup", Level.WRONG, "The folder of the backups cannot be read", text, link)
        return
    backup_status = status.read_status(instance)
    if backup_status.is_overdue(current_app.config["DAILY_BACKUPS"]):
        text = backup_status.reason.replace(str(instance), instance.name) or "See the log of the service."
        yield Advice("backup", Level.WRONG, "No good backup for 36 hours", text, link)
    if not backups:
        text = "Make one now, and keep a copy on another machine."
        yield Advice("backup", Level.HINT, "There is no backup yet", text, link)
        return
    newest = backups[0]
    created = to_time_zone(newest.created, get_site().time_zone)
    number = findings.format_count(len(backups), "backup")
    details = f"{created.day} {created:%b %Y, %H:%M}. {number} kept."
    if newest.missing:
        title = f"The last backup lacks {findings.format_count(newest.missing, 'file')} of the library"
        yield Advice("backup", Level.WRONG, title, "Run `doctor` on the server to see which.", link)
    elif any(-clock.TOLERANCE <= clock.now() - backup.created < MAX_BACKUP_AGE for backup in backups):
        yield Advice("backup", Level.OK, "Backup made", details, link)
    else:
        yield Advice("backup", Level.HINT, "The last backup is old", details, link)


def _check_upgrade_copy(instance: Path) -> Iterator[Advice]:
    copies = dict(files.read_file_statuses(instance.glob(f"backups/{upgrades.COPY_PREFIX}*")))
    if copies:
        newest = max(copies, key=lambda path: copies[path].st_mtime)
        text = (
            f"Go back with `{blog_folder.get_command()} rollback`, or delete {newest.name} when all is well."
        )
        yield Advice("upgrade", Level.OK, "A copy from before the upgrade is kept", text)


def _check_media_files() -> Iterator[Advice]:
    root = get_folder().root
    stored = stored_files.read_stored_files(db.session.connection())
    checked = list(islice(sorted(stored), _MAX_CHECKED_FILES))
    faults = [file for file in checked if stored_files.find_fault(root / file.path, file, full=False)]
    if faults:
        title = f"{findings.format_count(len(faults), 'file')} of the library missing or damaged"
        yield Advice("media", Level.WRONG, title, "Run `doctor` on the server to see which.", "/admin/media/")


def _check_alternative_texts() -> Iterator[Advice]:
    is_picture = Media.type.startswith("image/")
    total = _count_rows(select(Media).where(is_picture))
    missing = _count_rows(select(Media).where(is_picture, ~Media.decorative, func.trim(Media.alt) == ""))
    if missing:
        verb = "has" if missing == 1 else "have"
        title = f"{findings.format_count(missing, 'picture')} {verb} no alternative text"
        yield Advice("alt", Level.HINT, title, "Screen readers skip them.", "/admin/media/?alt=missing")
    elif total:
        text = f"{findings.format_count(total, 'picture')}."
        yield Advice("alt", Level.OK, "Every picture has alternative text", text)


def _check_idle_keys() -> Iterator[Advice]:
    since, link = clock.now() - MAX_KEY_IDLE_TIME, "/admin/keys/"
    last_used = func.coalesce(ApiKey.last_used, ApiKey.created)
    statement = select(ApiKey.name, ApiKey.prefix, last_used).where(
        ApiKey.owner_id.is_not(None),
        last_used < since,
        ApiKey.expires.is_(None) | (ApiKey.expires > clock.now()),
    )
    idle = db.session.execute(statement.order_by(last_used).limit(_MAX_CHECKED_FILES)).all()
    names = [f"“{name or prefix}”" for name, prefix, _ in idle]
    if len(idle) == 1:
        days = (clock.now() - idle[0][2]).days
        yield Advice("keys", Level.HINT, f"The key {names[0]} is idle", f"Not used for {days} days.", link)
    elif idle:
        text = f"{findings.join_examples(names)}: not used for {MAX_KEY_IDLE_TIME.days} days or more."
        yield Advice("keys", Level.HINT, f"{len(idle)} keys are idle", text, link)


def _check_database(instance: Path) -> Iterator[Advice]:
    path = connections.get_sqlite_path(current_app.config["DATABASE_URL"], instance)
    if path is not None and (fault := integrity.run_quick_check(path, seconds=_QUICK_CHECK_SECONDS)):
        text = f"{fault}. Run `doctor` on the server to see what to do."
        yield Advice("database", Level.WRONG, "The database is damaged", text)
        return
    articles = _count_rows(select(Article))
    if _count_rows(select(SearchEntry)) != articles:
        title, text = "The search is not up to date", "Run `doctor --repair` on the server."
        yield Advice("database", Level.WRONG, title, text)
    else:
        text = f"{findings.format_count(articles, 'article')}, all of them in the search."
        yield Advice("database", Level.OK, "The database is in order", text)


def _check_server(instance: Path) -> Iterator[Advice]:
    database = connections.get_sqlite_path(current_app.config["DATABASE_URL"], instance)
    for finding in (*instance_checks.run_checks(instance, database), *server_checks.run_checks()):
        if finding.check == "site":
            text = f"Change it under Site when the blog has its own: {get_site().url}"
            yield Advice(
                "site", finding.level, "Readers cannot reach this address", text, "/admin/site/addresses/"
            )
        elif finding.level is not Level.OK:
            yield _to_advice(finding, instance)
        elif finding.check == "disk":
            yield Advice("disk", Level.OK, "Space on the disk", finding.says)


def _run_registered_checks(instance: Path) -> Iterator[Advice]:
    for run_checks in findings.REGISTERED_CHECKS.get():
        yield from (_to_advice(item, instance) for item in run_checks() if item.level is not Level.OK)


def _to_advice(finding: Finding, instance: Path) -> Advice:
    """Convert a finding of `doctor` to advice, in which paths begin with the name of the instance folder."""
    text = f"{finding.says} Whoever runs the server can repair it: {finding.do}."
    text = text.replace(str(instance), instance.name)
    return Advice(finding.check, finding.level, _TITLES_BY_CHECK.get(finding.check, finding.check), text)


def _count_rows(statement: Select[*tuple[object, ...]]) -> int:
    return db.session.scalar(select(func.count()).select_from(statement.subquery())) or 0
