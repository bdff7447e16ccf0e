"""The definition of a taxonomy: its model, its schemas and the words that its texts use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from blogapi.taxonomies.models import Term
from blogapi.taxonomies.schemas import TermBodySchema
from blogapi.web.fields import OutputSchema, PartialOutputSchema
from blogapi.web.pagination import DetailQuery, ListQuery

TermType = TypeVar("TermType", bound=Term)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taxonomy(Generic[TermType]):
    """A kind of terms.

    `schema` and `single_schema` are the responses of the list and of one term, the `…_fields_schema` all
    fields that `fields=` may name there; `item_schema` is the body of one term in a bulk write. `defaults`
    are the values of fields that a new or replaced term does not name. The sections are those of the
    interface that document the two reads; a taxonomy without them has none.
    """

    singular: str
    plural: str
    model: type[TermType]
    schema: type[OutputSchema]
    fields_schema: type[PartialOutputSchema]
    single_schema: type[OutputSchema]
    single_fields_schema: type[PartialOutputSchema]
    body_schema: type[TermBodySchema]
    item_schema: type[TermBodySchema]
    list_query: type[ListQuery]
    detail_query: type[DetailQuery]
    deletion: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    list_section: str = ""
    detail_section: str = ""
