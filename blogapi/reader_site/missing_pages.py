"""The page for an address that the site does not have, rendered once per state of the blog.

Anyone can request any number of such addresses, so these responses must need little time and memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from blogapi.config import AppState
from blogapi.content.articles.queries import get_next_publication
from blogapi.delivery.response_cache.middleware import NO_EXPIRY, VERSION_KEY
from blogapi.reader_site import pages, templating, theme
from blogapi.site.models import Site
from blogapi.site.served_paths import list_home_paths
from blogapi.storage.database import current_time


@dataclass(frozen=True, slots=True)
class _StoredPage:
    """The HTML of the page for a state of the blog; it is valid until the next scheduled publication."""

    state: tuple[object, ...]
    valid_until: datetime
    html: str


_PAGES = AppState[dict[tuple[str, int], _StoredPage]]("missing-pages")


def init_app(app: Any) -> None:
    """Create the store of the application."""
    _PAGES.set(app, {})


def get_page(site: Site, path: str, status: int, environ: Mapping[str, Any]) -> str:
    """Return the HTML for a path that the site does not have (404), or no longer has (410)."""
    language, found = choose_language(site, path), _PAGES.get()
    version, now = environ.get(VERSION_KEY), current_time()
    current = theme.THEME.get().get()
    state = (version, current.generation)
    stored = found.get((language, status))
    if version is not None and stored and stored.state == state and now < stored.valid_until:
        return stored.html
    page = pages.show_missing(pages.Edition(site, current.words), language, status=status)
    html = templating.use_paths(theme.render(page), site.url)
    if version is not None:
        # Store one page per language and status, so that the size of the store is limited.
        found[language, status] = _StoredPage(state, get_next_publication(now) or NO_EXPIRY, html)
    return html


def choose_language(site: Site, path: str) -> str:
    """Return the language of the home page whose path begins the path, or else the language of the site."""
    homes = sorted(list_home_paths(site).items(), key=lambda home: -len(home[1]))
    return next((language for language, home in homes if path.startswith(home)), site.language)
