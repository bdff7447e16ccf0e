"""The command `user reassign`."""

from __future__ import annotations

import click
from flask.cli import with_appcontext

from blogapi.cli import report_problems
from blogapi.ownership import service
from blogapi.users.commands import user

__all__ = ["user"]


@user.command()
@click.argument("old")
@click.argument("new")
@with_appcontext
def reassign(old: str, new: str) -> None:
    """Move all articles, bylines, categories and tags of the user OLD to the user NEW."""
    with report_problems():
        moved = service.reassign(old, new)
    click.echo(
        f"Moved from {old} to {new}: articles: {moved.articles}, bylines: {moved.bylines}, "
        f"categories: {moved.categories}, tags: {moved.tags}; last editor of articles: {moved.edited}."
    )
