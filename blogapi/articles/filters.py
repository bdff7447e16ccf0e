"""Filters and orderings of article lists; the statements for each combination are built once and cached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
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
    or_,
    select,
)

from blogapi.articles.lifecycle import SCHEDULED
from blogapi.articles.models import (
    Article,
    ArticleAuthor,
    ArticleStats,
    ArticleTag,
    FormerSlug,
    WorkingCopy,
)
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.publication.visibility import READABLE_STATUSES, listed, listed_later, readable, scheduled
from blogapi.search import engines as search
from blogapi.search import numbering
from blogapi.search.models import SearchEntry
from blogapi.search.queries import Period
from blogapi.search.tokenizer import parse_query
from blogapi.storage.database import UtcDateTime, bytewise, current_time, db
from blogapi.tags.models import Tag
from blogapi.web.fields import parse_uuid

NEWEST = "-published_at"

# The filters of a statement as pairs of a name and a variant, sorted by name. The variant determines the SQL
# of the filter; its value is a bound parameter.
Variants = tuple[tuple[str, str], ...]
# The statements that select the ordered uuids and count them.
Statements = tuple[Select[*tuple[Any, ...]], Select[int]]

_article = Article.__table__.c
_tag, _byline, _author = ArticleTag.__table__.c, ArticleAuthor.__table__.c, Author.__table__.c
_former = FormerSlug.__table__.c
_stats = ArticleStats.__table__.c
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
_FILTER_NAMES = tuple(field.name for field in fields(ArticleFilters))


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
    return _select({"public": True}, filters)


def select_in_any_status(author_id: UUID | None, filters: ArticleFilters) -> Selection:
    """Return the selection of the author's articles (None: all articles) that match the filters."""
    return _select({"own": author_id} if author_id else {}, filters)


def select_status_counts(filters: ArticleFilters) -> tuple[Select[*tuple[Any, ...]], Mapping[str, Any]]:
    """Return a statement that counts the matching articles by status, and its parameters.

    Its columns are the status as the API shows it, the number of articles, and the number of those that have
    a working copy.
    """
    selection = _select({}, filters)
    status = case((_has_status(SCHEDULED), SCHEDULED), else_=_article.status).label("status")
    copy = select(_copy.article_id).where(_copy.article_id == _article.uuid).scalar_subquery()
    numbers = selection.count.with_only_columns(status, func.count(), func.count(copy)).group_by(status)
    return numbers, selection.values


def select_matching(author_id: UUID | None, filters: ArticleFilters) -> Select[UUID] | None:
    """Return an unordered statement that selects the uuids of the matching articles; None if all match.

    With `author_id`, only articles of that author match.
    """
    if (user_id := parse_uuid(filters.author)) and _is_only_author(user_id):
        filters = replace(filters, author="")
    scope = {"own": author_id} if author_id and not _is_only_author(author_id) else {}
    if not scope and filters == NO_FILTERS:
        return None
    if not scope and filters == ArticleFilters(tag=filters.tag):
        # The rows of the articles are not needed.
        return select(_tag.article_id).where(_tag.tag_id.in_(_resolve(Tag, filters.tag)))
    selection = _select(scope, filters)
    return selection.uuids.with_only_columns(_article.uuid).order_by(None).params(selection.values)


def _is_only_author(author_id: UUID) -> bool:
    # The index finds a smaller and a larger uuid at once; it would be read as a whole for `!=`.
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


def _select(scope: Mapping[str, Any], filters: ArticleFilters) -> Selection:
    all_values: dict[str, Any] = {name: getattr(filters, name) for name in _FILTER_NAMES}
    given: dict[str, Any] = {name: value for name, value in all_values.items() if value or value is False}
    ordering = given.pop("ordering", NEWEST)
    values: dict[str, Any] = {"now": current_time(), **scope, **given}
    for name, model in (("category", Category), ("tag", Tag)):
        if name in given:
            values[name] = _resolve(model, given[name])
    if "author" in given:
        del values["author"]
        values |= _resolve_author(given["author"])
    if "q" in given:
        query = parse_query(given["q"])
        values["q"] = search.find_numbers(db.session(), query) if query else ""
    variants = tuple(sorted((name, _variant(name, values)) for name in (*scope, *given)))
    # A single uuid is compared with `=`, so that the database reads sorted rows from an index. Several uuids
    # need `IN`.
    values |= {name: value[0] for name, value in values.items() if _has_one_item(value)}
    uuids, count = _build_statements(variants, ordering)
    descending = tuple(is_descending for _, is_descending in _order(variants, ordering))
    return Selection(uuids, descending, count, values)


def _variant(name: str, values: Mapping[str, Any]) -> str:
    if name == "author":
        return "" if "user" not in values else "user" if "author" in values else "only user"
    if name == "public":
        return "by byline" if _starts_with_byline(values) else ""
    value = values[name]
    if name in ("status", "working_copy"):
        return str(value)
    if name == "q":
        return db.engine.dialect.name if value else "nothing"
    return "several" if isinstance(value, list) and not _has_one_item(value) else ""


def _starts_with_byline(values: Mapping[str, Any]) -> bool:
    # SQLite would otherwise read all public articles, and look for each of them among the author's articles.
    return "author" in values and "category" not in values and db.engine.dialect.name == "sqlite"


def _has_one_item(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1


@lru_cache(maxsize=512)
def _build_statements(variants: Variants, ordering: str) -> Statements:
    conditions = [_condition(name, variant) for name, variant in variants]
    order = _order(variants, ordering)
    columns = [column.label(f"order_{place}") for place, (column, _) in enumerate(order)]
    uuids = (
        select(_article.uuid, *columns)
        .where(*conditions)
        .order_by(*(column.desc() if descending else column for column, descending in order))
    )
    if any(column is _LAST_CHANGE for column, _ in order):
        uuids = uuids.outerjoin(WorkingCopy.__table__, _copy.article_id == _article.uuid)
    if variants == (("public", ""),):
        return uuids, _count_public()
    return uuids, select(func.count()).select_from(Article.__table__).where(*conditions)


def _order(variants: Variants, ordering: str) -> tuple[tuple[ColumnElement[Any], bool], ...]:
    if any(name == "public" for name, _ in variants):
        return _ORDERINGS[ordering]
    if ordering in _UNDATED:
        return (_UNDATED[ordering], *_ORDERINGS[ordering])
    return tuple(
        (_LAST_CHANGE if column is _article.last_updated else column, descending)
        for column, descending in _ORDERINGS[ordering]
    )


def _condition(name: str, variant: str) -> ColumnElement[bool]:
    if name == "status":
        return _has_status(variant)
    if name == "working_copy":
        has_copy = _article.uuid.in_(select(_copy.article_id))
        return has_copy if variant == str(True) else ~has_copy
    if name == "q":
        return _matches_query(variant)
    if name == "author":
        return _has_author(variant)
    if name == "public":
        return listed(_WITHOUT_INDEX if variant else _article)
    several = variant == "several"
    value: BindParameter[Any] = bindparam(name, expanding=several)
    if name == "category":
        return _article.category_id.in_(value) if several else _article.category_id == value
    if name == "tag":
        has_tag = _tag.tag_id.in_(value) if several else _tag.tag_id == value
        return _article.uuid.in_(select(_tag.article_id).where(has_tag))
    return _CONDITIONS[name]


def _matches_query(variant: str) -> ColumnElement[bool]:
    query = bindparam("q", type_=String())
    return false() if variant == "nothing" else _article.uuid.in_(search.select_articles(db.session(), query))


def _has_author(variant: str) -> ColumnElement[bool]:
    """Return the condition that the byline has the author; with `user`, also that the user is the author.

    With `only user`, the user is the author of all articles.
    """
    if variant == "only user":
        return _article.author_id == bindparam("user")
    articles = select(_byline.article_id).where(_byline.author_id == bindparam("author"))
    if variant != "user":
        return _article.uuid.in_(articles)
    own = Article.__table__.alias("own").c
    return _article.uuid.in_(articles.union(select(own.uuid).where(own.author_id == bindparam("user"))))


def _has_status(status: str) -> ColumnElement[bool]:
    if status == SCHEDULED:
        return scheduled(_article)
    return readable(_article) if status in READABLE_STATUSES else _article.status == status


def _count_public() -> Select[int]:
    """Return a statement that computes the number of listed articles.

    The stored number includes the articles that will be listed later, so these are subtracted.
    """
    later = select(func.count()).select_from(Article.__table__).where(listed_later(_article))
    return select(_stats.published - later.scalar_subquery())


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
    # An index contains the articles of a user in the order of the lists, but not those of a byline.
    return {"user": uuid} if _is_only_author(uuid) else {"user": uuid, "author": row and row.uuid}


_CONDITIONS: dict[str, ColumnElement[bool]] = {
    "own": _article.author_id == bindparam("own"),
    "slug": or_(
        _article.slug == bindparam("slug"),
        _article.uuid.in_(select(_former.article_id).where(_former.slug == bindparam("slug"))),
    ),
    "published_after": _article.published_at >= bindparam("published_after", type_=UtcDateTime()),
    "published_before": _article.published_at < bindparam("published_before", type_=UtcDateTime()),
}
