"""Adds former versions and edits to the history of an article, and names versions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from blogapi.content.articles import queries
from blogapi.content.articles.article_content import ArticleContent
from blogapi.content.articles.models import Article, ArticleRevision, WorkingCopy
from blogapi.content.articles.snapshots import apply_edits, dump_content, get_content, parse_content
from blogapi.content.media import uses
from blogapi.storage.database import db
from blogapi.web.access import current_key_name

# Saves of a scheduled article by the same user, with logins or with keys of one name, add no further version
# within this time after the first save.
_JOINED_SAVES_PERIOD = timedelta(minutes=10)


def continues_last_version(article: Article, last_number: int, user: UUID, now: datetime) -> bool:
    """Return whether a save of a scheduled article adds no version, because it continues the last version."""
    # Another write, or a name for the current version, adds a version without `saves_since`.
    last = _find_revision(article.uuid, last_number)
    since = last.saves_since if last is not None else None
    is_same_writer = article.editor_id == user and article.key_name == current_key_name()
    return since is not None and is_same_writer and now < since + _JOINED_SAVES_PERIOD


def keep_former_version(
    article: Article, content: ArticleContent, last_number: int, *, saves_since: datetime | None = None
) -> int:
    """Add the current version of the article, which a write replaces, to the history.

    `last_number` is the highest number in the history, or 0. The history can contain versions that were
    added without a change of the article, such as kept edits or a named version: then `last_number` is at
    least the number of the current version. Returns the new highest number in the history.
    """
    former = _find_revision(article.uuid, article.version) if last_number >= article.version else None
    former = former or _add_revision(article, content)
    former.saves_since = saves_since
    return max(article.version, last_number)


def name_current_version(article: Article, name: str) -> ArticleRevision:
    """Name the current version of the article, and add the version to the history if it is missing there."""
    revision = _find_revision(article.uuid, article.version) or _add_revision(article, get_content(article))
    revision.name = name
    return revision


def add_version(article: Article, content: ArticleContent, **columns: Any) -> ArticleRevision:
    """Add a version with this content, which differs from the content of the article, to the history.

    `columns` are its `user_id`, its `key_name`, the time when it was `created`, and its `name` (if any).
    """
    last_number = queries.get_last_revision_numbers([article.uuid]).get(article.uuid, 0)
    revision = _add_revision(article, content, number=max(article.version, last_number) + 1, **columns)
    uses.add_former_uses(db.session(), article.uuid, revision.content)
    return revision


def move_working_copies_to_history(uuids: Sequence[UUID]) -> None:
    """Add the edits in the working copies of these articles to the history, and delete the working copies."""
    copies = queries.find_working_copies(uuids)
    for uuid, article in queries.find_articles(list(copies)).items():
        add_edits(article, get_content(article), copies[uuid])
        delete_working_copy(copies[uuid])


def add_edits(article: Article, content: ArticleContent, copy: WorkingCopy) -> None:
    """Add the edits of a working copy to the history unless they change nothing."""
    edits = apply_edits(parse_content(copy.content), content)
    if edits != content:
        add_version(article, edits, user_id=copy.user_id, key_name=copy.key_name, created=copy.last_updated)


def delete_working_copy(copy: WorkingCopy) -> None:
    """Delete the working copy and its uses of files."""
    uses.store_working_copy_uses(db.session(), copy.article_id, "")
    db.session.delete(copy)


def _find_revision(article_id: UUID, number: int) -> ArticleRevision | None:
    return db.session.get(ArticleRevision, (article_id, number))


def _add_revision(article: Article, content: ArticleContent, **columns: Any) -> ArticleRevision:
    """Add a version with this content; without `columns`, it is the current version of the article."""
    current = {
        **{"number": article.version, "user_id": article.editor_id},
        **{"key_name": article.key_name, "created": article.last_updated},
    }
    revision = ArticleRevision(
        article_id=article.uuid,
        author_id=article.author_id,
        content=dump_content(content),
        **(columns or current),
    )
    db.session.add(revision)
    return revision
