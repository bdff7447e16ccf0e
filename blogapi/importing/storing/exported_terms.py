"""Categories, tags and authors of an export of blogapi, and the corresponding terms of this blog."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select

from blogapi.content import dependencies
from blogapi.content.taxonomies import queries, service
from blogapi.content.taxonomies.authors import AUTHORS, Author
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.models import FormerTermSlug, Term
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.publication.kinds import TERM_KINDS
from blogapi.storage.database import db, split_values, transaction

TAXONOMIES: Mapping[str, Taxonomy[Any]] = {
    kind: taxonomy for kind in TERM_KINDS for taxonomy in dependencies.TAXONOMIES if taxonomy.singular == kind
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedTerm:
    """A term of an export; `fields` is its complete body, as the API accepts it, with its slug.

    `former_slugs` has the time at which the term lost each slug, if it is known. All times are aware, UTC.
    """

    kind: str  #: "category", "tag" or "author"
    uuid: UUID
    fields: Mapping[str, Any]
    created: datetime
    last_updated: datetime
    parent: str = ""  #: the slug of the parent category
    former_slugs: Mapping[str, datetime | None] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        """The slug, by which articles refer to the term."""
        slug: str = self.fields["slug"]
        return slug


#: The terms of an export by their kind and slug.
ExportedTerms = Mapping[tuple[str, str], ExportedTerm]


def match_terms(kind: str, slugs: Collection[str], exported: ExportedTerms) -> dict[str, Term]:
    """Return the terms of this blog that correspond to the exported terms with these slugs, by exported slug.

    A term with the same uuid takes precedence over a term that has or had the same slug. An unused profile of
    a user does not correspond to an author of the export; see `create_term`.
    """
    taxonomy = TAXONOMIES[kind]
    uuids = {term.uuid: slug for slug in slugs if (term := exported.get((kind, slug)))}
    by_uuid: dict[str, Term] = {}
    for batch in split_values(uuids):
        found = db.session.scalars(select(taxonomy.model).where(taxonomy.model.uuid.in_(batch)))
        by_uuid |= {uuids[term.uuid]: term for term in found}
    others = [slug for slug in slugs if slug not in by_uuid]
    by_slug = queries.find_terms_by_former_slugs(taxonomy, others) | queries.find_terms_by_slugs(
        taxonomy, others
    )
    # The authors that were created with their user, and neither changed nor used.
    of_user = Author.owner_id.is_not(None), Author.created == Author.last_updated, ~Author.article_links.any()
    profiles = select(Author.uuid).where(*of_user)
    unused = set(db.session.scalars(profiles)) if by_slug and kind == AUTHORS.singular else set()
    is_free = {slug for slug, term in by_slug.items() if term.uuid in unused and (kind, slug) in exported}
    return by_uuid | {slug: term for slug, term in by_slug.items() if slug not in is_free}


def create_term(owner: UUID, term: ExportedTerm, exported: ExportedTerms) -> Term:
    """Create a term of the export with its uuid, times and former slugs, below its parent if that exists.

    If an unused profile of a user has the slug, the author of the export replaces it as the user's profile.
    Raises ValidationError if a field is invalid.
    """
    taxonomy = TAXONOMIES[term.kind]
    fields = taxonomy.body_schema().load(term.fields)
    with transaction():
        service.remove_reserved_slug(taxonomy, fields)
        if taxonomy is AUTHORS:
            profile = db.session.scalar(select(Author).where(Author.slug == term.slug))
            fields["owner_id"] = profile and profile.owner_id
            if profile is not None:
                service.delete_term_row(profile)
        if term.parent and taxonomy is CATEGORIES:
            parent = match_terms(term.kind, [term.parent], exported).get(term.parent)
            fields["parent_id"] = parent and parent.uuid
        times = {"created": term.created, "last_updated": term.last_updated}
        created: Term = service.create_term(taxonomy, owner, fields | times, uuid=term.uuid)
        taken = queries.find_taken_slugs(taxonomy, list(term.former_slugs))
        db.session.add_all(
            FormerTermSlug(kind=term.kind, slug=slug, term_id=term.uuid, created=time)
            for slug, time in term.former_slugs.items()
            if slug not in taken
        )
    return created
