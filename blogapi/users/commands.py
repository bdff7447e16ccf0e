"""Users on the command line."""

from __future__ import annotations

import json
import sys

import click
from flask.cli import AppGroup, with_appcontext

from blogapi.cli import report_problems
from blogapi.users import models, queries, service

user = AppGroup("user", help="Create and manage the people of the blog.")


def _password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    asked: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return asked


@user.command()
@click.argument("name")
@click.option("--admin", is_flag=True, help="May write; a member only reads.")
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of standard input."
)
@with_appcontext
def create(name: str, admin: bool, password_stdin: bool) -> None:
    """Create a user; asks for the password."""
    with report_problems():
        account = service.create(
            name, _password(password_stdin), role=models.Role.ADMIN if admin else models.Role.MEMBER
        )
    click.echo(f"Created the {account.role} {account.username} ({account.uuid}).")


@user.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
@with_appcontext
def list_(as_json: bool) -> None:
    """List all users."""
    shown = [
        {
            "uuid": str(account.uuid),
            "username": account.username,
            "role": account.role,
            "created": account.created.isoformat(timespec="seconds"),
        }
        for account in queries.list_users()
    ]
    if as_json:
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    for row in shown:
        click.echo("  ".join((row["uuid"], row["role"].ljust(6), row["created"], row["username"])))


@user.command()
@click.argument("name")
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of standard input."
)
@with_appcontext
def password(name: str, password_stdin: bool) -> None:
    """Set a user's password and end all their logins."""
    with report_problems():
        queries.get_by_name(name)
        service.set_password(name, _password(password_stdin))
    click.echo(f"The password of {name} is set; all their logins are over.")


@user.command()
@click.argument("name")
@click.confirmation_option("--yes", prompt="Delete the user with all their keys?")
@with_appcontext
def delete(name: str) -> None:
    """Delete a user who has written nothing, with their keys."""
    with report_problems():
        service.delete_user(name)
    click.echo(f"Deleted {name}.")
