"""The filters of article lists, and the SQL conditions that are made from them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, bindparam, exists, false, literal, or_, select, union_all

from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag, FormerSlug, WorkingCopy
from blogapi.content.custom_fields.filters import FieldFilter
from blogapi.content.search.engines import find_matching_row_numbers, get_engine, select_articles_by_numbers
from blogapi.content.search.tokenizer import parse_query
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.hierarchy import find_terms_and_descendants
from blogapi.content.taxonomies.queries import find_uuids_by_former_slugs
from blogapi.content.taxonomies.tags import Tag
from blogapi.parsing import normalize_language, parse_uuid
from blogapi.publication.visibility import (
    SCHEDULED,
    ItemType,
    match_any_of,
    match_articles,
    match_listed_articles,
    match_listed_pages,
    match_pages,
    match_scheduled_items,
    match_status,
)
from blogapi.site.queries import get_site
from blogapi.storage.database import db, table_of
from blogapi.storage.expressions import has_json_value


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilters:
    """The filters of an article list; a filter with an empty value is not applied.

    `category`, `tag`, `tags_all`, `not_category` and `not_tag` contain uuids or slugs. An article matches if
    it has any of the categories, any of the tags, each tag of `tags_all`, and none of the categories and tags
    to exclude. A category includes the categories below it, unless the filters are `exact`.
    `author` is the uuid of a user, or the uuid or slug of an author. `featured` is whether the article is
    featured, and `working_copy` whether it has a working copy. `language` and `not_language` are normalized
    tags.
    `published_after` and `updated_after` are inclusive, `published_before` is exclusive. A page matches if
    its parent is the page `parent`, or, with `top`, if it has no parent. `custom` filters by custom fields.
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
    not_language: Sequence[str] = ()
    translation_key: str = ""
    working_copy: bool | None = None
    published_after: datetime | None = None
    published_before: datetime | None = None
    updated_after: datetime | None = None
    ordering: str = ""
    parent: UUID | None = None
    top: bool = False
    custom: Sequence[FieldFilter] = ()

    @property
    def needs_draft_access(self) -> bool:
        """Whether only callers who see drafts may use these filters."""
        return bool(self.status) or self.working_copy is not None


NO_FILTERS = ArticleFilters()


PAGE = ItemType.PAGE.value

_article, _copy, _former = table_of(Article).c, table_of(WorkingCopy).c, table_of(FormerSlug).c
_tag, _byline = table_of(ArticleTag).c, table_of(ArticleAuthor).c
_other = table_of(Article).alias("other").c


@dataclass(frozen=True, slots=True)
class ArticleCondition:
    """A condition on articles, in several equivalent forms.

    `of_article` applies to the rows of articles. `in_all` is faster in statements that read all articles,
    such as counts. `of_link` applies to the rows of `link`, the columns of a table of links to tags or
    authors. With `drives`, each article has at most one matching link, so a list can be read from the index
    of the links. `of_any_tag` applies to all rows of ArticleTag, because they repeat the category of the
    article. With `is_selective`, an index finds the few matching articles.
    """

    of_article: ColumnElement[bool]
    in_all: Any = None
    link: Any = None
    of_link: Any = None
    drives: bool = False
    of_any_tag: Any = None
    is_selective: bool = False

    def get_sql(self, *, reads_all: bool) -> ColumnElement[bool]:
        """Return the SQL condition; with `reads_all`, the form for statements that read all articles."""
        return self.in_all if reads_all and self.in_all is not None else self.of_article


def list_filter_conditions(filters: ArticleFilters) -> Iterator[ArticleCondition]:
    """Yield the conditions of the filters, except those on the status, the type and the publication time."""
    yield from _match_terms(filters)
    if filters.author:
        yield _match_author(filters.author)
    if filters.uuid:
        yield ArticleCondition(match_any_of(_article.uuid, filters.uuid), is_selective=True)
    if filters.parent:
        yield ArticleCondition(_article.parent_id == filters.parent)
    if filters.top:
        yield ArticleCondition(_article.parent_id.is_(None))
    if filters.slug:
        has_now = select(_other.uuid).where(_other.slug == filters.slug)
        had_before = select(_former.article_id).where(_former.slug == filters.slug)
        yield ArticleCondition(_article.uuid.in_(has_now.union_all(had_before)), is_selective=True)
    if filters.featured is not None:
        yield ArticleCondition(_article.featured if filters.featured else ~_article.featured)
    if filters.working_copy is not None:
        has_copy = _article.uuid.in_(select(_copy.article_id))
        is_wanted = has_copy if filters.working_copy else ~has_copy
        yield ArticleCondition(is_wanted, is_selective=filters.working_copy)
    if filters.language:
        yield _match_language(filters.language)
    if filters.not_language:
        yield ArticleCondition(_article.language.not_in(filters.not_language))
    if filters.translation_key:
        # The index of translation keys contains only articles that have such a key.
        has_key = _article.translation_key != "", _article.translation_key == filters.translation_key
        yield ArticleCondition(and_(*has_key))
    if filters.updated_after:
        yield ArticleCondition(_article.last_updated >= filters.updated_after, is_selective=True)
    for field in filters.custom:
        wanted = (field.name, json.dumps(field.values), field.is_list)
        yield ArticleCondition(has_json_value(_article.custom, *map(literal, wanted)))
    if filters.q:
        yield _match_search_query(filters.q)


def list_status_conditions(
    filters: ArticleFilters, columns: Any, now: datetime, *, public: bool
) -> list[ColumnElement[bool]]:
    """Return the conditions on the type and the status of articles."""
    is_of_pages = filters.type == PAGE
    if public:
        return [match_listed_pages(columns, now) if is_of_pages else match_listed_articles(columns, now)]
    type_ = match_pages(_article) if is_of_pages else match_articles(columns)
    if not filters.status:
        return [type_]
    is_wanted = (
        match_scheduled_items(columns, now)
        if filters.status == SCHEDULED
        else match_status(columns, filters.status, now)
    )
    return [type_, is_wanted]


def list_period_conditions(column: Any, filters: ArticleFilters) -> list[ColumnElement[bool]]:
    """Return the conditions that `column`, a publication time, is in the period of the filters."""
    after, before = filters.published_after, filters.published_before
    return [*([column >= after] if after else ()), *([column < before] if before else ())]


def is_author_of_all_articles(author_id: UUID) -> bool:
    """Return whether this user has written all articles."""
    # For `<` and `>`, the database looks up one entry of the index; for `!=`, it would read the whole index.
    others = [exists().where(_article.author_id < author_id), exists().where(_article.author_id > author_id)]
    return not db.session.scalar(select(or_(*others)))


#: Maps each reference (uuid, slug or former slug of a tag or a category) to the uuids of the matching terms.
TermUuidsByReference = Mapping[str, Sequence[UUID]]


def find_filter_terms(filters: ArticleFilters) -> tuple[TermUuidsByReference, TermUuidsByReference]:
    """Return the tags and the categories that the filters name; unknown references are left out.

    A category includes all categories below it, unless the filters are `exact`.
    """
    wanted: Mapping[type[Tag | Category], Collection[str]] = {
        Tag: {*filters.tag, *filters.tags_all, *filters.not_tag},
        Category: {*filters.category, *filters.not_category},
    }
    models = tuple(model for model, references in wanted.items() if references)
    if not models:
        return {}, {}
    values: dict[str, Any] = {}
    for model in models:
        values[f"{model.kind}_slugs"] = list(wanted[model])
        values[f"{model.kind}_uuids"] = [uuid for text in wanted[model] if (uuid := parse_uuid(text))]
    named = {model.kind: defaultdict[UUID | str, list[UUID]](list) for model in wanted}
    for kind, root, slug, uuid in db.session.connection().execute(
        _select_filter_terms(models, filters.exact), values
    ):
        named[kind][root].append(uuid)
        named[kind][slug].append(uuid)
    found: dict[Any, dict[str, Sequence[UUID]]] = {Tag: {}, Category: {}}
    for model in models:
        by_name, others = named[model.kind], list[str]()
        for reference in wanted[model]:
            # A term with the uuid takes precedence over a term whose slug is the same text.
            uuids = by_name.get(parse_uuid(reference) or "") or by_name.get(reference)
            if uuids:
                found[model][reference] = uuids
            else:
                others.append(reference)
        for slug, uuid in (find_uuids_by_former_slugs(model, others) if others else {}).items():
            found[model][slug] = (
                find_terms_and_descendants(model, [uuid])
                if model is Category and not filters.exact
                else [uuid]
            )
    return found[Tag], found[Category]


@cache
def _select_filter_terms(models: tuple[type[Tag | Category], ...], exact: bool) -> Any:
    """Return the statement that selects the terms in the filters, and the descendants of categories."""
    selects = []
    for model in models:
        term = table_of(model).c
        is_named = or_(
            term.uuid.in_(bindparam(f"{model.kind}_uuids", expanding=True)),
            term.slug.in_(bindparam(f"{model.kind}_slugs", expanding=True)),
        )
        columns = literal(model.kind).label("kind"), term.uuid.label("root"), term.slug, term.uuid
        named: Any = select(*columns).where(is_named)
        if model is Category and not exact:
            below = named.cte("below", recursive=True)
            child = select(below.c.kind, below.c.root, below.c.slug, term.uuid)
            # UNION leaves out categories that were already found, so the recursion ends even in a cycle.
            named = select(below.union(child.where(term.parent_id == below.c.uuid)))
        selects.append(named)
    return union_all(*selects)


def _list_term_uuids(named: TermUuidsByReference, references: Sequence[str]) -> list[UUID]:
    return list({uuid: None for reference in references for uuid in named.get(reference, ())})


def _match_terms(filters: ArticleFilters) -> Iterator[ArticleCondition]:
    tags, categories = find_filter_terms(filters)
    if filters.tag:
        yield _match_link(_tag, _tag.tag_id, _list_term_uuids(tags, filters.tag))
    for reference in dict.fromkeys(filters.tags_all):
        yield _match_link(_tag, _tag.tag_id, tags.get(reference, ()))
    if unwanted := _list_term_uuids(tags, filters.not_tag):
        has_tag = _match_link(_tag, _tag.tag_id, unwanted)
        yield ArticleCondition(~has_tag.of_article, ~has_tag.in_all)
    if filters.category:
        wanted = _list_term_uuids(categories, filters.category)
        of_article, of_tag = (match_any_of(columns.category_id, wanted) for columns in (_article, _tag))
        yield ArticleCondition(of_article, of_any_tag=of_tag)
    if unwanted := _list_term_uuids(categories, filters.not_category):
        of_article, of_tag = (columns.category_id.not_in(unwanted) for columns in (_article, _tag))
        yield ArticleCondition(of_article, of_any_tag=of_tag)


def _match_link(link: Any, column: Any, values: Sequence[UUID]) -> ArticleCondition:
    """Return the condition that an article has one of these values in a table of links."""
    of_link = match_any_of(column, values)
    has_link = exists().where(link.article_id == _article.uuid, of_link).correlate(table_of(Article))
    in_all = _article.uuid.in_(select(link.article_id).where(of_link))
    return ArticleCondition(has_link, in_all, link, of_link, drives=len(values) == 1)


def _match_author(reference: str) -> ArticleCondition:
    """Return the condition that the author is in the byline or, for the uuid of a user, wrote the article."""
    uuid = parse_uuid(reference)
    named = Author.slug == reference if uuid is None else or_(Author.uuid == uuid, Author.owner_id == uuid)
    row = db.session.execute(select(Author.uuid).where(named).order_by(Author.uuid != uuid)).first()
    author = row.uuid if row else find_uuids_by_former_slugs(Author, [reference]).get(reference)
    by_author = _match_link(_byline, _byline.author_id, [author] if author else [])
    if uuid is None or author == uuid or (row is None and author):
        return by_author
    wrote = _article.author_id == uuid
    if is_author_of_all_articles(uuid):
        return ArticleCondition(wrote)
    return ArticleCondition(or_(wrote, by_author.of_article), or_(wrote, by_author.in_all))


def _match_language(language: str) -> ArticleCondition:
    if language != normalize_language(get_site().language):
        return ArticleCondition(and_(_article.language != "", _article.language == language))
    return ArticleCondition(match_language(_article.uuid, language))


def match_language(uuid: ColumnElement[UUID], language: str) -> ColumnElement[bool]:
    """Return the SQL condition that the article with this uuid is in the language."""
    # The index of languages contains only articles that name their language.
    named = select(_other.uuid).where(_other.language != "")
    if language != normalize_language(get_site().language):
        return uuid.in_(named.where(_other.language == language))
    # Articles from before a change of the site's language can name the language that the site has now.
    return uuid.not_in(named.where(_other.language != language))


def _match_search_query(text: str) -> ArticleCondition:
    query, session = parse_query(text), db.session()
    if not query:
        return ArticleCondition(false())
    numbers = literal(find_matching_row_numbers(session, query))
    return ArticleCondition(_article.uuid.in_(select_articles_by_numbers(get_engine(session), numbers)))
