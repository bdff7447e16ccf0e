"""`backup` and `restore`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from blogapi import clock, config
from blogapi.backups import naming, restoring, service
from blogapi.backups.manifest import Manifest
from blogapi.backups.naming import Kind
from blogapi.cli import progress, report_problems


@click.command()
@click.argument("path", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(1), help="How many backups stay that were made into the FOLDER.")
@click.option("--verify", is_flag=True, help="Make none, but prove that FILE can be restored.")
@click.option("--json", "as_json", is_flag=True, help="Print what is in the backup as JSON.")
def backup(path: Path, keep: int | None, verify: bool, as_json: bool) -> None:
    """Write the whole blog into one FILE, also while it is served; into a FOLDER, under the moment's name.

    Nothing that exists is overwritten. The file holds all that is secret in the blog: keep it so.
    """
    if keep is not None and (verify or not path.is_dir()):
        raise click.UsageError("--keep goes with a folder that is there, into which backups are made.")
    with report_problems():
        if verify:
            manifest = restoring.verify(_there(path), watch=progress)
            _print(f"{path} can be restored", path, manifest, as_json)
            return
        home = Path(config.instance_path())
        target = path / naming.manual_backup_name(clock.now()) if path.is_dir() else path
        if not target.parent.is_dir():
            raise click.UsageError(f"The folder {target.parent} is not there.")
        manifest = service.make(home, target, watch=progress)
        gone = service.rotate(path, Kind.ASKED, keep=keep, made=target) if keep is not None else []
    _print(f"Wrote {target}", target, manifest, as_json, gone)


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
def restore(path: Path) -> None:
    """Bring back the blog of a backup; what is there now is kept aside, in a file that is named.

    Also while the blog is served. A file that is not a whole backup is refused, with nothing touched.
    """
    with report_problems():
        done = restoring.restore(_there(path), Path(config.instance_path()), watch=progress)
    click.echo(f"Restored {path}: {_told(done.manifest)}.")
    if done.unreadable:
        click.echo(f"The former file could not be read; it lies in {done.kept}. Restart the service.")
    elif done.kept and done.kept.suffix == ".db":
        click.echo(f"The former state, which is damaged, is in {done.kept}. Restart the service.")
    elif done.kept:
        click.echo(f"The former state is in {done.kept}.")
    if done.settings:
        click.echo(f"The settings {done.settings}.")
    click.echo("Users, passwords and keys are those of the backup: what was deleted since lives again.")


def _there(path: Path) -> Path:
    if not path.is_file():
        raise click.UsageError(f"The file {path} is not there.")
    return path


def _told(manifest: Manifest) -> str:
    return f"{manifest.rows['article']} articles, as of {manifest.created}, migration {manifest.step}"


def _print(says: str, path: Path, manifest: Manifest, as_json: bool, gone: list[Path] | None = None) -> None:
    if as_json:
        shown = {"file": str(path), "deleted": [str(one) for one in gone or []]} | asdict(manifest)
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    click.echo(f"{says}: {path.stat().st_size / 1024**2:.1f} MB, {_told(manifest)}.")
    for one in gone or []:
        click.echo(f"Deleted {one}")
