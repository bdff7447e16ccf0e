"""What was made from the articles against what would be made from them now; and how to mend it."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import selectinload, undefer

from blogapi.articles import json_writer
from blogapi.articles.json_writer import RenderedArticle
from blogapi.articles.models import Article, ArticleJson, ArticleStats
from blogapi.cli import ProgressReporter, no_progress
from blogapi.doctor import findings
from blogapi.doctor.findings import Finding, Level, ok, wrong
from blogapi.search import engines
from blogapi.search.models import SearchEntry
from blogapi.search.numbering import NUMBERS_PER_MICROSECOND, last_number
from blogapi.search.tokenizer import separate_ideographs
from blogapi.storage.database import db, transaction
from blogapi.storage.sqlite_errors import primary_result_code
from blogapi.web import json_fragments

# Rows that are held in memory at a time, and values that one statement is asked for.
_AT_ONCE = 100
_PER_STATEMENT = 500

_MEND = "doctor --mend"


def run_checks(*, mend: bool = False, watch: ProgressReporter = no_progress) -> Iterator[Finding]:
    """Yield what is found of rendered pieces, the tally and the search index; `mend` puts it right.

    Each piece of the work is one transaction, so that it sees the blog as it is at one moment and holds up
    nobody for long. The index comes before its entries: what is damaged takes none.
    """
    yield from _index(mend)
    for model in json_fragments.stored_models():
        yield _told("pieces", model.__tablename__, list(_rows_that_differ(model, mend)), mend)
    different = _Different()
    total = db.session.query(Article).count()
    for uuids in watch(_batches(), total=-(-total // _AT_ONCE), label="Articles"):
        different.look(uuids, mend)
    yield from different.told(mend)
    yield _tally(mend)


def _told(check: str, what: str, names: Sequence[str], mend: bool) -> Finding:
    if not names:
        return ok(check, f"{what}: as it would be made now.")
    says = f"{what}: {len(names)} differ from what would be made now ({findings.some(names, len(names))})."
    return Finding(check, Level.MENDED, says) if mend else wrong(check, says, _MEND)


def _rows_that_differ(model: Any, mend: bool) -> Iterator[str]:
    """Yield the names of categories or tags that carry other fields than their own."""
    last = UUID(int=0)
    while True:
        statement = select(model).where(model.uuid > last).order_by(model.uuid).limit(_PER_STATEMENT)
        rows = db.session.scalars(statement.options(undefer(model.pieces))).all()
        differ = [(row.uuid, row.name) for row in rows if row.pieces != json_fragments.render_fragments(row)]
        last = rows[-1].uuid if rows else last
        _let_go()
        if differ and mend:
            with transaction():
                for row in db.session.scalars(
                    select(model).where(model.uuid.in_([one for one, _ in differ]))
                ):
                    json_fragments.store_fragments(db.session(), row)
            _let_go()
        yield from (name for _, name in differ)
        if not rows:
            return


def _batches() -> Iterator[list[UUID]]:
    last = UUID(int=0)
    while True:
        statement = select(Article.uuid).where(Article.uuid > last).order_by(Article.uuid)
        uuids = list(db.session.scalars(statement.limit(_AT_ONCE)))
        _let_go()
        if not uuids:
            return
        yield uuids
        last = uuids[-1]


class _Different:
    """The slugs of the articles that differ, by what differs."""

    def __init__(self) -> None:
        self.names: dict[str, list[str]] = defaultdict(list)

    def look(self, uuids: list[UUID], mend: bool) -> None:
        """Compare these articles, and put right what differs."""
        articles = _articles(uuids)
        written = [RenderedArticle(article) for article in articles if article.seo is not None]
        found = {
            "seo": [RenderedArticle(article) for article in articles if article.seo is None],
            "pieces": list(_with_other_pieces(written)),
            "search": list(_with_other_words(written)),
        }
        for check, some in found.items():
            self.names[check] += [article.slug for article in some]
        wrong_ones = [article.uuid for article in (*found["pieces"], *found["search"])]
        _let_go()
        if wrong_ones and mend:
            with transaction():
                json_writer.store_articles(db.session(), _articles(wrong_ones))
            _let_go()

    def told(self, mend: bool) -> Iterator[Finding]:
        """Yield what was found."""
        if self.names["seo"]:
            names = self.names["seo"]
            says = f"{len(names)} articles have no SEO record ({findings.some(names, len(names))})."
            yield wrong("articles", says, "write them anew: PUT what GET shows")
        yield _told("pieces", "article", self.names["pieces"], mend)
        yield _told("search", "entries of articles", self.names["search"], mend)


def _articles(uuids: Iterable[UUID]) -> Sequence[Article]:
    statement = select(Article).where(Article.uuid.in_(list(uuids))).options(selectinload(Article.seo))
    return db.session.scalars(statement).all()


def _with_other_pieces(articles: list[RenderedArticle]) -> Iterator[RenderedArticle]:
    columns = ArticleJson.__table__
    statement = select(columns).where(columns.c.article_id.in_([article.uuid for article in articles]))
    found = {row["article_id"]: dict(row) for row in db.session.execute(statement).mappings()}
    return (article for article in articles if found.get(article.uuid) != json_writer.make_row(article))


def _with_other_words(articles: list[RenderedArticle]) -> Iterator[RenderedArticle]:
    index = engines.get_engine(db.session())
    words = [index.table.c[name] for name in ("title", "subtitle", "text")]
    statement = (
        select(SearchEntry.article_id, SearchEntry.number, *words)
        .join(index.table, index.number == SearchEntry.number)
        .where(SearchEntry.article_id.in_([article.uuid for article in articles]))
    )
    found = {uuid: (number, words) for uuid, number, *words in db.session.execute(statement)}
    for article in articles:
        number, there = found.get(article.uuid, (0, []))
        should = [separate_ideographs(text) for text in (article.title, article.subtitle, article.words)]
        if there != should or not numbered_well(number, article.visible_from()):
            yield article


def _tally(mend: bool) -> Finding:
    told, counted = db.session.scalar(select(ArticleStats.published)), json_writer.count_published()
    _let_go()
    if told == counted:
        return ok("tally", f"{counted} articles are published or scheduled.")
    says = f"{counted} articles are published or scheduled, but the tally says {told}."
    if not mend:
        return wrong("tally", says, _MEND)
    with transaction():
        db.session.execute(update(ArticleStats).values(published=json_writer.count_published()))
    return Finding("tally", Level.MENDED, says)


def _index(mend: bool) -> Iterator[Finding]:
    found = []
    if db.engine.dialect.name == "sqlite" and (fault := _told_by_fts5("integrity-check")):
        found.append(_mended_or_wrong(f"The index is damaged: {fault}.", mend, _rebuild))
    index = engines.get_engine(db.session())
    lone = select(index.number).select_from(index.table).where(~index.number.in_(select(SearchEntry.number)))
    count = db.session.scalar(select(func.count()).select_from(lone.subquery())) or 0
    _let_go()
    if count:
        found.append(_mended_or_wrong(f"{count} rows of the index belong to no article.", mend, _drop_lone))
    yield from found or [ok("search", "The index is whole.")]


def _mended_or_wrong(says: str, mend: bool, remedy: Callable[[], object]) -> Finding:
    if not mend:
        return wrong("search", says, _MEND)
    remedy()
    return Finding("search", Level.MENDED, says)


def _drop_lone() -> None:
    index = engines.get_engine(db.session())
    with transaction():
        db.session.execute(index.table.delete().where(~index.number.in_(select(SearchEntry.number))))


def _rebuild() -> None:
    _told_by_fts5("rebuild")


def _told_by_fts5(command: str) -> str:
    """Give FTS5 a command; return the damage that it complains of."""
    try:
        with transaction():
            db.session.execute(text("INSERT INTO search_index (search_index) VALUES (:it)"), {"it": command})
    except DBAPIError as error:
        if primary_result_code(error) != sqlite3.SQLITE_CORRUPT:
            raise
        return str(error.orig)
    return ""


def _let_go() -> None:
    """Forget what was read and end the transaction, which would keep the log from being emptied."""
    db.session.expunge_all()
    db.session.rollback()


# Articles of one moment take the numbers around it; a second has room for 16 million.
_CROWD = 1_000_000 * NUMBERS_PER_MICROSECOND


def numbered_well(number: int, published_at: datetime | None) -> bool:
    """Tell whether the number in the index says when the article was published, or that it was not."""
    if published_at is None:
        return number < 0
    return number >= 0 and abs(number - last_number(published_at)) < _CROWD
