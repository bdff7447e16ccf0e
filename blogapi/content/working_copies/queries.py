"""Queries for working copies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast
from uuid import UUID

from sqlalchemy import select

from blogapi.accounts.users.models import Account
from blogapi.content.articles.article_content import ArticleContent, make_default_seo
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.articles.queries import get_article
from blogapi.content.articles.responses.article_bodies import make_article_body
from blogapi.content.articles.responses.article_fields import find_term_fields
from blogapi.content.articles.snapshots import apply_edits, get_content, parse_content
from blogapi.content.articles.writing.derived_columns import render_articles
from blogapi.content.articles.writing.term_references import keep_existing_terms
from blogapi.content.custom_fields.shown_values import select_visible_values
from blogapi.publication.visibility import is_scheduled
from blogapi.storage.database import current_time, db
from blogapi.web.errors import NotFound, require_item
from blogapi.web.fields import WithAttributes
from blogapi.web.json import JsonBody

_NOT_FOUND_MESSAGE = "This article has no working copy."


def find_working_copy(article_id: UUID) -> WorkingCopy | None:
    """Return the working copy of the article, or None."""
    return db.session.get(WorkingCopy, article_id)


def check_working_copy_exists(article_id: UUID) -> None:
    """Raise NotFound if the article has no working copy."""
    uuid = db.session.scalar(select(WorkingCopy.article_id).where(WorkingCopy.article_id == article_id))
    require_item(uuid, _NOT_FOUND_MESSAGE)


def get_copy_details(article_id: UUID) -> WithAttributes:
    """Return the working copy with its fields and its user; raises NotFound if there is none.

    Deleted tags and authors are left out.
    """
    row = db.session.execute(
        select(WorkingCopy, Account.username)
        .outerjoin(Account, Account.uuid == WorkingCopy.user_id)
        .where(WorkingCopy.article_id == article_id)
        .execution_options(populate_existing=True)
    ).one_or_none()
    copy, username = require_item(row, _NOT_FOUND_MESSAGE)
    not_live = copy.not_live and json.loads(copy.not_live)
    user = {"uuid": copy.user_id, "username": username or ""}
    return _add_fields(copy, parse_content(copy.content), uuid=article_id, user=user, not_live=not_live)


def get_item_as_working_copy(article: Article) -> WithAttributes:
    """Return an article in the form of a working copy; `not_live` is empty if the article is scheduled."""
    content, editor = get_content(article), db.session.get(Account, article.editor_id)
    content = replace(content, seo=get_written_seo(content))
    ids = {"article_id": article.uuid, "base_version": article.version}
    not_live: list[str] | None = [] if is_scheduled(article, current_time()) else None
    return _add_fields(article, content, user=editor, not_live=not_live, **ids)


def get_copy_or_item(article_id: UUID) -> WithAttributes:
    """Return the working copy, or the article in the form of a working copy if there is none."""
    try:
        return get_copy_details(article_id)
    except NotFound:
        return get_item_as_working_copy(get_article(article_id))


def get_written_seo(content: ArticleContent) -> dict[str, str]:
    """Return the SEO fields of the article; a field whose text equals the derived text is empty."""
    derived = make_default_seo(content.texts)
    return {name: "" if text == derived[name] else text for name, text in content.seo.items()}


def _add_fields(row: object, content: ArticleContent, **others: object) -> WithAttributes:
    edits, category = keep_existing_terms(content)
    flat = edits.to_flat_dict()
    fields = flat | {"category": category, "custom": select_visible_values(flat["custom"])}
    return WithAttributes(row, **fields | others)


def get_edited_json(copy: WorkingCopy, names: Sequence[str] | None) -> JsonBody:
    """Return the article with the edits of its working copy and these fields (None: the documented fields).

    The status and the publication time come from the article.
    """
    return make_edited_json(get_article(copy.article_id), copy, names)


def make_edited_json(article: Article, copy: WorkingCopy | None, names: Sequence[str] | None) -> JsonBody:
    """Return the article with the edits of its working copy (None: no edits) and these fields.

    The article does not have to be stored.
    """
    own = get_content(article)
    edits, category = keep_existing_terms(parse_content(copy.content) if copy else own)
    content = apply_edits(edits, own)
    changed: dict[str, Any] = {
        **content.texts,
        **{f"seo_{name}": text for name, text in content.seo.items()},
        "custom": content.custom,
        "slug": content.slug,
        "last_updated": (copy or article).last_updated,
    }
    edited = WithAttributes(article, **changed)
    (rendered,) = render_articles([cast(Article, edited)])
    # A page that was an article can have a working copy with a category.
    categories = [category or article.category_id] if article.category_id else []
    terms = {
        name: {article.uuid: find_term_fields(name, uuids)}
        for name, uuids in (("category", categories), ("tags", content.tags), ("authors", content.authors))
    }
    return make_article_body(WithAttributes(edited, **rendered.columns), terms, names)
