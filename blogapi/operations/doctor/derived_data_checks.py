"""Checks that the data derived from articles, categories and tags is up to date."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import exists, func, or_, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import selectinload, undefer

from blogapi.cli import ProgressReporter, no_progress
from blogapi.content.articles.models import Article, ArticleJson, Seo
from blogapi.content.articles.writing import json_writer, repeated_columns
from blogapi.content.articles.writing.rendered_article import RenderedArticle, render_articles
from blogapi.content.media import uses
from blogapi.content.search import engines
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.numbering import NUMBERS_PER_MICROSECOND, last_number
from blogapi.operations.doctor import findings
from blogapi.operations.doctor.findings import Finding, make_repairable, ok, wrong
from blogapi.publication.visibility import get_listed_from
from blogapi.storage.database import batch_uuids, db, table_of, transaction
from blogapi.storage.disk_errors import primary_result_code
from blogapi.web import stored_json

# The largest number of articles in memory at a time, and the largest number of rows of other tables.
_ARTICLES_PER_BATCH = 100
_ROWS_PER_BATCH = 500

# Articles published at the same time get consecutive numbers; 16 million numbers are available per second.
_MAX_NUMBER_DISTANCE = 1_000_000 * NUMBERS_PER_MICROSECOND


def run_checks(
    *, repair: bool = False, full: bool = False, progress: ProgressReporter = no_progress
) -> Iterator[Finding]:
    """Yield findings about stored JSON, the number of articles and the search index; `repair` corrects them.

    With `full` or `repair`, the articles are compared with a new rendering, and FTS5 compares the words of
    the index with the texts while it holds the write lock. Otherwise one statement finds missing rows, and
    rows with another version, status or time than the article.

    Each batch is one transaction, so that it sees one state of the blog and does not delay writers for long.
    The index is checked before its entries, because entries cannot be written to a damaged index.
    """
    yield from _check_index(repair, full=full or repair)
    for model in stored_json.stored_models():
        names = list(_check_stored_json(model, repair))
        yield _report_differing("json", model.__tablename__, names, repair)
    slugs = defaultdict[str, list[str]](list)
    if repair or full:
        batches = [*batch_uuids(Article, _ARTICLES_PER_BATCH)]
        for uuids in progress(batches, total=len(batches), label="Articles"):
            _check_articles(uuids, slugs, repair)
    else:
        _compare_rows(slugs)
    if lacking := slugs["seo"]:
        says = f"{len(lacking)} articles have no SEO record ({findings.join_examples(lacking)})."
        yield wrong("articles", says, "save each article again: PUT the body that GET returns")
    yield _report_differing("json", "article", slugs["json"], repair)
    yield _report_differing("search", "entries of articles", slugs["search"], repair)
    if repair or full:
        yield _report_differing("media", "uses of media by articles", slugs["media"], repair)
    yield _check_links(repair)


def _report_differing(check: str, subject: str, names: Sequence[str], repair: bool) -> Finding:
    if not names:
        return ok(check, f"{subject}: all are up to date.")
    says = f"{subject}: {len(names)} differ from a new rendering ({findings.join_examples(names)})."
    return make_repairable(check, says, repair)


def _check_stored_json(model: Any, repair: bool) -> Iterator[str]:
    """Yield the names of categories or tags whose stored JSON differs from a new rendering."""
    for uuids in batch_uuids(model, _ROWS_PER_BATCH):
        statement = select(model).where(model.uuid.in_(uuids)).order_by(model.uuid)
        rows = db.session.scalars(statement.options(undefer(model.json))).all()
        differing = [(row.uuid, row.name) for row in rows if row.json != stored_json.render_json(row)]
        _end_read()
        if differing and repair:
            with transaction():
                statement = select(model).where(model.uuid.in_([uuid for uuid, _ in differing]))
                for row in db.session.scalars(statement):
                    stored_json.store_json(db.session(), row)
            _end_read()
        yield from (name for _, name in differing)


def _compare_rows(slugs: dict[str, list[str]]) -> None:
    """Add to `slugs`, by check, the slugs of the articles with a missing or outdated row."""
    json, entry, seo = table_of(ArticleJson), table_of(SearchEntry), table_of(Seo)
    names = ("category_id", "status", "published_at", "version")
    is_outdated = or_(
        json.c.article_id.is_(None),
        *(json.c[name].is_distinct_from(getattr(Article, name)) for name in names),
    )
    conditions = {"json": is_outdated, "search": entry.c.number.is_(None), "seo": seo.c.uuid.is_(None)}
    statement = (
        select(Article.slug, *(condition.label(name) for name, condition in conditions.items()))
        .outerjoin(json, json.c.article_id == Article.uuid)
        .outerjoin(entry, entry.c.article_id == Article.uuid)
        .outerjoin(seo, seo.c.article_id == Article.uuid)
        .where(or_(*conditions.values()))
    )
    for row in db.session.execute(statement):
        for name in conditions:
            slugs[name] += [row.slug] if getattr(row, name) else []
    _end_read()


def _check_articles(uuids: list[UUID], slugs: dict[str, list[str]], repair: bool) -> None:
    """Add to `slugs`, by check, the slugs of the articles whose derived data is wrong; `repair` corrects
    it."""
    articles = _load_articles(uuids)
    complete = render_articles(article for article in articles if article.seo is not None)
    stored = uses.read_article_uses(db.session(), [article.uuid for article in complete])
    differing = {
        "json": json_writer.find_differing(db.session(), complete),
        "search": list(_with_other_search_entry(complete)),
        "media": [article for article in complete if stored[article.uuid] != article.find_uses().keys()],
    }
    slugs["seo"] += [article.slug for article in articles if article.seo is None]
    for check, faulty in differing.items():
        slugs[check] += [article.slug for article in faulty]
    with_other_uses = {article.uuid for article in differing["media"]}
    to_repair = {article.uuid for faulty in differing.values() for article in faulty}
    _end_read()
    if to_repair and repair:
        with transaction():
            loaded = _load_articles(to_repair)
            with_wrong_uses = [
                RenderedArticle(article) for article in loaded if article.uuid in with_other_uses
            ]
            uses.store_article_uses(
                db.session(), {article.uuid: article.find_uses() for article in with_wrong_uses}
            )
            json_writer.store_again(db.session(), loaded)
        _end_read()


def _load_articles(uuids: Iterable[UUID]) -> Sequence[Article]:
    statement = select(Article).where(Article.uuid.in_(list(uuids))).options(selectinload(Article.seo))
    return db.session.scalars(statement).all()


def _with_other_search_entry(articles: list[RenderedArticle]) -> Iterator[RenderedArticle]:
    is_one = SearchEntry.article_id.in_([article.uuid for article in articles])
    entries = db.session.scalars(select(SearchEntry).where(is_one))
    numbers = {entry.article_id: entry.number for entry in entries}
    texts = [article.search_text for article in articles]
    rows = [(numbers[text.article_id], text) for text in texts if text.article_id in numbers]
    equal = engines.find_equal_rows(db.session.connection(), rows)
    for article in articles:
        number = numbers.get(article.uuid)
        if number not in equal or not _is_number_plausible(number, get_listed_from(article)):
            yield article


def _is_number_plausible(number: int, published_at: datetime | None) -> bool:
    """Return whether the number fits the time of publication; drafts have negative numbers."""
    if published_at is None:
        return number < 0
    return number >= 0 and abs(number - last_number(published_at)) < _MAX_NUMBER_DISTANCE


def _check_links(repair: bool) -> Finding:
    wrong_links = repeated_columns.count_wrong()
    _end_read()
    if not wrong_links:
        return ok("lists", "The lists of tags and authors are up to date.")
    if repair:
        with transaction():
            repeated_columns.repair()
    says = f"{wrong_links} entries in the lists of tags and authors differ from their articles."
    return make_repairable("lists", says, repair)


def _check_index(repair: bool, *, full: bool) -> Iterator[Finding]:
    damage, compared = "", full and db.engine.dialect.name == "sqlite"
    if compared:
        # With a rank of 1, FTS5 also compares the index with the texts that it indexes.
        damage = _run_fts5_command("(search_index, rank) VALUES ('integrity-check', 1)")
    if damage:
        if repair:
            _run_fts5_command("(search_index) VALUES ('rebuild')", visible=True)
        yield make_repairable("search", f"The index is damaged: {damage}.", repair)
    stored = engines.get_engine(db.session()).stored
    # PostgreSQL would execute `NOT IN` for each row of a large blog.
    is_orphan = ~exists().where(SearchEntry.number == stored.c.number)
    count = db.session.scalar(select(func.count()).select_from(stored).where(is_orphan)) or 0
    _end_read()
    if repair and count:
        with transaction():
            db.session.execute(stored.delete().where(is_orphan))
    if count:
        yield make_repairable("search", f"{count} rows of the index belong to no article.", repair)
    if not damage and not count:
        says = "All rows of the index belong to an article"
        yield ok("search", f"{says}, and its words are right." if compared else f"{says}.")


def _run_fts5_command(command: str, *, visible: bool = False) -> str:
    """Run a command of SQLite's FTS5; return the damage that it reports, or an empty string if none."""
    try:
        with transaction(visible=visible):
            db.session.execute(text(f"INSERT INTO search_index {command}"))
    except DBAPIError as error:
        if primary_result_code(error) != sqlite3.SQLITE_CORRUPT:
            raise
        return str(error.orig)
    return ""


def _end_read() -> None:
    """Drop the loaded rows and end the transaction, so that SQLite can truncate its log."""
    db.session.expunge_all()
    db.session.rollback()
