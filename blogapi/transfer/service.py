"""Store imported records, each in its own transaction, so that a refused file does not stop the others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import Any
from uuid import UUID

import marshmallow as ma

from blogapi import clock
from blogapi.articles import lifecycle
from blogapi.articles import service as articles
from blogapi.articles.content import ArticleInput, TermReference
from blogapi.articles.models import Article
from blogapi.articles.schemas import ArticleBodySchema
from blogapi.categories.taxonomy import CATEGORIES
from blogapi.content import slugs
from blogapi.storage.database import db, savepoint
from blogapi.tags.taxonomy import TAGS
from blogapi.taxonomies import service as taxonomies
from blogapi.transfer.article_record import ArticleRecord, NotAnArticle, RefusedFile
from blogapi.transfer.models import ImportedFile
from blogapi.web.errors import Errors, Problem, flatten_messages
from blogapi.web.fields import join_messages

DEFAULT_CATEGORY = "Uncategorised"


class Result(StrEnum):
    """What the import did with a file."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of importing one file."""

    key: str
    result: Result
    #: the status of the article: "published", "scheduled", "draft" or "archived"; None if there is no article
    status: str | None = None
    notes: tuple[str, ...] = ()  #: the reason if the file was not imported, or what was changed


class _DryRun(Exception):
    """Rolls back the transaction of a dry run."""


def import_record(
    author: UUID, key: str, read: Callable[[], ArticleRecord], *, dry_run: bool = False
) -> FileReport:
    """Store the record that `read` returns, and report the result.

    If the file is skipped or refused, the report contains the reason. Other errors are raised.
    """
    try:
        return store_record(author, read(), dry_run=dry_run)
    except NotAnArticle as error:
        return FileReport(key, Result.SKIPPED, notes=(str(error),))
    except RefusedFile as error:
        return FileReport(key, Result.REFUSED, notes=(str(error),))
    except ma.ValidationError as error:
        return FileReport(key, Result.REFUSED, notes=(join_messages(flatten_messages(error.messages)),))
    except Problem as error:
        return FileReport(key, Result.REFUSED, notes=(error.detail,))


def store_record(author: UUID, record: ArticleRecord, *, dry_run: bool = False) -> FileReport:
    """Create the article of a record, or update it if the record has changed since its last import.

    Raises RefusedFile if the article was edited since then. Raises ValidationError or Problem if the record
    cannot be stored as an article.
    """
    report: FileReport | None = None
    with suppress(_DryRun), savepoint():
        report = _create_or_update(author, record)
        if dry_run:
            raise _DryRun
    assert report is not None
    return report


def _create_or_update(author: UUID, record: ArticleRecord) -> FileReport:
    imported = db.session.get(ImportedFile, record.key)
    digest = _compute_digest(record)
    if imported is None:
        article = articles.create(author, _to_input(author, record), slug_from=record.slug)
        db.session.add(ImportedFile(key=record.key, article=article, digest=digest, imported_at=clock.now()))
        notes = (*record.notes, *_slug_notes(record, article))
        return FileReport(record.key, Result.CREATED, _api_status(article), notes)
    if imported.digest == digest:
        return FileReport(record.key, Result.UNCHANGED, _api_status(imported.article))
    if imported.article.last_updated > imported.imported_at:
        raise RefusedFile(
            "The article was edited in this blog after it was imported; delete it to import the file again."
        )
    articles.change(author, imported.article.uuid, _to_input(author, record))
    imported.digest, imported.imported_at = digest, clock.now()
    return FileReport(record.key, Result.UPDATED, _api_status(imported.article), record.notes)


def _api_status(article: Article) -> str:
    return lifecycle.get_api_status(article.status, article.published_at, clock.now())


def _to_input(author: UUID, record: ArticleRecord) -> ArticleInput:
    """Return the input for `articles.service`, and create the category and the tags that do not exist.

    Raises ValidationError with the errors of all fields if any field is invalid.
    """
    errors: Errors = {}
    with _collect_errors(errors, "category"):
        category = taxonomies.get_or_create(CATEGORIES, author, record.category or DEFAULT_CATEGORY)
    tags = []
    for name in record.tags:
        with _collect_errors(errors, f"tag {name!r}"):
            tags.append({"uuid": str(taxonomies.get_or_create(TAGS, author, name).uuid)})
    with _collect_errors(errors):
        body = _to_body(record) | {"tags": tags}
        article_input: ArticleInput = ArticleBodySchema(partial=("category",)).load(body)
    if errors:
        raise ma.ValidationError(errors)
    return replace(article_input, category=TermReference(uuid=category.uuid))


@contextmanager
def _collect_errors(errors: Errors, name: str = "") -> Iterator[None]:
    """Catch a validation error and add its messages to `errors`, under `name` or the names of the fields."""
    try:
        yield
    except ma.ValidationError as error:
        messages = flatten_messages(error.messages)
        errors |= {name: list(chain(*messages.values()))} if name else messages


def _to_body(record: ArticleRecord) -> dict[str, Any]:
    body: dict[str, Any] = {
        "title": record.title,
        "subtitle": record.subtitle,
        "content": record.content,
        "content_type": record.content_type,
        "status": record.status,
        "cover_image": record.cover_image,
    }
    seo = {
        "title": record.seo_title,
        "description": record.seo_description,
        "canonical_url": record.canonical_url,
    }
    body["seo"] = {name: text for name, text in seo.items() if text}
    # Without `published_at` an article keeps the time of its first import.
    if record.published_at is not None:
        body["published_at"] = record.published_at.isoformat()
    return body


def _slug_notes(record: ArticleRecord, article: Article) -> tuple[str, ...]:
    preferred = slugs.make_slug(record.slug or record.title)
    # The slug of a text without letters and digits is random, so it is never reported as taken.
    if not article.slug.startswith(f"{preferred}-"):
        return ()
    return (f"The slug “{preferred}” is taken; the article got “{article.slug}”.",)


def _compute_digest(record: ArticleRecord) -> str:
    # The notes are left out, because a new wording of a note does not mean that the file has changed.
    content = asdict(record) | {"notes": ()}
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode("utf-8")).hexdigest()
