"""The endpoints with which admins create, list and revoke invitations."""

from __future__ import annotations

from uuid import UUID

from blogapi.accounts.users import emails, links, queries
from blogapi.accounts.users.models import OneTimeLink
from blogapi.accounts.users.schemas import InvitationBodySchema, InvitationLinkSchema, InvitationSchema
from blogapi.web.access import admin_login, allow, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, WithAttributes

bp = Blueprint("invitations", __name__, url_prefix="/api/v1/invitations", description="Invitations of users")


@bp.get("/")
@allow(admin_login)
@bp.response(200, InvitationSchema(many=True))
def listed() -> list[OneTimeLink]:
    """List the invitations that can be accepted, newest first."""
    return [*queries.list_invitations()]


@bp.post("/")
@allow(admin_login, scope="write")
@bp.arguments(InvitationBodySchema)
@bp.response(201, InvitationLinkSchema())
def create(fields: Fields) -> WithAttributes:
    """Invite a user with a link that works once, for 7 days; only this response shows it.

    If `email` is set and the blog sends e-mail, the link is also sent.
    """
    link = links.create_invitation(fields, inviter_id=current_user_id())
    return emails.send_invitation(link) if fields["email"] else WithAttributes(link, sent=False, problem="")


@bp.delete("/<id:id>/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_invitation)
@bp.response(204)
def revoke(id: UUID) -> None:
    """Revoke an invitation; its link no longer works."""
    links.revoke_invitation(id)
