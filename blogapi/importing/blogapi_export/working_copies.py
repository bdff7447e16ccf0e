"""Restore the working copies of an export: unpublished edits of articles."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.custom_fields.validation import convert_imported
from blogapi.content.taxonomies.authors import AUTHORS
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import TAGS
from blogapi.content.working_copies import service
from blogapi.content.working_copies.schemas import WorkingCopyBodySchema
from blogapi.importing.blogapi_export import values
from blogapi.importing.blogapi_export.data_files import replace_references
from blogapi.importing.blogapi_export.values import Values
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.format_api.source_files import read_bytes
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.storing import exported_terms
from blogapi.importing.storing.state import REFUSALS, ImportState, describe_refusal
from blogapi.storage.database import db, transaction

_BODY_SCHEMA = WorkingCopyBodySchema()
_MAX_BYTES = 1024**3
_CHANGED = "The article was changed in this blog after the export, so its working copy was not imported."
_KEPT = "The article has a working copy in this blog, which stays as it is."


@dataclass(frozen=True, slots=True)
class WorkingCopies:
    """Saves working copies of articles that have none, with the user who imports as the one who saved them.

    `articles` has the uuids of the articles that the import has read, because a dry run does not store them.
    """

    state: ImportState
    media_uuids: Mapping[UUID, UUID]
    articles: Container[UUID]

    def restore(self, path: Path, key: str) -> Iterator[FileReport]:
        """Store the working copies in a JSON file; yield a report for each."""
        try:
            items = json.loads(read_bytes(path, _MAX_BYTES))
            for number, item in enumerate(items if isinstance(items, list) else [], 1):
                title = str(item.get("title", ""))[:200] if isinstance(item, dict) else ""
                try:
                    if not isinstance(item, dict):
                        raise RefusedFile("It is not an object; correct it.")
                    result, notes = self._save(item)
                except REFUSALS as error:
                    result, notes = Result.REFUSED, (describe_refusal(error),)
                yield FileReport(f"{key}#{number}", result, notes=notes, title=f"Working copy of “{title}”")
        except (RefusedFile, ValueError, RecursionError) as error:
            reason = f"Its working copies cannot be read ({str(error)[:200]}); export the blog again."
            yield FileReport(key, Result.REFUSED, notes=(reason,))

    def _save(self, item: Values) -> tuple[Result, tuple[str, ...]]:
        uuid, last_updated = values.get_uuid(item, "article"), values.get_time(item, "last_updated")
        article_input = replace(
            _BODY_SCHEMA.load(self._make_body(item)),
            custom=convert_imported(values.get_custom(item)),
            replaces_custom=True,
        )
        with transaction():
            article, present = db.session.get(Article, uuid), db.session.get(WorkingCopy, uuid)
            if article is None and not (self.state.dry_run and uuid in self.articles):
                raise RefusedFile("Its article is not in this blog; import it with its article.")
            if present is not None and present.last_updated == last_updated:
                return Result.UNCHANGED, ()
            if present is not None:
                return Result.SKIPPED, (_KEPT,)
            if article is not None and article.last_updated != values.get_time(item, "article_last_updated"):
                return Result.SKIPPED, (_CHANGED,)
            if not self.state.dry_run:
                copy, _ = service.save(self.state.author, uuid, article_input)
                assert isinstance(copy, WorkingCopy), "only a user who may publish writes into the article"
                copy.last_updated = last_updated or copy.last_updated
                copy.created = values.get_time(item, "created") or copy.last_updated
                if item.get("is_outdated"):
                    # No version has this number, so the editor asks what to do when the edits are published.
                    copy.base_version = 0
        return Result.CREATED, ()

    def _make_body(self, item: Values) -> dict[str, Any]:
        body = {name: item[name] for name in _BODY_SCHEMA.fields if name in item and name != "custom"}
        content = values.get_text(item, "content")
        body["content"] = replace_references(content, self.media_uuids)
        categories = self._find_terms(CATEGORIES.singular, values.get_texts(item, "category"))
        body["category"] = next(iter(categories), None)
        body["tags"] = self._find_terms(TAGS.singular, values.get_texts(item, "tags"))
        body["authors"] = self._find_terms(AUTHORS.singular, values.get_texts(item, "authors"))
        return body

    def _find_terms(self, kind: str, slugs: Sequence[str]) -> list[str]:
        """Return the uuids of the terms with these slugs in the export; unknown slugs are ignored."""
        terms = exported_terms.find_existing(kind, slugs, self.state.exported_terms)
        return [str(terms[slug].uuid) for slug in slugs if slug in terms]
