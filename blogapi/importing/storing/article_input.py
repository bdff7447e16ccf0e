"""Convert records to the input of `articles.service`, with the terms that they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any

import marshmallow as ma

from blogapi.content.articles.content import ArticleInput
from blogapi.content.articles.page_tree import read_tree
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.custom_fields.validation import convert_imported
from blogapi.content.pages.schemas import MAX_POSITION, PageBodySchema
from blogapi.content.taxonomies import authors, queries, service
from blogapi.content.taxonomies.authors import AUTHORS, Author
from blogapi.content.taxonomies.categories import CATEGORIES, DEFAULT_CATEGORY
from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.tags import TAGS
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.importing.format_api.article_record import ArticleRecord, ExportedFields
from blogapi.importing.storing import exported_terms
from blogapi.importing.storing.imported_before import PAGE_TAG
from blogapi.importing.storing.state import ImportState
from blogapi.parsing import parse_uuid
from blogapi.publication.visibility import ItemType
from blogapi.rendering import plain_text
from blogapi.rendering.slugs import make_term_key
from blogapi.storage.database import db
from blogapi.web.errors import Errors, flatten_messages
from blogapi.web.fields import get_limit

_BODY_SCHEMA, _PAGE_SCHEMA = ArticleBodySchema(), PageBodySchema()


class ArticleInputFactory:
    """Makes the inputs of a batch of records; their terms are loaded together, and created when needed."""

    def __init__(self, state: ImportState, records: Sequence[ArticleRecord]) -> None:
        self._state, self._owner = state, state.author
        self._exported = state.exported_terms
        self._restored = [record.exported for record in records if record.exported is not None]
        records = [record for record in records if record.exported is None]
        #: the stored terms by their kind and by the names in the records
        self._named: dict[str, dict[str, Term]] = {}
        # The planned terms of a dry run are flushed together, after all terms have been looked up.
        with db.session.no_autoflush:
            self._terms = {
                CATEGORIES.singular: self._load_terms(
                    CATEGORIES, (_get_category(record) for record in records)
                ),
                TAGS.singular: self._load_terms(TAGS, chain.from_iterable(record.tags for record in records)),
                AUTHORS.singular: self._load_terms(
                    AUTHORS, (author.name for record in records for author in record.authors)
                ),
            }
            for kind, terms in self._terms.items():
                keys = {slug for item in self._restored for slug, _ in _list_references(item, kind)}
                terms |= exported_terms.find_existing(kind, keys, self._exported) if keys else {}
                terms |= self._store_planned(kind, keys - terms.keys())
        db.session.flush()
        self._profile: Author | None = None
        #: The authors of the most recent input.
        self.authors: list[Author] = []

    def make(self, record: ArticleRecord) -> ArticleInput:
        """Return the input for a record; creates the category, the tags and the authors that do not exist.

        The author of a record without authors is the owner.

        Raises ValidationError with the errors of all fields.
        """
        errors: Errors = {}
        terms = self._create_terms(record, errors)
        self.authors = terms[AUTHORS.singular] or [self._get_profile()]
        references = {kind: [{"uuid": str(term.uuid)} for term in group] for kind, group in terms.items()}
        body = {
            **make_body(record),
            "category": next(iter(references[CATEGORIES.singular]), None),
            "tags": references[TAGS.singular],
            "authors": [{"uuid": str(author.uuid)} for author in self.authors],
        }
        with _collect_errors(errors):
            article_input: ArticleInput = self._load_body(body)
        if errors:
            raise ma.ValidationError(errors)
        return replace(article_input, custom=convert_imported(record.custom), is_imported=True)

    def _load_body(self, body: dict[str, Any]) -> Any:
        """Return the input of an article or a page; a parent that does not exist is left out."""
        if body.pop("type", None) != ItemType.PAGE:
            return _BODY_SCHEMA.load(body)
        del body["category"]
        if "parent" not in body:
            return _PAGE_SCHEMA.load(body)
        parent = parse_uuid(body["parent"] or "")
        known = {exported.uuid for exported in self._restored} | read_tree().keys()
        return _PAGE_SCHEMA.load({**body, "parent": body["parent"] if parent in known else None})

    def _create_terms(self, record: ArticleRecord, errors: Errors) -> dict[str, list[Any]]:
        """Return the terms of a record, which are created if needed; add the errors of invalid names."""
        terms: dict[str, list[Any]] = {kind: [] for kind in self._terms}
        if record.exported is not None:
            for kind, group in terms.items():
                for slug, name in _list_references(record.exported, kind):
                    with _collect_errors(errors, f"{kind} {slug!r}"):
                        group.append(self._restore_term(kind, slug, name))
            return terms
        with _collect_errors(errors, "category"):
            if not record.is_page:
                category = self._get_or_create(CATEGORIES, _get_category(record))
                terms[CATEGORIES.singular].append(category)
        for name in record.tags:
            if record.is_page and name == PAGE_TAG:
                continue
            with _collect_errors(errors, f"tag {name!r}"):
                terms[TAGS.singular].append(self._get_or_create(TAGS, name))
        for author in record.authors:
            with _collect_errors(errors, f"author {author.name!r}"):
                details = {"bio": author.bio, "url": author.url, "avatar": author.avatar}
                terms[AUTHORS.singular].append(self._get_or_create(AUTHORS, author.name, **details))
        return terms

    def _restore_term(self, kind: str, slug: str, name: str) -> Term:
        terms = self._terms[kind]
        if slug not in terms:
            term = self._exported.get((kind, slug))
            if term is not None:
                terms[slug] = exported_terms.create(self._owner, term, self._exported)
            else:
                # A person has written the name of a new term into a file of an export.
                taxonomy = exported_terms.TAXONOMIES[kind]
                terms[slug] = service.get_or_create_term(taxonomy, self._owner, name or slug, slug=slug)
            self._add_created(slug, terms[slug])
        return terms[slug]

    def _add_created(self, slug: str, term: Term) -> None:
        if isinstance(term, Author):
            self._state.authors.created.add(term.uuid)
        self._state.plan_term(slug, term)

    def _load_terms(self, taxonomy: Taxonomy[Any], names: Iterable[str]) -> dict[str, Term]:
        """Load the terms with these names into `_named`; return the planned terms of a dry run by slug."""
        names, known = {*names}, self._state.found_terms[taxonomy.singular]
        known |= queries.find_by_names(taxonomy, missing) if (missing := names - known.keys()) else {}
        found = self._named[taxonomy.singular] = {name: known[name] for name in names & known.keys()}
        return self._store_planned(taxonomy.singular, map(make_term_key, names - found.keys()))

    def _store_planned(self, kind: str, slugs: Iterable[str]) -> dict[str, Term]:
        """Add terms that earlier transactions of a dry run created to the session; return them by slug."""
        planned = self._state.planned_terms
        terms = {slug: planned[kind, slug] for slug in slugs if (kind, slug) in planned}
        db.session.add_all(terms.values())
        return terms

    def _get_profile(self) -> Author:
        if self._profile is None:
            self._profile = authors.get_or_create_profile(self._owner)
        return self._profile

    def _get_or_create(self, taxonomy: Taxonomy[Any], name: str, **fields: str) -> Any:
        if (term := self._named[taxonomy.singular].get(name)) is not None:
            return term
        terms, slug = self._terms[taxonomy.singular], make_term_key(name)
        if slug not in terms:
            terms[slug] = service.get_or_create_term(taxonomy, self._owner, name, **fields)
            self._add_created(slug, terms[slug])
        return terms[slug]


def _list_references(exported: ExportedFields, kind: str) -> Iterator[tuple[str, str]]:
    """Yield the slug and the name ("" if unknown) of each term of this kind in the body of an article."""
    field = {CATEGORIES.singular: "category", TAGS.singular: "tags", AUTHORS.singular: "authors"}[kind]
    references = exported.body.get(field) or []
    for reference in references if isinstance(references, list) else [references]:
        yield reference["slug"], reference.get("name", "")


def _get_category(record: ArticleRecord) -> str:
    return record.category or DEFAULT_CATEGORY


@contextmanager
def _collect_errors(errors: Errors, name: str = "") -> Iterator[None]:
    """Catch a validation error and add its messages under `name`, or under the names of its own fields."""
    try:
        yield
    except ma.ValidationError as error:
        messages = flatten_messages(error.messages)
        errors |= {name: list(chain(*messages.values()))} if name else messages


def make_body(record: ArticleRecord) -> dict[str, Any]:
    """Return the body of a request that writes the article of a record, without its terms."""
    if record.exported is not None:
        # For a folder of another program, the cover may have been replaced by a file of the library.
        cover = {"cover_image": record.cover_image} if record.path else {}
        return {**record.exported.body, **cover}
    body: dict[str, Any] = {
        "title": record.title,
        "subtitle": record.subtitle,
        "excerpt": plain_text.shorten(record.excerpt, get_limit("MAX_EXCERPT")),
        "content": record.content,
        "content_type": record.content_type,
        "status": record.status,
        "cover_image": record.cover_image,
    }
    seo = {
        "title": record.seo_title,
        "description": record.seo_description,
        "og_image": record.og_image,
        "canonical_url": record.canonical_url,
    }
    body["seo"] = {name: text for name, text in seo.items() if text}
    # Empty values are left out, so that the owner's values in this blog stay.
    body |= {"featured": True} if record.featured else {}
    marks = ("robots", "language", "translation_key")
    body |= {name: text for name in marks if (text := getattr(record, name))}
    if record.is_page:
        body |= {"type": ItemType.PAGE.value, "position": min(max(record.position, 0), MAX_POSITION)}
    # Without `published_at` an article keeps the time of its first import.
    if record.published_at is not None:
        body["published_at"] = record.published_at.isoformat()
    return body
