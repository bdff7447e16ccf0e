"""Filters of article lists, and the statements and parameters that select the matching articles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Executable, Select, exists, or_, select

from blogapi.articles.lists.conditions import PAGE, Names
from blogapi.articles.lists.statements import (
    Statements,
    build_list,
    build_matching,
    build_status_counts,
    name_category,
)
from blogapi.articles.models import Article, ArticleTag, WorkingCopy
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.custom_fields import filters as custom_fields_filters
from blogapi.parsing import normalize_language, parse_uuid
from blogapi.publication.visibility import ItemType, is_page
from blogapi.search import engines as search
from blogapi.search import numbering
from blogapi.search.models import SearchEntry
from blogapi.search.queries import Period
from blogapi.search.tokenizer import parse_query
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db, table_of
from blogapi.tags.models import Tag
from blogapi.taxonomies import queries as taxonomies
from blogapi.taxonomies.hierarchy import find_descendants, has_parents

NEWEST = "-published_at"

_article, _author = table_of(Article).c, table_of(Author).c
_copy, _entry = table_of(WorkingCopy).c, table_of(SearchEntry).c


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilters:
    """The filters of an article list; a filter with an empty value is not applied.

    `category`, `tag`, `tags_all`, `not_category` and `not_tag` contain uuids or slugs. An article matches if
    it has any of the categories, any of the tags, each tag of `tags_all`, and nothing of the other two. A
    category includes those below it, unless the filters are `exact`.
    `author` is the uuid of a user, or the uuid or slug of an author. `featured` is whether the article is
    featured, and `working_copy` whether it has a working copy. `language` is a tag in the usual case.
    `published_after` and `updated_after` are inclusive, `published_before` is exclusive. A page matches if it
    is directly below the page `parent`, or, with `top`, below no page. `custom` has the wanted values
    of custom fields, by name.
    """

    q: str = ""
    category: Sequence[str] = ()
    tag: Sequence[str] = ()
    tags_all: Sequence[str] = ()
    not_category: Sequence[str] = ()
    not_tag: Sequence[str] = ()
    exact: bool = False
    uuid: Sequence[UUID] = ()
    author: str = ""
    slug: str = ""
    status: str = ""
    type: str = ItemType.ARTICLE.value
    featured: bool | None = None
    language: str = ""
    translation_key: str = ""
    working_copy: bool | None = None
    published_after: datetime | None = None
    published_before: datetime | None = None
    updated_after: datetime | None = None
    ordering: str = ""
    parent: UUID | None = None
    top: bool = False
    custom: custom_fields_filters.Filters = ()

    @property
    def need_draft_access(self) -> bool:
        """Whether the filters select by properties that only callers with access to drafts may see."""
        return bool(self.status) or self.working_copy is not None


NO_FILTERS = ArticleFilters()


@dataclass(frozen=True, slots=True)
class Selection:
    """The statements that select and count the matching articles, with the values of their parameters."""

    statements: Statements
    values: Mapping[str, Any]


def select_public(filters: ArticleFilters) -> Selection:
    """Return the selection of the public articles that match the filters."""
    return _select(filters, "public")


def select_in_any_status(author_id: UUID | None, filters: ArticleFilters) -> Selection:
    """Return the selection of the author's articles (None: all articles) that match the filters."""
    return _select_own(author_id, filters)


def select_status_counts(
    author_id: UUID | None, filters: ArticleFilters
) -> tuple[Executable, Mapping[str, Any]]:
    """Return the statement that counts the author's articles (None: all) by status, and its parameters."""
    names, values = _list_conditions(filters)
    if author_id is not None:
        names, values["own"] = ("own", *names), author_id
    return build_status_counts(names, search.get_engine(db.session())), values


def select_matching(author_id: UUID | None, filters: ArticleFilters, *, public: bool) -> Select[UUID] | None:
    """Return an unordered statement that selects the uuids of the matching articles; None if all match.

    With `public`, the statement may select pages too: the other conditions of the search leave them out. With
    `author_id`, only articles of that author match.
    """
    if (user_id := parse_uuid(filters.author)) and _is_only_author(user_id):
        filters = replace(filters, author="")
    if author_id and _is_only_author(author_id):
        author_id = None
    has_pages = not public and db.session.scalar(select(exists().where(is_page(_article))))
    if author_id is None and filters == NO_FILTERS and not has_pages:
        return None
    if author_id is None and filters == ArticleFilters(tag=filters.tag) and not has_pages:
        # The rows of the articles are not needed.
        tag = table_of(ArticleTag).c
        return select(tag.article_id).where(tag.tag_id.in_(_resolve(Tag, filters.tag)))
    names, values = _list_conditions(filters)
    if author_id:
        names, values["own"] = ("own", *names), author_id
    return build_matching(names, search.get_engine(db.session())).params(values)


def _is_only_author(author_id: UUID) -> bool:
    # With `<` and `>`, the database looks up one index entry each; with `!=`, it would read the whole index.
    others = [exists().where(_article.author_id < author_id), exists().where(_article.author_id > author_id)]
    return not db.session.scalar(select(or_(*others)))


def make_period(filters: ArticleFilters) -> Period:
    """Return the numbers in the search index of the public articles that match the filters by time."""
    first, last, outside = 0, numbering.last_number(current_time()), []
    if filters.published_after:
        number = numbering.first_number(filters.published_after)
        first = max(first, number - numbering.MAX_SHIFT)
        outside.append(_is_near(number) & (_article.published_at < filters.published_after))
    if filters.published_before:
        number = numbering.first_number(filters.published_before)
        last = min(last, number + numbering.MAX_SHIFT)
        outside.append(_is_near(number) & (_article.published_at >= filters.published_before))
    if not outside:
        return Period(first, last)
    numbers = select(_entry.number).join(Article.__table__, _article.uuid == _entry.article_id)
    return Period(first, last, numbers.where(or_(*outside)))


def _is_near(number: int) -> ColumnElement[bool]:
    return _entry.number.between(number - numbering.MAX_SHIFT, number + numbering.MAX_SHIFT)


def _select_own(author_id: UUID | None, filters: ArticleFilters) -> Selection:
    if author_id is None or _is_only_author(author_id):
        return _select(filters)
    return _select(filters, "own", own=author_id)


def _select(filters: ArticleFilters, *conditions: str, **values: Any) -> Selection:
    names, found = _list_conditions(filters)
    engine = search.get_engine(db.session())
    categories = found["category"] if "any category" in names else ()
    statements = build_list((*conditions, *names), filters.ordering or NEWEST, engine, len(categories))
    each = {name_category(place): category for place, category in enumerate(categories)}
    return Selection(statements, {**values, **found, **each})


def _list_conditions(filters: ArticleFilters) -> tuple[Names, dict[str, Any]]:
    """Return the names of the conditions of the filters, and the values of their parameters."""
    names, values = list[str](), dict[str, Any](now=current_time())
    if filters.type == PAGE:
        names.append(PAGE)
    if filters.author:
        author = _resolve_author(filters.author)
        names.append(" or ".join(author))
        values |= author
    for name, model, references in (("category", Category, filters.category), ("tag", Tag, filters.tag)):
        if references:
            term_uuids = _resolve(model, references, exact=filters.exact)
            # A single uuid is compared with `=`, so that the database reads sorted rows from an index.
            names.append(name if len(term_uuids) == 1 else f"any {name}")
            values[name] = term_uuids[0] if len(term_uuids) == 1 else term_uuids
    if filters.tags_all:
        required, tags = _require_tags(filters)
        names += required
        values |= tags
    if filters.status:
        names.append(filters.status)
    if filters.featured is not None:
        names.append("featured" if filters.featured else "not featured")
    if filters.working_copy is not None:
        names.append("edited" if filters.working_copy else "not edited")
    if filters.language:
        names.append(_name_language_condition(filters.language))
        values["language"] = filters.language
    if filters.top:
        names.append("top")
    for name in (
        "uuid",
        "slug",
        "parent",
        "translation_key",
        "published_after",
        "published_before",
        "updated_after",
    ):
        if value := getattr(filters, name):
            names.append(name)
            values[name] = value
    for place, field in enumerate(filters.custom):
        names.append(f"custom {place}")
        values |= {f"custom_name_{place}": field.name, f"custom_is_list_{place}": field.is_list}
        values[f"custom_values_{place}"] = json.dumps(field.values)
    if filters.q:
        query = parse_query(filters.q)
        names.append("words" if query else "nothing")
        values["words"] = query and search.find_numbers(db.session(), query)
    for name, model, references in (
        ("category", Category, filters.not_category),
        ("tag", Tag, filters.not_tag),
    ):
        if references and (term_uuids := _resolve(model, references, exact=filters.exact)):
            names.append(f"not {name}")
            values[f"not_{name}"] = term_uuids
    return tuple(names), values


def _name_language_condition(language: str) -> str:
    if language != normalize_language(get_site().language):
        return "language"
    # Writes store the language of the site as an empty text, but the site may have had another one before.
    is_named = db.session.scalar(
        select(exists().where(_article.language == language, _article.language != ""))
    )
    return "own or named language" if is_named else "own language"


def _resolve(model: type[Category | Tag], references: Sequence[str], *, exact: bool = False) -> list[UUID]:
    """Return the uuids of the referenced rows, also by former slugs; unknown references are ignored.

    Unless the references are `exact`, they include the categories below the referenced ones.
    """
    uuids = [uuid for reference in references if (uuid := parse_uuid(reference))]
    is_named = or_(model.uuid.in_(uuids), model.slug.in_(references))
    rows = db.session.execute(select(model.uuid, model.slug).where(is_named)).all()
    known = {name for row in rows for name in (str(row.uuid), row.slug)}
    others = [reference for reference in references if reference not in known]
    former = taxonomies.find_former_owners(model, others) if others else {}
    found = list(dict.fromkeys([*(row.uuid for row in rows), *former.values()]))
    return found if exact or not found or not has_parents(model) else find_descendants(model, found)


def _require_tags(filters: ArticleFilters) -> tuple[list[str], dict[str, Any]]:
    """Return the conditions under which an article has all tags of `tags_all`, and their parameters."""
    tags = _resolve_all(filters.tags_all)
    if not tags:
        return ["nothing"], {}
    # The list of the first tag is read, and the others are looked up for each article.
    first = () if filters.tag else tags[:1]
    others = tags[len(first) :]
    names = [*(["tag"] if first else ()), *(["all tags"] if others else ())]
    return names, {"all_tags": others, "all_tags_number": len(others)} | ({"tag": first[0]} if first else {})


def _resolve_all(references: Sequence[str]) -> list[UUID]:
    """Return the uuids of the tags; an empty list if one of the tags does not exist."""
    uuids = [parse_uuid(reference) for reference in references]
    is_named = or_(Tag.uuid.in_(filter(None, uuids)), Tag.slug.in_(references))
    statement = select(Tag.uuid, Tag.slug).where(is_named).order_by(Tag.uuid)
    rows = db.session.execute(statement).all()
    by_slug = {row.slug: row.uuid for row in rows}
    by_uuid = {row.uuid: row.uuid for row in rows}
    found = {by_uuid.get(uuid) or by_slug.get(slug) for uuid, slug in zip(uuids, references, strict=True)}
    return [] if None in found else [row.uuid for row in rows if row.uuid in found]


def _resolve_author(reference: str) -> dict[str, UUID | None]:
    """Return the uuid of the profile (None if there is none), and the uuid of the user if it names a user."""
    uuid = parse_uuid(reference)
    statement = select(_author.uuid, _author.owner_id)
    if uuid is None:
        row = db.session.execute(statement.where(_author.slug == reference)).first()
        return {"author": row.uuid if row else _find_former_author(reference)}
    is_named = or_(_author.uuid == uuid, _author.owner_id == uuid)
    row = db.session.execute(statement.where(is_named).order_by(_author.uuid != uuid)).first()
    if row is not None and row.uuid == uuid:
        return {"author": uuid}
    if row is None and (merged := _find_former_author(reference)):
        return {"author": merged}
    # An index has the order of the lists for the articles of a user, but not for those of a byline.
    return {"user": uuid} if _is_only_author(uuid) else {"author": row and row.uuid, "user": uuid}


def _find_former_author(slug: str) -> UUID | None:
    """Return the uuid of the author that had the slug, or into which the author with this uuid was merged."""
    return taxonomies.find_former_owners(Author, [slug]).get(slug)
