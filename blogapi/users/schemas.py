"""Request and response bodies of users and logins."""

from __future__ import annotations

from email.errors import HeaderParseError
from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.users import passwords, usernames
from blogapi.web.access import SCOPES, Role
from blogapi.web.errors import Invalid
from blogapi.web.fields import Identifier, InputSchema, OutputSchema, Text, Timestamp

_ROLES = [role.value for role in Role]
_CAN_PUBLISH = "Whether an author may publish their own articles; other roles ignore it."


class NewUsername(Text):
    """The name of a new user, in its stored form."""

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
        # Few processes need this module, which takes a megabyte.
        from email.headerregistry import Address

        text = super()._deserialize(value, attr, data, **options)
        try:
            validate.Email()(text)
            address = Address(addr_spec=text)
        except (ma.ValidationError, ValueError, HeaderParseError) as error:
            raise ma.ValidationError("Must be an e-mail address such as ada@blog.example.") from error
        return address.addr_spec


def _current_password() -> Text:
    return Text(
        max_length=passwords.MAX_PASSWORD_LENGTH,
        required=True,
        metadata={"format": "password", "example": "a long pass phrase"},
    )


def _token() -> Text:
    return Text(
        max_length=200,
        required=True,
        metadata={
            "description": "The part of the link after `#`.",
            "example": "kT9sVd1LwRj6HzYc3GpFa8Ue0sZK",
        },
    )


def _code(**options: Any) -> Text:
    metadata = {
        "description": "The code of the app, or a recovery code, if the user has a second factor.",
        "example": "492039",
    }
    return Text(max_length=100, metadata=metadata, **options)


class LoginSchema(InputSchema):
    """The credentials of a login."""

    username = Text(max_length=200, required=True, metadata={"example": "ada"})
    password = _current_password()
    code = _code(load_default="")
    remember = ma.fields.Boolean(
        truthy={True},
        falsy={False},
        load_default=True,
        metadata={
            "description": "Whether the login lasts for SESSION_DAYS. Otherwise it ends with the browser, "
            "and after 12 hours at the latest.",
        },
    )


class LoginOptionsSchema(OutputSchema):
    """The data of a login page."""

    title = ma.fields.String(metadata={"description": "The title of the site.", "example": "My blog"})
    session_days = ma.fields.Integer(
        metadata={"description": "How many days a login lasts with `remember`.", "example": 14}
    )
    needs_setup = ma.fields.Boolean(
        metadata={"description": "Whether no admin can log in yet; `serve` prints a link that creates one."}
    )
    sends_email = ma.fields.Boolean(
        metadata={"description": "Whether the blog sends links for forgotten passwords by e-mail."}
    )


class UserReferenceSchema(OutputSchema):
    """A user; the name is empty if the user was deleted."""

    uuid = Identifier()
    username = ma.fields.String(metadata={"example": "ada"})


class UserSchema(OutputSchema):
    """A user."""

    uuid = Identifier()
    username = ma.fields.String(metadata={"example": "ada"})
    role = ma.fields.String(metadata={"enum": _ROLES})


class SecondFactorSchema(OutputSchema):
    """The state of a second factor."""

    second_factor_since = Timestamp(dump_only=True, allow_none=True)
    recovery_codes_left = ma.fields.Integer(metadata={"description": "How many recovery codes are left."})
    second_factor_required = ma.fields.Boolean(
        metadata={"description": "Whether the user must turn a second factor on before anything else."}
    )


class UserDetailsSchema(SecondFactorSchema, UserSchema):
    """A user, as admins see them."""

    disabled = ma.fields.Boolean(
        metadata={"description": "A disabled user cannot log in, and their API keys are refused."}
    )
    can_publish = ma.fields.Boolean(metadata={"description": _CAN_PUBLISH})
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
        metadata={"description": "When the role has the right; empty: always.", "example": ""}
    )


class RoleRightsSchema(OutputSchema):
    """A role, and what its users may do."""

    role = ma.fields.String(metadata={"enum": _ROLES})
    rights = ma.fields.List(ma.fields.Nested(RightSchema))


def _role(**options: Any) -> ma.fields.String:
    return ma.fields.String(validate=validate.OneOf(_ROLES), **options)


def _can_publish(**options: Any) -> ma.fields.Boolean:
    metadata = {"description": _CAN_PUBLISH}
    return ma.fields.Boolean(truthy={True}, falsy={False}, metadata=metadata, **options)


class NewUserSchema(InputSchema):
    """A new user."""

    username = NewUsername()
    role = _role(load_default=Role.READER.value)
    can_publish = _can_publish(load_default=False)
    password = passwords.new_password_field(required=False)


class UserChangesSchema(InputSchema):
    """The role of a user, whether they may publish as an author, and whether they are disabled."""

    read_only = frozenset(UserDetailsSchema().fields) - {"role", "can_publish", "disabled", "email"}

    role = _role()
    can_publish = _can_publish()
    disabled = ma.fields.Boolean(truthy={True}, falsy={False})
    email = EmailAddress()


class LinkSchema(OutputSchema):
    """A link that works once; only this response shows it."""

    path = ma.fields.String(metadata={"example": "/admin/reset/#…"})
    url = ma.fields.String(
        metadata={
            "description": "The address of the link. It is absolute if the site has a `service_url`, "
            "otherwise it is the path.",
            "example": "https://blog.example/admin/reset/#…",
        }
    )
    expires = Timestamp(dump_only=True)


class _SentSchema(OutputSchema):
    sent = ma.fields.Boolean(metadata={"description": "Whether the link was sent by e-mail."})
    problem = ma.fields.String(
        metadata={"description": "Why an e-mail was not sent; empty if none was asked for."}
    )


class SentResetLinkSchema(_SentSchema, LinkSchema):
    """A link with which a user sets a new password, and whether it was sent."""


class NewResetLinkSchema(InputSchema):
    """Whether a reset link is sent to the user."""

    send = ma.fields.Boolean(
        truthy={True},
        falsy={False},
        load_default=False,
        metadata={"description": "Whether to send the link to the e-mail address of the user."},
    )


class InvitedSchema(OutputSchema):
    """What an invitation offers."""

    name = ma.fields.String(metadata={"description": "The name in the byline.", "example": "Henrik"})
    role = ma.fields.String(metadata={"enum": _ROLES})
    can_publish = ma.fields.Boolean(metadata={"description": _CAN_PUBLISH})
    expires = Timestamp(dump_only=True)


class InvitationSchema(InvitedSchema):
    """An invitation that can be accepted."""

    uuid = Identifier()
    email = ma.fields.String(metadata={"description": "May be empty.", "example": "henrik@blog.example"})
    created = Timestamp(dump_only=True)
    inviter = ma.fields.Nested(
        UserReferenceSchema,
        allow_none=True,
        metadata={"description": "Null if it was made with the command `user invite`."},
    )


class NewInvitationLinkSchema(_SentSchema, LinkSchema, InvitationSchema):
    """A new invitation with its link, which only this response shows."""


class NewInvitationSchema(InputSchema):
    """A new invitation. The invited person chooses a user name and a password."""

    name = Text(
        max_length="MAX_NAME",
        required=True,
        metadata={"description": "The name in the byline.", "example": "Henrik"},
    )
    role = _role(required=True)
    can_publish = _can_publish(load_default=False)
    email = EmailAddress(
        load_default="",
        metadata={
            "description": "The address of the user. If the blog sends e-mail, the link is sent there."
        },
    )


class InvitationTokenSchema(InputSchema):
    """The token of an invitation."""

    token = _token()


class JoiningUserSchema(InputSchema):
    """The first admin or an invited user, and the token of the link."""

    token = _token()
    username = NewUsername()
    password = passwords.new_password_field()


class ResetPasswordSchema(InputSchema):
    """A new password, the token of a link, and the code of the second factor if the user has one."""

    token = _token()
    password = passwords.new_password_field()
    code = _code(load_default="")


class NewPasswordSchema(InputSchema):
    """A new password, and the current one."""

    current_password = _current_password()
    password = passwords.new_password_field()


class EnableSecondFactorSchema(InputSchema):
    """A code of the app, and the current password."""

    code = _code(required=True)
    current_password = _current_password()


class OwnEmailSchema(InputSchema):
    """The e-mail address of the current user, and the current password."""

    email = EmailAddress(required=True)
    current_password = _current_password()


class ForgottenPasswordSchema(InputSchema):
    """The name of a user who has forgotten the password."""

    username = Text(max_length=200, required=True, metadata={"example": "ada"})


class OwnPasswordSchema(InputSchema):
    """The current password."""

    current_password = _current_password()


class SecondFactorSetupSchema(OutputSchema):
    """The secret of an app for one-time codes; only this response shows it."""

    secret = ma.fields.String(metadata={"description": "In base32, as apps expect it."})
    url = ma.fields.String(
        metadata={"description": "The secret as an address for apps (`otpauth://…`), as in the QR code."}
    )
    qr_code = ma.fields.String(metadata={"description": "The QR code, as a `data:` URL of an SVG image."})


class NewRecoveryCodesSchema(OutputSchema):
    """Codes that replace the app, each of them once; only this response shows them."""

    recovery_codes = ma.fields.List(ma.fields.String(metadata={"example": "k7qd-3mxw-a2bz-9ufe"}))


class OwnAccountSchema(SecondFactorSchema, UserSchema):
    """The account of the current user."""

    email = ma.fields.String(metadata={"description": "May be empty.", "example": "ada@blog.example"})
    created = Timestamp(dump_only=True)
    password_changed = Timestamp(
        dump_only=True, allow_none=True, metadata={"description": "Null if it was not recorded."}
    )


class WebLoginSchema(OutputSchema):
    """A login of the current user that has not ended."""

    uuid = Identifier()
    created = Timestamp(dump_only=True)
    expires = Timestamp(dump_only=True)
    last_used = Timestamp(
        dump_only=True, allow_none=True, metadata={"description": "To the hour; null if it was not recorded."}
    )
    user_agent = ma.fields.String(metadata={"description": "The `User-Agent` that the browser sent."})
    current = ma.fields.Boolean(metadata={"description": "Whether this request belongs to the login."})


class CallerSchema(OutputSchema):
    """The caller: user, role, API key and scopes."""

    user = Identifier(allow_none=True, metadata={"description": "Null for an anonymous key."})
    username = ma.fields.String(metadata={"description": "Empty for an anonymous key."})
    role = ma.fields.String(metadata={"enum": _ROLES, "description": "`reader` for an anonymous key."})
    publishes = ma.fields.Boolean(
        data_key="can_publish", metadata={"description": "Whether the caller may publish articles."}
    )
    key = Identifier(
        allow_none=True,
        metadata={"description": "Null for a login session and for a key of scope `published`."},
    )
    scopes = ma.fields.List(ma.fields.String(metadata={"enum": [*SCOPES]}))
