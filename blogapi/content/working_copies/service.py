"""Saves, publishes and discards the working copies of articles.

A save changes nothing that readers can see. A save creates a version only if the edits are written into a
scheduled article.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from blogapi.content.articles import service as article_service
from blogapi.content.articles import snapshots
from blogapi.content.articles.article_content import ArticleContent, ArticleInput, make_default_seo
from blogapi.content.articles.lifecycle import UNSET, Unset
from blogapi.content.articles.models import Article, ArticleRevision, WorkingCopy
from blogapi.content.articles.queries import get_article
from blogapi.content.articles.schemas import PUT_DEFAULTS
from blogapi.content.articles.writing import history
from blogapi.content.articles.writing.loaded_articles import write_articles_together
from blogapi.content.articles.writing.term_references import find_referenced_terms, keep_existing_terms
from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.models import NO_VALUES
from blogapi.content.custom_fields.shown_values import select_hidden_values
from blogapi.content.media import uses
from blogapi.content.working_copies import queries
from blogapi.publication.visibility import READABLE_STATUSES, Status, is_scheduled
from blogapi.storage.database import current_time, db, savepoint, transaction
from blogapi.web.access import current_key_name
from blogapi.web.errors import Conflict, Errors, Invalid


def save_working_copy(
    editor: UUID,
    article_id: UUID,
    fields: ArticleInput,
    *,
    partial: bool = False,
    rebase: bool = False,
    publishes: bool = False,
) -> tuple[Article | WorkingCopy, bool]:
    """Create or replace the working copy; return it and whether it was created.

    With `partial`, omitted fields come from the copy, or from the article if there is no copy. If the given
    fields then change nothing in the article, no copy is created, and the article is returned.

    A new copy, and with `rebase` also an existing copy, is based on the current version of the article.
    With `publishes`, the user may publish the article: if it is scheduled and has no other edits, the edits
    are written into it, and the article is returned. Raises NotFound if the article does not exist, and
    Invalid if a term does not exist.
    """
    with transaction(visible=False):
        article = get_article(article_id)
        copy, now = queries.find_working_copy(article_id), current_time()
        content = snapshots.get_content(article)
        before = snapshots.parse_content(copy.content) if copy else replace(content, slug="")
        if copy is not None and rebase:
            before = replace(before, custom=_rebase_hidden_values(copy, before.custom, article))
        # Omitted custom fields keep their values, also those fields that the user may not read.
        edits = make_edits(replace(content, custom=before.custom), fields, before if partial else None)
        if partial and copy is None and edits == make_edits(content, ArticleInput(), before):
            return article, False
        base_version = article.version if copy is None or rebase else copy.base_version
        not_live = None
        if publishes and is_scheduled(article, now) and (copy is None or copy.not_live is not None):
            not_live = _save_into_article(article, edits, editor, base_version)
            if not_live is None:
                if copy is not None:
                    history.delete_working_copy(copy)
                return article, False
        document = snapshots.dump_content(edits)
        created = copy is None
        if copy is None:
            copy = WorkingCopy(article_id=article_id, version=0, created=now)
            db.session.add(copy)
        elif (copy.content, copy.base_version, copy.not_live) == (document, base_version, not_live):
            return copy, False
        copy.content, copy.base_version = document, base_version
        copy.user_id, copy.key_name = editor, current_key_name()
        copy.version, copy.last_updated, copy.not_live = copy.version + 1, now, not_live
        uses.store_working_copy_uses(db.session(), article_id, document)
        db.session.flush()
    return copy, created


def _rebase_hidden_values(copy: WorkingCopy, custom: str, article: Article) -> str:
    """Return the custom fields of the copy, whose edits are now based on the current version of the article.

    A value that the user may not read, and that is not edited in the copy, is taken from the article.
    """
    base = db.session.get(ArticleRevision, (article.uuid, copy.base_version))
    if base is None:
        return custom
    edited, current = map(custom_values.parse_stored_values, (custom, article.custom))
    former = custom_values.parse_stored_values(snapshots.parse_content(base.content).custom)
    hidden = select_hidden_values(edited | former | current)
    unedited = {name: current.get(name) for name in hidden if edited.get(name) == former.get(name)}
    return custom_values.merge_values(custom, unedited)


def _save_into_article(
    article: Article, edits: ArticleContent, editor: UUID, base_version: int
) -> str | None:
    """Write the edits into a scheduled article; if they are invalid, return the value of `not_live`."""
    try:
        with savepoint():
            _check_base_version(article, base_version, None)
            fields = _make_input(edits, snapshots.get_content(article))
            with write_articles_together([fields], article.uuid) as loaded:
                article_service.change_article(loaded, editor, article.uuid, fields, is_save=True)
    except (Conflict, Invalid) as error:
        texts = (error.errors or {}).values() if isinstance(error, Invalid) else [[error.detail]]
        return json.dumps([" ".join(text) for text in texts])
    return None


def make_edits(
    article: ArticleContent, fields: ArticleInput, base: ArticleContent | None = None
) -> ArticleContent:
    """Return the content of a working copy with these fields; see `snapshots.apply_edits`.

    An omitted field is taken from `base`; without `base`, it is reset as by a PUT of the article. An empty
    category, slug or list of authors stands for the value in the article. Raises Invalid if the category, a
    tag or an author does not exist.
    """
    errors: Errors = {}
    named = replace(fields, category=fields.category or None)
    category, tags, authors = find_referenced_terms([named]).resolve_references(named, errors)
    if errors:
        raise Invalid(
            "The working copy is invalid; `errors` names the fields to correct.",
            errors={re.sub(r"\.(uuid|slug)$", "", path): messages for path, messages in errors.items()},
        )
    before = base or replace(article, texts={**article.texts, **PUT_DEFAULTS}, slug="", tags=())
    texts = {**before.texts, **fields.texts}
    derived = make_default_seo(texts)
    seo = dict.fromkeys(derived, "") | (queries.get_written_seo(base) if base else {}) | {**fields.seo}
    return replace(
        article,
        texts=texts,
        slug=before.slug if fields.slug is None else fields.slug,
        category=before.category if fields.category is None else category or article.category,
        tags=before.tags if tags is None else tags,
        authors=before.authors if authors is None else authors or article.authors,
        seo={name: "" if text == derived[name] else text for name, text in seo.items()},
        custom=custom_values.merge_values(
            NO_VALUES if fields.replaces_custom else before.custom, fields.custom
        ),
    )


def discard_working_copy(article_id: UUID) -> None:
    """Move the working copy to the history of the article; raises NotFound if there is no copy."""
    with transaction(visible=False):
        queries.check_working_copy_exists(article_id)
        history.move_working_copies_to_history([article_id])


def is_scheduled_item(article_id: UUID | None) -> bool:
    """Return whether the article exists and is scheduled, so that a save can be written into it."""
    article = db.session.get(Article, article_id) if article_id else None
    return article is not None and is_scheduled(article, current_time())


def prerender_saved_edits(fields: ArticleInput, id: UUID, *, partial: bool = False) -> None:
    """Before the transaction of a save, render the content if the save can change a scheduled article."""
    if is_scheduled_item(id):
        if partial and (copy := queries.find_working_copy(id)):
            fields = replace(fields, texts={**snapshots.parse_content(copy.content).texts, **fields.texts})
        article_service.prerender_inputs([replace(fields, uuid=id)], partial=partial)


def prerender_publication(article_id: UUID) -> None:
    """Render the content of the working copy before the transaction that publishes it."""
    statement = select(WorkingCopy.content).where(WorkingCopy.article_id == article_id)
    content = db.session.scalar(statement)
    if content is not None:
        fields = replace(snapshots.parse_content(content).to_input(), uuid=article_id)
        article_service.prerender_inputs([fields], partial=True)


def publish_working_copy(
    editor: UUID,
    article_id: UUID,
    *,
    status: str | None = None,
    published_at: datetime | Unset | None = UNSET,
    name: str = "",
) -> Article:
    """Write the working copy to the article, in one version, and delete the copy; return the article.

    Without a working copy, only the status and the publication time change. `name` is the name of the
    resulting version. Raises Conflict if the content of the article has changed since the version on which
    the edits are based, or if the status `draft` of that version would unpublish an article that was
    published since.
    """
    with transaction(visible=False):
        article = get_article(article_id)
        copy = queries.find_working_copy(article_id)
        fields = ArticleInput(type=article.type)
        if copy is not None:
            _check_base_version(article, copy.base_version, status)
            fields = _make_input(snapshots.parse_content(copy.content), snapshots.get_content(article))
            history.delete_working_copy(copy)
        if status is None and article.status == Status.DRAFT:
            status = Status.PUBLISHED.value
        fields = replace(fields, status=status, published_at=published_at)
        article = article_service.change_article_in_transaction(editor, article_id, fields)
        if name:
            history.name_current_version(article, name)
    return article


def _check_base_version(article: Article, base_version: int, status: str | None) -> None:
    """Raise Conflict if the content of the article differs from the content of the version `base_version`.

    The status, the publication time, the parent and the position may differ, because the edits of a working
    copy do not contain them. The category may differ if it was merged into the current category. If the
    edits are based on a draft and are stored with the status `draft`, this must not unpublish an article
    that was published in the meantime.
    """
    if article.version == base_version:
        return
    base = db.session.get(ArticleRevision, (article.uuid, base_version))
    current = snapshots.get_content(article)
    if base is not None:
        content, category = keep_existing_terms(snapshots.parse_content(base.content))
        is_draft = content.status == status == Status.DRAFT
        unpublishes = is_draft and current.status in READABLE_STATUSES
        content = replace(
            content,
            category=category,
            status=current.status,
            published_at=current.published_at,
            parent=current.parent,
            position=current.position,
        )
        if not unpublishes and content == current:
            return
    raise Conflict(
        "The article has changed since the version that the edits are based on. Read the article, save the "
        "working copy with the ETags of both in If-Match, and publish it again.",
        code="article_changed",
    )


def _make_input(edits: ArticleContent, article: ArticleContent) -> ArticleInput:
    edits, category = keep_existing_terms(edits)
    fields = snapshots.apply_edits(edits, article).to_input()
    return replace(fields, slug=edits.slug or None, category=fields.category if category else None)
