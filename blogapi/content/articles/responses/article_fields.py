"""The fields of articles in responses: which columns they need, and how they are made from the rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

import marshmallow as ma
from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    FromClause,
    Select,
    bindparam,
    cast,
    literal,
    null,
    select,
    union_all,
)

from blogapi.content.articles.fields import TERM_LIST_NAMES
from blogapi.content.articles.models import LINK_MODELS, Article, UnindexedColumns
from blogapi.content.articles.responses import computed_fields, neighbours
from blogapi.content.articles.responses.computed_fields import COMPUTED_FIELDS
from blogapi.content.articles.schemas import (
    ArticleSchema,
    ListedArticleFieldsSchema,
    PageFieldsSchema,
    SingleArticleFieldsSchema,
)
from blogapi.content.custom_fields import custom_values
from blogapi.content.taxonomies.authors import Author, EmbeddedAuthorSchema
from blogapi.content.taxonomies.categories import Category, EmbeddedCategorySchema
from blogapi.content.taxonomies.tags import Tag, TagSchema
from blogapi.publication.visibility import match_readable_items
from blogapi.storage.database import check_for_damaged_texts, current_time, db, split_values, table_of
from blogapi.web.fields import Fields, NestedAttributes

# For each field: its name, the attribute of the row (None: the row itself), and the function that serializes
# the value. A schema is slower, because it looks up each value in several ways.
DumpPlan = Sequence[tuple[str, str | None, Callable[[Any, str, Any], Any]]]


def _make_dump_plan(schema: ma.Schema, prefix: str = "") -> DumpPlan:
    """Return the plan for `dump_row` of rows that have an attribute for each field of the schema.

    In the rows, the names of the attributes begin with the prefix.
    """
    plan: list[tuple[str, str | None, Callable[[Any, str, Any], Any]]] = []
    for name, field in schema.fields.items():
        if isinstance(field, NestedAttributes):
            plan.append((name, None, _make_nested_serializer(_make_dump_plan(field.schema))))
        elif isinstance(field, ma.fields.Method | ma.fields.Function):
            plan.append((name, None, field._serialize))
        else:
            plan.append((name, f"{prefix}{field.attribute or name}", field._serialize))
    return plan


def _make_nested_serializer(plan: DumpPlan) -> Callable[[Any, str, Any], Any]:
    return lambda row, *_: dump_row(plan, row)


def dump_row(plan: DumpPlan, row: Any) -> Fields:
    """Return the fields of the row as JSON values."""
    return {
        name: serialize(row if attribute is None else getattr(row, attribute), name, row)
        for name, attribute, serialize in plan
    }


_article = table_of(Article).c

DOCUMENTED_FIELDS = tuple(ArticleSchema().fields)
_RESPONSE_SCHEMAS = (ListedArticleFieldsSchema, SingleArticleFieldsSchema, PageFieldsSchema)
_FIELD_ORDER = tuple(dict.fromkeys(name for schema in _RESPONSE_SCHEMAS for name in schema().fields))
# The fields of an article that contain terms, each with the schema of these terms.
_TERM_SCHEMAS: Mapping[str, ma.Schema] = {
    "category": EmbeddedCategorySchema(),
    "tags": TagSchema(),
    "authors": EmbeddedAuthorSchema(),
}
_TERM_MODELS: Mapping[str, Any] = {"category": Category, "tags": Tag, "authors": Author}
# Fields that are neither columns of the article nor its terms.
_SEPARATELY_READ_FIELDS = (*COMPUTED_FIELDS, *neighbours.NEIGHBOUR_FIELDS, "snippet")
# The long fields, which no computed field needs.
_LONG_FIELDS = ("content", "html", "toc")
# Maps each field whose name is not the name of its column to the columns that it needs.
_COLUMNS_BY_FIELD: Mapping[str, tuple[str, ...]] = {
    "author": ("author_id",),
    "parent": ("parent_id",),
    "seo": tuple(
        name
        for name in _article.keys()  # noqa: SIM118, iteration yields columns, not names
        if name.startswith("seo_")
    ),
    "excerpt": ("excerpt", "generated_excerpt"),
    "status": ("status", "published_at"),
    "stored_custom": ("custom",),
    **dict.fromkeys(_TERM_SCHEMAS, ()),
}


_FIELDS_NOT_IN_ROW = tuple(
    {*_SEPARATELY_READ_FIELDS, *_TERM_SCHEMAS} & {*PageFieldsSchema().fields, "category"}
)


class _RowSchema(PageFieldsSchema):
    """The fields of articles and pages that are columns of their row."""

    class Meta(PageFieldsSchema.Meta):
        exclude = _FIELDS_NOT_IN_ROW  # type: ignore[assignment]

    # The row contains the rendered values.
    cover = ma.fields.Raw()  # type: ignore[assignment]
    toc = ma.fields.Raw()  # type: ignore[assignment]
    stored_custom = ma.fields.Function(lambda row: custom_values.parse_stored_values(row.custom))


ROW_FIELDS = tuple(_RowSchema().fields)
_SHORT_FIELDS = tuple(name for name in ROW_FIELDS if name not in (*_LONG_FIELDS, "stored_custom"))


def order_field_names(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return these field names (None: the names of the documented fields) in the order of responses."""
    return DOCUMENTED_FIELDS if names is None else tuple(name for name in _FIELD_ORDER if name in names)


@lru_cache(maxsize=512)
def list_needed_fields(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the fields from the row and the terms of an article that a response with these fields needs."""
    needed = computed_fields.list_additional_fields(names)
    if any(name in names for name in COMPUTED_FIELDS):
        needed = [*_SHORT_FIELDS, *needed]
    return tuple(dict.fromkeys(name for name in (*names, *needed) if name not in _SEPARATELY_READ_FIELDS))


def read_article_rows(uuids: Sequence[UUID], needed: tuple[str, ...], *, public: bool) -> list[Any]:
    """Return the rows of these articles in this order, with the columns of the needed fields.

    Articles that do not exist, or with `public` are not public, are left out. Raises DatabaseError if a
    text contains NUL characters.
    """
    found: dict[UUID, Any] = {}
    for batch in split_values(uuids):
        values = {"uuids": batch, "now": current_time()}
        # This bypasses the ORM, which would look for entities in every row.
        for row in db.session.connection().execute(_select_rows(needed, public), values).all():
            found[row.uuid] = row
    rows = [found[uuid] for uuid in uuids if uuid in found]
    check_for_damaged_texts(rows)
    return rows


@lru_cache(maxsize=512)
def _select_rows(needed: tuple[str, ...], public: bool) -> Select[*tuple[Any, ...]]:
    names = dict.fromkeys(column for name in needed for column in _COLUMNS_BY_FIELD.get(name, (name,)))
    always = ("uuid", "version", "last_updated", "type")
    columns: list[ColumnElement[Any]] = [_article[name] for name in dict.fromkeys((*always, *names))]
    source: FromClause = table_of(Article)
    if "category" in needed:
        category = table_of(Category)
        columns += (category.c[name].label(f"category_{name}") for name in _list_term_columns("category"))
        source = source.outerjoin(category, _article.category_id == category.c.uuid)
    statement = select(*columns).select_from(source)
    statement = statement.where(_article.uuid.in_(bindparam("uuids", expanding=True)))
    return statement.where(match_readable_items(UnindexedColumns)) if public else statement


# Maps the name of a field to the terms of each article, in their order, by the uuid of the article.
TermsByField = Mapping[str, Mapping[UUID, Sequence[Fields]]]


def read_terms(rows: Sequence[Any], needed: Collection[str]) -> TermsByField:
    """Return the terms of the articles in these rows, for the needed fields that contain terms.

    The rows contain their categories; one statement reads the tags and authors.
    """
    names = tuple(name for name in TERM_LIST_NAMES if name in needed)
    found: dict[str, dict[UUID, list[Fields]]] = {name: {} for name in ("category", *names)}
    dumped: dict[UUID, Fields] = {}
    if "category" in needed:
        for row in rows:
            if (uuid := row.category_uuid) is not None:
                if uuid not in dumped:
                    dumped[uuid] = dump_row(_make_term_plan("category", "category_"), row)
                found["category"][row.uuid] = [dumped[uuid]]
    for batch in split_values([row.uuid for row in rows]) if names else ():
        for row in db.session.connection().execute(_select_terms(names), {"articles": batch}).all():
            name, article, uuid, *_ = row
            if article is None:
                dumped[uuid] = dump_row(_make_term_plan(name), row)
            else:
                found[name].setdefault(article, []).append(dumped[uuid])
    return found


def find_term_fields(name: str, uuids: Collection[UUID]) -> list[Fields]:
    """Return the terms with these uuids, in this order, as the field `name` shows them.

    Deleted terms are left out: an item in the bin can still name them.
    """
    model = _TERM_MODELS[name]
    rows = {row.uuid: row for row in db.session.scalars(select(model).where(model.uuid.in_(uuids)))}
    return [dump_row(_make_term_plan(name), rows[uuid]) for uuid in uuids if uuid in rows]


@lru_cache(maxsize=8)
def _make_term_plan(name: str, prefix: str = "") -> DumpPlan:
    return _make_dump_plan(_TERM_SCHEMAS[name], prefix)


@lru_cache(maxsize=8)
def _select_terms(names: tuple[str, ...]) -> CompoundSelect[*tuple[Any, ...]]:
    """Return the statement that selects each term once, and then the links between articles and terms."""
    columns = {key: column for name in names for key, column in _list_term_columns(name).items()}
    is_wanted: Any = bindparam("articles", expanding=True)
    statements = []
    for name in names:
        term, link = table_of(_TERM_MODELS[name]).c, table_of(LINK_MODELS[name]).c
        key, is_linked = link[f"{_TERM_MODELS[name].kind}_id"], link.article_id.in_(is_wanted)
        field = literal(name).label("field")
        nulls = {key: cast(null(), column.type).label(key) for key, column in columns.items()}
        start = cast(null(), link.article_id.type).label("article_id"), term.uuid.label("term_id")
        own = _list_term_columns(name)
        shown = (own.get(key, nulls[key]) for key in columns)
        terms = select(field, *start, literal(-1).label("position"), *shown)
        statements += [
            terms.where(term.uuid.in_(select(key).where(is_linked))),
            select(field, link.article_id, key, link.position, *nulls.values()).where(is_linked),
        ]
    return union_all(*statements).order_by("position")


def _list_term_columns(name: str) -> dict[str, ColumnElement[Any]]:
    """Return the columns of the terms that the field `name` shows."""
    columns = table_of(_TERM_MODELS[name]).c
    fields = _TERM_SCHEMAS[name].fields
    return {
        key: columns[key] for key in (field.attribute or field_name for field_name, field in fields.items())
    }


def make_article_fields(row: Any, needed: tuple[str, ...], terms: TermsByField) -> Fields:
    """Return the needed fields of an article, as JSON values by name, from its row and its terms.

    A page has no category. The HTML still contains references to other articles; see `article_links`.
    """
    fields = dump_row(_make_row_plan(needed), row)
    if "excerpt" in fields:
        fields["excerpt"] = row.excerpt or row.generated_excerpt
    for name in TERM_LIST_NAMES:
        if name in needed:
            fields[name] = list(terms[name].get(row.uuid, ()))
    if "category" in needed and (category := terms["category"].get(row.uuid)):
        fields["category"] = category[0]
    return fields


@lru_cache(maxsize=512)
def _make_row_plan(needed: tuple[str, ...]) -> DumpPlan:
    return _make_dump_plan(_RowSchema(only=[name for name in needed if name in ROW_FIELDS]))
