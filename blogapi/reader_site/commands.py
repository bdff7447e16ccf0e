"""The command `site build`."""

from __future__ import annotations

from pathlib import Path

import click
import marshmallow as ma
from flask.cli import with_appcontext

from blogapi.cli import exit_on_sigterm, report_problems, show_progress
from blogapi.exporting.commands import refuse_blog_folder
from blogapi.reader_site import static_copy, theme
from blogapi.site.commands import site
from blogapi.site.schemas import PublicAddress


@site.command("build")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--url",
    default="",
    help="The address of the copy, which can have a path (default: the `url` of the site).",
)
@click.option("--unlisted", is_flag=True, help="Also write unlisted texts, and the redirects to them.")
@click.option("--overwrite", is_flag=True, help="Replace and delete files that were changed in FOLDER.")
@with_appcontext
def build_site(folder: Path, url: str, unlisted: bool, overwrite: bool) -> None:
    """Write the site for readers into FOLDER, as files for any static host.

    The command also works while the site is off. It writes only the files that have changed, and deletes the
    pages of texts that no longer exist. The copy has no search. If a file cannot be written or deleted, the
    command continues with the other files and exits with status 1.
    """
    try:
        address = PublicAddress().deserialize(url)
    except ma.ValidationError as error:
        raise click.BadParameter(" ".join(map(str, error.messages)), param_hint="--url") from error
    refuse_blog_folder(folder, "Build into another one, such as {}-site.")
    flags = {"unlisted": unlisted, "overwrite": overwrite}
    try:
        with report_problems(), exit_on_sigterm():
            report = static_copy.build_static_copy(folder, url=address, progress=show_progress, **flags)
    except OSError as error:
        name = error.filename or folder
        raise click.ClickException(
            f"{name} cannot be written ({(error.strerror or str(error)).lower()})."
        ) from error
    for refusal in report.refused:
        click.echo(f"refused  {refusal.path}: {refusal.reason}")
    for name, problem in theme.get_theme().problems.items():
        click.echo(f"theme/{name} is not used: {problem}")
    numbers = ", ".join(f"{number:,} {name}" for name, number in report.count_files().items())
    click.echo(f"{folder}: {numbers}.")
    texts, redirects = report.left_out["texts"], report.left_out["redirects"]
    if texts or redirects:
        end = "written." if unlisted else "left out; --unlisted writes them."
        click.echo(
            f"{texts:,} unlisted text{'s' * (texts != 1)} and "
            f"{redirects:,} redirect{'s' * (redirects != 1)} to them {end}"
        )
    if report.refused:
        raise SystemExit(1)
