"""Request and response bodies of users and invitations, which admins manage."""

from __future__ import annotations

from email.errors import HeaderParseError
from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.accounts.users import passwords, usernames
from blogapi.web.access import Role
from blogapi.web.errors import Invalid
from blogapi.web.fields import Identifier, InputSchema, OutputSchema, StrictBoolean, Text, Timestamp

ROLES = [role.value for role in Role]
_CAN_PUBLISH_DESCRIPTION = "Whether an author may publish their own articles; other roles ignore it."


class NewUsername(Text):
    """The name of a new user, which is normalized to the form that is stored."""

    def __init__(self) -> None:
        super().__init__(max_length=200, required=True, metadata={"example": "ada"})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        try:
            return usernames.normalize_username(super()._deserialize(value, attr, data, **options))
        except Invalid as error:
            raise ma.ValidationError((error.errors or {})["username"]) from error


class EmailAddress(Text):
    """An e-mail address, or an empty text."""

    def __init__(self, **options: Any) -> None:
        metadata = {"example": "henrik@blog.example"} | options.pop("metadata", {})
        super().__init__(max_length=254, metadata=metadata, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        if value == "":
            return ""
        # Imported here because few processes need this module, which takes 1 MB of memory.
        from email.headerregistry import Address

        text = super()._deserialize(value, attr, data, **options)
        try:
            validate.Email()(text)
            address = Address(addr_spec=text)
        except (ma.ValidationError, ValueError, HeaderParseError) as error:
            raise ma.ValidationError("Must be an e-mail address such as ada@blog.example.") from error
        return address.addr_spec


class UserReferenceSchema(OutputSchema):
    """A user; the name is empty if the user was deleted."""

    uuid = Identifier()
    username = ma.fields.String(metadata={"example": "ada"})


class UserSchema(OutputSchema):
    """A user."""

    uuid = Identifier()
    username = ma.fields.String(metadata={"example": "ada"})
    role = ma.fields.String(metadata={"enum": ROLES})


class SecondFactorSchema(OutputSchema):
    """Whether a user has a second factor, and whether the user must have one."""

    second_factor_since = Timestamp(dump_only=True, allow_none=True)
    recovery_codes_left = ma.fields.Integer(metadata={"description": "How many recovery codes are left."})
    second_factor_required = ma.fields.Boolean(
        metadata={"description": "Whether the user must have a second factor."}
    )


class UserDetailsSchema(SecondFactorSchema, UserSchema):
    """A user, as admins see them."""

    disabled = ma.fields.Boolean(
        metadata={"description": "A disabled user cannot log in, and their API keys are refused."}
    )
    can_publish = ma.fields.Boolean(metadata={"description": _CAN_PUBLISH_DESCRIPTION})
    has_password = ma.fields.Boolean(metadata={"description": "A user without a password cannot log in."})
    created = Timestamp(dump_only=True)
    last_seen = Timestamp(
        dump_only=True,
        allow_none=True,
        metadata={"description": "When the user last used a login or a key, to the hour; null if unknown."},
    )
    email = ma.fields.String(metadata={"description": "May be empty.", "example": "ada@blog.example"})


class RightSchema(OutputSchema):
    """A right of a role."""

    name = ma.fields.String(metadata={"example": "Publish"})
    condition = ma.fields.String(
        metadata={"description": "The condition of the right; empty if there is none.", "example": ""}
    )


class RoleRightsSchema(OutputSchema):
    """A role, and what its users may do."""

    role = ma.fields.String(metadata={"enum": ROLES})
    rights = ma.fields.List(ma.fields.Nested(RightSchema))


def _make_role_field(**options: Any) -> ma.fields.String:
    return ma.fields.String(validate=validate.OneOf(ROLES), **options)


def _make_can_publish_field(**options: Any) -> ma.fields.Boolean:
    metadata = {"description": _CAN_PUBLISH_DESCRIPTION}
    return StrictBoolean(metadata=metadata, **options)


class UserBodySchema(InputSchema):
    """A new user."""

    username = NewUsername()
    role = _make_role_field(load_default=Role.READER.value)
    can_publish = _make_can_publish_field(load_default=False)
    password = passwords.make_new_password_field(required=False)


class UserChangesSchema(InputSchema):
    """The fields of a user that an admin can change."""

    read_only = frozenset(UserDetailsSchema().fields) - {"role", "can_publish", "disabled", "email"}

    role = _make_role_field()
    can_publish = _make_can_publish_field()
    disabled = StrictBoolean()
    email = EmailAddress()


class LinkSchema(OutputSchema):
    """A link that works once; only this response shows it."""

    path = ma.fields.String(metadata={"example": "/admin/reset/#…"})
    url = ma.fields.String(
        metadata={
            "description": "The address of the link. It is absolute if the service has a public address, "
            "otherwise it is the path.",
            "example": "https://blog.example/admin/reset/#…",
        }
    )
    expires = Timestamp(dump_only=True)


class _EmailResultSchema(OutputSchema):
    sent = ma.fields.Boolean(metadata={"description": "Whether the link was sent by e-mail."})
    problem = ma.fields.String(
        metadata={"description": "Why an e-mail was not sent; empty if none was requested."}
    )


class SentResetLinkSchema(_EmailResultSchema, LinkSchema):
    """A link with which a user sets a new password, and whether it was sent."""


class NewResetLinkSchema(InputSchema):
    """The options of a new reset link."""

    send = StrictBoolean(
        load_default=False,
        metadata={"description": "Whether to send the link to the e-mail address of the user."},
    )


class InvitedSchema(OutputSchema):
    """The data of an invitation that the invited person sees."""

    name = ma.fields.String(metadata={"description": "The name in the byline.", "example": "Henrik"})
    role = ma.fields.String(metadata={"enum": ROLES})
    can_publish = ma.fields.Boolean(metadata={"description": _CAN_PUBLISH_DESCRIPTION})
    expires = Timestamp(dump_only=True)


class InvitationSchema(InvitedSchema):
    """An invitation that can be accepted."""

    uuid = Identifier()
    email = ma.fields.String(metadata={"description": "May be empty.", "example": "henrik@blog.example"})
    created = Timestamp(dump_only=True)
    inviter = ma.fields.Nested(
        UserReferenceSchema,
        allow_none=True,
        metadata={"description": "Who made the invitation; null if it was the command `user invite`."},
    )


class InvitationLinkSchema(_EmailResultSchema, LinkSchema, InvitationSchema):
    """A new invitation with its link, which only this response shows."""


class InvitationBodySchema(InputSchema):
    """A new invitation. The invited person chooses a user name and a password."""

    name = Text(
        max_length="MAX_NAME",
        required=True,
        metadata={"description": "The name in the byline.", "example": "Henrik"},
    )
    role = _make_role_field(required=True)
    can_publish = _make_can_publish_field(load_default=False)
    email = EmailAddress(
        load_default="",
        metadata={"description": "The user's address; the link is sent to it if the blog sends e-mail."},
    )
