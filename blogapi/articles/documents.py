"""Articles as JSON, put together from the pieces that were made when they were written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from operator import itemgetter
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, String, bindparam, case, literal, null, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

import blogapi
from blogapi.articles.models import Article, ArticlePieces, ArticleTag
from blogapi.articles.rules import SCHEDULED, Status
from blogapi.articles.schemas import ArticleFieldsSchema, ArticleSchema
from blogapi.articles.selections import Selection
from blogapi.categories.models import Category
from blogapi.core import clock, pieces
from blogapi.core.database import UtcDateTime, db
from blogapi.core.paging import Page, Window
from blogapi.core.pieces import Rendered
from blogapi.tags.models import Tag

DOCUMENTED = tuple(ArticleSchema().fields)
_ORDER = tuple(ArticleFieldsSchema().fields)
_JOINED = ("tags", "category", "status", "content", "html")
LINES = tuple(name for name in _ORDER if name not in _JOINED)
# Counted up whenever this program begins to make pieces or index otherwise, between two versions of it.
FORMAT = "1"
_LIBRARIES = ("nh3", "markdown-it-py", "mdit-py-plugins")

# What the pieces depend on beside the article; where it differs, all are made anew at the next start.
RENDERER = hashlib.sha256(
    " ".join((blogapi.__version__, FORMAT, *(version(name) for name in _LIBRARIES), *LINES)).encode("utf-8")
).hexdigest()[:16]

# version, status, lines, tags, category, content, html.
Columns = Row[*tuple[Any, ...]]

_article, _pieces = Article.__table__.c, ArticlePieces.__table__.c
_tag, _worn, _category = Tag.__table__.c, ArticleTag.__table__.c, Category.__table__.c
_NOW = bindparam("now", type_=UtcDateTime())


def one(uuid: UUID, names: Sequence[str] | None, *, public: bool = False) -> Rendered | None:
    """Return the article in the fields of these names, or None; `public`: only if everybody may see it."""
    chosen, values = _chosen(names), {"uuid": uuid, "now": clock.now()}
    row = _execute(_single(chosen, public), values).one_or_none()
    return None if row is None else Rendered(_document(row, chosen), str(row.version))


def listed(selection: Selection, window: Window | None, names: Sequence[str] | None) -> Page[Rendered]:
    """Return a page of the selected articles, or all of them, in the fields of these names."""
    chosen, values = _chosen(names), dict(selection.values)
    if window is not None:
        values |= {"limit": window.size, "offset": (window.number - 1) * window.size}
    listing = _listing(selection.uuids, selection.falling, chosen, window is not None)
    rows = _execute(listing, values).all()
    total = len(rows) if window is None else _execute(selection.count, values).scalar() or 0
    return Page(_array(rows, chosen), total, window)


def _array(rows: Sequence[Columns], names: tuple[str, ...]) -> Rendered:
    body = b"[" + b",".join(_documents(rows, names)) + b"]"
    return Rendered(body, " ".join(str(row.version) for row in rows))


def _documents(rows: Sequence[Columns], names: tuple[str, ...]) -> Iterable[bytes]:
    return [_document(row, names) for row in rows]


def _document(row: Columns, names: tuple[str, ...]) -> bytes:
    _, status, lines, tags, category, content, html = row
    parts = (
        *lines.split(b"\n"),
        f'"tags":[{pieces.whole(tags)}]'.encode() if tags else b'"tags":[]',
        f'"category":{pieces.whole(category)}'.encode() if category else b"",
        b'"status":"%b"' % status.encode(),
        content,
        html,
    )
    return b"{" + b",".join(_picked(names)(parts)) + b"}"


@lru_cache(maxsize=512)
def _picked(names: tuple[str, ...]) -> Callable[[Sequence[bytes]], tuple[bytes, ...]]:
    """Return the function that picks the parts of these names, in their order."""
    places = [(*LINES, *_JOINED).index(name) for name in names]
    if len(places) == 1:
        return lambda parts: (parts[places[0]],)
    return itemgetter(*places)


def _chosen(names: Sequence[str] | None) -> tuple[str, ...]:
    return DOCUMENTED if names is None else tuple(name for name in _ORDER if name in names)


def _execute(statement: Select[*tuple[Any, ...]], values: Mapping[str, Any]) -> Any:
    # Past the ORM, which would look for entities in every row.
    return db.session.connection().execute(statement, values)


@lru_cache(maxsize=512)
def _single(names: tuple[str, ...], public: bool) -> Select[*tuple[Any, ...]]:
    statement = _columns(names).where(_pieces.article_id == bindparam("uuid"))
    if not public:
        return statement
    visible = (_article.status == Status.PUBLISHED) & (_article.published_at <= _NOW)
    return statement.join(Article.__table__, _article.uuid == _pieces.article_id).where(visible)


@lru_cache(maxsize=512)
def _listing(
    uuids: Select[*tuple[Any, ...]], falling: tuple[bool, ...], names: tuple[str, ...], paged: bool
) -> Select[*tuple[Any, ...]]:
    chosen = uuids.limit(bindparam("limit")).offset(bindparam("offset")) if paged else uuids
    page = chosen.subquery("page")
    order = [
        column.desc() if falls else column for column, falls in zip(list(page.c)[1:], falling, strict=True)
    ]
    return _columns(names).join(page, page.c.uuid == _pieces.article_id).order_by(*order)


def _columns(names: tuple[str, ...]) -> Select[*tuple[Any, ...]]:
    waits = (_pieces.status == Status.PUBLISHED) & (_pieces.published_at > _NOW)
    statement = select(
        _pieces.version,
        case((waits, literal(SCHEDULED)), else_=_pieces.status),
        _pieces.fields,
        _tags().scalar_subquery() if "tags" in names else null(),
        _category.pieces if "category" in names else null(),
        _pieces.content if "content" in names else null(),
        _pieces.html if "html" in names else null(),
    ).select_from(ArticlePieces.__table__)
    if "category" in names:
        return statement.join(Category.__table__, _category.uuid == _pieces.category_id)
    return statement


def _tags() -> Select[str]:
    worn = (
        select(_tag.pieces)
        .join(ArticleTag.__table__, _worn.tag_id == _tag.uuid)
        .where(_worn.article_id == _pieces.article_id)
        .order_by(_worn.position)
        .correlate(ArticlePieces.__table__)
        .subquery()
    )
    return select(_Joined(worn.c.pieces))


class _Joined(FunctionElement[str]):
    """The texts of all rows in their order, `},{` between them.

    SQLAlchemy's own `aggregate_strings` renders its separator anew with every execution: 0.2 ms.
    """

    inherit_cache = True
    type = String()


@compiles(_Joined)
def _group_concat(element: _Joined, compiler: SQLCompiler, **options: Any) -> str:
    return f"group_concat({compiler.process(element.clauses, **options)}, '}},{{')"


@compiles(_Joined, "postgresql")
def _string_agg(element: _Joined, compiler: SQLCompiler, **options: Any) -> str:
    return f"string_agg({compiler.process(element.clauses, **options)}, '}},{{')"
