"""The commands `user …` for users, their passwords, links and second factors."""

from __future__ import annotations

import json
import sys

import click
import marshmallow as ma
from flask.cli import AppGroup, with_appcontext

from blogapi.accounts.users import links, queries, second_factor, service
from blogapi.accounts.users.schemas import InvitationBodySchema
from blogapi.cli import report_problems
from blogapi.web.access import Role
from blogapi.web.blueprint import add_a_or_an
from blogapi.web.fields import WithAttributes

user = AppGroup("user", help="Create and manage users.")

_ROLE_CHOICE = click.Choice([*map(str, Role)])
_role_option = click.option(
    "--role",
    type=_ROLE_CHOICE,
    default=Role.READER.value,
    show_default=True,
    help="What the user may do: an author writes their own articles, an editor writes all articles.",
)
_publish_option = click.option(
    "--can-publish", is_flag=True, help="Let an author publish their own articles."
)
_password_option = click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of standard input."
)


def _read_password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    # A password can be hidden only on a terminal; other kinds of input are not shown anyway.
    password: str = click.prompt("Password", hide_input=sys.stdin.isatty(), confirmation_prompt=True)
    return password


@user.command("create")
@click.argument("name")
@_role_option
@click.option("--admin", is_flag=True, help="The same as --role admin.")
@_publish_option
@_password_option
@with_appcontext
def create_user(name: str, role: str, admin: bool, can_publish: bool, password_stdin: bool) -> None:
    """Create a user; the command asks for the password."""
    with report_problems():
        account = service.create_user(
            name,
            _read_password(from_stdin=password_stdin),
            role=Role.ADMIN if admin else Role(role),
            can_publish=can_publish,
        )
    click.echo(f"Created the {account.role} {account.username} ({account.uuid}).")


@user.command("role")
@click.argument("name")
@click.argument("role", type=_ROLE_CHOICE)
@click.option(
    "--can-publish/--cannot-publish",
    default=None,
    help="Whether an author may publish their own articles.  [default: unchanged]",
)
@with_appcontext
def change_role(name: str, role: str, can_publish: bool | None) -> None:
    """Change a user's role; the new role applies to existing logins and keys at once."""
    changes: dict[str, object] = {"role": role}
    if can_publish is not None:
        changes["can_publish"] = can_publish
    with report_problems():
        service.change_user(queries.get_user_by_name(name).uuid, changes)
    click.echo(f"{name} is now {add_a_or_an(role)}.")


@user.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def list_users(as_json: bool) -> None:
    """List all users."""
    rows = [
        {
            "uuid": str(account.uuid),
            "username": account.username,
            "role": account.role,
            "can_publish": account.can_publish,
            "disabled": account.disabled,
            "created": account.created.isoformat(timespec="seconds"),
        }
        for account in queries.list_users()
    ]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        parts = [row["uuid"], str(row["role"]).ljust(6), row["created"], row["username"]]
        click.echo("  ".join(map(str, [*parts, *(["(disabled)"] if row["disabled"] else [])])))


@user.command("password")
@click.argument("name")
@_password_option
@with_appcontext
def set_password(name: str, password_stdin: bool) -> None:
    """Set a user's password and log them out everywhere."""
    with report_problems():
        # Refuse an unknown name before asking for a password.
        queries.get_user_by_name(name)
        service.set_password(name, _read_password(from_stdin=password_stdin))
    click.echo(f"The password of {name} is set; they are logged out everywhere.")


@user.command("reset-link")
@click.argument("name")
@with_appcontext
def create_reset_link(name: str) -> None:
    """Print a link with which the user sets a new password; it works once, for one day."""
    with report_problems():
        link = links.create_reset_link(queries.get_user_by_name(name).uuid)
    _print_link(link)


@user.command("invite")
@click.argument("name")
@_role_option
@_publish_option
@with_appcontext
def invite_user(name: str, role: str, can_publish: bool) -> None:
    """Print a link with which a new user chooses a user name and a password; it works once, for 7 days."""
    try:
        fields = InvitationBodySchema().load({"name": name, "role": role, "can_publish": can_publish})
    except ma.ValidationError as error:
        raise click.BadParameter(" ".join(error.messages_dict["name"]), param_hint="NAME") from error
    with report_problems():
        link = links.create_invitation(fields, inviter_id=None)
    _print_link(link)


@user.command("reset-second-factor")
@click.argument("name")
@with_appcontext
def reset_second_factor(name: str) -> None:
    """Turn off the second factor of a user who has lost the phone and the recovery codes."""
    with report_problems():
        second_factor.disable_second_factor(queries.get_user_by_name(name).uuid)
    click.echo(f"The second factor of {name} is off; they log in with the password and can set it up again.")


def _print_link(link: WithAttributes) -> None:
    if link.url == link.path:
        click.echo("Open this path at the address of the blog:", err=True)
    click.echo(link.url)


@user.command("delete")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@with_appcontext
def delete_user(name: str, yes: bool) -> None:
    """Delete a user who owns no content, and all their API keys."""
    with report_problems():
        # Refuse an unknown name before asking for a confirmation.
        queries.get_user_by_name(name)
        if not yes:
            click.confirm("Delete the user and all their API keys?", abort=True)
        service.delete_user_by_name(name)
    click.echo(f"Deleted {name}.")
