"""Request and response bodies of logins, and of the account of the current user."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from blogapi.accounts.users import passwords
from blogapi.accounts.users.schemas import ROLES, EmailAddress, NewUsername, SecondFactorSchema, UserSchema
from blogapi.web.access import SCOPES
from blogapi.web.fields import Identifier, InputSchema, OutputSchema, StrictBoolean, Text, Timestamp

_CURRENT_PASSWORD_FIELD = Text(
    max_length=passwords.MAX_PASSWORD_LENGTH,
    required=True,
    metadata={"format": "password", "example": "a long pass phrase"},
)
_TOKEN_FIELD = Text(
    max_length=200,
    required=True,
    metadata={"description": "The part of the link after `#`.", "example": "kT9sVd1LwRj6HzYc3GpFa8Ue0sZK"},
)


def _make_code_field(**options: Any) -> Text:
    metadata = {
        "description": "A code from the app or a recovery code, if the user has a second factor.",
        "example": "492039",
    }
    return Text(max_length=100, metadata=metadata, **options)


class LoginSchema(InputSchema):
    """The credentials of a login."""

    username = Text(max_length=200, required=True, metadata={"example": "ada"})
    password = _CURRENT_PASSWORD_FIELD
    code = _make_code_field(load_default="")
    remember = StrictBoolean(
        load_default=True,
        metadata={
            "description": "Whether the login lasts for SESSION_DAYS. Otherwise it ends with the browser, "
            "and after 12 hours at the latest."
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


class InvitationTokenSchema(InputSchema):
    """The token of an invitation."""

    token = _TOKEN_FIELD


class JoiningUserSchema(InputSchema):
    """The name and password of a new user, and the token of the link."""

    token = _TOKEN_FIELD
    username = NewUsername()
    password = passwords.make_new_password_field()


class ResetPasswordSchema(InputSchema):
    """A new password, the token of a link, and the code of the second factor if the user has one."""

    token = _TOKEN_FIELD
    password = passwords.make_new_password_field()
    code = _make_code_field(load_default="")


class NewPasswordSchema(InputSchema):
    """A new password, and the current password."""

    current_password = _CURRENT_PASSWORD_FIELD
    password = passwords.make_new_password_field()


class EnableSecondFactorSchema(InputSchema):
    """A code from the app, and the current password."""

    code = _make_code_field(required=True)
    current_password = _CURRENT_PASSWORD_FIELD


class OwnEmailSchema(InputSchema):
    """The e-mail address of the current user, and the current password."""

    email = EmailAddress(required=True)
    current_password = _CURRENT_PASSWORD_FIELD


class ForgottenPasswordSchema(InputSchema):
    """The name of a user who has forgotten their password."""

    username = Text(max_length=200, required=True, metadata={"example": "ada"})


class OwnPasswordSchema(InputSchema):
    """The current password."""

    current_password = _CURRENT_PASSWORD_FIELD


class SecondFactorSetupSchema(OutputSchema):
    """The secret for an app that shows one-time codes; only this response shows it."""

    secret = ma.fields.String(metadata={"description": "The secret in base32, the format that apps expect."})
    url = ma.fields.String(
        metadata={"description": "The address for apps (`otpauth://…`) that is also in the QR code."}
    )
    qr_code = ma.fields.String(metadata={"description": "The QR code, as a `data:` URL of an SVG image."})


class NewRecoveryCodesSchema(OutputSchema):
    """Recovery codes, each of which replaces a code of the app once. Only this response shows them."""

    recovery_codes = ma.fields.List(ma.fields.String(metadata={"example": "k7qd-3mxw-a2bz-9ufe"}))


class OwnAccountSchema(SecondFactorSchema, UserSchema):
    """The account of the current user."""

    email = ma.fields.String(metadata={"description": "May be empty.", "example": "ada@blog.example"})
    created = Timestamp(dump_only=True)
    password_changed = Timestamp(
        dump_only=True,
        allow_none=True,
        metadata={"description": "Time of the last change; null if it was not recorded."},
    )


class WebLoginSchema(OutputSchema):
    """An active login of the current user."""

    uuid = Identifier()
    created = Timestamp(dump_only=True)
    expires = Timestamp(dump_only=True)
    last_used = Timestamp(
        dump_only=True,
        allow_none=True,
        metadata={"description": "Accurate to the hour; null if it was not recorded."},
    )
    user_agent = ma.fields.String(metadata={"description": "The `User-Agent` that the browser sent."})
    current = ma.fields.Boolean(metadata={"description": "Whether this request was made with this login."})


class CallerSchema(OutputSchema):
    """The caller: user, role, API key and scopes."""

    user = Identifier(
        allow_none=True, metadata={"description": "uuid of the user; null for an anonymous key."}
    )
    username = ma.fields.String(metadata={"description": "Name of the user; empty for an anonymous key."})
    role = ma.fields.String(metadata={"enum": ROLES, "description": "`reader` for an anonymous key."})
    publishes = ma.fields.Boolean(
        data_key="can_publish", metadata={"description": "Whether the caller may publish articles."}
    )
    key = Identifier(
        allow_none=True,
        metadata={
            "description": "uuid of the key; null for a login session and for a key of scope `published`."
        },
    )
    scopes = ma.fields.List(ma.fields.String(metadata={"enum": [*SCOPES]}))
