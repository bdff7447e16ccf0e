"""Follows the links of the site, as a crawler does."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urldefrag, urljoin

from tests.reader_site.conftest import URL

# The addresses that a crawler knows before it has read a page.
FIRST = ("/", "/sitemap.xml", "/robots.txt", "/feeds/rss.xml", "/feeds/atom.xml", "/feeds/feed.json")


class LinkParser(HTMLParser):
    """Collects the addresses in a page; those in the text of an author apart from those of the templates."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.links_in_text: list[str] = []
        self.ids: set[str] = set()
        self._depth = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect the addresses of an element."""
        values = {name: value or "" for name, value in attributes}
        if tag == "div" and (self._depth or values.get("class") == "text"):
            self._depth += 1
        found = [values[name] for name in ("href", "src", "action", "poster") if name in values]
        found += [part.split()[0] for part in values.get("srcset", "").split(",") if part.strip()]
        (self.links_in_text if self._depth else self.links).extend(found)
        self.ids |= {values[name] for name in ("id", "name") if name in values}

    def handle_endtag(self, tag: str) -> None:
        """Notice the end of the text."""
        if tag == "div" and self._depth:
            self._depth -= 1


def crawl(get: Callable[[str], Any], *, also: tuple[str, ...] = (), site_url: str = URL) -> dict[str, Any]:
    """Return the responses of all paths of the site that links lead to, by path.

    `get` returns the response of a path. In texts, only links to media files are followed, because an author
    can link to any address; `also` are further paths to begin with.
    """
    found: dict[str, Any] = {}
    waiting = [*FIRST, *also]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        response = found[path] = get(path)
        waiting += [link for link in list_paths(path, response, site_url) if link not in found]
    return found


def list_paths(path: str, response: Any, site_url: str) -> list[str]:
    """Return the paths of the site that a response names, without fragments."""
    if response.mimetype == "text/html":
        parser = LinkParser(response.text)
        links = parser.links + [link for link in parser.links_in_text if link.startswith("/media/")]
    elif response.mimetype.startswith("image/"):
        links = []
    else:
        # Sitemaps, feeds and robots.txt have whole addresses.
        links = re.findall(rf"<loc>({site_url}[^<]*)|Sitemap: (\S+)", response.text)
        links = [one for pair in links for one in pair if one]
    whole = (urldefrag(urljoin(f"{site_url}{path}", link)).url for link in links)
    return [
        url.removeprefix(site_url) or "/"
        for url in whole
        if url == site_url or url.startswith(f"{site_url}/")
    ]
