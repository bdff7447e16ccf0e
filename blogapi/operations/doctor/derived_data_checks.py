"""Checks that the data derived from articles, categories and tags is up to date."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import exists, func, select, text
from sqlalchemy.exc import DBAPIError

from blogapi.cli import ProgressReporter, hide_progress
from blogapi.content.articles.models import Article
from blogapi.content.articles.queries import find_articles
from blogapi.content.articles.writing import repeated_columns
from blogapi.content.articles.writing.derived_columns import (
    make_search_text,
    render_articles,
    rerender_articles,
)
from blogapi.content.dependencies import TAXONOMIES
from blogapi.content.media import uses
from blogapi.content.search import engines
from blogapi.content.search.models import SearchEntry
from blogapi.content.taxonomies.queries import find_outdated_sort_keys
from blogapi.content.taxonomies.service import repair_sort_keys
from blogapi.operations.doctor import findings
from blogapi.operations.doctor.findings import Finding, make_ok_finding, make_repairable_finding
from blogapi.storage.database import db, list_uuid_batches, table_of, transaction
from blogapi.storage.disk_errors import get_primary_result_code

# The largest number of articles in memory at a time.
_ARTICLES_PER_BATCH = 100


def run_checks(
    *, repair: bool = False, full: bool = False, progress: ProgressReporter = hide_progress
) -> Iterator[Finding]:
    """Yield findings about the data that is derived from articles and terms; with `repair`, correct the data.

    With `full` or `repair`, the articles are compared with a new rendering, and FTS5 compares the words of
    the index with the texts while it holds the write lock. Otherwise, one statement finds articles without an
    entry in the search index.

    Each batch is one transaction, so that it sees one state of the blog and does not delay writers for long.
    The index is checked before its entries, because entries cannot be written to a damaged index.
    """
    yield from _check_search_index(repair, full=full or repair)
    for taxonomy in TAXONOMIES:
        names = _check_sort_keys(taxonomy.model, repair)
        yield _report_outdated_data("lists", f"sort keys of {taxonomy.plural}", names, repair)
    slugs = defaultdict[str, list[str]](list)
    if repair or full:
        batches = [*list_uuid_batches(Article, _ARTICLES_PER_BATCH)]
        for uuids in progress(batches, total=len(batches), label="Articles"):
            _check_articles(uuids, slugs, repair)
    else:
        _add_articles_without_search_entry(slugs)
    yield _report_outdated_data("search", "entries of articles", slugs["search"], repair)
    if repair or full:
        yield _report_outdated_data("articles", "rendered columns of articles", slugs["articles"], repair)
        yield _report_outdated_data("media", "uses of media by articles", slugs["media"], repair)
    yield _check_repeated_columns(repair)


def _report_outdated_data(check: str, subject: str, names: Sequence[str], repair: bool) -> Finding:
    if not names:
        return make_ok_finding(check, f"{subject}: all are up to date.")
    says = f"{subject}: {len(names)} differ from a new rendering ({findings.join_examples(names)})."
    return make_repairable_finding(check, says, repair)


def _check_sort_keys(model: Any, repair: bool) -> Sequence[str]:
    """Return the names of the terms whose sort keys do not match their names."""
    names = [name for _, name in find_outdated_sort_keys(model)]
    _reset_session()
    if names and repair:
        with transaction():
            repair_sort_keys(model)
        _reset_session()
    return names


def _add_articles_without_search_entry(slugs: dict[str, list[str]]) -> None:
    """Add to `slugs["search"]` the slugs of the articles without a search entry."""
    entry = table_of(SearchEntry).c
    has_entry = exists().where(entry.article_id == Article.uuid)
    slugs["search"] += db.session.scalars(select(Article.slug).where(~has_entry)).all()
    _reset_session()


def _check_articles(uuids: list[UUID], slugs: dict[str, list[str]], repair: bool) -> None:
    """Add the slugs of articles with wrong derived data to `slugs`, by check; `repair` corrects the data."""
    rendered = render_articles(find_articles(uuids, with_html=True).values())
    stored = uses.read_article_uses(db.session(), uuids)
    equal = engines.find_up_to_date_articles(
        db.session.connection(), [make_search_text(item.article, item.plain_text) for item in rendered]
    )
    differing = {
        "articles": [item for item in rendered if item.differs_from_article()],
        "search": [item for item in rendered if item.article.uuid not in equal],
        "media": [item for item in rendered if stored[item.article.uuid] != item.used.keys()],
    }
    for check, faulty in differing.items():
        slugs[check] += [item.article.slug for item in faulty]
    to_repair = {item.article.uuid for faulty in differing.values() for item in faulty}
    _reset_session()
    if to_repair and repair:
        with transaction():
            rerender_articles(db.session(), list(find_articles(list(to_repair), with_html=True).values()))
        _reset_session()


def _check_repeated_columns(repair: bool) -> Finding:
    wrong_links = repeated_columns.count_differing_rows()
    _reset_session()
    if not wrong_links:
        return make_ok_finding(
            "lists", "The lists of tags and authors, and the times in the search, are up to date."
        )
    if repair:
        with transaction():
            repeated_columns.repair_differing_rows()
    says = f"{wrong_links} entries in the lists of tags and authors and in the search differ from articles."
    return make_repairable_finding("lists", says, repair)


def _check_search_index(repair: bool, *, full: bool) -> Iterator[Finding]:
    damage, compared = "", full and db.engine.dialect.name == "sqlite"
    if compared:
        # With a rank of 1, FTS5 also compares the index with the texts that it indexes.
        damage = _run_fts5_command("(search_index, rank) VALUES ('integrity-check', 1)")
    if damage:
        if repair:
            _run_fts5_command("(search_index) VALUES ('rebuild')", visible=True)
        yield make_repairable_finding("search", f"The index is damaged: {damage}.", repair)
    stored = engines.get_engine(db.session()).word_table
    # PostgreSQL would execute `NOT IN` for each row of a large blog.
    is_orphan = ~exists().where(SearchEntry.number == stored.c.number)
    count = db.session.scalar(select(func.count()).select_from(stored).where(is_orphan)) or 0
    _reset_session()
    if repair and count:
        with transaction():
            db.session.execute(stored.delete().where(is_orphan))
    if count:
        yield make_repairable_finding("search", f"{count} rows of the index belong to no article.", repair)
    if not damage and not count:
        says = "All rows of the index belong to an article"
        yield make_ok_finding("search", f"{says}, and its words match the texts." if compared else f"{says}.")


def _run_fts5_command(command: str, *, visible: bool = False) -> str:
    """Run a command of SQLite's FTS5; return the reported damage, or an empty string if there is none."""
    try:
        with transaction(visible=visible):
            db.session.execute(text(f"INSERT INTO search_index {command}"))
    except DBAPIError as error:
        if get_primary_result_code(error) != sqlite3.SQLITE_CORRUPT:
            raise
        return str(error.orig)
    return ""


def _reset_session() -> None:
    """Drop the loaded rows and end the transaction, so that SQLite can truncate its log."""
    db.session.expunge_all()
    db.session.rollback()
