"""The statements that read articles as JSON, and the columns that they select for each field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Select, String, bindparam, case, literal_column, select

from blogapi.content.articles.lifecycle import SCHEDULED
from blogapi.content.articles.models import Article, ArticleAuthor, ArticleJson, ArticleTag
from blogapi.content.articles.responses import computed_fields, neighbours
from blogapi.content.articles.responses.computed_fields import COMPUTED_FIELDS
from blogapi.content.articles.schemas import (
    ArticleSchema,
    FoundFieldsSchema,
    PageFieldsSchema,
    SingleArticleFieldsSchema,
)
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.tags import Tag
from blogapi.publication.visibility import ItemType, readable, scheduled
from blogapi.storage.database import table_of
from blogapi.web.stored_json import json_items, utf8

_article, _json = table_of(Article).c, table_of(ArticleJson).c
_tag, _article_tag, _category = table_of(Tag).c, table_of(ArticleTag).c, table_of(Category).c
_author, _article_author = table_of(Author).c, table_of(ArticleAuthor).c


def _select_terms(
    term: Any, link: Any, is_linked: ColumnElement[bool], position: ColumnElement[int]
) -> ColumnElement[bytes]:
    """Return the JSON of the tags or authors of an article, joined with commas."""
    terms = (
        select(term.json)
        .join(link.article_id.table, is_linked)
        .where(link.article_id == _json.article_id)
        .order_by(position)
        .correlate(ArticleJson.__table__)
        .subquery()
    )
    return select(json_items(terms.c.json)).scalar_subquery()


# This is a literal, so that the statements need no bound parameter for it.
_QUOTE: ColumnElement[str] = literal_column("'\"'", String())
_STATUS = case((scheduled(_json), literal_column(f"'{SCHEDULED}'")), else_=_json.status)
# The fields that are read from other tables, or computed by the database.
_JOINED_COLUMNS: Mapping[str, ColumnElement[Any]] = {
    "tags": _select_terms(_tag, _article_tag, _article_tag.tag_id == _tag.uuid, _article_tag.position),
    "category": _category.json,
    "status": utf8(_QUOTE + _STATUS + _QUOTE),
    "content": utf8(_article.content),
    "authors": _select_terms(
        _author, _article_author, _article_author.author_id == _author.uuid, _article_author.position
    ),
    "stored_custom": utf8(_article.custom),
}

DOCUMENTED_FIELDS = tuple(ArticleSchema().fields)
_SCHEMAS = (FoundFieldsSchema, SingleArticleFieldsSchema, PageFieldsSchema)
_FIELD_ORDER = tuple(dict.fromkeys(name for schema in _SCHEMAS for name in schema().fields))
# These fields are computed for each response; all other fields are in the database.
_UNSTORED_FIELDS = (*COMPUTED_FIELDS, *neighbours.FIELDS, "snippet")
STORED_FIELDS = tuple(name for name in _FIELD_ORDER if name not in (*_JOINED_COLUMNS, *_UNSTORED_FIELDS))
# Computed fields need all stored fields except for these.
LONG_FIELDS = ("word_count", "html", "toc")
_SHORT_FIELDS = tuple(name for name in STORED_FIELDS if name not in LONG_FIELDS)


def order_fields(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return these names (None: the documented ones) in the order that responses use."""
    return DOCUMENTED_FIELDS if names is None else tuple(name for name in _FIELD_ORDER if name in names)


@lru_cache(maxsize=512)
def select_one(names: tuple[str, ...], public: bool, type_: str | None = None) -> Select[*tuple[Any, ...]]:
    """Return the statement that selects one article with these fields, if it has the type."""
    statement = _select_columns(names).where(_json.article_id == bindparam("uuid"))
    if type_ is not None:
        # A page never has a category, and an article always has one.
        is_page = _json.category_id.is_(None)
        statement = statement.where(is_page if type_ == ItemType.PAGE else ~is_page)
    if not public:
        return statement
    is_readable = select(_article.uuid).where(_article.uuid == bindparam("uuid"), readable(_article))
    return statement.where(is_readable.exists())


@lru_cache(maxsize=512)
def select_several(names: tuple[str, ...], public: bool) -> Select[*tuple[Any, ...]]:
    """Return the statement that selects several articles with these fields."""
    statement = _select_columns(names).where(_json.article_id.in_(bindparam("uuids", expanding=True)))
    return statement.where(readable(_json)) if public else statement


def list_columns(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the fields to select from the database for a response with these fields, in their order."""
    needed = computed_fields.get_needed_fields(names)
    if any(name in names for name in COMPUTED_FIELDS):
        needed = [*_SHORT_FIELDS, "status", *needed]
    return tuple(dict.fromkeys(name for name in (*names, *needed) if name not in _UNSTORED_FIELDS))


def _select_columns(names: tuple[str, ...]) -> Select[*tuple[Any, ...]]:
    columns = list_columns(names)
    statement = select(
        *(_json.article_id, _json.version, _json.last_updated_json),
        *(_JOINED_COLUMNS[name] if name in _JOINED_COLUMNS else _json[f"{name}_json"] for name in columns),
    ).select_from(ArticleJson.__table__)
    if "category" in columns:
        statement = statement.outerjoin(Category.__table__, _category.uuid == _json.category_id)
    if not {"content", "stored_custom"}.isdisjoint(columns):
        statement = statement.join(Article.__table__, _article.uuid == _json.article_id)
    return statement
