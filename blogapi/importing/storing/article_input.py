"""Convert records to the input of `articles.service`, with the terms that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import marshmallow as ma

from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.page_tree import read_tree
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.custom_fields.validation import convert_imported_values
from blogapi.content.pages.schemas import MAX_POSITION, PageBodySchema
from blogapi.content.taxonomies import authors, queries, service
from blogapi.content.taxonomies.authors import AUTHORS, Author
from blogapi.content.taxonomies.categories import CATEGORIES, DEFAULT_CATEGORY
from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.tags import TAGS
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.storing import exported_terms
from blogapi.importing.storing.earlier_imports import PAGE_TAG
from blogapi.importing.storing.state import ImportState
from blogapi.parsing import parse_uuid
from blogapi.publication.visibility import ItemType
from blogapi.rendering import plain_text
from blogapi.rendering.slugs import make_term_key
from blogapi.storage.database import db
from blogapi.web.errors import Errors, flatten_messages
from blogapi.web.fields import resolve_limit

_BODY_SCHEMA, _PAGE_SCHEMA = ArticleBodySchema(), PageBodySchema()
#: The fields of a body that refer to terms, by the kind of the terms.
_TERM_FIELDS = {CATEGORIES.singular: "category", TAGS.singular: "tags", AUTHORS.singular: "authors"}


class _TermReference(NamedTuple):
    """A term as a record names it: by its name, and in an export by its slug."""

    name: str  #: "" = unknown
    slug: str = ""
    details: Mapping[str, str] = {}  #: further fields of a new term


class ArticleInputFactory:
    """Makes the inputs of a batch of records: loads their terms together, and creates missing terms."""

    def __init__(self, state: ImportState, records: Sequence[ArticleRecord]) -> None:
        self._state = state
        self._uuids = {record.uuid for record in records}
        #: the stored terms by their kind, and by the names in the records or by their slugs in the export
        self._named: dict[str, dict[str, Term]] = {}
        self._terms: dict[str, dict[str, Term]] = {}
        # The planned terms of a dry run are flushed together, after all terms have been looked up.
        with db.session.no_autoflush:
            for kind in _TERM_FIELDS:
                self._load_terms(kind, [it for record in records for it in _list_references(record, kind)])
        db.session.flush()
        self._profile: Author | None = None
        #: The authors of the most recent input.
        self.authors: list[Author] = []

    def make_input(self, record: ArticleRecord) -> ArticleInput:
        """Return the input for a record; creates the category, the tags and the authors that do not exist.

        The author of a record without authors is the importing user. Raises ValidationError with all errors.
        """
        errors: Errors = {}
        terms: dict[str, list[Any]] = {kind: [] for kind in _TERM_FIELDS}
        for kind, group in terms.items():
            for reference in _list_references(record, kind):
                is_only = kind == CATEGORIES.singular and not reference.slug
                label = kind if is_only else f"{kind} {(reference.slug or reference.name)!r}"
                with _collect_errors(errors, label):
                    group.append(self._find_or_create_term(kind, reference))
        if not terms[AUTHORS.singular]:
            self._profile = self._profile or authors.get_or_create_profile(self._state.author)
            terms[AUTHORS.singular].append(self._profile)
        self.authors = terms[AUTHORS.singular]
        body = make_article_body(record)
        for kind, field in _TERM_FIELDS.items():
            references = [{"uuid": str(term.uuid)} for term in terms[kind]]
            body[field] = references if field != "category" else next(iter(references), None)
        if is_page := body.pop("type", None) == ItemType.PAGE:
            del body["category"]
            if "parent" in body and parse_uuid(body["parent"] or "") not in self._uuids | read_tree().keys():
                body["parent"] = None  # The parent does not exist.
        with _collect_errors(errors):
            article_input: ArticleInput = (_PAGE_SCHEMA if is_page else _BODY_SCHEMA).load(body)
        if errors:
            raise ma.ValidationError(errors)
        return replace(article_input, custom=convert_imported_values(record.custom), is_imported=True)

    def _load_terms(self, kind: str, references: Sequence[_TermReference]) -> None:
        taxonomy, known = exported_terms.TAXONOMIES[kind], self._state.found_terms[kind]
        names = {it.name for it in references if not it.slug}
        slugs = {it.slug for it in references if it.slug}
        known |= queries.find_terms_by_names(taxonomy, missing) if (missing := names - known.keys()) else {}
        named = self._named[kind] = {name: known[name] for name in names & known.keys()}
        exported = self._state.exported_terms
        terms = self._terms[kind] = exported_terms.match_terms(kind, slugs, exported) if slugs else {}
        # Terms that earlier transactions of a dry run created.
        wanted = {*map(make_term_key, names - named.keys()), *(slugs - terms.keys())}
        planned = self._state.planned_terms
        found = {slug: planned[kind, slug] for slug in wanted if (kind, slug) in planned}
        db.session.add_all(found.values())
        terms |= found

    def _find_or_create_term(self, kind: str, reference: _TermReference) -> Term:
        name, slug, details = reference
        if not slug and (term := self._named[kind].get(name)) is not None:
            return term
        terms, key, state = self._terms[kind], slug or make_term_key(name), self._state
        if key not in terms:
            exported = state.exported_terms.get((kind, slug))
            if exported is not None:
                terms[key] = exported_terms.create_term(state.author, exported, state.exported_terms)
            else:
                # A person can have written the name of a new term into a file of an export.
                fields = {**details, **({"slug": slug} if slug else {})}
                taxonomy = exported_terms.TAXONOMIES[kind]
                terms[key] = service.get_or_create_term(taxonomy, state.author, name or slug, **fields)
            if isinstance(terms[key], Author):
                state.authors.created.add(terms[key].uuid)
            state.plan_term(key, terms[key])
        return terms[key]


def _list_references(record: ArticleRecord, kind: str) -> Iterator[_TermReference]:
    if record.body:
        found = record.body.get(_TERM_FIELDS[kind]) or []
        for item in found if isinstance(found, list) else [found]:
            yield _TermReference(item.get("name", ""), item["slug"])
    elif kind == AUTHORS.singular:
        for author in record.authors:
            details = {"bio": author.bio, "url": author.url, "avatar": author.avatar}
            yield _TermReference(author.name, details=details)
    elif kind == TAGS.singular:
        names = (name for name in record.tags if not (record.is_page and name == PAGE_TAG))
        yield from map(_TermReference, names)
    elif not record.is_page:
        yield _TermReference(record.category or DEFAULT_CATEGORY)


@contextmanager
def _collect_errors(errors: Errors, name: str = "") -> Iterator[None]:
    """Catch a validation error; add its messages under `name`, or under its field names if `name` is ""."""
    try:
        yield
    except ma.ValidationError as error:
        messages = flatten_messages(error.messages)
        errors |= {name: list(chain(*messages.values()))} if name else messages


def make_article_body(record: ArticleRecord) -> dict[str, Any]:
    """Return the body of a request that writes the article of a record, without its terms."""
    body: dict[str, Any] = {
        "title": record.title,
        "subtitle": record.subtitle,
        "excerpt": plain_text.shorten_text(record.excerpt, resolve_limit("MAX_EXCERPT")),
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
    # In a record with a path, `cover_image` can be the address of the file in the library.
    return {**body, **record.body, **({"cover_image": record.cover_image} if record.path else {})}
