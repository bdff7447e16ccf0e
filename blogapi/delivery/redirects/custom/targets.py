"""Parses the targets of redirects, and follows chains of redirects to find loops."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, urlsplit

from blogapi.site.paths import MAX_PATH_BYTES, extract_path, get_host_and_port, strip_slash

# The maximum number of redirects in a row; browsers give up after 20.
MAX_CHAIN_LENGTH = 10

_HOST_PATTERN = re.compile(
    r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?|\[[0-9a-f:.]+\](:[0-9]{1,5})?", re.IGNORECASE
)
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")


def parse_target(text: str) -> str | None:
    """Return the path or the absolute web address, percent-encoded, or None if the text is neither.

    Characters with a meaning in the files of web servers, such as `$` and `:` in a path, are encoded too.
    """
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        return None
    is_path = not parts.scheme and not parts.netloc and parts.path.startswith("/")
    is_address = parts.scheme in ("http", "https") and _HOST_PATTERN.fullmatch(parts.netloc)
    if not (is_path or is_address) or parts.path.startswith("//") or _CONTROL_CHARACTER.search(text.strip()):
        return None
    start = f"{parts.scheme}://{parts.netloc}" if is_address else ""
    query = f"?{quote(parts.query, safe='=&%+-._~/')}" if parts.query else ""
    fragment = f"#{quote(parts.fragment, safe='=&%+-._~/')}" if parts.fragment else ""
    target = f"{start}{quote(parts.path, safe='/-._~%')}{query}{fragment}"
    return target if len(target) <= MAX_PATH_BYTES else None


def get_local_path(target: str, site_url: str) -> str | None:
    """Return the decoded path without a slash at its end, or None if the target is not on the site."""
    host = get_host_and_port(target)
    if host is None or (urlsplit(target).netloc and host != get_host_and_port(site_url)):
        return None
    path = extract_path(urlsplit(target).path or "/")
    return strip_slash(path) if target and path else None


def find_redirect_chain(target: str, site_url: str, find_target: Callable[[str], str | None]) -> list[str]:
    """Return the paths in the chain of redirects that begins at a target, at most MAX_CHAIN_LENGTH + 1.

    `find_target` returns the target of the redirect from a path without a slash at its end, or None.
    """
    chain: list[str] = []
    path = get_local_path(target, site_url)
    while path is not None and len(chain) <= MAX_CHAIN_LENGTH and path not in chain:
        chain.append(path)
        path = get_local_path(find_target(path) or "", site_url)
    return chain
