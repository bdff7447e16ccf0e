"""The format of API keys (a prefix, random characters and a checksum), and the digests of tokens."""

from __future__ import annotations

import hashlib
import secrets
import string
import zlib


def digest_token(token: str) -> str:
    """Return the SHA-256 digest under which a token is stored.

    A slow hash is not necessary, because every token has at least 190 random bits.
    """
    # A header or path can contain a lone surrogate, but a valid token cannot.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase

KEY_PREFIX = "blogapi_"
RANDOM_LENGTH = 32
CHECKSUM_LENGTH = 6
# The number of characters at the start of a key that lists show; the other characters stay secret.
SHOWN_PREFIX_LENGTH = len(KEY_PREFIX) + 6
KEY_LENGTH = len(KEY_PREFIX) + RANDOM_LENGTH + CHECKSUM_LENGTH


def generate_key() -> str:
    """Return a new key: `blogapi_`, 32 random base62 characters (190 bits) and their CRC32 (6 characters)."""
    secret = "".join(secrets.choice(BASE62) for _ in range(RANDOM_LENGTH))
    return f"{KEY_PREFIX}{secret}{_compute_checksum(secret)}"


def is_well_formed_key(value: str) -> bool:
    """Return whether the text has the format of a key, so that a mistyped key is refused without a query."""
    secret, checksum = value[len(KEY_PREFIX) : -CHECKSUM_LENGTH], value[-CHECKSUM_LENGTH:]
    return len(value) == KEY_LENGTH and value.startswith(KEY_PREFIX) and _compute_checksum(secret) == checksum


def _compute_checksum(secret: str) -> str:
    number, digits = zlib.crc32(secret.encode("utf-8")), ""
    for _ in range(CHECKSUM_LENGTH):
        number, digit = divmod(number, len(BASE62))
        digits = BASE62[digit] + digits
    return digits
