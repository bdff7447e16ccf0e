"""Finds the media files of a blog by their addresses, so that they are taken into the library.

Exports contain `https://example.com/wp-content/uploads/x.jpg`. If the file is at hand, the address becomes
`/wp-content/uploads/x.jpg`. If it is not, the address stays, and the picture still comes from its old host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from blogapi.importing.links.addresses import normalize_host
from blogapi.importing.media.imported_media import list_extensions
from blogapi.importing.media.references import get_extension

# An address, also one of the CDN of WordPress: `https://i0.wp.com/example.com/x.jpg`. A query only selects
# the size of a picture.
_ADDRESS = re.compile(
    r"(?:https?:)?//(?:i[0-9]\.wp\.com/)?(?P<host>[^/?#]++)/++(?P<path>[^?#\n]++)(?:\?[^#]*+)?"
    r"(?P<fragment>#.*)?",
    re.IGNORECASE,
)


class OwnFiles:
    """The media files of the blog on these hosts; `exists` returns whether a root-relative path is found."""

    def __init__(self, hosts: Collection[str], exists: Callable[[str], bool]) -> None:
        names = {normalize_host(host.partition("/")[0]) for host in hosts}
        # A blog on wordpress.com has its files on a host of its own.
        blogs = (name.removesuffix(".wordpress.com") for name in names if name.endswith(".wordpress.com"))
        self._hosts = names | {f"{blog}.files.wordpress.com" for blog in blogs}
        self._exists = exists
        self._found: dict[str, bool] = {}

    def find_path(self, address: str) -> str | None:
        """Return the path of an own file that exists; None for any other address."""
        match = _ADDRESS.fullmatch(address) if "//" in address else None
        if match is None or normalize_host(match["host"]) not in self._hosts:
            return None
        path = f"/{match['path']}"
        if get_extension(path) not in list_extensions():
            return None
        if path not in self._found:
            self._found[path] = self._exists(path)
        return path + (match["fragment"] or "") if self._found[path] else None

    def count_missing(self) -> int:
        """Return the number of different files that stay on the hosts of the blog."""
        return sum(not exists for exists in self._found.values())
