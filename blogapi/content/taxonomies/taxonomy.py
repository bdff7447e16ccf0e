"""The definition of a taxonomy: its model, its schemas and its names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from uuid import UUID

from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.schemas import TermBodySchema
from blogapi.web.access import Rule, editor
from blogapi.web.fields import Fields, OutputSchema

TermType = TypeVar("TermType", bound=Term)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Taxonomy(Generic[TermType]):
    """A set of terms, such as the categories or the tags.

    `schema` and `single_schema` are the responses of the list and of a single term; `fields_schema` contains
    all fields that `fields` may select in a list. `stored_schema` serializes the JSON that each row stores.
    `body_schema` is the body of a write. `defaults` contains the values of fields that the body of a new or
    replaced term omits. With `names_are_unique`, a body with the name of another term needs a slug.
    `deletion` is the summary of DELETE. `address_field` is the name of the field with the address of a
    term's page.
    `list_section` and `detail_section` are the sections of the interface specification that document the two
    reads, if there are any. With `creator_owns`, the user who creates a term owns it. `check` is called in
    the transaction of a write, with the uuid of the term (None for a new one) and the written fields; it
    raises a Problem if a field is invalid. `creator` is the access rule for the creation of a term. With
    `owner_changes`, authors may change the terms that they own, except for the slug and the owner. Other
    writes are for editors.
    """

    singular: str
    plural: str
    model: type[TermType]
    stored_schema: type[OutputSchema]
    schema: type[OutputSchema]
    fields_schema: type[OutputSchema]
    single_schema: type[OutputSchema]
    body_schema: type[TermBodySchema]
    deletion: str
    names_are_unique: bool = True
    defaults: Mapping[str, Any] = field(default_factory=dict)
    address_field: str = "url"
    list_section: str = ""
    detail_section: str = ""
    creator_owns: bool = True
    check: Callable[[UUID | None, Fields], None] | None = None
    creator: Rule = editor
    owner_changes: bool = False
