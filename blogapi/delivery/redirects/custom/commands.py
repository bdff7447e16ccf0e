"""The commands `redirect import` and `redirect list`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from flask.cli import AppGroup, with_appcontext

from blogapi.cli import report_problems
from blogapi.delivery.redirects.custom import redirect_files, service
from blogapi.delivery.redirects.custom.schemas import CustomRedirectSchema
from blogapi.web.errors import Invalid

redirect = AppGroup("redirect", help="Import and list custom redirects.")

_FILE_PATH_TYPE = click.Path(exists=True, dir_okay=False, path_type=Path)


@redirect.command("import")
@click.argument("paths", type=_FILE_PATH_TYPE, nargs=-1, required=True, metavar="FILE…")
@click.option("--dry-run", is_flag=True, help="Only check the files; store nothing.")
@with_appcontext
def import_redirects(paths: tuple[Path, ...], *, dry_run: bool) -> None:
    """Store the redirects of `_redirects` and `.htaccess` files, and of exports of the plugin Redirection.

    A redirect from the same path is replaced. Redirects with patterns or conditions are skipped.
    """
    for path in paths:
        try:
            redirect_file = redirect_files.read_redirects(path.read_bytes().decode("utf-8"))
        except UnicodeDecodeError:
            raise click.ClickException(f"{path} is not UTF-8; save it again as UTF-8.") from None
        except Invalid as error:
            raise click.ClickException(f"{path}: {error.detail}") from None
        for line, reason in redirect_file.skipped:
            click.echo(f"{path.name}:{line}: skipped, {reason}", err=True)
        skipped = f"{len(redirect_file.skipped)} skipped"
        if dry_run:
            click.echo(
                f"{path.name}: {len(redirect_file.redirects)} redirects, {skipped}; nothing was stored"
            )
            continue
        with report_problems():
            created, changed = service.create_or_replace_redirects(redirect_file.redirects)
        click.echo(f"{path.name}: {created} new, {changed} changed, {skipped}")


@redirect.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def list_redirects(*, as_json: bool) -> None:
    """List the custom redirects."""
    rows: list[dict[str, Any]] = CustomRedirectSchema(many=True).dump(
        service.list_custom_redirects(None).rows
    )
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        click.echo("  ".join((str(row["status"]), row["path"], row["target"])))
