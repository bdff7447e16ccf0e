"""Store what an export has besides articles: media files, terms, fields, redirects, site, working copies."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import marshmallow as ma
from sqlalchemy import ColumnDefault

from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.custom_fields import service as custom_field_service
from blogapi.content.custom_fields.custom_values import parse_stored_values
from blogapi.content.custom_fields.definitions import list_definitions
from blogapi.content.custom_fields.schemas import FieldBodySchema
from blogapi.content.custom_fields.validation import convert_imported_values
from blogapi.content.media import service
from blogapi.content.media.schemas import MediaChangesSchema
from blogapi.content.taxonomies.authors import AUTHORS
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import TAGS
from blogapi.content.working_copies import service as copy_service
from blogapi.content.working_copies.schemas import WorkingCopyBodySchema
from blogapi.delivery.redirects.custom import service as redirect_service
from blogapi.delivery.redirects.custom.schemas import CustomRedirectBodySchema
from blogapi.delivery.redirects.custom.service import GONE_STATUS
from blogapi.delivery.redirects.queries import CUSTOM_KIND
from blogapi.exporting.snapshot import SITE_FIELDS
from blogapi.importing import queries
from blogapi.importing.blogapi_export import values
from blogapi.importing.blogapi_export.data_files import BlogData, ExportedMedia, replace_media_uuids
from blogapi.importing.blogapi_export.values import Values, get_required_text, get_text
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.format_api.source_files import read_bytes
from blogapi.importing.media.imported_media import hash_file, store_each
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.storing import exported_terms
from blogapi.importing.storing.service import Importer
from blogapi.importing.storing.state import REFUSAL_ERRORS, ImportState, describe_refusal, report_refusal
from blogapi.importing.storing.terms import TERMS_PER_TRANSACTION, list_parents_first
from blogapi.importing.texts.lines import to_line
from blogapi.site import service as site_service
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.site.schemas import SiteChangesSchema
from blogapi.storage.database import db, end_read, savepoint, split_values, table_of, transaction
from blogapi.web.fields import Fields

_COPY_SCHEMA, _MEDIA_TEXTS_SCHEMA = WorkingCopyBodySchema(), MediaChangesSchema()
_FIELD_SCHEMA, _REDIRECT_SCHEMA = FieldBodySchema(), CustomRedirectBodySchema()
_MAX_WORKING_COPIES_BYTES = 1024**3
_CHANGED_NOTE = "The article was changed in this blog after the export, so its working copy was not imported."
_COPY_KEPT_NOTE = "The article has a working copy in this blog, which stays as it is."


@dataclass(frozen=True, slots=True)
class WorkingCopyRestorer:
    """Stores the working copies of an export, as if the importing user had saved them.

    `articles` has the uuids of the articles that the import has read, because a dry run stores no articles.
    """

    state: ImportState
    media_uuids: Mapping[UUID, UUID]
    articles: Container[UUID]

    def restore_file(self, path: Path, key: str) -> Iterator[FileReport]:
        """Read working copies from a JSON file and store them; yield a report for each."""
        try:
            items = json.loads(read_bytes(path, _MAX_WORKING_COPIES_BYTES))
            for number, item in enumerate(items if isinstance(items, list) else [], 1):
                title = str(item.get("title", ""))[:200] if isinstance(item, dict) else ""
                try:
                    if not isinstance(item, dict):
                        raise RefusedFile("It is not an object; export the blog again.")
                    result, notes = self._save_working_copy(item)
                except REFUSAL_ERRORS as error:
                    result, notes = Result.REFUSED, (describe_refusal(error),)
                yield FileReport(f"{key}#{number}", result, notes=notes, title=f"Working copy of “{title}”")
        except (RefusedFile, ValueError, RecursionError) as error:
            reason = f"Its working copies cannot be read ({str(error)[:200]}); export the blog again."
            yield FileReport(key, Result.REFUSED, notes=(reason,))

    def _save_working_copy(self, item: Values) -> tuple[Result, tuple[str, ...]]:
        uuid, last_updated = values.get_uuid(item, "article"), values.get_time(item, "last_updated")
        body: Fields = {name: item[name] for name in _COPY_SCHEMA.fields if name in item and name != "custom"}
        body["content"] = replace_media_uuids(values.get_text(item, "content"), self.media_uuids)
        for name, kind in (("category", CATEGORIES), ("tags", TAGS), ("authors", AUTHORS)):
            slugs = values.get_texts(item, name)
            terms = exported_terms.match_terms(kind.singular, slugs, self.state.exported_terms)
            body[name] = [str(terms[slug].uuid) for slug in slugs if slug in terms]
        body["category"] = next(iter(body["category"]), None)
        article_input: ArticleInput = _COPY_SCHEMA.load(body)
        given = convert_imported_values(self.state.select_custom_values(values.get_custom_values(item)))
        with transaction():
            article, present = db.session.get(Article, uuid), db.session.get(WorkingCopy, uuid)
            if article is None and not (self.state.dry_run and uuid in self.articles):
                raise RefusedFile("Its article is not in this blog; import the complete export.")
            if present is not None and present.last_updated == last_updated:
                return Result.UNCHANGED, ()
            if present is not None:
                return Result.SKIPPED, (_COPY_KEPT_NOTE,)
            if article is not None and article.last_updated != values.get_time(item, "article_last_updated"):
                return Result.SKIPPED, (_CHANGED_NOTE,)
            if article is not None and not self.state.dry_run:
                # A value that the copy lacks is removed, except for a value that the user may not write.
                removed = dict.fromkeys(self.state.select_custom_values(parse_stored_values(article.custom)))
                edits = replace(article_input, custom={**removed, **given})
                copy, _ = copy_service.save_working_copy(self.state.author, uuid, edits)
                assert isinstance(copy, WorkingCopy), "only a user who may publish writes into the article"
                copy.last_updated = last_updated or copy.last_updated
                copy.created = values.get_time(item, "created") or copy.last_updated
                if item.get("is_outdated"):
                    # No version has the number 0, so publishing the working copy is a conflict.
                    copy.base_version = 0
        return Result.CREATED, ()


@dataclass(slots=True)
class Summary:
    """The counts and notes about data that the import has restored or, in a dry run, would restore."""

    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    #: The uuids of files of this library by their uuids in the export, if these differ.
    media_uuids: dict[UUID, UUID] = field(default_factory=dict)


def restore_media(data: BlogData, state: ImportState, key: str, restored: Summary) -> Iterator[FileReport]:
    """Store the media files as uploads of the user; yield a report for each file that was not stored."""
    for group in split_values(data.media):
        known = queries.find_media_by_digests([item.hash for item in group])
        taken = queries.find_media_by_uuids([item.uuid for item in group]).keys()
        end_read()
        new = [item for item in group if item.hash not in known]
        store = partial(_store_media_file, user=state.author, taken=taken, dry_run=state.dry_run)
        uuids = {item.uuid: known[item.hash].uuid for item in group if item.hash in known}
        for item, stored in zip(new, store_each(store, new), strict=True):
            if isinstance(stored, RefusedFile):
                yield report_refusal(f"{key}/media/{item.file}", stored)
            else:
                uuids[item.uuid], is_new = stored
                restored.counts["media files"] += is_new
        restored.media_uuids |= {old: uuid for old, uuid in uuids.items() if old != uuid}


def _store_media_file(
    item: ExportedMedia, user: UUID, taken: Container[UUID], *, dry_run: bool
) -> tuple[UUID, bool]:
    """Store a media file; return its uuid in the library, and whether the file is new."""
    try:
        texts = _MEDIA_TEXTS_SCHEMA.load({"alt": item.alt, "caption": item.caption})
    except ma.ValidationError as error:
        raise RefusedFile(describe_refusal(error)) from error
    if item.path.parent.is_symlink():
        raise RefusedFile("The media folder is a link, which is not followed; replace it with the folder.")
    if not item.path.is_file():
        raise RefusedFile("The file is missing; copy it from the blog that was exported.")
    if hash_file(item.path) != item.hash:
        raise RefusedFile("The file is damaged or changed; copy it again from the blog that was exported.")
    with service.prepare_file(item.path, item.name) as prepared:
        if prepared.hash != item.hash and item.is_exact:
            raise RefusedFile("The library would change it; delete its metadata, or `hash` in its entry.")
        if dry_run:
            return item.uuid, True
        restored: Fields = {"created": item.created, "last_updated": item.last_updated}
        restored["decorative"] = item.decorative and not item.alt
        restored |= {"upload_hash": item.upload_hash} | ({} if item.uuid in taken else {"uuid": item.uuid})
        stored, is_new = service.store_file(
            prepared, **texts, user=user, restored=restored, former_hashes=item.former_hashes
        )
        return stored.uuid, is_new


def restore_terms(data: BlogData, importer: Importer, key: str, restored: Summary) -> Iterator[FileReport]:
    """Create the terms that this blog does not have; yield a report for each term that is refused."""
    parents = {(term.kind, term.slug): (term.kind, term.parent) for term in data.terms.values()}
    ordered = list_parents_first(data.terms.values(), parents, lambda term: (term.kind, term.slug))
    for terms in split_values(ordered, TERMS_PER_TRANSACTION):
        with importer.open_transaction():
            for kind, taxonomy in exported_terms.TAXONOMIES.items():
                by_slug = {term.slug: term for term in terms if term.kind == kind}
                existing = exported_terms.match_terms(kind, by_slug, data.terms)
                for term in (term for slug, term in by_slug.items() if slug not in existing):
                    try:
                        with savepoint():
                            created = exported_terms.create_term(importer.state.author, term, data.terms)
                        importer.state.plan_term(term.slug, created)
                        restored.counts[taxonomy.plural] += 1
                    except REFUSAL_ERRORS as error:
                        yield report_refusal(f"{key}/{kind}/{term.slug[:100]}", error)


def restore_fields(data: BlogData, key: str, state: ImportState, restored: Summary) -> Iterator[FileReport]:
    """Define the custom fields that this blog does not have, if an admin imports the export."""
    known = {definition.name for definition in list_definitions()}
    wanted = [definition for definition in data.fields if definition.get("name") not in known]
    if wanted and not state.is_admin():
        restored.notes.append("The custom fields were not defined, because only admins define fields.")
        wanted = []
    end_read()
    for definition in wanted:
        try:
            uuid = values.get_uuid(definition, "uuid") if definition.get("uuid") else None
            # The parser of YAML returns only texts.
            body: Fields = {name: value for name, value in definition.items() if name in _FIELD_SCHEMA.fields}
            body |= {it: values.get_flag(definition, it) for it in ("list", "required", "searched")}
            for name, convert in (("minimum", float), ("maximum", float), ("position", int)):
                if definition.get(name) is not None:
                    body[name] = values.get_number(definition, name, convert)
            fields = _FIELD_SCHEMA.load(body)
            if not state.dry_run:
                custom_field_service.define_field(fields, uuid=uuid)
            restored.counts["custom fields"] += 1
        except REFUSAL_ERRORS as error:
            yield report_refusal(f"{key}/fields/{to_line(definition.get('name'))[:64]}", error)


def restore_site(data: BlogData, key: str, state: ImportState, restored: Summary) -> Iterator[FileReport]:
    """Store the fields of the site, if an admin imports and this blog has set no field of the site."""
    if data.site is None:
        return
    try:
        fields = SiteChangesSchema().load(data.site)
    except ma.ValidationError as error:
        yield report_refusal(f"{key}/site", error)
        return
    site = get_site()
    # The import does not make this blog readable for everyone; an admin decides that.
    if data.had_built_in_site and not site.built_in:
        restored.notes.append("The former blog had its own pages; `site set built_in=true` shows them here.")
    if all(getattr(site, name) == value for name, value in fields.items()):
        return
    if not state.is_admin():
        restored.notes.append("The site was not changed, because only admins change the site.")
        return
    names = (*SITE_FIELDS, "navigation", "languages")
    defaults = [(getattr(site, name), table_of(Site).c[name].default) for name in names]
    if any(value != default.arg for value, default in defaults if isinstance(default, ColumnDefault)):
        restored.notes.append(
            "The site of this blog has values of its own and stays as it is; `site set` changes it."
        )
        return
    restored.notes.append("The title, the addresses and the other fields of the site were restored.")
    if not state.dry_run:
        site_service.change_site(fields)


def restore_redirects(
    data: BlogData, key: str, state: ImportState, restored: Summary
) -> Iterator[FileReport]:
    """Store the custom redirects with new paths, if an admin imports; yield a report for each refusal."""
    rows = [redirect for redirect in data.redirects if redirect.get("kind") == CUSTOM_KIND]
    if rows and not state.is_admin():
        restored.notes.append("The redirects were not stored, because only admins set redirects.")
        rows = []
    wanted: list[Fields] = []
    for redirect in rows:
        try:
            # The parser of YAML returns only texts.
            status, path = get_text(redirect, "status"), get_required_text(redirect, "from", "/old/")
            is_gone = status == str(GONE_STATUS)
            target = get_text(redirect, "to") if is_gone else get_required_text(redirect, "to", "/new/")
            body: Fields = {"path": quote(path), "target": target}
            body |= {"status": int(status[:9]) if status.isdecimal() else 0} if status else {}
            fields: Fields = _REDIRECT_SCHEMA.load(body)
            if redirect_service.find_redirect_from_path(fields["path"]) is None:
                wanted.append(fields)
        except REFUSAL_ERRORS as error:
            yield report_refusal(f"{key}/redirects{to_line(redirect.get('from'))[:100]}", error)
    end_read()
    if state.dry_run:
        restored.counts["redirects"] += len(wanted)
        return
    try:
        restored.counts["redirects"] += redirect_service.create_or_replace_redirects(wanted)[0]
    except REFUSAL_ERRORS:
        # Store them one by one: a redirect that makes a loop must not prevent the others.
        for fields in wanted:
            try:
                restored.counts["redirects"] += redirect_service.create_or_replace_redirects([fields])[0]
            except REFUSAL_ERRORS as error:
                yield report_refusal(f"{key}/redirects{fields['path'][:100]}", error)
