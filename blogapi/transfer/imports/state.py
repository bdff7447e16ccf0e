"""What the batches of one import have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from blogapi.transfer.imports.authors import ImportedAuthors
from blogapi.transfer.imports.exported_terms import ExportedTerms


@dataclass(kw_only=True, slots=True)
class ImportState:
    """The user who imports, the options, and what batches store for later ones.

    `matches` has the stored keys of files that were imported before under another key.
    """

    author: UUID
    authors: ImportedAuthors
    matches: dict[str, str] = field(default_factory=dict)
    restore_deleted: bool = False
    #: The slugs of categories and tags by name.
    term_slugs: dict[str, str] = field(default_factory=dict)
    #: The redirects of this run. A redirect is removed if an article that is imported later has its slug.
    redirects: set[str] = field(default_factory=set)
    #: The categories, tags and authors of an export of blogapi.
    exported_terms: ExportedTerms = field(default_factory=dict)
