"""Make the records of exported articles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from blogapi.articles.content import default_seo
from blogapi.articles.fields import TEXT_FIELDS
from blogapi.importing.blogapi_export import values
from blogapi.importing.blogapi_export.values import Values
from blogapi.importing.format_api.article_record import ArticleRecord, ExportedFields
from blogapi.importing.refusals import RefusedFile
from blogapi.parsing import parse_uuid
from blogapi.publication.visibility import ItemType, Status
from blogapi.rendering.slugs import MAX_SLUG_LENGTH, make_slug
from blogapi.web.fields import Timestamp

_STATUSES = frozenset(status.value for status in Status)
_TIMESTAMP_FIELD = Timestamp()


def make_key(uuid: UUID) -> str:
    """Return the key that identifies the article in all imports."""
    return f"blogapi:{uuid}"


def make_record(
    fields: Values,
    source: str,
    path: Path | None,
    *,
    terms: Mapping[str, Sequence[Mapping[str, str]]],
    seo: Mapping[str, str],
    media_paths: Mapping[str, UUID],
    notes: Sequence[str] = (),
) -> ArticleRecord:
    """Return the record of an article.

    `fields` contains the texts of the article, its uuid, slug, status and times, under the names of the
    default layout. The keys of `terms` are `category`, `tags` and `authors`. `seo` contains only the fields
    that the export has. `path` is the file of the article if the import is to look for its pictures, else
    None. Raises RefusedFile if a field is invalid.
    """
    notes = list(notes)
    uuid, slug = values.get_uuid(fields, "uuid"), _read_slug(fields, notes)
    texts = {text.name: values.get_text_field(fields, text) for text in TEXT_FIELDS}
    values.get_required_text(fields, "title", "Bread")
    published_at = values.get_time(fields, "date")
    status = _read_status(fields, published_at, notes)
    created = values.get_time(fields, "created")
    last_updated = values.get_time(fields, "lastmod") or created
    body: dict[str, Any] = {
        **texts,
        "status": status,
        "published_at": _TIMESTAMP_FIELD._serialize(published_at, None, None),
        "category": terms["category"][0] if terms["category"] else None,
        "tags": list(terms["tags"]),
        "authors": list(terms["authors"]),
        "seo": {**({} if path else default_seo(texts)), **seo},
    }
    if fields.get("type") == ItemType.PAGE:
        parent, position = parse_uuid(values.get_text(fields, "parent")), str(fields.get("position", ""))
        place = {"parent": parent and str(parent), "position": int(position) if position.isdecimal() else 0}
        body |= {"type": ItemType.PAGE.value, **place}
    if slug:
        body["slug"] = slug
    exported = ExportedFields(
        uuid=uuid,
        body=body,
        created=created,
        last_updated=last_updated,
        was_public=fields.get("was_public") in (True, "true"),
        slug_derived=fields.get("slug_derived") in (True, "true"),
        former_slugs=values.get_former(fields, "former_slugs", last_updated),
        former_paths=values.get_former(fields, "former_paths", last_updated),
        media_paths=media_paths,
    )
    values.refuse_surrogates([body, exported.former_slugs, exported.former_paths, media_paths])
    return ArticleRecord(
        key=make_key(uuid),
        source=source,
        title=texts["title"],
        slug=slug,
        content=texts["content"],
        content_type=texts["content_type"],
        status=status,
        published_at=published_at,
        path=path,
        cover_image=texts["cover_image"] if path else "",
        custom=values.get_custom(fields),
        exported=exported,
        notes=tuple(notes),
    )


def _read_slug(fields: Values, notes: list[str]) -> str:
    slug = values.get_text(fields, "slug")
    if len(slug) > MAX_SLUG_LENGTH:
        raise RefusedFile(f"Its slug has more than {MAX_SLUG_LENGTH} characters; shorten it.")
    valid = make_slug(slug, max_length=MAX_SLUG_LENGTH) if slug else ""
    if slug != valid:
        notes.append(f"The slug “{slug}” is not valid; the article got “{valid}”.")
    return valid


def _read_status(fields: Values, published_at: datetime | None, notes: list[str]) -> str:
    """Return the status, or "draft" if the status is unknown or a published article has no date."""
    status = fields.get("status")
    if status not in _STATUSES:
        notes.append("Its status is not understood; the article became a draft.")
        return Status.DRAFT.value
    if status == Status.PUBLISHED and published_at is None:
        notes.append("It has no date; the article became a draft. To publish it, add the date.")
        return Status.DRAFT.value
    return str(status)
