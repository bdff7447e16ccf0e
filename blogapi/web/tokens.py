"""Digests of random secrets: API keys, session tokens and preview tokens."""

from __future__ import annotations

import hashlib


def digest_token(token: str) -> str:
    """Return the SHA-256 under which a token is stored; 190 or more random bits need no slow hash."""
    # A header or path can contain a lone surrogate; no token does.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
