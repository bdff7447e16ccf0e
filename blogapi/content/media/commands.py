"""Commands for the media library."""

from __future__ import annotations

import click
from flask.cli import AppGroup, with_appcontext

from blogapi.cli import report_problems
from blogapi.content.media import removal
from blogapi.web import json

media = AppGroup("media", help="Manage the files of the media library.")


@media.command("prune")
@click.option(
    "--days",
    default=30,
    show_default=True,
    type=click.IntRange(0, 36_500),
    help="Delete files that nothing has used for this number of days.",
)
@click.option("--dry-run", is_flag=True, help="List the files that would be deleted; delete nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def prune_media_files(days: int, dry_run: bool, as_json: bool) -> None:
    """Delete files that nothing uses, and abandoned files in the media folder."""
    number = size = 0
    with report_problems():
        for removed in removal.prune_files(days, dry_run=dry_run):
            number, size = number + 1, size + removed.size
            if dry_run and not as_json:
                click.echo(f"{removed.uuid or 'abandoned'} {removed.size} bytes {removed.name}")
    if as_json:
        click.echo(json.to_json({"files": number, "bytes": size, "dry_run": dry_run}))
        return
    click.echo(f"{'Would delete' if dry_run else 'Deleted'} {number} files with {size} bytes.")
