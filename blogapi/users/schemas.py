"""Request and response bodies of users and logins."""

from __future__ import annotations

import marshmallow as ma

from blogapi.users import models, passwords
from blogapi.web.access import SCOPES
from blogapi.web.fields import Identifier, InputSchema, OutputSchema, Text


class LoginSchema(InputSchema):
    """The credentials of a login."""

    username = Text(max_length=200, required=True, metadata={"example": "ada"})
    password = Text(
        max_length=passwords.MAX_PASSWORD_LENGTH,
        required=True,
        metadata={"format": "password", "example": "a long pass phrase"},
    )


class UserSchema(OutputSchema):
    """A user."""

    uuid = Identifier()
    username = ma.fields.String(metadata={"example": "ada"})
    role = ma.fields.String(metadata={"enum": [role.value for role in models.Role]})


class CallerSchema(OutputSchema):
    """The caller: user, role, API key and scopes."""

    user = Identifier(allow_none=True, metadata={"description": "Null for an anonymous key."})
    username = ma.fields.String(metadata={"description": "Empty for an anonymous key."})
    role = ma.fields.String(metadata={"enum": ["admin", "member", "reader"]})
    key = Identifier(
        allow_none=True,
        metadata={"description": "Null for a login session and for a key of scope `published`."},
    )
    scopes = ma.fields.List(ma.fields.String(metadata={"enum": [*SCOPES]}))
