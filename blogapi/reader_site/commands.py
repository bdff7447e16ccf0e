"""The command `site build`."""

from __future__ import annotations

from pathlib import Path

import click
import marshmallow as ma
from flask.cli import with_appcontext

from blogapi import blog_folder
from blogapi.cli import exit_on_sigterm, report_problems, show_progress
from blogapi.reader_site import static_copy
from blogapi.reader_site.static_copy import BuildReport
from blogapi.site.commands import site
from blogapi.site.schemas import PublicAddress


@site.command("build")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--url",
    default="",
    help="The address at which FOLDER will be, which may have a path (default: the site's `url`).",
)
@click.option("--unlisted", is_flag=True, help="Write unlisted texts and redirects to them too.")
@click.option("--overwrite", is_flag=True, help="Replace and delete files that were changed in FOLDER.")
@with_appcontext
def build(folder: Path, url: str, unlisted: bool, overwrite: bool) -> None:
    """Write the site for readers into FOLDER, as files for any static host.

    The command also works while the site is off. Only files that have changed are written, and pages of texts
    that are gone are deleted. There is no search. If a file cannot be written or deleted, the command
    continues with the others and exits with status 1.
    """
    try:
        address = PublicAddress().deserialize(url)
    except ma.ValidationError as error:
        raise click.BadParameter(" ".join(map(str, error.messages)), param_hint="--url") from error
    instance = blog_folder.find_instance_at(folder)
    if instance is not None:
        # Who publishes the folder would publish the database and the secret key too.
        raise click.ClickException(
            f"{folder} is, contains or lies in the folder of a blog ({instance}). Build into another one, "
            f"such as {instance.parent}-site."
        )
    flags = {"unlisted": unlisted, "overwrite": overwrite}
    try:
        with report_problems(), exit_on_sigterm():
            report = static_copy.build(folder, url=address, progress=show_progress, **flags)
    except OSError as error:
        name = error.filename or folder
        raise click.ClickException(
            f"{name} cannot be written ({(error.strerror or str(error)).lower()})."
        ) from error
    _print_report(report, folder, unlisted=unlisted)
    if report.refused:
        raise SystemExit(1)


def _print_report(report: BuildReport, folder: Path, *, unlisted: bool) -> None:
    for refusal in report.refused:
        click.echo(f"refused  {refusal.path}: {refusal.reason}")
    for name, problem in report.theme_problems.items():
        click.echo(f"theme/{name} is not used: {problem}")
    numbers = ", ".join(f"{number:,} {name}" for name, number in report.count_files().items())
    click.echo(f"{folder}: {numbers}.")
    texts, redirects = report.unlisted_texts, report.unlisted_redirects
    if texts or redirects:
        end = "written." if unlisted else "left out; --unlisted writes them."
        click.echo(
            f"{texts:,} unlisted text{'s' * (texts != 1)} and "
            f"{redirects:,} redirect{'s' * (redirects != 1)} to them {end}"
        )
