"""Resolve the template tags, the wiki links, the links and the pictures of the former host in a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from blogapi.importing.article_record import ArticleRecord
from blogapi.importing.links.index import LinkIndex
from blogapi.importing.links.own_files import OwnFiles
from blogapi.importing.links.record_links import RecordLinks
from blogapi.importing.links.rewriting import rewrite_addresses
from blogapi.importing.markdown.template_tags import resolve_templates
from blogapi.importing.markdown.wiki_links import resolve_wiki_links
from blogapi.importing.messages import join_counts


@dataclass(frozen=True, slots=True)
class ResolvedRecord:
    """A record with addresses in this blog."""

    record: ArticleRecord
    #: the names of template tags and wiki links without a counterpart, with their numbers
    unresolved: Counter[str] = field(default_factory=Counter)
    remote_files: int = 0  #: the number of media files that stay on the former host


def resolve_record(
    record: ArticleRecord, index: LinkIndex, has_file: Callable[[str], bool]
) -> ResolvedRecord:
    """Resolve everything in a record that was added to the index.

    `has_file` returns whether the media file at a root-relative path will be found.
    """
    if record.exported is not None:
        return ResolvedRecord(record)
    targets, notes, unresolved = RecordLinks(index, record), list(record.notes), Counter[str]()
    content = record.content
    if record.has_templates:
        for resolve in (resolve_templates, resolve_wiki_links):
            resolved = resolve(content, record.content_type, targets)
            content = resolved.content
            unresolved += resolved.unresolved
            notes += resolved.notes
        if unresolved:
            notes.append(f"Template tags and wiki links that were not resolved: {join_counts(unresolved)}.")
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
    return ResolvedRecord(record, unresolved, remote_files)
