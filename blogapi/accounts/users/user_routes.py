"""The endpoints with which admins manage users; API keys are refused, so a leaked key cannot add an admin."""

from __future__ import annotations

from uuid import UUID

from blogapi.accounts.users import emails, links, queries, second_factor, service
from blogapi.accounts.users.roles import list_rights
from blogapi.accounts.users.schemas import (
    NewResetLinkSchema,
    RoleRightsSchema,
    SentResetLinkSchema,
    UserBodySchema,
    UserChangesSchema,
    UserDetailsSchema,
)
from blogapi.web.access import Role, admin_login, allow, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Conflict
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.representation import Representation

bp = Blueprint("users", __name__, url_prefix="/api/v1/users", description="Users")


REPRESENTATION = Representation(
    queries.get_user_details, UserDetailsSchema(), queries.list_user_details, UserDetailsSchema(many=True)
)


@bp.get("/")
@allow(admin_login)
@bp.response(200, UserDetailsSchema(many=True))
def listed() -> list[WithAttributes]:
    """List all users, ordered by name."""
    return queries.list_user_details()


# This operation does not support an Idempotency-Key, because blogapi would store a digest of the request,
# from which an attacker could guess the password in the request.
@bp.post("/")
@allow(admin_login, scope="write")
@bp.arguments(UserBodySchema)
@bp.response(201, UserDetailsSchema())
def create(fields: Fields) -> WithAttributes:
    """Create a user; without a password, the user needs a reset link to set one."""
    account = service.create_user(
        fields["username"],
        fields.get("password"),
        role=Role(fields["role"]),
        can_publish=fields["can_publish"],
    )
    return queries.get_user_details(account.uuid)


@bp.get("/roles/")
@allow(admin_login)
@bp.response(200, RoleRightsSchema(many=True))
def list_roles() -> list[Fields]:
    """List the roles with their rights in plain words; the last role has all rights."""
    return [
        {
            "role": role,
            "rights": [{"name": right.name, "condition": text} for right, text in list_rights(role)],
        }
        for role in Role
    ]


@bp.get("/<id:id>/")
@allow(admin_login)
@bp.response(200, UserDetailsSchema())
def single(id: UUID) -> WithAttributes:
    """Show a user."""
    return queries.get_user_details(id)


@bp.patch("/<id:id>/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_user)
@bp.arguments(UserChangesSchema)
@bp.write(200, UserDetailsSchema(), REPRESENTATION)
def change(changes: Fields, id: UUID) -> WithAttributes:
    """Change the role of a user or whether they may publish, or disable or enable the user.

    A disabled user is logged out and cannot log in, and their API keys are refused.
    """
    return queries.get_user_details(service.change_user(id, changes).uuid)


@bp.delete("/<id:id>/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_user)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete a user who owns no content, and all their API keys."""
    service.delete_user(id)


@bp.delete("/<id:id>/logins/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_user)
@bp.response(204)
def delete_logins(id: UUID) -> None:
    """End all logins of a user; their API keys stay valid."""
    service.end_logins(id)


@bp.post("/<id:id>/reset-second-factor/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_user)
@bp.response(204)
def reset_second_factor(id: UUID) -> None:
    """Turn off the second factor of another user who has lost the phone and the recovery codes.

    Admins turn off their own second factor with their password.
    """
    if id == current_user_id():
        raise Conflict("Turn your own second factor off in your profile, with your password.")
    second_factor.disable_second_factor(id)


@bp.post("/<id:id>/reset-link/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_user)
@bp.arguments(NewResetLinkSchema, required=False)
@bp.response(201, SentResetLinkSchema())
def create_reset_link(fields: Fields, id: UUID) -> WithAttributes:
    """Create a link with which the user sets a new password. The link works once, for one day.

    With `send`, the link is also sent to the user's e-mail address, if the blog sends e-mail.
    """
    link = links.create_reset_link(id)
    if not fields["send"]:
        return WithAttributes(link, sent=False, problem="")
    return emails.send_reset_link(queries.get_user(id), link)
