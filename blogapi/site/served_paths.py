"""Which paths belong to the service, and whether blogapi can show the site at its addresses."""

from __future__ import annotations

import re
from collections import defaultdict
from fnmatch import translate
from urllib.parse import unquote, urlsplit

from blogapi.publication.kinds import PAGE_KINDS
from blogapi.site.models import Site
from blogapi.web.errors import Errors

# The first segments of the paths that the service answers itself; `*` stands for any characters.
SERVICE_SEGMENTS = (
    *(".well-known", "admin", "api", "docs", "feeds", "health", "mcp", "media", "metrics", "openapi.json"),
    *("preview", "robots.txt", "sitemap*.xml", "style.css", "theme"),
)
# The first segments of the pages of the built-in site that have the same addresses in every blog.
FIXED_SEGMENTS = ("search", "archive", "page")

_SERVICE_SEGMENT = re.compile("|".join(map(translate, SERVICE_SEGMENTS)))


def is_service_path(path: str) -> bool:
    """Return whether a path (decoded) belongs to the service, and so never to the built-in site."""
    return _SERVICE_SEGMENT.match(_get_first_segment(path)) is not None


def check_served(site: Site, *, may_have_path: bool = False) -> Errors:
    """Return sentences, by field, on why blogapi cannot show the site at its addresses.

    With `may_have_path`, `url` may have a path, as a static copy of the site can.
    """
    errors: Errors = defaultdict(list)
    if not site.url:
        errors["url"].append("The built-in site needs an address; set `url`, such as https://blog.example.")
    elif urlsplit(site.url).path and not may_have_path:
        errors["url"].append("The built-in site is at the root of its host, so `url` must have no path.")
    for name in (f"{kind}_path" for kind in PAGE_KINDS):
        pattern = getattr(site, name)
        if re.search(r"[?#]", pattern):
            errors[name].append(f"The built-in site has only paths, so `{name}` must have no `?` and no `#`.")
        path = unquote(pattern.removeprefix("{/language}"))
        if is_service_path(path) or _get_first_segment(path) in FIXED_SEGMENTS:
            errors[name].append(
                f"`{name}` must not begin with /{_get_first_segment(path)}, where the built-in site and "
                "blogapi have pages of their own."
            )
    return errors


def _get_first_segment(path: str) -> str:
    return path.lstrip("/").partition("/")[0]
