"""What must be known of a Blogger export before its articles are read: it is read twice, in a stream."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from blogapi.importing.article_record import RefusedFile
from blogapi.importing.blogger.feed import Feed
from blogapi.importing.blogger.items import BloggerItem

# `https://name.blogspot.co.uk/2020/01/title.html`: each country has its own host for the same blog.
_POST_LINK = re.compile(
    r"https?://([a-z0-9.-]{1,100})(/(?:[0-9]{4}/[0-9]{2}|p)/[^\s\"'<>?#]{1,200}\.html)", re.I
)
_BLOGSPOT = re.compile(r"([a-z0-9-]+)\.blogspot\.[a-z.]+", re.I)
_MAX_LINKS = 100_000
_ACCESS_SETTING = "BLOG_READ_ACCESS_MODE"
_COUNTED = {"comment": "comments", "settings": "settings of the blog", "template": "templates"}


class Overview:
    """The hosts and the visibility of a blog, and what it contains besides articles."""

    def __init__(self, path: Path) -> None:
        self.counts: Counter[str] = Counter()
        self.is_private = False
        self._paths: set[str] = set()
        self._links: set[tuple[str, str]] = set()
        feed = Feed(path)
        try:
            for item in feed.read():
                self._add(item)
        except RefusedFile:
            # The second reading reports the damage, after the articles before it.
            pass
        self._address = feed.address

    def _add(self, item: BloggerItem) -> None:
        if item.kind in _COUNTED:
            self.counts[_COUNTED[item.kind]] += 1
        if item.kind == "settings" and item.id.endswith(_ACCESS_SETTING):
            self.is_private = item.content.strip() != "PUBLIC"
        elif item.kind in ("post", "page"):
            self.counts.update(item.features)
            self._paths.add(item.get_path())
            if len(self._links) < _MAX_LINKS and "//" in item.content:
                self._links.update((host.lower(), path) for host, path in _POST_LINK.findall(item.content))
            if item.address.startswith("http"):
                self._links.update((host, item.get_path()) for host in list_hosts(item.address))

    def find_hosts(self) -> set[str]:
        """Return the hosts of the blog.

        Takeout does not say the host. It is the one to which most links with the path of a post lead.
        """
        counts = Counter(host for host, path in self._links if path in self._paths)
        hosts = list_hosts(self._address) or {host for host, _ in counts.most_common(1)}
        names = {match[1] for host in hosts if (match := _BLOGSPOT.fullmatch(host))}
        variants = {host for host in counts if (match := _BLOGSPOT.fullmatch(host)) and match[1] in names}
        return hosts | variants


def list_hosts(address: str) -> set[str]:
    """Return the host in an address, or nothing if there is none."""
    try:
        host = urlsplit(address).hostname
    except ValueError:
        host = None
    return {host} if host else set()
