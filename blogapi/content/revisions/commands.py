"""Commands for the former versions of articles."""

from __future__ import annotations

import click
from flask.cli import AppGroup, with_appcontext

from blogapi.cli import is_stdin_terminal, report_problems
from blogapi.content.revisions import service

revisions = AppGroup("revisions", help="Manage the former versions of articles.")


@revisions.command("prune")
@click.option("--keep", type=click.IntRange(0), help="Former versions to keep per article.")
@click.option("--deleted", is_flag=True, help="Delete the versions of items that can no longer be restored.")
@click.option("--yes", is_flag=True, help="With --deleted, do not ask for confirmation.")
@with_appcontext
def prune_revisions(keep: int | None, *, deleted: bool, yes: bool) -> None:
    """Delete former versions of articles and pages (items).

    With --keep, all but the newest former versions of each item are deleted; versions with a name are kept.
    With --deleted, all versions of deleted items that have left the bin are deleted, also versions with a
    name. Existing items, their working copies and deleted items that can be restored do not change.
    """
    if keep is None and not deleted:
        raise click.UsageError("Pass --keep, --deleted or both.")
    with report_problems():
        if deleted:
            _prune_deleted_histories(asks=not yes)
        if keep is not None:
            count = service.prune_revisions(keep)
            click.echo(f"Deleted {count} former versions; each article keeps at most {keep} without a name.")


def _prune_deleted_histories(*, asks: bool) -> None:
    count = len(service.list_unrestorable_items())
    if count and asks and is_stdin_terminal():
        click.echo(
            f"{count} deleted articles and pages have left the bin; they have versions or uses of files."
        )
        click.confirm("Delete their versions for good?", abort=True)
    click.echo(f"Deleted the versions of {service.prune_deleted_histories()} deleted articles and pages.")
