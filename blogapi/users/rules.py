"""What a user may be called, and how passwords are kept."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from enum import StrEnum

import marshmallow as ma
from werkzeug.security import check_password_hash, generate_password_hash

from blogapi.core.errors import Invalid
from blogapi.core.schema import Text

SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 1024

# Said in full, so that every digest, and that of nobody, takes one and the same time.
_METHOD = "scrypt:32768:8:1"

# What no password hashes to.
_NOBODY = f"{_METHOD}$nobody$00"

_USERNAME = re.compile(r"[^\W_][\w.@+-]{0,63}")


class Role(StrEnum):
    """What a user may do: admins write, members read."""

    ADMIN = "admin"
    MEMBER = "member"


def username(written: str) -> str:
    """Return the name as it is stored: case and compatibility forms folded, so that no two look alike.

    Raises Invalid for a name that is empty, too long or holds other signs.
    """
    name = folded(written)
    if not _USERNAME.fullmatch(name):
        raise Invalid(
            "The user name is not usable.",
            errors={"username": ["Use 1 to 64 letters, digits and . @ + - _, a letter or digit first."]},
        )
    return name


def folded(written: str) -> str:
    """Return the name with case and compatibility forms folded, whether or not it is usable."""
    return unicodedata.normalize("NFKC", written).casefold()


def password_digest(password: str) -> str:
    """Return what is stored of a password (scrypt, salted).

    Raises Invalid for a password that is too short or too long, or that no login could send.
    """
    try:
        Text(required=True, shortest=SHORTEST_PASSWORD, longest=LONGEST_PASSWORD).deserialize(password)
    except ma.ValidationError as error:
        raise Invalid(
            "The password is not usable.", errors={"password": [*map(str, error.messages)]}
        ) from error
    return generate_password_hash(password, method=_METHOD)


def password_fits(digest: str | None, password: str) -> bool:
    """Tell whether the password is the one; takes as long where there is no digest to compare with."""
    return check_password_hash(digest or _NOBODY, password) and digest is not None


def token_digest(token: str) -> str:
    """Return what is stored of a session token (random, so that a fast hash is enough)."""
    return hashlib.sha256(token.encode("utf-8")).hexdigest()
