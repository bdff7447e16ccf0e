"""Former versions on the command line."""

from __future__ import annotations

import click
from flask.cli import AppGroup, with_appcontext

from blogapi.cli import report_problems
from blogapi.revisions import service

revisions = AppGroup("revisions", help="Keep the former versions of articles in bounds.")


@revisions.command()
@click.option("--keep", required=True, type=click.IntRange(0), help="How many versions each article keeps.")
@with_appcontext
def prune(keep: int) -> None:
    """Delete all but the newest versions of each article."""
    with report_problems():
        gone = service.prune(keep)
    click.echo(f"Deleted {gone} former versions; each article keeps up to {keep}.")
