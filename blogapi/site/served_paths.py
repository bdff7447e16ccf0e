"""Decides which paths belong to the service, and whether blogapi can show the site at its addresses."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit
from uuid import UUID

from sqlalchemy import select

from blogapi.publication.kinds import KINDS, KINDS_WITH_PAGES, get_model_of_kind
from blogapi.publication.visibility import ItemType, match_pages
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.site.paths import strip_slash
from blogapi.storage.database import db
from blogapi.web.errors import Errors

# The first segments of the paths that the service answers itself; `*` stands for any characters.
SERVICE_SEGMENTS = (
    *(".well-known", "admin", "api", "docs", "feeds", "health", "mcp", "media", "metrics", "openapi.json"),
    *("preview", "robots.txt", "sitemap*.xml", "style.css", "theme"),
)
# The first segments of the pages of the built-in site that have the same addresses in every blog.
FIXED_SEGMENTS = ("search", "archive", "page")

SEARCH_PATH, ARCHIVE_PATH = "/search/", "/archive/"

_MONTH_PATH = re.compile(r"/archive/([0-9]{4})/(0[1-9]|1[0-2])/?")
_SERVICE_NAMES = "|".join(map(re.escape, SERVICE_SEGMENTS)).replace(r"\*", "[^/]*")
_SERVICE_PATH = re.compile(rf"/*(?:{_SERVICE_NAMES})(?:/|\Z)")


def is_service_path(path: str) -> bool:
    """Return whether a path (decoded) belongs to the service, and so never to the built-in site."""
    return _SERVICE_PATH.match(path) is not None


def is_site_path(path: str) -> bool:
    """Return whether the built-in site, if it is on, answers requests for the path (decoded)."""
    return path.startswith("/") and not is_service_path(path)


def find_page_parameters(path: str) -> tuple[str, ...] | None:
    """Return the query parameters that the page at a path reads; None if no page can have the path."""
    if not is_site_path(path):
        return None
    return ("q", "page") if strip_slash(path) == strip_slash(SEARCH_PATH) else ()


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page of the built-in site; `path` is its decoded path.

    `kind` is `home`, `search`, `archive`, `month`, `page`, `article`, `category`, `tag` or `author`; the last
    five have a `uuid`. `number` is the number of the page of a list, and `language` the language of a home
    page. `path` is the path of the first page of a list.
    """

    kind: str
    path: str
    uuid: UUID | None = None
    number: int = 1
    language: str = ""
    year: int = 0
    month: int = 0

    @property
    def own_path(self) -> str:
        """The path of this page of the list."""
        return addresses.make_numbered_url(self.path, self.number)


def find_fixed_page(site: Site, path: str) -> SitePage | None:
    """Return the home, search, archive or month page at a decoded path (a last slash is ignored), or None."""
    if match := _MONTH_PATH.fullmatch(path):
        year, month = map(int, match.groups())
        return SitePage("month", make_month_path(year, month), year=year, month=month)
    pages = [SitePage("search", SEARCH_PATH), SitePage("archive", ARCHIVE_PATH)]
    pages += [SitePage("home", own, language=tag) for tag, own in addresses.make_home_paths(site).items()]
    return next((page for page in pages if strip_slash(page.path) == strip_slash(path)), None)


def make_month_path(year: int, month: int) -> str:
    """Return the path of the page with the articles of a month."""
    return f"{ARCHIVE_PATH}{year:04}/{month:02}/"


def is_reserved_slug(site: Site, kind: str, slug: str) -> bool:
    """Return whether an item with this slug would have the address of another page, while the site is on.

    A page below other pages is checked as if it were at the top, because the pages above can be deleted.
    """
    if not site.built_in or not slug:
        return False
    path = unquote(addresses.make_possible_path(site, kind, slug))
    is_fixed = _get_first_segment(path) in FIXED_SEGMENTS or find_fixed_page(site, path) is not None
    return is_fixed or is_service_path(path) or _is_path_of_other_item(site, kind, path)


def _is_path_of_other_item(site: Site, kind: str, path: str) -> bool:
    """Return whether an item of another model, even a draft, can have the path."""
    own = get_model_of_kind(KINDS[kind].model or kind)
    for other in KINDS_WITH_PAGES:
        model = get_model_of_kind(KINDS[other].model or other)
        values = addresses.parse_path(site, other, path) if model is not own else None
        if not values:
            continue
        if other == ItemType.PAGE and values.get("path"):
            found: UUID | None = None
            for slug in str(values["path"]).split("/"):
                is_below = match_pages(model) & (model.slug == slug) & (model.parent_id == found)
                found = db.session.scalar(select(model.uuid).where(is_below))
                if found is None:
                    break
        else:
            has_slug = model.slug.in_(addresses.list_possible_slugs(values))
            found = db.session.scalar(select(model.uuid).where(has_slug))
        if found is not None:
            return True
    return False


def find_serving_errors(site: Site, *, may_have_path: bool = False) -> Errors:
    """Return the reasons, by field, why blogapi cannot show the site at its addresses.

    With `may_have_path`, `url` may have a path, as in a static copy of the site.
    """
    errors: Errors = defaultdict(list)
    if not site.url:
        errors["url"].append("The built-in site needs an address; set `url`, such as https://blog.example.")
    elif urlsplit(site.url).path and not may_have_path:
        errors["url"].append("The built-in site is at the root of its host, so `url` must have no path.")
    for name in (f"{kind}_path" for kind in KINDS_WITH_PAGES):
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
