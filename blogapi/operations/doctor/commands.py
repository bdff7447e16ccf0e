"""The `doctor` command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

import click
from flask.cli import ScriptInfo

from blogapi import blog_folder, config
from blogapi.cli import report_problems, show_progress
from blogapi.config import CannotStart
from blogapi.operations.doctor import (
    derived_data_checks,
    event_checks,
    instance_checks,
    media_checks,
    server_checks,
    sqlite_checks,
    webhook_checks,
)
from blogapi.operations.doctor.findings import (
    REGISTERED_CHECKS,
    Finding,
    Level,
    choose_remedy,
    make_hint_finding,
    make_ok_finding,
    make_problem_finding,
    report_unreadable_files,
)
from blogapi.storage import connections, integrity, upgrades
from blogapi.storage.database import Base, db


@click.command()
@click.option(
    "--repair",
    "--fix",
    is_flag=True,
    help="Render articles again, repair lists, the search index and references, record missing events, drop "
    "unreadable log entries, and copy lost media files from the daily backups.",
)
@click.option(
    "--full",
    is_flag=True,
    help="Also compare all articles with a new rendering, and check the digests of all media files, which "
    "takes long.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def doctor(context: click.Context, repair: bool, full: bool, as_json: bool) -> None:
    """Check the blog and print a remedy for each problem.

    The command changes nothing without --repair. The exit status is 1 if a problem remains; hints do not
    count.
    """
    results = []
    with report_problems():
        for finding in report_unreadable_files(_run_checks(context, repair, full)):
            results.append(finding)
            if not as_json:
                _print_finding(finding)
    healthy = all(finding.level is not Level.WRONG for finding in results)
    if as_json:
        report = {"ok": healthy, "findings": [asdict(finding) for finding in results]}
        click.echo(json.dumps(report, ensure_ascii=False))
    if not healthy:
        raise SystemExit(1)


def _run_checks(context: click.Context, repair: bool, full: bool) -> Iterator[Finding]:
    instance = blog_folder.require_blog()
    try:
        settings = config.read_settings(instance)
        path = connections.get_sqlite_path(settings["DATABASE_URL"], instance)
    except CannotStart as error:
        remedy = choose_remedy(error, "correct the setting; the other checks use the default database")
        yield make_problem_finding("settings", error.message, remedy)
        yield from instance_checks.run_checks(instance, instance / "blog.db")
        return
    yield make_ok_finding("settings", "All settings are valid.")
    for sentence in config.describe_removed_settings(instance):
        yield make_hint_finding("settings", sentence, "remove it; version 1.2 does not start with it")
    yield from instance_checks.run_checks(instance, path)
    yield from instance_checks.check_backups(instance, settings["DAILY_BACKUPS"])
    if path is not None:
        backups = instance / "backups"
        results = list(sqlite_checks.run_checks(path, repair=repair, full=full or repair, backups=backups))
        yield from results
        # Starting the application could increase the damage to a file, and would upgrade an older database.
        if any(item.check in ("database", "schema") and item.level is not Level.OK for item in results):
            return
    yield from _run_application_checks(context, repair, full)


def _run_application_checks(context: click.Context, repair: bool, full: bool) -> Iterator[Finding]:
    try:
        app = context.ensure_object(ScriptInfo).load_app()
        with app.app_context(), db.engine.connect() as connection:
            upgrades.check_schema(connection, Base.metadata)
    except CannotStart as error:
        remedy = choose_remedy(error, "solve the problem that this message describes, or restore a backup")
        yield make_problem_finding("start", error.message, remedy)
        return
    with app.app_context():
        if db.engine.dialect.name == "sqlite":
            with db.engine.connect() as connection:
                connection.exec_driver_sql(f"PRAGMA cache_size=-{integrity.CACHE_KB}")
        yield from server_checks.run_checks()
        # Repairing the stored JSON also adds events, which would hide missing events from a later check.
        if full or repair:
            yield from event_checks.run_checks(repair=repair)
        yield from derived_data_checks.run_checks(repair=repair, full=full, progress=show_progress)
        yield from media_checks.run_checks(repair=repair, full=full, progress=show_progress)
        yield from webhook_checks.run_checks()
        for run_checks in REGISTERED_CHECKS.get():
            yield from run_checks()


def _print_finding(finding: Finding) -> None:
    remedy = f" Do: {finding.do}." if finding.do else ""
    click.echo(f"{finding.level.value:<8}  {finding.check}: {finding.says}{remedy}")
