"""Filters and orderings of article lists; each combination has statements that are built once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    String,
    bindparam,
    case,
    exists,
    false,
    func,
    literal,
    or_,
    select,
)

from blogapi.articles.counts import select_public_number
from blogapi.articles.lifecycle import SCHEDULED
from blogapi.articles.models import (
    Article,
    ArticleAuthor,
    ArticleTag,
    FormerSlug,
    WorkingCopy,
)
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.publication.visibility import (
    Status,
    has_status,
    listed,
    listed_later,
    scheduled,
)
from blogapi.search import engines as search
from blogapi.search import numbering
from blogapi.search.models import SearchEntry
from blogapi.search.queries import Period
from blogapi.search.tokenizer import parse_query
from blogapi.storage.database import UtcDateTime, bytewise, current_time, db
from blogapi.tags.models import Tag
from blogapi.taxonomies.models import ALL_ARTICLES
from blogapi.web.fields import parse_uuid

NEWEST = "-published_at"

# The statements that select the ordered uuids and count them.
Statements = tuple[Select[*tuple[Any, ...]], Select[int]]

_article = Article.__table__.c
_tag, _byline, _author = ArticleTag.__table__.c, ArticleAuthor.__table__.c, Author.__table__.c
_former = FormerSlug.__table__.c
_entry = SearchEntry.__table__.c
_copy = WorkingCopy.__table__.c
# With this expression, SQLite does not use the index of the status.
_WITHOUT_INDEX = SimpleNamespace(status=_article.status.concat(""), published_at=_article.published_at)

# Each ordering is a sequence of pairs: a column, and whether it is descending.
_ORDERINGS: dict[str, tuple[tuple[ColumnElement[Any], bool], ...]] = {
    "-published_at": ((_article.published_at, True), (_article.uuid, False)),
    "published_at": ((_article.published_at, False), (_article.uuid, False)),
    "title": ((func.lower(bytewise(_article.title)), False), (_article.uuid, False)),
    "-title": ((func.lower(bytewise(_article.title)), True), (_article.uuid, False)),
    "last_updated": ((_article.last_updated, False), (_article.uuid, False)),
    "-last_updated": ((_article.last_updated, True), (_article.uuid, False)),
}
# In lists that contain drafts, saving a working copy is a change of the article.
_LAST_CHANGE: ColumnElement[datetime] = case(
    (_copy.last_updated > _article.last_updated, _copy.last_updated), else_=_article.last_updated
)
# An article without a date is a draft in progress. In lists it is sorted as if it were newer than all other
# articles.
_UNDATED = {
    "-published_at": (_article.published_at.is_not(None), False),
    "published_at": (_article.published_at.is_(None), False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilters:
    """The filters of an article list; a filter with an empty value is not applied.

    `category` and `tag` contain uuids or slugs; an article matches if it has any of these categories and any
    of these tags. `author` is the uuid of a user, or the uuid or slug of an author. `working_copy` is whether
    the article has a working copy. `published_after` is inclusive, and `published_before` is exclusive.
    """

    q: str = ""
    category: Sequence[str] = ()
    tag: Sequence[str] = ()
    author: str = ""
    slug: str = ""
    status: str = ""
    working_copy: bool | None = None
    published_after: datetime | None = None
    published_before: datetime | None = None
    ordering: str = ""

    @property
    def need_draft_access(self) -> bool:
        """Whether the filters select by properties that only callers with access to drafts may see."""
        return bool(self.status) or self.working_copy is not None


NO_FILTERS = ArticleFilters()


@dataclass(frozen=True, slots=True)
class Selection:
    """The statements that select and count the matching articles, with the values of their parameters.

    `uuids` selects the uuid and then the columns of the ordering; `descending` has one flag for each of these
    columns.
    """

    uuids: Select[*tuple[Any, ...]]
    descending: tuple[bool, ...]
    count: Select[int]
    values: Mapping[str, Any]


def select_public(filters: ArticleFilters) -> Selection:
    """Return the selection of the public articles that match the filters."""
    return _select(filters, "public")


def select_in_any_status(author_id: UUID | None, filters: ArticleFilters) -> Selection:
    """Return the selection of the author's articles (None: all articles) that match the filters."""
    return _select_own(author_id, filters)


def select_status_counts(filters: ArticleFilters) -> tuple[Select[*tuple[Any, ...]], Mapping[str, Any]]:
    """Return a statement that counts the matching articles by status, and its parameters.

    Its columns are the status as the API shows it, the number of articles, and the number of those that have
    a working copy.
    """
    selection = _select(filters)
    status = case((scheduled(_article), SCHEDULED), else_=_article.status).label("status")
    copy = select(_copy.article_id).where(_copy.article_id == _article.uuid).scalar_subquery()
    numbers = selection.count.with_only_columns(status, func.count(), func.count(copy)).group_by(status)
    return numbers, selection.values


def select_matching(author_id: UUID | None, filters: ArticleFilters) -> Select[UUID] | None:
    """Return an unordered statement that selects the uuids of the matching articles; None if all match.

    With `author_id`, only articles of that author match.
    """
    if (user_id := parse_uuid(filters.author)) and _is_only_author(user_id):
        filters = replace(filters, author="")
    if author_id and _is_only_author(author_id):
        author_id = None
    if author_id is None and filters == NO_FILTERS:
        return None
    if author_id is None and filters == ArticleFilters(tag=filters.tag):
        # The rows of the articles are not needed.
        return select(_tag.article_id).where(_tag.tag_id.in_(_resolve(Tag, filters.tag)))
    selection = _select_own(author_id, filters)
    return selection.uuids.with_only_columns(_article.uuid).order_by(None).params(selection.values)


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
    return _select(filters, "own", own=author_id) if author_id else _select(filters)


def _select(filters: ArticleFilters, *conditions: str, **values: Any) -> Selection:
    names, values = [*conditions], {"now": current_time(), **values}
    if filters.author:
        author = _resolve_author(filters.author)
        if (
            "author" in author
            and names == ["public"]
            and not filters.category
            and db.engine.dialect.name == "sqlite"
        ):
            # SQLite would otherwise read all public articles, and look up each of them among the author's
            # articles.
            names = ["public, after the others"]
        names.append(" or ".join(author))
        values |= author
    for name, model, references in (("category", Category, filters.category), ("tag", Tag, filters.tag)):
        if references:
            term_uuids = _resolve(model, references)
            # A single uuid is compared with `=`, so that the database reads sorted rows from an index.
            names.append(name if len(term_uuids) == 1 else f"any {name}")
            values[name] = term_uuids[0] if len(term_uuids) == 1 else term_uuids
    if filters.status:
        names.append(filters.status)
    if filters.working_copy is not None:
        names.append("edited" if filters.working_copy else "not edited")
    for name in ("slug", "published_after", "published_before"):
        if value := getattr(filters, name):
            names.append(name)
            values[name] = value
    if filters.q:
        query = parse_query(filters.q)
        names.append("words" if query else "nothing")
        values["words"] = query and search.find_numbers(db.session(), query)
    ordering = filters.ordering or NEWEST
    uuids, count = _build_statements(tuple(names), ordering, search.get_engine(db.session()))
    descending = tuple(is_descending for _, is_descending in _order(tuple(names), ordering))
    return Selection(uuids, descending, count, values)


@lru_cache(maxsize=512)
def _build_statements(names: tuple[str, ...], ordering: str, engine: search.Engine) -> Statements:
    words = _article.uuid.in_(search.select_articles(engine, bindparam("words", type_=String())))
    conditions = [words if name == "words" else _CONDITIONS[name] for name in names]
    order = _order(names, ordering)
    columns = [column.label(f"order_{place}") for place, (column, _) in enumerate(order)]
    uuids = (
        select(_article.uuid, *columns)
        .where(*conditions)
        .order_by(*(column.desc() if descending else column for column, descending in order))
    )
    if any(column is _LAST_CHANGE for column, _ in order):
        uuids = uuids.outerjoin(WorkingCopy.__table__, _copy.article_id == _article.uuid)
    if names == ("public",):
        return uuids, select_public_number(literal(ALL_ARTICLES), listed_later(_article))
    return uuids, select(func.count()).select_from(Article.__table__).where(*conditions)


def _order(names: tuple[str, ...], ordering: str) -> tuple[tuple[ColumnElement[Any], bool], ...]:
    if any(name.startswith("public") for name in names):
        return _ORDERINGS[ordering]
    if ordering in _UNDATED:
        return (_UNDATED[ordering], *_ORDERINGS[ordering])
    return tuple(
        (_LAST_CHANGE if column is _article.last_updated else column, descending)
        for column, descending in _ORDERINGS[ordering]
    )


def _resolve(model: type[Category | Tag], references: Sequence[str]) -> list[UUID]:
    """Return the uuids of the referenced rows; unknown references are ignored."""
    uuids = [uuid for reference in references if (uuid := parse_uuid(reference))]
    return list(
        db.session.scalars(select(model.uuid).where(or_(model.uuid.in_(uuids), model.slug.in_(references))))
    )


def _resolve_author(reference: str) -> dict[str, UUID | None]:
    """Return the uuid of the profile (None if there is none), and the uuid of the user if it names a user."""
    uuid = parse_uuid(reference)
    statement = select(_author.uuid, _author.owner_id)
    if uuid is None:
        row = db.session.execute(statement.where(_author.slug == reference)).first()
        return {"author": row and row.uuid}
    is_named = or_(_author.uuid == uuid, _author.owner_id == uuid)
    row = db.session.execute(statement.where(is_named).order_by(_author.uuid != uuid)).first()
    if row is not None and row.uuid == uuid:
        return {"author": uuid}
    # An index has the order of the lists for the articles of a user, but not for those of a byline.
    return {"user": uuid} if _is_only_author(uuid) else {"author": row and row.uuid, "user": uuid}


def _list_parameter(name: str) -> BindParameter[Any]:
    return bindparam(name, expanding=True)


def _has_tag(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return _article.uuid.in_(select(_tag.article_id).where(condition))


_own = Article.__table__.alias("own").c
_by_author = select(_byline.article_id).where(_byline.author_id == bindparam("author"))
_by_user = select(_own.uuid).where(_own.author_id == bindparam("user"))
_has_copy = _article.uuid.in_(select(_copy.article_id))

# The conditions of the filters by name. A parameter has the name of the filter.
_CONDITIONS: dict[str, ColumnElement[bool]] = {
    "public": listed(_article),
    "public, after the others": listed(_WITHOUT_INDEX),
    "own": _article.author_id == bindparam("own"),
    "category": _article.category_id == bindparam("category"),
    "any category": _article.category_id.in_(_list_parameter("category")),
    "tag": _has_tag(_tag.tag_id == bindparam("tag")),
    "any tag": _has_tag(_tag.tag_id.in_(_list_parameter("tag"))),
    "author": _article.uuid.in_(_by_author),
    "user": _article.author_id == bindparam("user"),
    "author or user": _article.uuid.in_(_by_author.union(_by_user)),
    "edited": _has_copy,
    "not edited": ~_has_copy,
    "slug": or_(
        _article.slug == bindparam("slug"),
        _article.uuid.in_(select(_former.article_id).where(_former.slug == bindparam("slug"))),
    ),
    "published_after": _article.published_at >= bindparam("published_after", type_=UtcDateTime()),
    "published_before": _article.published_at < bindparam("published_before", type_=UtcDateTime()),
    "nothing": false(),
    SCHEDULED: scheduled(_article),
    **{status.value: has_status(_article, status.value) for status in Status},
}
