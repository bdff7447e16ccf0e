"""Hashes of passwords, and the field of requests with a new password."""

from __future__ import annotations

import marshmallow as ma
from werkzeug.security import check_password_hash, generate_password_hash

from blogapi.web.errors import Invalid
from blogapi.web.fields import Text

MIN_PASSWORD_LENGTH = 8
MAX_PASSWORD_LENGTH = 1024

# The parameters are fixed, so that a check takes the same time for each user and for an unknown user.
_HASH_METHOD = "scrypt:32768:8:1"

# A digest that no password matches.
_DUMMY_DIGEST = f"{_HASH_METHOD}$nobody$00"


def make_new_password_field(*, required: bool = True) -> Text:
    """Return the field of a request that contains a new password."""
    return Text(
        required=required,
        min_length=MIN_PASSWORD_LENGTH,
        max_length=MAX_PASSWORD_LENGTH,
        metadata={"format": "password", "example": "a long pass phrase"},
    )


def hash_password(password: str) -> str:
    """Return the salted scrypt digest of a password.

    Raises Invalid if the password is too short or too long, or contains characters that a login refuses.
    """
    try:
        make_new_password_field().deserialize(password)
    except ma.ValidationError as error:
        raise Invalid(
            "The password is not valid.", errors={"password": [*map(str, error.messages)]}
        ) from error
    return generate_password_hash(password, method=_HASH_METHOD)


def verify_password(digest: str | None, password: str) -> bool:
    """Return whether the password matches the digest.

    If `digest` is None, the result is False, but the check takes the same time.
    """
    return check_password_hash(digest or _DUMMY_DIGEST, password) and digest is not None
