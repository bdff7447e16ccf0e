"""`db` on the command line."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from sqlalchemy import URL, Engine
from sqlalchemy.exc import SQLAlchemyError

from blogapi import config
from blogapi.cli import progress, report_problems
from blogapi.config import CannotStart
from blogapi.db_copy import service
from blogapi.storage import connections

db = click.Group("db", help="Move a blog between SQLite and PostgreSQL.")


@db.command()
@click.argument("source")
@click.argument("target")
@click.option("--json", "as_json", is_flag=True, help="Print rows and sum of each table as JSON.")
def copy(source: str, target: str, as_json: bool) -> None:
    """Copy the whole blog of SOURCE into TARGET, a database with nothing in it.

    Each is the path of a SQLite file, or a URL as in DATABASE_URL. What was copied is read back and compared;
    where anything fails, nothing is left in TARGET. What is written to SOURCE meanwhile is not copied: stop
    its service first.
    """
    home = Path(config.instance_path())
    given, taken = _engine(source, home), _engine(target, home)
    try:
        with report_problems():
            sums = service.copy(given, taken, backups=home / "backups", watch=progress)
    except SQLAlchemyError as error:
        raise click.ClickException(f"The copy failed: {error}") from error
    finally:
        given.dispose()
        taken.dispose()
    if as_json:
        tables = {name: asdict(one) for name, one in sums.items()}
        shown = {"source": str(given.url), "target": str(taken.url), "tables": tables}
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    for name, one in sums.items():
        click.echo(f"{one.rows:>8}  {name}  {one.sha256[:16]}")
    click.echo(
        f"Copied {sum(one.rows for one in sums.values())} rows into {taken.url}; both sides are equal."
    )


def _engine(named: str, home: Path) -> Engine:
    if "://" not in named:
        return connections.make_engine(URL.create("sqlite", database=str(Path(named).absolute())))
    path = connections.sqlite_path(named, home)
    engine = connections.make_engine(URL.create("sqlite", database=str(path)) if path else named)
    if engine.dialect.name == "sqlite" and path is None:
        raise CannotStart("A blog is kept in a file, not in memory; name one.")
    return engine
