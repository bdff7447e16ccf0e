"""The `backup` and `restore` commands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from blogapi import clock, config
from blogapi.backups import naming, restoring, service
from blogapi.backups.manifest import Manifest
from blogapi.backups.naming import Kind
from blogapi.cli import report_problems, show_progress


@click.command()
@click.argument("path", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(1), help="Keep this many backups in FOLDER; delete older ones.")
@click.option("--verify", is_flag=True, help="Check that FILE can be restored, and write no backup.")
@click.option("--json", "as_json", is_flag=True, help="Print the contents of the backup as JSON.")
def backup(path: Path, keep: int | None, verify: bool, as_json: bool) -> None:
    """Write the whole blog into one FILE.

    The service may continue to run. If the path is a FOLDER, the file name contains the current time. The
    command never overwrites a file. The backup contains drafts, users and hashes of passwords and keys, so
    keep it secret.
    """
    if keep is not None and (verify or not path.is_dir()):
        raise click.UsageError("--keep needs an existing FOLDER and cannot be combined with --verify.")
    with report_problems():
        if verify:
            manifest = restoring.verify(_existing_file(path), progress=show_progress)
            _print(f"{path} can be restored", path, manifest, as_json)
            return
        home = Path(config.instance_path())
        target = path / naming.manual_backup_name(clock.now()) if path.is_dir() else path
        if not target.parent.is_dir():
            raise click.UsageError(f"The folder {target.parent} does not exist.")
        manifest = service.create_backup(home, target, progress=show_progress)
        deleted = service.rotate(path, Kind.MANUAL, keep=keep, created=target) if keep is not None else []
    _print(f"Wrote {target}", target, manifest, as_json, deleted)


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
def restore(path: Path) -> None:
    """Replace the blog with the contents of a backup.

    The service may continue to run. The current state is first saved in another file, and the command prints
    the name of that file. If FILE is not a complete backup, nothing changes.
    """
    with report_problems():
        result = restoring.restore(_existing_file(path), Path(config.instance_path()), progress=show_progress)
    click.echo(f"Restored {path}: {_summarize(result.manifest)}.")
    if result.unreadable:
        click.echo(
            f"The former database could not be read; it was moved to {result.former_copy}. "
            "Restart the service."
        )
    elif result.former_copy and result.former_copy.suffix == ".db":
        click.echo(f"The former state, which is damaged, is in {result.former_copy}. Restart the service.")
    elif result.former_copy:
        click.echo(f"The former state is in {result.former_copy}.")
    if result.settings:
        click.echo(result.settings)
    click.echo("Users, passwords and keys are those of the backup, including any that were deleted later.")


def _existing_file(path: Path) -> Path:
    if not path.is_file():
        raise click.UsageError(f"The file {path} does not exist.")
    return path


def _summarize(manifest: Manifest) -> str:
    return f"{manifest.rows['article']} articles, as of {manifest.created}, migration {manifest.step}"


def _print(action: str, path: Path, manifest: Manifest, as_json: bool, deleted: Sequence[Path] = ()) -> None:
    if as_json:
        report = {"file": str(path), "deleted": [str(backup) for backup in deleted]} | asdict(manifest)
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    click.echo(f"{action}: {path.stat().st_size / 1024**2:.1f} MB, {_summarize(manifest)}.")
    for backup_path in deleted:
        click.echo(f"Deleted {backup_path}")
