"""Commands for the former versions of articles."""

from __future__ import annotations

import click
from flask.cli import AppGroup, with_appcontext

from blogapi.cli import report_problems
from blogapi.content.revisions import service

revisions = AppGroup("revisions", help="Manage the former versions of articles.")


@revisions.command()
@click.option("--keep", required=True, type=click.IntRange(0), help="Former versions to keep per article.")
@with_appcontext
def prune(keep: int) -> None:
    """Delete all but the newest former versions of each text; versions with a name are kept.

    The texts themselves, their waiting edits and deleted items stay.
    """
    with report_problems():
        deleted = service.prune(keep)
    click.echo(f"Deleted {deleted} former versions; each article keeps at most {keep} without a name.")
