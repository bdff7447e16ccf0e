"""`doctor`: what is wrong with the blog, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click
from flask.cli import ScriptInfo

from blogapi import config
from blogapi.cli import progress, report_problems
from blogapi.config import CannotStart
from blogapi.doctor import derived_data_checks, instance_checks, rate_limit_checks, sqlite_checks
from blogapi.doctor.findings import Finding, Level, ok, wrong
from blogapi.storage import connections


@click.command()
@click.option(
    "--mend",
    is_flag=True,
    help="Make rendered pieces, the tally and the search index anew; cut a damaged log.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def doctor(context: click.Context, mend: bool, as_json: bool) -> None:
    """Look for what is wrong with the blog, and say what to do about it.

    Changes nothing without --mend. Exit status 1 when something is wrong; a hint is none.
    """
    found = []
    with report_problems():
        for finding in _findings(context, mend):
            found.append(finding)
            if not as_json:
                _print(finding)
    well = all(finding.level is not Level.WRONG for finding in found)
    if as_json:
        shown = {"ok": well, "findings": [asdict(finding) for finding in found]}
        click.echo(json.dumps(shown, ensure_ascii=False))
    if not well:
        raise SystemExit(1)


def _findings(context: click.Context, mend: bool) -> Iterator[Finding]:
    home = Path(config.instance_path())
    try:
        path = connections.sqlite_path(config.read(home)["DATABASE_URL"], home)
    except CannotStart as error:
        yield wrong("settings", error.message, "mend the setting; the rest is looked at with the default")
        yield from instance_checks.run_checks(home, home / "blog.db")
        return
    yield ok("settings", "All are known and possible.")
    yield from instance_checks.run_checks(home, path)
    if path is not None:
        below = list(sqlite_checks.run_checks(path, mend=mend, backups=home / "backups"))
        yield from below
        # What the application would make of a damaged file, or would change in one of an older version, is
        # no matter for a check.
        if any(
            finding.check in ("database", "schema") and finding.level is not Level.OK for finding in below
        ):
            return
    yield from _running(context, mend)


def _running(context: click.Context, mend: bool) -> Iterator[Finding]:
    try:
        app = context.ensure_object(ScriptInfo).load_app()
    except CannotStart as error:
        yield wrong("start", error.message, "see the message")
        return
    with app.app_context():
        yield from rate_limit_checks.run_checks()
        yield from derived_data_checks.run_checks(mend=mend, watch=progress)


def _print(finding: Finding) -> None:
    remedy = f" Do: {finding.do}." if finding.do else ""
    click.echo(f"{finding.level.value:<6}  {finding.check}: {finding.says}{remedy}")
