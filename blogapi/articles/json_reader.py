"""Articles as JSON, put together from the pieces that were made when they were written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, String, bindparam, case, literal, null, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from blogapi import clock
from blogapi.articles.filters import Selection
from blogapi.articles.fingerprint import fingerprint
from blogapi.articles.lifecycle import SCHEDULED, Status
from blogapi.articles.models import Article, ArticleJson, ArticleTag
from blogapi.articles.schemas import ArticleSchema, FoundFieldsSchema
from blogapi.categories.models import Category
from blogapi.storage import change_log
from blogapi.storage.database import UtcDateTime, db
from blogapi.tags.models import Tag
from blogapi.web import json as web_json
from blogapi.web import json_fragments
from blogapi.web.errors import Damaged
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest

# How many articles a read holds in memory at a time.
CHUNK_SIZE = 100

DOCUMENTED_FIELDS = tuple(ArticleSchema().fields)
_ORDER = tuple(FoundFieldsSchema().fields)
_JOINED = ("tags", "category", "status", "content", "html", "snippet")
FRAGMENT_FIELDS = tuple(name for name in _ORDER if name not in _JOINED)
Snippets = Callable[[Sequence[UUID]], Mapping[UUID, str]]
# uuid, version, status, lines, tags, category, content, html.
JsonRow = Row[*tuple[Any, ...]]

_article, _pieces = Article.__table__.c, ArticleJson.__table__.c
_tag, _worn, _category = Tag.__table__.c, ArticleTag.__table__.c, Category.__table__.c
_NOW = bindparam("now", type_=UtcDateTime())


def get_article_json(uuid: UUID, names: Sequence[str] | None, *, public: bool = False) -> JsonBody | None:
    """Return the article in the fields of these names, or None; `public`: only if everybody may see it."""
    chosen, values = _chosen(names), {"uuid": uuid, "now": clock.now()}
    row = _execute(_single(chosen, public), values).one_or_none()
    return None if row is None else JsonBody(_document(row, chosen, {}), str(row.version))


def list_articles_json(
    selection: Selection,
    window: PageRequest | None,
    names: Sequence[str] | None,
    *,
    public: bool,
    snippets: Snippets | None = None,
) -> Page[JsonBody]:
    """Return a page of the selected articles, or all of them, in the fields of these names.

    `public` tells whether the list shows what everybody may see, whose changes alone then count for it.
    """
    size, number = (window.size, window.number) if window else (CHUNK_SIZE + 1, 1)
    values = {**selection.values, "limit": size, "offset": (number - 1) * size}
    chosen = _chosen(names)
    rows = _execute(_page(selection.uuids, selection.descending, chosen), values).all()
    if window is not None:
        total = _execute(selection.count, values).scalar() or 0
        return Page(_array(rows, chosen, snippets), total, window)
    if len(rows) <= CHUNK_SIZE:
        return Page(_array(rows, chosen, snippets), len(rows), None)
    uuids = _execute(selection.uuids, values).scalars().all()
    return Page(get_articles_json(uuids, names, public=public, snippets=snippets), len(uuids), None)


def get_articles_json(
    uuids: Sequence[UUID],
    names: Sequence[str] | None,
    *,
    public: bool,
    snippets: Snippets | None = None,
) -> JsonBody:
    """Return the array of these articles in their order, in the fields of these names."""
    chosen = _chosen(names)
    if len(uuids) <= CHUNK_SIZE:
        return _array(_rows(uuids, chosen, public=public), chosen, snippets)
    state = f"{fingerprint()} {change_log.state_token(public=public)}"
    return JsonBody(_streamed(uuids, chosen, snippets, public=public), state=state)


def _streamed(
    uuids: Sequence[UUID], names: tuple[str, ...], snippets: Snippets | None, *, public: bool
) -> Iterator[bytes]:
    before = b"["
    for start in range(0, len(uuids), CHUNK_SIZE):
        rows = _rows(uuids[start : start + CHUNK_SIZE], names, public=public)
        if rows:
            yield before + b",".join(_documents(rows, names, snippets))
            before = b","
    yield b"]" if before == b"," else b"[]"


def _array(rows: Sequence[JsonRow], names: tuple[str, ...], snippets: Snippets | None) -> JsonBody:
    body = b"[" + b",".join(_documents(rows, names, snippets)) + b"]"
    return JsonBody(body, " ".join(str(row.version) for row in rows))


def _documents(rows: Sequence[JsonRow], names: tuple[str, ...], snippets: Snippets | None) -> Iterable[bytes]:
    wished = snippets is not None and "snippet" in names
    around = snippets([row.article_id for row in rows]) if snippets is not None and wished else {}
    return [_document(row, names, around) for row in rows]


def _document(row: JsonRow, names: tuple[str, ...], snippets: Mapping[UUID, str]) -> bytes:
    uuid, _, status, lines, tags, category, content, html = row
    parts = (
        *lines.split(b"\n"),
        f'"tags":[{json_fragments.to_object(tags)}]'.encode() if tags else b'"tags":[]',
        f'"category":{json_fragments.to_object(category)}'.encode() if category else b"",
        b'"status":"%b"' % status.encode(),
        content,
        html,
        f'"snippet":{web_json.to_json(snippets.get(uuid, ""))}'.encode() if snippets else b'"snippet":""',
    )
    return _text(b"{" + b",".join(_picked(names)(parts)) + b"}")


def _text(document: bytes) -> bytes:
    """Return the document; raises Damaged where it is no text.

    SQLite does not look at what stands in the pages of a long value: of a page that was overwritten it gives
    what is there now.
    """
    try:
        if b"\0" not in document and document.decode():
            return document
    except UnicodeDecodeError:
        pass
    raise Damaged("pieces of an article are no text")


@lru_cache(maxsize=512)
def _picked(names: tuple[str, ...]) -> Callable[[Sequence[bytes]], tuple[bytes, ...]]:
    """Return the function that picks the parts of these names, in their order."""
    places = [(*FRAGMENT_FIELDS, *_JOINED).index(name) for name in names]
    if len(places) == 1:
        return lambda parts: (parts[places[0]],)
    return itemgetter(*places)


def _chosen(names: Sequence[str] | None) -> tuple[str, ...]:
    return DOCUMENTED_FIELDS if names is None else tuple(name for name in _ORDER if name in names)


def _execute(statement: Select[*tuple[Any, ...]], values: Mapping[str, Any]) -> Any:
    # Past the ORM, which would look for entities in every row.
    return db.session.connection().execute(statement, values)


def _rows(uuids: Sequence[UUID], names: tuple[str, ...], *, public: bool) -> list[JsonRow]:
    values = {"uuids": list(uuids), "now": clock.now()}
    found = {row.article_id: row for row in _execute(_several(names, public), values)}
    # A long list is sent when the transaction that chose its articles has ended: a write may have come
    # between and have taken one away.
    return [found[uuid] for uuid in uuids if uuid in found]


@lru_cache(maxsize=512)
def _single(names: tuple[str, ...], public: bool) -> Select[*tuple[Any, ...]]:
    statement = _columns(names).where(_pieces.article_id == bindparam("uuid"))
    if not public:
        return statement
    visible = (_article.status == Status.PUBLISHED) & (_article.published_at <= _NOW)
    return statement.join(Article.__table__, _article.uuid == _pieces.article_id).where(visible)


@lru_cache(maxsize=512)
def _several(names: tuple[str, ...], public: bool) -> Select[*tuple[Any, ...]]:
    statement = _columns(names).where(_pieces.article_id.in_(bindparam("uuids", expanding=True)))
    if not public:
        return statement
    return statement.where(_pieces.status == Status.PUBLISHED, _pieces.published_at <= _NOW)


@lru_cache(maxsize=512)
def _page(
    uuids: Select[*tuple[Any, ...]], descending: tuple[bool, ...], names: tuple[str, ...]
) -> Select[*tuple[Any, ...]]:
    page = uuids.limit(bindparam("limit")).offset(bindparam("offset")).subquery("page")
    order = [
        column.desc() if falls else column for column, falls in zip(list(page.c)[1:], descending, strict=True)
    ]
    # An id costs a UUID object: it is asked for where a snippet is looked up by it.
    statement = _columns(names, named="snippet" in names)
    return statement.join(page, page.c.uuid == _pieces.article_id).order_by(*order)


def _columns(names: tuple[str, ...], *, named: bool = True) -> Select[*tuple[Any, ...]]:
    waits = (_pieces.status == Status.PUBLISHED) & (_pieces.published_at > _NOW)
    statement = select(
        *(_pieces.article_id if named else null().label("article_id"), _pieces.version),
        case((waits, literal(SCHEDULED)), else_=_pieces.status),
        _pieces.fields,
        _tags().scalar_subquery() if "tags" in names else null(),
        _category.pieces if "category" in names else null(),
        _pieces.content if "content" in names else null(),
        _pieces.html if "html" in names else null(),
    ).select_from(ArticleJson.__table__)
    if "category" in names:
        return statement.join(Category.__table__, _category.uuid == _pieces.category_id)
    return statement


def _tags() -> Select[str]:
    worn = (
        select(_tag.pieces)
        .join(ArticleTag.__table__, _worn.tag_id == _tag.uuid)
        .where(_worn.article_id == _pieces.article_id)
        .order_by(_worn.position)
        .correlate(ArticleJson.__table__)
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
