"""The command `page convert`."""

from __future__ import annotations

import click
from flask.cli import AppGroup, with_appcontext

from blogapi.cli import report_problems
from blogapi.pages import conversion

page = AppGroup("page", help="Manage pages.")


@page.command()
@click.option(
    "--tag",
    default=conversion.PAGE_TAG,
    show_default=True,
    metavar="SLUG",
    help="Slug of the tag of the articles.",
)
@click.option("--dry-run", is_flag=True, help="Only list the articles.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_appcontext
def convert(*, tag: str, dry_run: bool, yes: bool) -> None:
    """Make pages of the articles with a tag, which an import gave to the pages of another system.

    A page has no category and is in no list of articles. The former address of each article redirects to its
    page. The tag is removed from the pages.
    """
    candidates = conversion.list_candidates(tag)
    for one in candidates:
        click.echo(f"{one.status:<9}  {one.slug}  {one.title}")
    if not candidates:
        click.echo(f"No article has the tag “{tag}”.")
        return
    if dry_run:
        click.echo(f"Articles that would become pages: {len(candidates)}. Nothing was changed.")
        return
    if not yes:
        click.confirm(f"Make pages of these articles ({len(candidates)})?", abort=True)
    with report_problems():
        number = sum(1 for _ in conversion.convert(candidates, None, tag))
    click.echo(f"Articles that became pages: {number}.")
