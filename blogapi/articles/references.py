"""Resolves the references to categories and tags in the inputs of articles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Select, bindparam, select

from blogapi.articles.content import ArticleInput, TermReference
from blogapi.categories.models import Category
from blogapi.storage.database import db, table_of
from blogapi.tags.models import Tag
from blogapi.web.errors import Errors

# The maximum number of values per statement, because databases limit the number of parameters.
_VALUES_PER_STATEMENT = 500

_NIL_UUID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class KnownTerms:
    """The uuids of categories and tags, by the uuid or slug with which the inputs refer to them."""

    categories: Mapping[UUID | str, UUID]
    tags: Mapping[UUID | str, UUID]

    def resolve_category(self, given: ArticleInput, errors: Errors) -> UUID | None:
        """Return the uuid of the category, or None if it is omitted; report an unknown reference."""
        if given.category is None:
            return None
        return _resolve(self.categories, given.category, "category", errors)

    def resolve_tags(self, given: ArticleInput, errors: Errors) -> tuple[UUID, ...] | None:
        """Return the uuids of the tags, each once, or None if they are omitted.

        Adds an error for each unknown reference.
        """
        if given.tags is None:
            return None
        uuids = (
            _resolve(self.tags, reference, f"tags.{index}", errors)
            for index, reference in enumerate(given.tags)
        )
        return tuple(dict.fromkeys(uuids))


def find_terms(inputs: Sequence[ArticleInput]) -> KnownTerms:
    """Return the existing categories and tags to which the inputs refer."""
    categories = (given.category for given in inputs if given.category is not None)
    tags = (reference for given in inputs for reference in given.tags or ())
    return KnownTerms(_find(Category, categories), _find(Tag, tags))


def _find(model: type[Category | Tag], references: Iterable[TermReference]) -> dict[UUID | str, UUID]:
    found: dict[UUID | str, UUID] = {}
    values = {_get_value(reference) for reference in references}
    for name, type_ in (("uuid", UUID), ("slug", str)):
        wanted = [value for value in values if isinstance(value, type_)]
        for start in range(0, len(wanted), _VALUES_PER_STATEMENT):
            chunk = {"values": wanted[start : start + _VALUES_PER_STATEMENT]}
            rows = db.session.connection().execute(_select_by(model, name), chunk)
            found.update((value, uuid) for value, uuid in rows)
    return found


@cache
def _select_by(model: type[Category | Tag], name: str) -> Select[Any, UUID]:
    columns = table_of(model).c
    is_wanted = columns[name].in_(bindparam("values", expanding=True))
    return select(columns[name], columns.uuid).where(is_wanted)


def _resolve(known: Mapping[UUID | str, UUID], reference: TermReference, path: str, errors: Errors) -> UUID:
    value = _get_value(reference)
    if value not in known:
        name = "slug" if reference.uuid is None else "uuid"
        kind = path.partition(".")[0].removesuffix("s")
        errors[f"{path}.{name}"] = [f"There is no such {kind}."]
    return known.get(value, _NIL_UUID)


def _get_value(reference: TermReference) -> UUID | str:
    # A uuid takes precedence over a slug, which may have changed since the client read it.
    return reference.uuid or reference.slug or ""
