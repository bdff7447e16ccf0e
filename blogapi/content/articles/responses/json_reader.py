"""Reads articles as JSON, which it assembles from the JSON values that `json_writer` stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from uuid import UUID

from sqlalchemy import Executable

from blogapi.content.articles.lists.statements import ArticleList
from blogapi.content.articles.renderer_version import get_renderer_version
from blogapi.content.articles.responses import article_links, computed_fields, neighbours
from blogapi.content.articles.responses.computed_fields import COMPUTED_FIELDS
from blogapi.content.articles.responses.json_statements import (
    LONG_FIELDS,
    list_columns,
    order_fields,
    select_one,
    select_several,
)
from blogapi.publication import events
from blogapi.storage.database import chunk, current_time, db
from blogapi.web import json as web_json
from blogapi.web.errors import Damaged
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest

# The maximum number of articles that a read keeps in memory at a time.
CHUNK_SIZE = 100

_ARRAYS = ("tags", "authors")
_NO_TEXT = "the stored JSON of an article is not text"
Snippets = Callable[[Sequence[UUID]], Mapping[UUID, str]]
# The columns of a row: article_id, version, last_updated_json and the fields that `list_columns` returns.
JsonRow = Sequence[Any]
_FIRST_FIELD = 3


def get_article_json(
    uuid: UUID, names: Sequence[str] | None, *, public: bool = False, type_: str | None = None
) -> JsonBody | None:
    """Return the article with these fields (None: the documented fields), or None if it does not exist.

    With `public`, the result is also None if the article is not public, and with `type_` if it has another
    type: an article or a page.
    """
    statement = select_one(order_fields(names), public, type_)
    row = _execute(statement, {"uuid": uuid, "now": current_time()}).one_or_none()
    return None if row is None else _make_body(row, names)


def _make_body(row: JsonRow, names: Sequence[str] | None) -> JsonBody:
    """Return the JSON of the article in the row, with these fields."""
    fields = order_fields(names)
    wanted = [name for name in fields if name in neighbours.FIELDS]
    found = neighbours.find_json(row[0], wanted) if wanted else {}
    (body,) = _to_objects([row], fields, None, found)
    # After a backup is restored, another state of the article can get the same version; its time differs.
    state = f"{row[1]} {row[2].decode(errors='replace')}"
    return JsonBody(_check_text(body), item_state=state)


def make_article_body(
    uuid: UUID, version: int, values: Mapping[str, bytes | None], names: Sequence[str] | None
) -> JsonBody:
    """Return the JSON of an article with these fields from `values`, instead of from a stored row.

    `values` contains the JSON value of each field, except that the content is plain text, and that arrays
    have no brackets. The category of a page is None.
    """
    columns = (values[name] for name in list_columns(order_fields(names)))
    return _make_body((uuid, version, values["last_updated"], *columns), names)


def list_articles_json(
    articles: ArticleList,
    page: PageRequest | None,
    names: Sequence[str] | None,
    *,
    public: bool,
    snippets: Snippets | None = None,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    """Return a page of the selected articles, or all articles, with these fields (None: documented fields).

    With `public`, the list shows only public articles, and only changes to public articles change its ETag.
    """
    if page is None:
        uuids = _execute(articles.uuids).scalars().all()
        body = get_articles_json(uuids, names, public=public, snippets=snippets, hashes_body=hashes_body)
        return Page(body, len(uuids), None)
    total = _execute(articles.total).scalar() or 0
    limit, offset, is_backwards = page.locate(total)
    ordered = articles.backwards if is_backwards else articles.uuids
    uuids = _execute(ordered.limit(limit).offset(offset)).scalars().all() if limit else []
    fields = order_fields(names)
    rows = _fetch_rows(uuids[::-1] if is_backwards else uuids, fields, public=public)
    return Page(_to_array(rows, fields, snippets), total, page)


def get_articles_json(
    uuids: Sequence[UUID],
    names: Sequence[str] | None,
    *,
    public: bool,
    snippets: Snippets | None = None,
    hashes_body: bool = False,
) -> JsonBody:
    """Return the array of these articles, in the given order, with these fields (None: documented fields).

    The ETag of a long array changes with every change of the blog. With `hashes_body`, the ETag is the digest
    of the array, which is then read twice: an author must not learn from the ETag when other users write.
    """
    fields = order_fields(names)
    if len(uuids) <= CHUNK_SIZE:
        return _to_array(_fetch_rows(uuids, fields, public=public), fields, snippets)
    if hashes_body:
        digest = hashlib.sha256()
        for part in _stream_array(uuids, fields, snippets, public=public):
            digest.update(part)
        body = _stream_array(uuids, fields, snippets, public=public)
        return JsonBody(body, state=digest.hexdigest())
    computed_state = computed_fields.get_state(fields)
    state = f"{get_renderer_version()} {events.state_token(public=public)} {computed_state}"
    if not public:
        # Changes of working copies are not events, but can change which articles are listed, and their order.
        state += hashlib.sha256(b"".join(uuid.bytes for uuid in uuids)).hexdigest()
    return JsonBody(_stream_array(uuids, fields, snippets, public=public), state=state)


def _stream_array(
    uuids: Sequence[UUID], names: tuple[str, ...], snippets: Snippets | None, *, public: bool
) -> Iterator[bytes]:
    separator = b"["
    for batch in chunk(uuids, CHUNK_SIZE):
        rows = _fetch_rows(batch, names, public=public)
        if rows:
            yield separator + _check_text(b",".join(_to_objects(rows, names, snippets)))
            separator = b","
    yield b"]" if separator == b"," else b"[]"


def _to_array(rows: Sequence[JsonRow], names: tuple[str, ...], snippets: Snippets | None) -> JsonBody:
    body = b"[%b]" % b",".join(_to_objects(rows, names, snippets))
    return JsonBody(_check_text(body), " ".join([str(row[1]) for row in rows]))


def _to_objects(
    rows: Sequence[JsonRow],
    names: tuple[str, ...],
    snippets: Snippets | None,
    found_neighbours: Mapping[str, bytes] = MappingProxyType({}),
) -> Sequence[bytes]:
    columns = list_columns(names)
    if columns == names and {"content", "html"}.isdisjoint(names):
        template = _make_template(names)
        return [template % row[_FIRST_FIELD:] for row in rows]
    articles = [dict(zip(columns, row[_FIRST_FIELD:], strict=True)) for row in rows]
    made: list[dict[str, bytes]] = [dict(found_neighbours) for _ in rows]
    if "html" in names:
        texts = [article["html"] for article in articles]
        for fields, text in zip(made, article_links.resolve(texts), strict=True):
            fields["html"] = text
    if any(name in names for name in COMPUTED_FIELDS):
        computed_json = computed_fields.compute_json(names, _parse(articles, columns))
        for fields, computed in zip(made, computed_json, strict=True):
            fields |= computed
    if "snippet" in names:
        found = snippets([row[0] for row in rows]) if snippets is not None else {}
        for fields, row in zip(made, rows, strict=True):
            fields["snippet"] = web_json.to_json_bytes(found.get(row[0], ""))
    return [
        _make_object({**article, **fields}, names) for article, fields in zip(articles, made, strict=True)
    ]


@lru_cache(maxsize=512)
def _make_template(names: tuple[str, ...]) -> bytes:
    """Return the JSON object of these fields, with `%b` in place of each value."""
    values = (f'"{name}":{"[%b]" if name in _ARRAYS else "%b"}' for name in names)
    return f"{{{','.join(values)}}}".encode()


def _make_object(article: Mapping[str, bytes], names: Iterable[str]) -> bytes:
    """Return a JSON object of the fields that the article has."""
    # A page has no category.
    present = tuple(name for name in names if article.get(name) is not None)
    return _make_template(present) % tuple(
        web_json.to_json_bytes(article[name].decode()) if name == "content" else article[name]
        for name in present
    )


def _parse(articles: Sequence[Mapping[str, bytes]], columns: Iterable[str]) -> list[Fields]:
    """Return the field values that computed fields need, for each article."""
    needed = tuple(name for name in columns if name not in ("content", *LONG_FIELDS))
    try:
        array = b"[%b]" % b",".join([_make_object(article, needed) for article in articles])
        parsed: list[Fields] = [{"category": None, **article} for article in json.loads(array)]
    except ValueError as error:
        raise Damaged(_NO_TEXT) from error
    return parsed


def _check_text(document: bytes) -> bytes:
    """Return the JSON of one or several articles; raises Damaged if it is not UTF-8 text.

    SQLite does not verify the pages of a long value: it returns the bytes of a damaged page without an error.
    """
    try:
        if b"\0" not in document and document.decode():
            return document
    except UnicodeDecodeError:
        pass
    raise Damaged(_NO_TEXT)


def _execute(statement: Executable, values: Mapping[str, Any] | None = None) -> Any:
    # This bypasses the ORM, which would look for entities in every row.
    return db.session.connection().execute(statement, values)


def _fetch_rows(uuids: Sequence[UUID], names: tuple[str, ...], *, public: bool) -> list[JsonRow]:
    values = {"uuids": list(uuids), "now": current_time()}
    found = {row[0]: row for row in _execute(select_several(names, public), values)}
    # Another write may have deleted or hidden some of the articles since they were selected.
    return [found[uuid] for uuid in uuids if uuid in found]
