"""Splits the addresses in foreign files."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def split_address(address: str) -> SplitResult:
    """Return the parts of an address; all are empty if it is not valid."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
