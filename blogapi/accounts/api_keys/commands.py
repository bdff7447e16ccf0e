"""The commands `key create`, `key list` and `key delete`."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import click
from flask.cli import AppGroup, with_appcontext

from blogapi import clock
from blogapi.accounts.api_keys import queries, service
from blogapi.accounts.api_keys.schemas import KeySchema
from blogapi.accounts.users.queries import get_user_by_name
from blogapi.cli import report_problems
from blogapi.parsing import parse_timestamp, parse_uuid
from blogapi.web.access import SCOPES, Caller, Role, Scope
from blogapi.web.errors import require_item

key = AppGroup("key", help="Create and manage API keys.")

# The caller for whom `key list` reads: whoever can run commands on the server is allowed to see all keys.
_COMMAND_LINE_CALLER = Caller(role=Role.ADMIN, scopes=frozenset(SCOPES), is_authenticated=True)


def _parse_time(_context: click.Context, _option: click.Parameter, value: str | None) -> datetime | None:
    time = value and parse_timestamp(value)
    if value is not None and (not time or time <= clock.now()):
        raise click.BadParameter("It is not a time in the future, such as 2030-01-31 or 2030-01-31T09:00Z.")
    return time or None


@key.command("create")
@click.option("--user", "username", help="The owner of the key; without an owner, the key is anonymous.")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="published",
    show_default=True,
    help="published: read only published content, for example in a web page. read: read everything that the "
    "owner may read, including drafts if the owner is an admin. drafts: also write drafts, edits and "
    "files, but change nothing that readers see. write: read and write.",
)
@click.option("--name", default="", help="A label for the key.")
@click.option("--expires", metavar="TIME", callback=_parse_time, help="The expiry, such as 2030-01-31.")
@with_appcontext
def create_key(username: str | None, scope: Scope, name: str, expires: datetime | None) -> None:
    """Create a key and print its value on the last line."""
    if scope != "published" and username is None:
        raise click.UsageError(f"A key of scope {scope} needs an owner; set the owner with --user.")
    with report_problems():
        owner = None if username is None else get_user_by_name(username).uuid
        created = service.issue_key(owner, scope, name=name, expires=expires)
    click.echo(f"Created the key {created.uuid} ({scope}). Save its value; it is not shown again:", err=True)
    click.echo(created.value)


@key.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def list_keys(as_json: bool) -> None:
    """List all keys that have not expired, without their values."""
    rows: list[dict[str, Any]] = KeySchema(many=True).dump(queries.list_keys(_COMMAND_LINE_CALLER, None).rows)
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        last_used = row["last_used"] or "never used"
        click.echo("  ".join((row["uuid"], row["prefix"], ",".join(row["scopes"]), last_used, row["name"])))


@key.command("delete")
@click.argument("uuid")
@with_appcontext
def delete_key(uuid: str) -> None:
    """Delete the key with this uuid, which `key list` shows; requests with it are refused immediately."""
    with report_problems():
        detail = f"{uuid!r} is not the uuid of a key; `key list` shows the uuids."
        service.delete_key_unchecked(require_item(parse_uuid(uuid), detail))
    click.echo(f"Deleted the key {uuid}.")
