"""The `export` command."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from flask.cli import with_appcontext

from blogapi import blog_folder
from blogapi.cli import exit_on_sigterm, report_problems, show_progress
from blogapi.content.media.folder import get_folder
from blogapi.exporting.results import ExportReport

# The names of the layouts. `layouts` is imported when the command runs, so that servers do not load it.
_LAYOUTS = ("hugo", "jekyll")


@click.command("export")
@click.argument("target", metavar="FOLDER|FILE.zip", type=click.Path())
@click.option("--for", "generator", type=click.Choice(_LAYOUTS), help="Write the files for this generator.")
@click.option(
    "--drafts",
    is_flag=True,
    help="Export drafts, scheduled, unlisted and archived texts and waiting edits too.",
)
@click.option("--overwrite", is_flag=True, help="Replace and delete files that were changed in FOLDER.")
@click.option("--dry-run", is_flag=True, help="Report what would be written, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@with_appcontext
def export_blog(
    target: str,
    generator: str | None,
    drafts: bool,
    overwrite: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write the public texts, or with --drafts the whole blog, into files that `import` can restore.

    Other systems can read the files too. The last line counts the items that were left out. A FOLDER can be
    exported again: only files that have changed are written, and files of deleted articles are deleted.
    Users, keys and former versions are not exported; `backup` saves them. If a file cannot be written or
    deleted, the command continues with the other files and exits with status 1.
    """
    if not target.strip():
        raise click.UsageError("The name of the target is empty; `.` names the current folder.")
    if target == "-" or target.lower().endswith(".json"):
        raise click.UsageError(
            "An export is a FOLDER or a FILE.zip; for JSON, read the lists of the API: "
            "GET /api/v1/blog/articles/?fields=*"
        )
    from blogapi.exporting import layouts, service

    advice = "Choose another folder, such as {}-export; move files of an earlier export (see `SHA256SUMS`)"
    refuse_blog_folder(Path(target), f"{advice} there.")
    with report_problems(), exit_on_sigterm():
        report = service.write_export(
            Path(target),
            layouts.LAYOUTS[generator or layouts.DEFAULT_LAYOUT.name],
            drafts=drafts,
            overwrite=overwrite,
            dry_run=dry_run,
            progress=show_progress,
        )
    _print_report(report, target, dry_run=dry_run, as_json=as_json)
    if report.refused:
        raise SystemExit(1)


def refuse_blog_folder(target: Path, advice: str) -> None:
    """Raise ClickException if the target has files of a blog; `{}` in `advice` is the blog's folder."""
    # Files of an export are often published, but the database and the secret key must not be published.
    instance = blog_folder.find_instance_at(target)
    if instance is not None:
        reason = f"{target} is, contains or lies in the folder of a blog ({instance})."
        raise click.ClickException(f"{reason} {advice.format(instance.parent)}")
    if target.resolve().is_relative_to(get_folder().root.resolve()):
        raise click.ClickException(f"{target} is in the media folder of the blog; choose another place.")


def _print_report(report: ExportReport, target: str, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(_build_json_report(report, target, dry_run), ensure_ascii=False))
        return
    for refusal in report.refused:
        click.echo(f"refused  {refusal.path}: {refusal.reason}")
    click.echo(f"{report.public:,} public, {report.drafts:,} drafts, {report.media:,} media files.")
    numbers = ", ".join(f"{number:,} {name}" for name, number in report.count_files().items())
    end = " Nothing was written (dry run)." if dry_run else ""
    click.echo(f"{target}: {numbers}.{end}")
    words = {"draft": "draft{}", "waiting_edits": "waiting edit{}"}
    left_out = [
        f"{number:,} {words.get(name, name).format('s' * (number > 1))}"
        for name, number in report.left_out.items()
        if number
    ]
    if left_out:
        click.echo(f"{' and '.join(', '.join(left_out).rsplit(', ', 1))} left out; --drafts exports them.")


def _build_json_report(report: ExportReport, target: str, dry_run: bool) -> dict[str, object]:
    return {
        "target": target,
        "dry_run": dry_run,
        "public": report.public,
        "drafts": report.drafts,
        "media": report.media,
        "left_out": dict(report.left_out),
        "files": report.count_files(),
        "refused": [asdict(refusal) for refusal in report.refused],
    }
