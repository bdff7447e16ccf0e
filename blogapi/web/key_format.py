"""How an API key is written: prefix, random characters and checksum."""

from __future__ import annotations

import secrets
import string
import zlib

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


PREFIX = "blogapi_"


RANDOM_LENGTH = 32


CHECKSUM_LENGTH = 6


# The first characters tell the keys of a list apart and are far too few to guess the rest.
PREFIX_LENGTH = len(PREFIX) + 6


KEY_LENGTH = len(PREFIX) + RANDOM_LENGTH + CHECKSUM_LENGTH


def new_value() -> str:
    """Return a fresh key: `blogapi_`, 32 random base62 characters (190 bits), 6 of their CRC32."""
    random = "".join(secrets.choice(BASE62) for _ in range(RANDOM_LENGTH))
    return f"{PREFIX}{random}{_checksum(random)}"


def is_well_formed(value: str) -> bool:
    """Tell whether the text can be a key at all; a typing error fails here, without a query."""
    random, check = value[len(PREFIX) : -CHECKSUM_LENGTH], value[-CHECKSUM_LENGTH:]
    return len(value) == KEY_LENGTH and value.startswith(PREFIX) and _checksum(random) == check


def _checksum(random: str) -> str:
    number, letters = zlib.crc32(random.encode("utf-8")), ""
    for _ in range(CHECKSUM_LENGTH):
        number, rest = divmod(number, len(BASE62))
        letters = BASE62[rest] + letters
    return letters
