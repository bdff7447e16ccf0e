"""A guard: a request or a command that changes an item without an event for it fails in every test.

Tests may write rows themselves.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import click
from flask import has_request_context
from sqlalchemy import event
from sqlalchemy.orm import Session

from blogapi.articles.models import Article, ArticleAuthor, ArticleTag, Seo
from blogapi.publication import events
from blogapi.publication.events import HasEvents
from blogapi.storage.database import db

_KEY = "changed-items"


def install() -> None:
    """Watch every flush of the session."""
    event.listen(db.session, "after_flush", _note_changes)
    event.listen(db.session, "before_commit", _check_events)
    event.listen(db.session, "after_rollback", _forget)


def _note_changes(session: Session, context: Any) -> None:
    if session.info.get("writing") and (has_request_context() or click.get_current_context(silent=True)):
        changed = [*session.new, *filter(session.is_modified, session.dirty), *session.deleted]
        session.info.setdefault(_KEY, set()).update(filter(None, map(_get_key, changed)))


def _get_key(row: Any) -> tuple[str, UUID] | None:
    if isinstance(row, HasEvents):
        return row.kind, row.uuid
    return (Article.kind, row.article_id) if isinstance(row, Seo | ArticleTag | ArticleAuthor) else None


def _check_events(session: Session) -> None:
    if session.in_nested_transaction() or not session.info.get("writing"):
        return
    changed = session.info.pop(_KEY, set())
    missing = changed - events.get_notes(session).keys()
    assert not missing, f"Changed without a call of events.record: {missing}"


def _forget(session: Session) -> None:
    session.info.pop(_KEY, None)
