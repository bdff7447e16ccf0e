"""The definition of a taxonomy: its model, its schemas and its names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement

from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.schemas import TermBodySchema
from blogapi.storage.database import Base, table_of
from blogapi.web.access import AccessRule, editor
from blogapi.web.fields import Fields, OutputSchema

TermType = TypeVar("TermType", bound=Term)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Taxonomy(Generic[TermType]):
    """A set of terms, such as the categories or the tags.

    `schema` and `single_schema` describe a term in the list and a single term; `fields_schema` contains all
    fields that `fields` may select in a list. `embedded_schema` describes a term in an article; the ETag of a
    term depends on these fields. `body_schema` is the body of a write. `defaults` contains the values of
    fields that the body of a new or replaced term omits. With `names_are_unique`, a request that gives a term
    the name of another term must also send a slug. `link` names the column with the uuids of the terms, as
    `table.column`: in the table `article`, or in a table of links with the columns `article_id` and
    `listed_from`, such as `ArticleAuthor`. `deletion` is the summary of DELETE. `address_field` is the name
    of the field with the address of a term's page. `list_section` and `detail_section` are the sections of
    the interface specification that document the two reads, if there are any. With `creator_owns`, the user
    who creates a term owns it. A write calls `check_fields` in its transaction, with the uuid of the term
    (None for a new one) and its fields; `check_fields` raises a Problem if a field is invalid. `creator` is
    the access rule for the creation of a term. With `owner_changes`, authors may change the terms that they
    own, except for the slug and the owner. Only editors may make other writes.
    """

    singular: str
    plural: str
    model: type[TermType]
    embedded_schema: type[OutputSchema]
    schema: type[OutputSchema]
    fields_schema: type[OutputSchema]
    single_schema: type[OutputSchema]
    body_schema: type[TermBodySchema]
    link: str
    deletion: str
    names_are_unique: bool = True
    defaults: Mapping[str, Any] = field(default_factory=dict)
    address_field: str = "url"
    list_section: str = ""
    detail_section: str = ""
    creator_owns: bool = True
    check_fields: Callable[[UUID | None, Fields], None] | None = None
    creator: AccessRule = editor
    owner_changes: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError if a field of the body has no column; exports read the columns of all fields."""
        model: Any = self.model
        fields = {*self.body_schema._declared_fields, *self.defaults} - {"user", "parent"}
        if unknown := fields - {*table_of(model).c.keys()}:
            raise ValueError(f"Fields of {self.plural} have no column: {', '.join(sorted(unknown))}.")

    def get_link_column(self) -> ColumnElement[UUID]:
        """Return the column that `link` names."""
        table, column = self.link.split(".")
        return Base.metadata.tables[table].c[column]
