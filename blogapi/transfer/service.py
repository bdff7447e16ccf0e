"""Storing what the readers give: one transaction per record, so that a broken one never stops the rest."""

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
from blogapi.storage.database import db, transaction
from blogapi.tags.taxonomy import TAGS
from blogapi.taxonomies import service as taxonomies
from blogapi.transfer.article_record import ArticleRecord, NotAnArticle, RefusedFile
from blogapi.transfer.models import Imported
from blogapi.web.errors import Problem, flatten_messages
from blogapi.web.fields import join_messages

# Where an article without a category goes.
NO_CATEGORY = "Uncategorised"


class Result(StrEnum):
    """What became of one file."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file, and why: the reason of a refusal, or what was altered on the way in."""

    key: str
    result: Result
    notes: tuple[str, ...] = ()
    status: str | None = (
        None  #: of the article: "published", "scheduled", "draft", "archived"; None: no article
    )


class _DryRun(Exception):
    """Takes back what was stored only to see whether it could be."""


def take(author: UUID, key: str, read: Callable[[], ArticleRecord], *, dry_run: bool = False) -> Outcome:
    """Read one record and store it; whatever is wrong with it is told in the outcome."""
    try:
        record = read()
        return store(author, record, dry_run=dry_run)
    except NotAnArticle as error:
        return Outcome(key, Result.SKIPPED, (str(error),))
    except RefusedFile as error:
        return Outcome(key, Result.REFUSED, (str(error),))
    except ma.ValidationError as error:
        return Outcome(key, Result.REFUSED, (join_messages(flatten_messages(error.messages)),))
    except Problem as error:
        return Outcome(key, Result.REFUSED, (error.detail,))


def store(author: UUID, record: ArticleRecord, *, dry_run: bool = False) -> Outcome:
    """Store a record as a new article, or bring the article that came of it up to date.

    An article that was edited here since is left alone. Raises ValidationError or Problem.
    """
    outcome: Outcome | None = None
    with suppress(_DryRun), transaction():
        outcome = _stored(author, record)
        if dry_run:
            raise _DryRun
    assert outcome is not None
    return outcome


def _stored(author: UUID, record: ArticleRecord) -> Outcome:
    known = db.session.get(Imported, record.key)
    digest = _digest(record)
    if known is None:
        article = _created(author, record)
        db.session.add(Imported(key=record.key, article=article, digest=digest, imported_at=clock.now()))
        notes = (*record.notes, *_renamed(record, article))
        return Outcome(record.key, Result.CREATED, notes, _status(article))
    if known.digest == digest:
        return Outcome(record.key, Result.UNCHANGED, status=_status(known.article))
    if known.article.last_updated > known.imported_at:
        raise RefusedFile(
            "The article was edited here since it was imported; delete it here to import it anew."
        )
    _updated(author, record, known.article)
    known.digest, known.imported_at = digest, clock.now()
    return Outcome(record.key, Result.UPDATED, record.notes, _status(known.article))


def _status(article: Article) -> str:
    return lifecycle.api_status(article.status, article.published_at, clock.now())


def _created(author: UUID, record: ArticleRecord) -> Article:
    return articles.create(author, _to_input(author, record), slug_from=record.slug)


def _updated(author: UUID, record: ArticleRecord, article: Article) -> None:
    articles.change(author, article.uuid, _to_input(author, record))


def _to_input(author: UUID, record: ArticleRecord) -> ArticleInput:
    """Return the record as the input of an article; raises ValidationError with all that is wrong at once."""
    errors: dict[str, Any] = {}
    with _under(errors, "category"):
        category = taxonomies.get_or_create(CATEGORIES, author, record.category or NO_CATEGORY)
    tag_ids = []
    for name in record.tags:
        with _under(errors, f"tag {name!r}"):
            tag_ids.append({"uuid": str(taxonomies.get_or_create(TAGS, author, name).uuid)})
    with _under(errors, ""):
        given: ArticleInput = ArticleBodySchema(partial=("category",)).load(_body(record) | {"tags": tag_ids})
    if errors:
        raise ma.ValidationError(errors)
    return replace(given, category=TermReference(uuid=category.uuid))


@contextmanager
def _under(errors: dict[str, Any], part: str) -> Iterator[None]:
    """Gather what is wrong with a part of a record under its name."""
    try:
        yield
    except ma.ValidationError as error:
        told = flatten_messages(error.messages)
        errors |= {part: list(chain(*told.values()))} if part else told


def _body(record: ArticleRecord) -> dict[str, Any]:
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
    # An undated article keeps the time of its first import.
    if record.published_at is not None:
        body["published_at"] = record.published_at.isoformat()
    return body


def _renamed(record: ArticleRecord, article: Article) -> tuple[str, ...]:
    wished = slugs.make_slug(record.slug or record.title)
    if article.slug == wished:
        return ()
    return (f"The slug {wished!r} is taken; the article has {article.slug!r}.",)


def _digest(record: ArticleRecord) -> str:
    told = asdict(record) | {"notes": ()}
    return hashlib.sha256(json.dumps(told, default=str, sort_keys=True).encode("utf-8")).hexdigest()
