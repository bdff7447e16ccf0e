"""Copies of published articles that the database makes, which is faster than to write each article.

A copy has its own uuids, slug and times, its own number in the search index and its own event; all other
columns are those of its source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    BigInteger,
    Column,
    FromClause,
    Insert,
    MetaData,
    Row,
    Select,
    String,
    Table,
    Uuid,
    delete,
    func,
    insert,
    select,
)

from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag, FormerSlug
from blogapi.content.search import engines
from blogapi.content.search.models import SearchEntry
from blogapi.publication.models import Event
from blogapi.storage.database import (
    CommitCounter,
    UtcDateTime,
    db,
    get_write_transaction,
    table_of,
    transaction,
)

ROWS_PER_TRANSACTION = 10_000
# In the default cache, most pages of a large index would be read again for each row.
SQLITE_CACHE_KB = 1_000_000

# What differs between a copy and its source, and where to find the rows of the source.
_table = Table(
    "article_copy",
    MetaData(),
    *(Column(name, Uuid) for name in ("source", "uuid", "seo_uuid")),
    *(Column(name, BigInteger) for name in ("source_number", "number", "position", "public_position")),
    *(Column(name, String) for name in ("slug", "path")),
    Column("time", UtcDateTime),
    prefixes=["TEMPORARY"],
)
_copy = _table.c


def add_copies(numbers: range, get_time: Callable[[int], datetime]) -> None:
    """Add an article for each number: a copy of one of the published articles.

    `get_time` returns the time of publication of an article by its number.
    """
    sources = db.session.execute(_select_sources()).all()
    if db.engine.dialect.name == "sqlite":
        db.session.connection().exec_driver_sql(f"PRAGMA cache_size = -{SQLITE_CACHE_KB}")
    with transaction():
        _table.create(db.session.connection())
    for start in range(0, len(numbers), ROWS_PER_TRANSACTION):
        with transaction():
            rows = _make_rows(sources, numbers[start : start + ROWS_PER_TRANSACTION], get_time)
            _store(list(rows))
    with transaction():
        _table.drop(db.session.connection())


def _select_sources() -> Select[Any]:
    return (
        select(
            Article.uuid,
            Article.slug,
            Event.path,
            SearchEntry.number,
        )
        .join(SearchEntry, SearchEntry.article_id == Article.uuid)
        .join(Event, (Event.uuid == Article.uuid) & Event.newest_public.is_not(None))
        .order_by(SearchEntry.listed_from.desc())
    )


def _make_rows(
    sources: Sequence[Row[Any]], numbers: Sequence[int], get_time: Callable[[int], datetime]
) -> Iterator[dict[str, Any]]:
    position, public_position = db.session.execute(
        select(CommitCounter.position, CommitCounter.public_position)
    ).one()
    last = db.session.scalar(select(func.max(SearchEntry.number))) or 0
    for place, number in enumerate(numbers, 1):
        source, time = sources[number % len(sources)], get_time(number)
        slug = f"{source.slug}-{number + 1}"
        yield {
            **_make_identity(source, slug),
            **{"position": position + place, "public_position": public_position + place},
            **{"number": last + place, "time": time},
        }


def _make_identity(source: Row[Any], slug: str) -> dict[str, Any]:
    return {
        **{"source": source.uuid, "source_number": source.number, "uuid": uuid4(), "seo_uuid": uuid4()},
        **{"slug": slug, "path": source.path.replace(source.slug, slug)},
    }


def _store(rows: Sequence[dict[str, Any]]) -> None:
    connection = db.session.connection()
    connection.execute(delete(_table))
    connection.execute(insert(_table), rows)
    for statement in _make_statements(engines.get_engine(connection).word_table):
        connection.execute(statement)
    last = select(func.max(_copy.position), func.max(_copy.public_position))
    position, public_position = connection.execute(last).one()
    # The end of the transaction stores the counter, which was read at its beginning.
    get_write_transaction(db.session()).counter.update(position=position, public_position=public_position)


def _make_statements(search_index: FromClause) -> Iterator[Insert]:
    times = {"created": _copy.time, "last_updated": _copy.time}
    one_article = {"article_id": _copy.uuid}
    names = {"uuid": _copy.uuid, "slug": _copy.slug, "seo_uuid": _copy.seo_uuid}
    yield _insert(Article, "uuid", published_at=_copy.time, **names, **times)
    for links in (ArticleTag, ArticleAuthor):
        yield _insert(links, "article_id", **one_article, listed_from=_copy.time)
    yield _insert(FormerSlug, "article_id", **one_article, slug="former-" + _copy.slug)
    yield _insert(SearchEntry, "article_id", **one_article, number=_copy.number, listed_from=_copy.time)
    columns = [_copy.number, *(column for column in search_index.c if column.key != "number")]
    is_source = search_index.c.number == _copy.source_number
    # FTS5 collects the words of rows in ascending order, and writes them to its index for each other row.
    rows = select(*columns).join_from(_table, search_index, is_source).order_by(_copy.number)
    yield insert(search_index).from_select([column.key for column in columns], rows)  # type: ignore[arg-type]
    positions = {"position": _copy.position, "public_position": _copy.public_position}
    newest = {"newest": _copy.position, "newest_public": _copy.public_position}
    page = {"slug": _copy.slug, "path": _copy.path}
    yield _insert(Event, "uuid", uuid=_copy.uuid, readable_from=_copy.time, **positions, **newest, **page)


def _insert(model: Any, key: str, **changed: Any) -> Insert:
    """Return the statement that copies the rows of the sources in the table of a model."""
    table = table_of(model)
    columns = [changed.get(column.name, column) for column in table.c]
    rows = select(*columns).join_from(_table, table, table.c[key] == _copy.source)
    if model is Event:
        rows = rows.where(table.c.newest_public.is_not(None))
    return insert(table).from_select([column.name for column in table.c], rows)
