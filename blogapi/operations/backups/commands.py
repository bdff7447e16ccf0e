"""The `backup` and `restore` commands."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from blogapi import blog_folder, clock
from blogapi.cli import exit_on_sigterm, is_stdin_terminal, report_problems, show_progress
from blogapi.operations.backups import backup_command, folder_backups, naming, restoring, service, status
from blogapi.operations.backups.folder_backups import DeletedBackups
from blogapi.operations.backups.manifest import Manifest, MissingFile, describe_missing_files
from blogapi.operations.backups.naming import BackupKind
from blogapi.operations.backups.service import NOT_RESTORED_REASON, Backup


@click.command()
@click.argument("name", metavar="FILE|FOLDER", type=click.Path())
@click.option("--keep", type=click.IntRange(1), help="Keep this many backups in FOLDER; delete the others.")
@click.option("--verify", is_flag=True, help="Check that FILE can be restored, and write no backup.")
@click.option("--json", "as_json", is_flag=True, help="Print the contents of the backup as JSON.")
def backup(name: str, keep: int | None, verify: bool, as_json: bool) -> None:
    """Write the whole blog into one FILE, or the database into a new file in FOLDER.

    The service may continue to run. In a FOLDER, the file name contains the current time, and the folder
    `media` beside the backups contains each media file once for all of them. A missing FOLDER is created if
    its name ends with a slash. The command never overwrites a file. The backup contains drafts, users and
    hashes of passwords and keys, so keep it secret. If media files are missing or damaged, the command saves
    the rest and exits with status 1.
    """
    path = Path(name)
    if name.endswith(("/", os.sep)) and path.parent.is_dir() and not verify:
        with report_problems(), service.convert_errors(path):
            path.mkdir(mode=0o700, exist_ok=True)
    if verify and not path.is_file():
        raise click.UsageError(f"The file {path} does not exist.")
    if keep is not None and (verify or not path.is_dir()):
        raise click.UsageError("--keep needs an existing FOLDER and cannot be combined with --verify.")
    deleted = DeletedBackups()
    with report_problems(), exit_on_sigterm():
        instance = blog_folder.require_blog_with_database()
        if verify:
            result = restoring.verify_backup(path, instance, progress=show_progress)
        else:
            result, deleted = _create_backup(instance, path, keep)
    checked = NOT_RESTORED_REASON if result.is_only_read else "can be restored"
    _print_backup(f"{path} {checked}" if verify else f"Wrote {result.path}", result, deleted, as_json)
    if result.missing:
        _report_missing_files(result.missing, f"{result.path} lacks")
        raise SystemExit(1)


def _create_backup(instance: Path, path: Path, keep: int | None) -> tuple[Backup, DeletedBackups]:
    """Write a backup to a new file or into a folder; return it and the backups that `keep` deleted."""
    if not path.is_dir() and not path.parent.is_dir():
        raise click.UsageError(f"The folder {path.parent} does not exist.")
    with status.record_attempt(instance):
        if path.is_dir():
            target = path / naming.make_manual_backup_name(clock.now())
            result, deleted = folder_backups.create_folder_backup(
                instance, target, BackupKind.MANUAL, keep=keep, progress=show_progress
            )
        else:
            result, deleted = service.create_backup(instance, path, progress=show_progress), DeletedBackups()
        backup_command.run_backup_command(instance, result.path)
    return result, deleted


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--allow-missing-media",
    is_flag=True,
    help="Restore the backup even if media files that belong to it are missing or damaged.",
)
@click.option("--yes", is_flag=True, help="Do not ask before a blog with articles is replaced.")
def restore(path: Path, allow_missing_media: bool, yes: bool) -> None:
    """Replace the blog with the contents of a backup, or on PostgreSQL, fill an empty database.

    The service may continue to run. On a terminal, the command asks first if the blog has articles or a
    server uses it. The current state is first saved in another file, and the command prints the name of that
    file. If FILE is not a complete backup, nothing changes. No media file is deleted.
    """
    instance = blog_folder.find_instance()
    with report_problems():
        if question := restoring.describe_replacement(path, instance):
            click.echo(question)
            if is_stdin_terminal() and not yes:
                click.confirm("Replace it?", abort=True)
        result = restoring.restore_backup(
            path,
            instance,
            allow_missing_media=allow_missing_media,
            progress=show_progress,
        )
    click.echo(f"Restored {path}: {_describe_manifest(result.manifest)}.")
    if result.unreadable:
        click.echo(
            f"The former database could not be read; it was moved to {result.former_copy}. "
            "Restart the service."
        )
    elif result.former_copy:
        click.echo(f"The former state is in {result.former_copy}.")
    for sentence in filter(None, (result.settings, result.theme)):
        click.echo(sentence)
    click.echo(
        "Users, passwords and keys were restored too, including any that were deleted after the backup."
    )
    if result.missing:
        _report_missing_files(result.missing, "The blog lacks")


def _describe_manifest(manifest: Manifest) -> str:
    media = manifest.media
    files = f" and {media.files} media files ({media.bytes / 1024**2:.1f} MB)" if media.files else ""
    return f"{manifest.rows['article']} articles{files}, as of {manifest.created}, migration {manifest.step}"


def _report_missing_files(missing: Sequence[MissingFile], subject: str) -> None:
    for line in (f"{subject} {len(missing)} media files:", *describe_missing_files(missing)):
        click.echo(line, err=True)


def _print_backup(action: str, backup: Backup, deleted: DeletedBackups, as_json: bool) -> None:
    if as_json:
        report = {
            "file": str(backup.path),
            "deleted": [str(path) for path in deleted.paths],
            "deleted_media": deleted.media.files,
            "missing": [asdict(file) for file in backup.missing],
            "is_only_read": backup.is_only_read,
        }
        click.echo(json.dumps(report | asdict(backup.manifest), ensure_ascii=False))
    else:
        size = backup.path.stat().st_size / 1024**2
        click.echo(f"{action}: {size:.1f} MB, {_describe_manifest(backup.manifest)}.")
        for path in deleted.paths:
            click.echo(f"Deleted {path}")
        if deleted.media.files:
            click.echo(f"Deleted {deleted.media.files} media files that no backup in the folder needs.")
    if deleted.media.unreadable:
        click.echo(f"No media files were deleted, because {deleted.media.unreadable} is damaged.", err=True)
