"""A guard: a test fails if a write changes an item without an event, or leaves derived data as it was.

Tests may write rows themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock
from uuid import UUID

import click
from flask import has_request_context
from sqlalchemy import event
from sqlalchemy.orm import Session

from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.content.articles.queries import find_articles
from blogapi.content.articles.writing import repeated_columns as links
from blogapi.content.articles.writing.derived_columns import render_articles
from blogapi.publication.models import HasEvents
from blogapi.rendering import renderer
from blogapi.storage.database import WRITE_TRANSACTION_KEY, db, get_write_transaction
from tests.databases import SERVER_URL

_KEY = "changed-items"
_CHECKING_KEY = "checks-derived-data"
_render = renderer.render_text


def install() -> None:
    """Watch every flush of the session."""
    event.listen(db.session, "after_flush", _note_changes)
    event.listen(db.session, "before_commit", _check)
    event.listen(db.session, "after_rollback", _forget)


def _note_changes(session: Session, context: Any) -> None:
    changed = [*session.new, *filter(session.is_modified, session.dirty), *session.deleted]
    if WRITE_TRANSACTION_KEY in session.info and (
        has_request_context() or click.get_current_context(silent=True)
    ):
        session.info.setdefault(_KEY, set()).update(filter(None, map(_get_key, changed)))


def is_checking() -> bool:
    """Return whether the guard executes statements now, which tests do not count."""
    return bool(db.session().info.get(_CHECKING_KEY))


def _get_key(row: Any) -> tuple[str, UUID] | None:
    if isinstance(row, HasEvents):
        return row.kind, row.uuid
    return (Article.kind, row.article_id) if isinstance(row, ArticleTag | ArticleAuthor) else None


def _check(session: Session) -> None:
    if session.in_nested_transaction() or WRITE_TRANSACTION_KEY not in session.info:
        return
    changed = session.info.pop(_KEY, set())
    # The events of pages, which are articles of another type, have this type.
    noted = {
        (Article.kind if kind == "page" else kind, uuid)
        for kind, uuid in get_write_transaction(session).noted_changes
    }
    missing = changed - noted
    assert not missing, f"Changed without a call of events.note_change: {missing}"
    # The same code stores derived data on a server, where the statements below take a third of the time.
    if SERVER_URL:
        return
    session.info[_CHECKING_KEY] = True
    try:
        # Tests count what is rendered.
        with mock.patch.object(renderer, "render_text", _render):
            outdated = [*_find_outdated(session, changed)]
    finally:
        del session.info[_CHECKING_KEY]
    assert not outdated, f"Changed without a rendering: {outdated}"


def _find_outdated(session: Session, changed: set[tuple[str, UUID]]) -> Iterator[Any]:
    """Yield those of the changed articles whose derived data is outdated."""
    kinds, uuids = {kind for kind, _ in changed}, {uuid for _, uuid in changed}
    if Article.kind not in kinds:
        return
    assert not links.count_differing_rows(), "Changed without a call of Article.update_link_columns"
    articles = find_articles(list(uuids), with_html=True).values()
    yield from (one.article for one in render_articles(articles) if one.differs_from_article())


def _forget(session: Session) -> None:
    session.info.pop(_KEY, None)
