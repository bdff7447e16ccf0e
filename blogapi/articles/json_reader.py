"""Reads articles as JSON, which it assembles from the fragments that `json_writer` stored."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from operator import itemgetter
from types import MappingProxyType
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    bindparam,
    case,
    func,
    literal,
    literal_column,
    null,
    select,
)

from blogapi.articles import computed_fields, neighbours
from blogapi.articles.computed_fields import COMPUTED_FIELDS
from blogapi.articles.filters import Selection
from blogapi.articles.lifecycle import SCHEDULED
from blogapi.articles.models import Article, ArticleAuthor, ArticleJson, ArticleTag
from blogapi.articles.renderer_version import get_renderer_version
from blogapi.articles.schemas import ArticleSchema, FoundFieldsSchema, SingleArticleFieldsSchema
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.publication import events
from blogapi.publication.visibility import readable, scheduled
from blogapi.site.queries import get_service_url
from blogapi.storage.database import chunk, current_time, db
from blogapi.tags.models import Tag
from blogapi.web import json as web_json
from blogapi.web import json_fragments
from blogapi.web.errors import Damaged
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.json_fragments import SERVICE_ADDRESS, place_service_address
from blogapi.web.pagination import Page, PageRequest

# The maximum number of articles that a read keeps in memory at a time.
CHUNK_SIZE = 100

DOCUMENTED_FIELDS = tuple(ArticleSchema().fields)
_ORDER = tuple(dict.fromkeys((*FoundFieldsSchema().fields, *SingleArticleFieldsSchema().fields)))
# The fields in the column `html`.
RENDERED_FIELDS = ("word_count", "html", "toc")
_NOT_RENDERED = (b"",) * len(RENDERED_FIELDS)
_JOINED = ("tags", "category", "status", "content", *RENDERED_FIELDS, "authors", "snippet")
_COMPUTED = (*COMPUTED_FIELDS, *neighbours.FIELDS)
_NOTHING_COMPUTED = (b"",) * len(_COMPUTED)
FRAGMENT_FIELDS = tuple(name for name in _ORDER if name not in (*_JOINED, *_COMPUTED))
_LAST_UPDATED = FRAGMENT_FIELDS.index("last_updated")
Snippets = Callable[[Sequence[UUID]], Mapping[UUID, str]]
FragmentGetter = Callable[[Sequence[bytes]], tuple[bytes, ...]]
# The columns are article_id, version, status, fields, tags, category, content, html and authors.
JsonRow = Row[*tuple[Any, ...]]

_article, _json = Article.__table__.c, ArticleJson.__table__.c
_tag, _article_tag, _category = Tag.__table__.c, ArticleTag.__table__.c, Category.__table__.c
_author, _article_author = Author.__table__.c, ArticleAuthor.__table__.c
_SERVICE_ADDRESS = SERVICE_ADDRESS.encode()


def get_article_json(uuid: UUID, names: Sequence[str] | None, *, public: bool = False) -> JsonBody | None:
    """Return the article with these fields (None: the documented ones), or None if there is no such article.

    With `public`, the result is also None if the article is not public.
    """
    statement = _select_one(_order_fields(names), public)
    row = _execute(statement, {"uuid": uuid, "now": current_time()}).one_or_none()
    return None if row is None else make_body(row, names)


def make_body(row: Any, names: Sequence[str] | None) -> JsonBody:
    """Return the article of the row, which has the columns of JsonRow, with these fields."""
    fields = _order_fields(names)
    wanted = [name for name in fields if name in neighbours.FIELDS]
    found = neighbours.find_json(row.article_id, wanted) if wanted else {}
    (body,) = _to_objects([row], fields, None, found)
    return JsonBody(_complete_text(body), item_state=_get_state(row))


def list_articles_json(
    selection: Selection,
    page: PageRequest | None,
    names: Sequence[str] | None,
    *,
    public: bool,
    snippets: Snippets | None = None,
) -> Page[JsonBody]:
    """Return a page of the selected articles, or all of them, with these fields (None: the documented ones).

    With `public`, the list shows only public articles, and only changes to public articles change its ETag.
    """
    size, number = (page.size, page.number) if page else (CHUNK_SIZE + 1, 1)
    values = {**selection.values, "limit": size, "offset": (number - 1) * size}
    fields = _order_fields(names)
    rows = _execute(_select_page(selection.uuids, selection.descending, fields), values).all()
    if page is not None:
        total = _execute(selection.count, values).scalar() or 0
        return Page(_to_array(rows, fields, snippets), total, page)
    if len(rows) <= CHUNK_SIZE:
        return Page(_to_array(rows, fields, snippets), len(rows), None)
    uuids = _execute(selection.uuids, values).scalars().all()
    return Page(get_articles_json(uuids, names, public=public, snippets=snippets), len(uuids), None)


def get_articles_json(
    uuids: Sequence[UUID],
    names: Sequence[str] | None,
    *,
    public: bool,
    snippets: Snippets | None = None,
) -> JsonBody:
    """Return the array of these articles, in the given order, with these fields (None: documented ones)."""
    fields = _order_fields(names)
    if len(uuids) <= CHUNK_SIZE:
        return _to_array(_fetch(uuids, fields, public=public), fields, snippets)
    computed_state = computed_fields.get_state(fields)
    state = f"{get_renderer_version()} {events.state_token(public=public)} {computed_state}"
    if not public:
        # Working copies, whose changes are no events, decide which articles are in such a list, and in which
        # order.
        state += hashlib.sha256(b"".join(uuid.bytes for uuid in uuids)).hexdigest()
    return JsonBody(_stream_array(uuids, fields, snippets, public=public), state=state)


def _stream_array(
    uuids: Sequence[UUID], names: tuple[str, ...], snippets: Snippets | None, *, public: bool
) -> Iterator[bytes]:
    separator, get_address = b"[", cache(get_service_url)
    for some in chunk(uuids, CHUNK_SIZE):
        rows = _fetch(some, names, public=public)
        if rows:
            yield separator + _complete_text(b",".join(_to_objects(rows, names, snippets)), get_address)
            separator = b","
    yield b"]" if separator == b"," else b"[]"


def _to_array(rows: Sequence[JsonRow], names: tuple[str, ...], snippets: Snippets | None) -> JsonBody:
    body = b"[%b]" % b",".join(_to_objects(rows, names, snippets))
    return JsonBody(_complete_text(body), " ".join(str(row.version) for row in rows))


def _to_objects(
    rows: Sequence[JsonRow],
    names: tuple[str, ...],
    snippets: Snippets | None,
    found_neighbours: Mapping[str, bytes] = MappingProxyType({}),
) -> Sequence[bytes]:
    needs_snippets = snippets is not None and "snippet" in names
    found = snippets([row.article_id for row in rows]) if snippets is not None and needs_snippets else {}
    get_fragments = _make_getter(names)
    if not any(name in names for name in _COMPUTED):
        return [_to_object(row, get_fragments, found) for row in rows]
    computed: Sequence[tuple[bytes, ...]] = [(b"",) * len(COMPUTED_FIELDS)] * len(rows)
    if any(name in names for name in COMPUTED_FIELDS):
        computed = computed_fields.compute_fragments(names, [_parse_row(row) for row in rows])
    near = tuple(found_neighbours.get(name, b"") for name in neighbours.FIELDS)
    return [
        _to_object(row, get_fragments, found, (*fields, *near))
        for row, fields in zip(rows, computed, strict=True)
    ]


def _get_state(row: JsonRow) -> str:
    """Return the version of the article and the time of its last change.

    The time distinguishes the state from one that had the same version before a backup was restored.
    """
    last_updated: bytes = row.fields.split(b"\n")[_LAST_UPDATED]
    return f"{row.version} {last_updated.decode(errors='replace')}"


def _to_object(
    row: JsonRow,
    get_fragments: FragmentGetter,
    snippets: Mapping[UUID, str],
    computed: Sequence[bytes] = _NOTHING_COMPUTED,
) -> bytes:
    uuid, _, status, fields, tags, category, content, rendered, authors = row
    fragments = (
        *fields.split(b"\n"),
        b'"tags":[%b]' % json_fragments.to_object(tags).encode() if tags else b'"tags":[]',
        b'"category":%b' % json_fragments.to_object(category).encode() if category else b"",
        b'"status":"%b"' % status.encode(),
        content,
        *(rendered.split(b"\n") if rendered else _NOT_RENDERED),
        b'"authors":[%b]' % json_fragments.to_object(authors).encode() if authors else b'"authors":[]',
        f'"snippet":{web_json.to_json(snippets.get(uuid, ""))}'.encode() if snippets else b'"snippet":""',
        *computed,
    )
    return b"{%b}" % b",".join(get_fragments(fragments))


def _parse_row(row: JsonRow) -> Fields:
    """Return the fields of the row that computed fields need, by name."""
    _, _, status, fields, tags, category, _, _, authors = row
    try:
        return {
            **json_fragments.parse_fragments(fields.decode()),
            "status": status,
            "tags": _parse_array(tags),
            "authors": _parse_array(authors),
            "category": json_fragments.parse_fragments(category) if category else None,
        }
    except ValueError as error:
        raise _damaged() from error


def _parse_array(fragments: str | None) -> list[Fields]:
    array: list[Fields] = (
        json_fragments.parse_json(f"[{json_fragments.to_object(fragments)}]") if fragments else []
    )
    return array


def _complete_text(document: bytes, get_address: Callable[[], str] = get_service_url) -> bytes:
    """Return the JSON of one or several articles, with the address of the service.

    Raises Damaged if it is not UTF-8 text.

    SQLite does not verify the pages of a long value: if a page is damaged, SQLite returns the wrong bytes
    without an error.
    """
    try:
        if b"\0" not in document and document.decode():
            return (
                place_service_address(document, get_address()) if _SERVICE_ADDRESS in document else document
            )
    except UnicodeDecodeError:
        pass
    raise _damaged()


def _damaged() -> Damaged:
    return Damaged("the stored JSON of an article is not text")


@lru_cache(maxsize=512)
def _make_getter(names: tuple[str, ...]) -> FragmentGetter:
    """Return the function that gets the fragments of these fields, in this order."""
    indexes = [(*FRAGMENT_FIELDS, *_JOINED, *_COMPUTED).index(name) for name in names]
    if any(name in COMPUTED_FIELDS for name in names):
        # The fragment of a field that is absent is empty.
        return lambda fragments: tuple(filter(None, (fragments[index] for index in indexes)))
    if len(indexes) == 1:
        # With a single index, `itemgetter` would return the item instead of a tuple.
        return lambda fragments: (fragments[indexes[0]],)
    return itemgetter(*indexes)


def _order_fields(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return these names (None: the documented ones) in the order that responses use."""
    return DOCUMENTED_FIELDS if names is None else tuple(name for name in _ORDER if name in names)


def _execute(statement: Select[*tuple[Any, ...]], values: Mapping[str, Any]) -> Any:
    # This bypasses the ORM, which would look for entities in every row.
    return db.session.connection().execute(statement, values)


def _fetch(uuids: Sequence[UUID], names: tuple[str, ...], *, public: bool) -> list[JsonRow]:
    values = {"uuids": list(uuids), "now": current_time()}
    found = {row.article_id: row for row in _execute(_select_several(names, public), values)}
    # A long list is sent after the transaction that selected its articles has ended, so another write may
    # have deleted or hidden some of them in the meantime.
    return [found[uuid] for uuid in uuids if uuid in found]


@lru_cache(maxsize=512)
def _select_one(names: tuple[str, ...], public: bool) -> Select[*tuple[Any, ...]]:
    statement = _columns(names).where(_json.article_id == bindparam("uuid"))
    if not public:
        return statement
    return statement.join(Article.__table__, _article.uuid == _json.article_id).where(readable(_article))


@lru_cache(maxsize=512)
def _select_several(names: tuple[str, ...], public: bool) -> Select[*tuple[Any, ...]]:
    statement = _columns(names).where(_json.article_id.in_(bindparam("uuids", expanding=True)))
    if not public:
        return statement
    return statement.where(readable(_json))


@lru_cache(maxsize=512)
def _select_page(
    uuids: Select[*tuple[Any, ...]], descending: tuple[bool, ...], names: tuple[str, ...]
) -> Select[*tuple[Any, ...]]:
    page = uuids.limit(bindparam("limit")).offset(bindparam("offset")).subquery("page")
    order = [
        column.desc() if is_descending else column
        for column, is_descending in zip(list(page.c)[1:], descending, strict=True)
    ]
    # Selecting the uuid creates a Python object for each row, so it is selected only to look up snippets.
    statement = _columns(names, with_uuid="snippet" in names)
    return statement.join(page, page.c.uuid == _json.article_id).order_by(*order)


def _columns(names: tuple[str, ...], *, with_uuid: bool = True) -> Select[*tuple[Any, ...]]:
    names = (*names, *computed_fields.get_needed_fields(names))
    statement = select(
        *(_json.article_id if with_uuid else null().label("article_id"), _json.version),
        case((scheduled(_json), literal(SCHEDULED)), else_=_json.status),
        _json.fields,
        _select_tags().scalar_subquery() if "tags" in names else null(),
        _category.pieces if "category" in names else null(),
        _json.content if "content" in names else null(),
        null() if set(RENDERED_FIELDS).isdisjoint(names) else _json.html,
        _select_authors().scalar_subquery() if "authors" in names else null(),
    ).select_from(ArticleJson.__table__)
    if "category" in names:
        return statement.join(Category.__table__, _category.uuid == _json.category_id)
    return statement


def _select_tags() -> Select[str]:
    fragments = (
        select(_tag.pieces)
        .join(ArticleTag.__table__, _article_tag.tag_id == _tag.uuid)
        .where(_article_tag.article_id == _json.article_id)
        .order_by(_article_tag.position)
        .correlate(ArticleJson.__table__)
        .subquery()
    )
    return select(_join_fragments(fragments.c.pieces))


def _select_authors() -> Select[str]:
    fragments = (
        select(_author.pieces)
        .join(ArticleAuthor.__table__, _article_author.author_id == _author.uuid)
        .where(_article_author.article_id == _json.article_id)
        .order_by(_article_author.position)
        .correlate(ArticleJson.__table__)
        .subquery()
    )
    return select(_join_fragments(fragments.c.pieces))


def _join_fragments(pieces: ColumnElement[str]) -> ColumnElement[str]:
    """Return the SQL aggregate that joins the fragments of all rows, in their order, with `},{`."""
    # A bound separator would be rendered again for every execution, which takes 0.2 ms.
    return func.aggregate_strings(pieces, literal_column("'},{'"))  # type: ignore[arg-type]
