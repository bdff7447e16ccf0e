"""Resolves the references to categories, tags and authors in the inputs of articles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import CompoundSelect, bindparam, literal, select, union_all

from blogapi.content.articles.article_content import ArticleContent, ArticleInput
from blogapi.content.articles.models import Article, FormerSlug
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.queries import find_merged_terms
from blogapi.content.taxonomies.tags import Tag
from blogapi.storage.database import db, table_of
from blogapi.web.errors import Errors

# The maximum number of values per statement, because databases limit the number of parameters.
_VALUES_PER_STATEMENT = 500

_UuidByReference = Mapping[UUID | str, UUID]


@dataclass(frozen=True, slots=True)
class KnownTerms:
    """The uuids of categories, tags and authors, by the uuid or slug with which the inputs refer to them.

    `profile` is the uuid of the writing user's profile, or None. `slugs` maps each slug that was looked up to
    the article that has or had it, or to None.
    """

    categories: _UuidByReference
    tags: _UuidByReference
    authors: _UuidByReference
    profile: UUID | None
    slugs: Mapping[str, UUID | None] = field(default_factory=dict)

    def resolve_references(
        self, fields: ArticleInput, errors: Errors
    ) -> tuple[UUID | None, tuple[UUID, ...] | None, tuple[UUID, ...] | None]:
        """Return the uuids of the category, the tags and the authors; None for an omitted field.

        Each tag and each author is returned once. Adds an error for each unknown reference.
        """
        category = {} if fields.category is None else {"category": fields.category}
        tags = {f"tags.{index}": tag for index, tag in enumerate(fields.tags or ())}
        authors = {f"authors.{index}": author for index, author in enumerate(fields.authors or ())}
        return (
            next(iter(_resolve_references(self.categories, category, errors)), None),
            None if fields.tags is None else _resolve_references(self.tags, tags, errors),
            None if fields.authors is None else _resolve_references(self.authors, authors, errors),
        )


NO_TERMS = KnownTerms({}, {}, {}, None)


def find_referenced_terms(
    inputs: Sequence[ArticleInput],
    writer: UUID | None = None,
    known: KnownTerms = NO_TERMS,
    slugs: Sequence[str] = (),
) -> KnownTerms:
    """Return `known`, extended by the existing categories, tags and authors to which the inputs refer.

    Also finds the profile of the user `writer` if an input has no authors, and the articles that have or had
    one of the slugs. Unless there are many references, one statement finds all these rows.
    """
    uuids: dict[type[Term], dict[UUID | str, UUID]] = {
        Category: dict(known.categories),
        Tag: dict(known.tags),
        Author: dict(known.authors),
    }
    references: dict[type[Term], Iterable[UUID | str]] = {
        Category: [fields.category for fields in inputs if fields.category is not None],
        Tag: [reference for fields in inputs for reference in fields.tags or ()],
        Author: [reference for fields in inputs for reference in fields.authors or ()],
    }
    wanted: dict[tuple[type[Any], str], list[Any]] = {}
    for model, given_references in references.items():
        values = set(given_references) - uuids[model].keys()
        for name, type_ in (("uuid", UUID), ("slug", str)):
            wanted[model, name] = [value for value in values if isinstance(value, type_)]
    profile = known.profile
    if writer is not None and profile is None and any(fields.authors is None for fields in inputs):
        wanted[Author, "owner_id"] = [writer]
    wanted[Article, "slug"] = wanted[FormerSlug, "slug"] = list(slugs)
    slug_owners = {**known.slugs, **dict.fromkeys(slugs)}
    while wanted := {key: values for key, values in wanted.items() if values}:
        keys = tuple(wanted)
        values_by_name = {
            f"values_{index}": wanted[key][:_VALUES_PER_STATEMENT] for index, key in enumerate(keys)
        }
        rows = db.session.connection().execute(_select_terms_by_keys(keys), values_by_name)
        for index, slug, uuid in rows:
            model, name = keys[index]
            if model not in uuids:
                slug_owners[slug] = uuid
                continue
            if name == "owner_id":
                profile = uuid
            else:
                uuids[model][uuid if name == "uuid" else slug] = uuid
        wanted = {key: values[_VALUES_PER_STATEMENT:] for key, values in wanted.items()}
    for model, given_references in references.items():
        missing = set(given_references) - uuids[model].keys()
        if merged := [value for value in missing if isinstance(value, UUID)]:
            for uuid, other in find_merged_terms(model, merged).items():
                uuids[model][uuid] = other
    return KnownTerms(uuids[Category], uuids[Tag], uuids[Author], profile, slug_owners)


def keep_existing_terms(content: ArticleContent) -> tuple[ArticleContent, UUID | None]:
    """Return the content without deleted tags and authors, and its category, or None if it was deleted.

    A merged term is replaced by the term into which it was merged.
    """
    terms = find_referenced_terms([content.to_input()])
    existing = replace(
        content,
        tags=_keep_known_uuids(terms.tags, content.tags),
        authors=_keep_known_uuids(terms.authors, content.authors),
    )
    return existing, content.category and terms.categories.get(content.category)


def _keep_known_uuids(uuids: _UuidByReference, given: Iterable[UUID]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(uuids[uuid] for uuid in given if uuid in uuids))


@cache
def _select_terms_by_keys(keys: tuple[tuple[type[Any], str], ...]) -> CompoundSelect[int, str, UUID]:
    """Return a statement that selects key index, slug and uuid for each key (model and column)."""
    selects = []
    for index, (model, name) in enumerate(keys):
        columns = table_of(model).c
        is_wanted = columns[name].in_(bindparam(f"values_{index}", expanding=True))
        uuid = columns.article_id if model is FormerSlug else columns.uuid
        selects.append(select(literal(index), columns.slug, uuid).where(is_wanted))
    return union_all(*selects)


def _resolve_references(
    uuids: _UuidByReference, references: Mapping[str, UUID | str], errors: Errors
) -> tuple[UUID, ...]:
    """Return the uuids of the references; `references` maps paths in the body to references."""
    for path, reference in references.items():
        if reference not in uuids:
            name = "slug" if isinstance(reference, str) else "uuid"
            kind = path.partition(".")[0].removesuffix("s")
            errors[f"{path}.{name}"] = [f"There is no such {kind}."]
    return tuple(dict.fromkeys(uuids[value] for value in references.values() if value in uuids))
