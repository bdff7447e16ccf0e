"""Formats redirects for web servers: one line per redirect, with paths instead of addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from blogapi.delivery.redirects.custom.service import GONE_STATUS
from blogapi.delivery.redirects.custom.targets import find_redirect_chain
from blogapi.delivery.redirects.queries import CUSTOM_KIND, Redirect
from blogapi.site.paths import extract_path, strip_slash

# The status of a redirect from a former slug or path.
PERMANENT_STATUS = 308


@dataclass(frozen=True, slots=True)
class RedirectLine:
    """A redirect in the configuration of a web server. The paths are percent-encoded.

    `new` can be an absolute address; it is empty if the page is gone.
    """

    old: str
    new: str
    status: int = PERMANENT_STATUS


def format_netlify_line(line: RedirectLine) -> str:
    """Return a line of a `_redirects` file, as Netlify and Cloudflare Pages read it.

    Cloudflare Pages refuses the status 410, and Netlify does not document it, so a comment names the path.
    """
    if not line.new:
        return f"# left out, because these hosts have no status 410: {line.old}\n"
    return f"{line.old} {line.new} {line.status}\n"


def format_nginx_line(line: RedirectLine) -> str:
    """Return a line for a `map` block of nginx, which compares the decoded path of a request.

    A `location` block would be shorter, but older versions of nginx ignore locations of more than 255 bytes.
    """
    decoded = unquote(line.old).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{decoded}" {line.new or 1};\n'


def _make_nginx_formatter(*statuses: int) -> Callable[[RedirectLine], str]:
    """Return a function that formats redirects with these statuses; nginx needs a `map` for each status."""
    return lambda line: format_nginx_line(line) if line.status in statuses else ""


FORMATS: Mapping[str, Callable[[RedirectLine], str]] = {
    "netlify": format_netlify_line,
    "nginx": _make_nginx_formatter(PERMANENT_STATUS, 301),
    "nginx-temporary": _make_nginx_formatter(302),
    "nginx-gone": _make_nginx_formatter(GONE_STATUS),
}


def format_redirects(redirects: Iterable[Redirect], name: str, site_url: str) -> str:
    """Return the redirects as text in one of FORMATS; only the paths of their addresses are used."""
    return "".join(map(FORMATS[name], choose_redirect_lines(redirects, site_url)))


def choose_redirect_lines(redirects: Iterable[Redirect], site_url: str) -> list[RedirectLine]:
    """Return the redirects as lines for a web server.

    Some redirects are left out: from or to addresses with a query or a fragment, redirects in a loop, and
    redirects from the path of another redirect. Custom redirects take precedence.
    """
    redirects = sorted(redirects, key=lambda redirect: redirect.kind != CUSTOM_KIND)
    lines: dict[str, RedirectLine] = {}
    for line in _make_redirect_lines(redirects):
        lines.setdefault(line.old, line)
    pages = {extract_path(item.new_url or "") for item in redirects if item.kind != CUSTOM_KIND}
    targets = {strip_slash(unquote(old)): line.new for old, line in lines.items()}
    return [
        line
        for line in lines.values()
        if unquote(line.old) not in pages
        # A redirect can lead back to its path if the address of the site has changed.
        and strip_slash(unquote(line.old)) not in find_redirect_chain(line.new, site_url, targets.get)
    ]


def _make_redirect_lines(redirects: Iterable[Redirect]) -> Iterator[RedirectLine]:
    for redirect in redirects:
        old = extract_path(redirect.old_url or "")
        # All characters that have a meaning in one of the formats are percent-encoded.
        if old is not None and redirect.status is not None:
            yield RedirectLine(_quote_path(old), redirect.new, redirect.status)
        elif old is not None and (new := extract_path(redirect.new_url or "")) is not None:
            yield RedirectLine(_quote_path(old), _quote_path(new))


def _quote_path(path: str) -> str:
    return quote(path, safe="/-._~")
