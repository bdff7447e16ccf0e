"""The state that the batches of one import share."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from blogapi.authors.models import Author
from blogapi.importing.storing.authors import ImportedAuthors
from blogapi.importing.storing.exported_terms import ExportedTerms
from blogapi.storage.database import db
from blogapi.taxonomies.models import Term
from blogapi.users.models import Account
from blogapi.web.access import Role


@dataclass(kw_only=True, slots=True)
class ImportState:
    """The user who imports, the options, and the data that batches keep for later batches."""

    author: UUID
    authors: ImportedAuthors
    restore_deleted: bool = False
    dry_run: bool = False
    #: whether the user who started the import is no admin; the author may be an admin
    restricted: bool = False
    #: The redirects of this run. A redirect is removed if an article that is imported later has its slug.
    redirects: set[str] = field(default_factory=set)
    #: The categories, tags and authors of an export of blogapi.
    exported_terms: ExportedTerms = field(default_factory=dict)
    #: The data that earlier transactions of a dry run have stored and rolled back: the terms by their kind
    #: and slug, which later transactions store together, and the slugs of articles.
    planned_terms: dict[tuple[str, str], Term] = field(default_factory=dict)
    planned_slugs: set[str] = field(default_factory=set)
    #: The pages that were stored before their parents: the keys of both, and whether the page is new.
    orphans: dict[str, tuple[str, bool]] = field(default_factory=dict)
    #: The keys of records whose public articles can be hidden by rules outside of the source.
    public_unread: set[str] = field(default_factory=set)
    planned_paths: dict[str, UUID] = field(default_factory=dict)

    def is_admin(self) -> bool:
        """Return whether an admin imports, as custom fields and redirects need."""
        account = db.session.get(Account, self.author)
        return not self.restricted and account is not None and account.role == Role.ADMIN

    def plan_term(self, slug: str, term: Term) -> None:
        """Keep a term that was created in a dry run for later transactions."""
        # The profile of a user replaces another profile, so later transactions must create it again.
        if self.dry_run and not (isinstance(term, Author) and term.owner_id):
            self.planned_terms[term.kind, slug] = term
