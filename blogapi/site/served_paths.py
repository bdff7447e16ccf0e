"""Checks which paths belong to the service, and whether blogapi can show the site at its addresses."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from fnmatch import translate
from urllib.parse import unquote, urlsplit

from blogapi.publication.kinds import PAGE_KINDS
from blogapi.site import addresses
from blogapi.site.heads import describe_in_language
from blogapi.site.models import Site
from blogapi.site.paths import without_slash
from blogapi.web.errors import Errors

# The first segments of the paths that the service answers itself; `*` stands for any characters.
SERVICE_SEGMENTS = (
    *(".well-known", "admin", "api", "docs", "feeds", "health", "mcp", "media", "metrics", "openapi.json"),
    *("preview", "robots.txt", "sitemap*.xml", "style.css", "theme"),
)
# The first segments of the pages of the built-in site that have the same addresses in every blog.
FIXED_SEGMENTS = ("search", "archive", "page")

SEARCH_PATH, ARCHIVE_PATH = "/search/", "/archive/"

_MONTH = re.compile(r"/archive/([0-9]{4})/(0[1-9]|1[0-2])/?")
_SERVICE_SEGMENT = re.compile("|".join(map(translate, SERVICE_SEGMENTS)))


def is_service_path(path: str) -> bool:
    """Return whether a path (decoded) belongs to the service, and so never to the built-in site."""
    return _SERVICE_SEGMENT.match(_get_first_segment(path)) is not None


def is_site_path(path: str) -> bool:
    """Return whether the built-in site answers requests for the path (decoded) if it is on."""
    return path.startswith("/") and not is_service_path(path)


def find_parameters(path: str) -> tuple[str, ...] | None:
    """Return the query parameters that a page of the site knows; None if no page can have the path."""
    if not is_site_path(path):
        return None
    return ("q", "page") if without_slash(path) == without_slash(SEARCH_PATH) else ()


@dataclass(frozen=True, slots=True)
class FixedPage:
    """A page whose path depends on no item: `kind` is `search`, `archive`, `month` or `home`.

    `path` is decoded. The kind `month` has a year and a month, and `home` has the language of its articles.
    """

    kind: str
    path: str
    language: str = ""
    year: int = 0
    month: int = 0


def find_fixed_page(site: Site, path: str) -> FixedPage | None:
    """Return the fixed page at a path (decoded), with or without a slash at its end, or None."""
    fixed = {"search": SEARCH_PATH, "archive": ARCHIVE_PATH}
    for kind, fixed_path in fixed.items():
        if without_slash(path) == without_slash(fixed_path):
            return FixedPage(kind, fixed_path)
    if match := _MONTH.fullmatch(path):
        year, month = map(int, match.groups())
        return FixedPage("month", f"{ARCHIVE_PATH}{match[1]}/{match[2]}/", year=year, month=month)
    for language, home_path in list_home_paths(site).items():
        if without_slash(path) == without_slash(home_path):
            return FixedPage("home", home_path, language)
    return None


def list_home_paths(site: Site) -> dict[str, str]:
    """Return the paths of the home pages by language; the language of the site is first."""
    return {
        language: addresses.make_home_path(describe_in_language(site, language))
        for language in addresses.list_languages(site)
    }


def is_reserved_slug(site: Site, kind: str, slug: str) -> bool:
    """Return whether an item with this slug would have the address of another page, while the site is on.

    This includes pages below other pages, because the pages above can be deleted.
    """
    if not site.built_in or not slug:
        return False
    path = unquote(addresses.make_slug_path(site, kind, slug))
    is_fixed = _get_first_segment(path) in FIXED_SEGMENTS or find_fixed_page(site, path) is not None
    return is_fixed or is_service_path(path)


def check_served(site: Site, *, may_have_path: bool = False) -> Errors:
    """Return the reasons, by field, why blogapi cannot show the site at its addresses.

    With `may_have_path`, `url` may have a path, as in a static copy of the site.
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
