"""Resolve the template tags, the wiki links, the links and the pictures of the former host in a record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.links.addresses import normalize_host
from blogapi.importing.links.index import LinkIndex
from blogapi.importing.links.record_links import RecordLinks
from blogapi.importing.links.rewriting import rewrite_addresses
from blogapi.importing.media.imported_media import list_extensions
from blogapi.importing.templates.containers import resolve_containers
from blogapi.importing.templates.mdx import resolve_components
from blogapi.importing.templates.template_tags import resolve_templates
from blogapi.importing.templates.wiki_links import resolve_wiki_links
from blogapi.importing.texts.messages import join_counts
from blogapi.importing.texts.pictures import get_extension

# An address, also at the CDN of WordPress: `https://i0.wp.com/example.com/x.jpg`. A query only selects
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
        """Return the path of an existing file of the blog; None for any other address."""
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


def resolve_record(
    record: ArticleRecord, index: LinkIndex, has_file: Callable[[str], bool]
) -> tuple[ArticleRecord, Counter[str], int]:
    """Return the record with its template tags, links and pictures resolved; the record must be in the index.

    Also return the numbers of unresolved template tags and wiki links by name, and the number of media files
    that stay on the former host. `has_file` returns whether the media file at a root-relative path will be
    found.
    """
    if record.exported is not None:
        return record, Counter(), 0
    targets, notes, unresolved = RecordLinks(index, record), list(record.notes), Counter[str]()
    content = record.content
    if record.has_templates:
        steps = (resolve_templates, resolve_wiki_links, resolve_containers)
        for resolve in (resolve_components, *steps) if record.is_mdx else steps:
            resolved = resolve(content, record.content_type, targets)
            content = resolved.content
            unresolved += resolved.unresolved
            notes += resolved.notes
        if unresolved:
            notes.append(
                "Codes that only the old blog understands (template tags and wiki links) stay in the text, "
                f"each with its number: {join_counts(unresolved)}."
            )
    if not content.strip():
        notes.append("The article has no text.")
    files = OwnFiles(index.hosts, has_file)
    content = rewrite_addresses(content, record.content_type, targets.find_address, files.find_path)
    remote_files = files.count_missing()
    record = replace(
        record,
        content=content,
        notes=tuple(notes),
        cover_image=files.find_path(record.cover_image) or record.cover_image,
        og_image=files.find_path(record.og_image) or record.og_image,
    )
    return record, unresolved, remote_files
