"""Queries for working copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import select

from blogapi.articles import queries as articles
from blogapi.articles.content import ArticleContent, ArticleInput, TermReference
from blogapi.articles.edited_json import make_json
from blogapi.articles.history import complete_edits, get_content, parse_content
from blogapi.articles.models import WorkingCopy
from blogapi.articles.references import find_terms
from blogapi.storage.database import db
from blogapi.users.models import Account
from blogapi.web.errors import NotFound
from blogapi.web.fields import WithAttributes
from blogapi.web.json import JsonBody


def find_working_copy(article_id: UUID) -> WorkingCopy | None:
    """Return the working copy of the article, or None."""
    return db.session.get(WorkingCopy, article_id)


def check_exists(article_id: UUID) -> None:
    """Raise NotFound if the article has no working copy."""
    found = db.session.scalar(select(WorkingCopy.article_id).where(WorkingCopy.article_id == article_id))
    if found is None:
        raise _not_found()


def get_details(article_id: UUID) -> WithAttributes:
    """Return the working copy with its fields and its user; raises NotFound if there is none.

    Deleted tags and authors are left out.
    """
    row = db.session.execute(
        select(WorkingCopy, Account.username)
        .outerjoin(Account, Account.uuid == WorkingCopy.user_id)
        .where(WorkingCopy.article_id == article_id)
        .execution_options(populate_existing=True)
    ).one_or_none()
    if row is None:
        raise _not_found()
    copy, username = row
    edits, category = read_edits(copy)
    fields = edits.flatten() | {"category": category}
    user = {"uuid": copy.user_id, "username": username or ""}
    return WithAttributes(copy, **fields | {"uuid": article_id, "user": user})


def get_edited_json(copy: WorkingCopy, names: Sequence[str] | None) -> JsonBody:
    """Return the article of the working copy, with its edits and these fields (None: the documented ones)."""
    article, (edits, category) = articles.get_by_uuid(copy.article_id), read_edits(copy)
    edits = replace(edits, category=category or article.category_id)
    return make_json(article, complete_edits(edits, get_content(article)), copy.last_updated, names)


def read_edits(copy: WorkingCopy) -> tuple[ArticleContent, UUID | None]:
    """Return the content of the working copy without deleted tags and authors, and its category.

    The category is None if it was deleted.
    """
    edits = parse_content(copy.content)
    tags, authors = (
        tuple(TermReference(uuid=uuid) for uuid in uuids) for uuids in (edits.tags, edits.authors)
    )
    category = TermReference(uuid=edits.category)
    known = find_terms([ArticleInput(category=category, tags=tags, authors=authors)])
    edits = replace(
        edits,
        tags=tuple(uuid for uuid in edits.tags if uuid in known.tags),
        authors=tuple(uuid for uuid in edits.authors if uuid in known.authors),
    )
    return edits, known.categories.get(edits.category)


def _not_found() -> NotFound:
    return NotFound("This article has no working copy.")
