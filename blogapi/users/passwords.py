"""What a user may be called, and how passwords are kept."""

from __future__ import annotations

import marshmallow as ma
from werkzeug.security import check_password_hash, generate_password_hash

from blogapi.web.errors import Invalid
from blogapi.web.fields import Text

MIN_PASSWORD_LENGTH = 8
MAX_PASSWORD_LENGTH = 1024

# Said in full, so that every digest, and that of nobody, takes one and the same time.
_METHOD = "scrypt:32768:8:1"

# What no password hashes to.
_NOBODY = f"{_METHOD}$nobody$00"


def hash_password(password: str) -> str:
    """Return what is stored of a password (scrypt, salted).

    Raises Invalid for a password that is too short or too long, or that no login could send.
    """
    try:
        Text(required=True, min_length=MIN_PASSWORD_LENGTH, max_length=MAX_PASSWORD_LENGTH).deserialize(
            password
        )
    except ma.ValidationError as error:
        raise Invalid(
            "The password is not usable.", errors={"password": [*map(str, error.messages)]}
        ) from error
    return generate_password_hash(password, method=_METHOD)


def verify_password(digest: str | None, password: str) -> bool:
    """Tell whether the password is the one; takes as long where there is no digest to compare with."""
    return check_password_hash(digest or _NOBODY, password) and digest is not None
