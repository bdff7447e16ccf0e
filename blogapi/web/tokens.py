"""Digests of random secrets: API keys, session tokens and preview tokens."""

from __future__ import annotations

import hashlib


def digest_token(token: str) -> str:
    """Return the SHA-256 digest under which a token is stored.

    A slow hash is not necessary, because every token has at least 190 random bits.
    """
    # A header or path can contain a lone surrogate, but a valid token cannot.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
