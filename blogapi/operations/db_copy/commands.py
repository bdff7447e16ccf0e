"""The `db` commands."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from sqlalchemy import URL, Engine
from sqlalchemy.exc import SQLAlchemyError

from blogapi import blog_folder, config
from blogapi.cli import report_problems, show_progress
from blogapi.config import CannotStart
from blogapi.content.media.folder import locate_folder
from blogapi.content.media.models import Media
from blogapi.operations.db_copy import service
from blogapi.storage import connections

db = click.Group("db", help="Copy the database of a stopped blog between SQLite and PostgreSQL.")


@db.command()
@click.argument("source", type=click.Path())
@click.argument("target", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print the row count and digest of each table as JSON.")
def copy(source: str, target: str, as_json: bool) -> None:
    """Copy the blog in SOURCE into TARGET, an empty database.

    Each of SOURCE and TARGET is the path of a SQLite file, or a URL as in DATABASE_URL. The copy is read back
    and compared with SOURCE. If anything fails, TARGET stays empty. Stop the service first, because changes
    made to SOURCE during the copy are not copied. The media files are not copied.
    """
    instance = blog_folder.find_instance()
    media_folder = locate_folder(instance, config.read_settings(instance)["MEDIA_PATH"]).root
    source_engine, target_engine = _make_engine(source, instance), _make_engine(target, instance)
    try:
        with report_problems():
            sums = service.copy_blog(
                source_engine, target_engine, backups=instance / "backups", progress=show_progress
            )
    except SQLAlchemyError as error:
        raise click.ClickException(f"The copy failed: {error}") from error
    finally:
        source_engine.dispose()
        target_engine.dispose()
    media_files = sums[Media.__tablename__].rows
    if as_json:
        report = {
            "source": connections.describe_url(source_engine.url),
            "target": connections.describe_url(target_engine.url),
            "tables": {name: asdict(table) for name, table in sums.items()},
            "media": {"files": media_files, "folder": str(media_folder)},
        }
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    for name, table in sums.items():
        click.echo(f"{table.rows:>8}  {name}  {table.sha256[:16]}")
    rows = sum(table.rows for table in sums.values())
    target_url = connections.describe_url(target_engine.url)
    click.echo(f"Copied {rows} rows into {target_url}; both databases are equal.")
    if media_files:
        click.echo(
            f"The {media_files} media files stay in {media_folder}. If the copied blog uses another instance "
            "folder, copy them to `media` in that folder, or set MEDIA_PATH."
        )


def _make_engine(address: str, instance: Path) -> Engine:
    if "://" not in address:
        return connections.make_engine(URL.create("sqlite", database=str(Path(address).absolute())))
    path = connections.get_sqlite_path(address, instance)
    engine = connections.make_engine(URL.create("sqlite", database=str(path)) if path else address)
    if engine.dialect.name == "sqlite" and path is None:
        raise CannotStart("A database in memory cannot be copied; name a file.")
    return engine
