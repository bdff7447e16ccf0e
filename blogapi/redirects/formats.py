"""Redirects in the formats of web servers: one line per redirect, with the paths of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from urllib.parse import quote, unquote

from blogapi.redirects.paths import to_path
from blogapi.redirects.queries import Redirect


def to_netlify(old: str, new: str) -> str:
    """Return a line of a `_redirects` file, as Netlify and Cloudflare Pages read it."""
    return f"{old} {new} 308\n"


def to_nginx(old: str, new: str) -> str:
    """Return a line for a `map` block of nginx, which compares the decoded path of a request.

    A `location` block would be shorter, but older versions of nginx do not find a location of more than 255
    bytes.
    """
    decoded = unquote(old).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{decoded}" {new};\n'


FORMATS: Mapping[str, Callable[[str, str], str]] = {"netlify": to_netlify, "nginx": to_nginx}


def format_redirects(redirects: Iterable[Redirect], name: str) -> str:
    """Return the redirects as text in one of FORMATS; only the paths of their addresses are used.

    Some redirects are left out: those that a server cannot make, because the address has a query or a
    fragment, and those that would lead to a loop or repeat the path of another redirect.
    """
    targets: dict[str, str] = {}
    for old, new in _make_paths(redirects):
        targets.setdefault(old, new)
    pages = set(targets.values())
    return "".join(FORMATS[name](old, new) for old, new in targets.items() if old not in pages)


def _make_paths(redirects: Iterable[Redirect]) -> Iterator[tuple[str, str]]:
    for redirect in redirects:
        old, new = to_path(redirect.old_url or ""), to_path(redirect.new_url or "")
        if old is not None and new is not None:
            # All characters that have a meaning in one of the formats are percent-encoded.
            yield quote(old, safe="/-._~"), quote(new, safe="/-._~")
