"""API keys on the command line."""

from __future__ import annotations

import json
from typing import Any

import click
from flask.cli import AppGroup, with_appcontext

from blogapi.api_keys import queries, service
from blogapi.api_keys.schemas import KeySchema
from blogapi.cli import report_problems
from blogapi.users import queries as users
from blogapi.web.access import SCOPES, Caller, Scope
from blogapi.web.errors import NotFound
from blogapi.web.fields import parse_uuid

key = AppGroup("key", help="Create and manage API keys.")

# At the owner's own machine every key is there to see.
_OPERATOR = Caller(is_admin=True, scopes=frozenset(SCOPES), known=True)


@key.command()
@click.option("--user", "username", help="Whose key it is; without, it is anonymous.")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="published",
    show_default=True,
    help="published: published content only, for a web page; read: also what its user may read, an admin's "
    "drafts included; write: also change it.",
)
@click.option("--name", default="", help="To tell keys apart.")
@with_appcontext
def create(username: str | None, scope: Scope, name: str) -> None:
    """Create a key; its value stands alone on the last line and is not shown again."""
    if scope != "published" and username is None:
        raise click.UsageError(f"A key of scope {scope} belongs to a user; name one with --user.")
    with report_problems():
        owner = None if username is None else users.get_by_name(username).uuid
        made = service.issue(owner, name=name, scopes={scope})
    click.echo(f"Created the key {made.uuid} ({scope}); keep its value, it is not shown again:", err=True)
    click.echo(made.value)


@key.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
@with_appcontext
def list_(as_json: bool) -> None:
    """List all keys that live, without their values."""
    shown: list[dict[str, Any]] = KeySchema(many=True).dump(queries.list_keys(_OPERATOR, None).rows)
    if as_json:
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    for row in shown:
        used = row["last_used"] or "never used"
        click.echo("  ".join((row["uuid"], row["prefix"], ",".join(row["scopes"]), used, row["name"])))


@key.command()
@click.argument("uuid")
@with_appcontext
def delete(uuid: str) -> None:
    """Delete a key; it is dead at once."""
    with report_problems():
        found = parse_uuid(uuid)
        if found is None:
            raise NotFound(f"{uuid!r} is not the uuid of a key; `key list` shows them.")
        service.delete_by_uuid(found)
    click.echo(f"Deleted the key {uuid}.")
