"""Normalizes the paths and addresses of pages for storage and comparison, and classifies their hosts."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from blogapi.settings import encode_host
from blogapi.web.outgoing import is_on_internet

# A key of an index on PostgreSQL has at most 2,704 bytes.
MAX_PATH_BYTES = 2_000

# Matches paths that contain a control character, an empty segment, or one of the segments `.` and `..`.
_UNSAFE_PATH = re.compile(r"[\x00-\x1f\x7f]|//|/\.{1,2}(/|\Z)")


def extract_path(address: str) -> str | None:
    """Return the decoded path of an address; None if the address has a query or a fragment, or is unsafe."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    path = unquote(parts.path)
    is_path = path.startswith("/") and not parts.query and not parts.fragment
    return None if not is_path or _UNSAFE_PATH.search(path) else path


def extract_former_path(address: str) -> str | None:
    """Return the path of an address in its stored form; None for the home page or a path that is too long."""
    path = extract_path(address)
    return path if path and path != "/" and len(path.encode("utf-8")) <= MAX_PATH_BYTES else None


def strip_slash(path: str) -> str:
    """Return the path without a slash at its end, which servers ignore."""
    return path.rstrip("/") or "/"


def get_host_and_port(address: str) -> tuple[str, int | None] | None:
    """Return the normalized host of an address (ASCII, lowercase), and its port (None: the default port).

    Returns None if the address cannot be parsed.
    """
    try:
        parts = urlsplit(address)
        port, name = parts.port, (parts.hostname or "").rstrip(".")
    except ValueError:
        return None
    host = encode_host(f"[{name}]" if ":" in name else name)
    return host, None if port == {"http": 80, "https": 443}.get(parts.scheme) else port


def is_loopback_address(address: str) -> bool:
    """Return whether only this machine can reach the host of an address."""
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False


def is_local_address(address: str) -> bool:
    """Return whether only this machine, or only its network, can reach the host of an address."""
    try:
        return is_loopback_address(address) or not is_on_internet(urlsplit(address).hostname or "")
    except ValueError:
        return False


def is_same_address(first: str, second: str) -> bool:
    """Return whether two absolute addresses are equal, except for their spelling and a slash at the end."""
    if get_host_and_port(first) is None or get_host_and_port(first) != get_host_and_port(second):
        return False
    paths = [(strip_slash(unquote(parts.path)), parts.query) for parts in map(urlsplit, (first, second))]
    return paths[0] == paths[1]
