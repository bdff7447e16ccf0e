"""Digests of random secrets: API keys, session tokens and preview tokens."""

from __future__ import annotations

import hashlib


def digest_token(token: str) -> str:
    """Return the SHA-256 that is stored in place of a token: 190 or more random bits need no slow hash."""
    # Headers and paths can hold half a character, which no token has.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
