"""Reads the articles in exports of blogapi: text files with YAML front matter."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote
from uuid import UUID

from blogapi.content.articles.article_content import make_default_seo
from blogapi.content.articles.fields import TERM_LIST_FIELDS, TEXT_FIELDS
from blogapi.content.articles.lifecycle import ContentType
from blogapi.content.taxonomies.categories import DEFAULT_CATEGORY
from blogapi.exporting.article_files import SEO_FIELD_NAMES, WRITTEN_STATUSES
from blogapi.exporting.export_files import DESCRIPTION_FILE
from blogapi.exporting.exported_addresses import restore_content
from blogapi.importing.blogapi_export import data_files, layout, restoring, values
from blogapi.importing.blogapi_export.data_files import MAX_NAME_LENGTH, BlogData, replace_media_uuids
from blogapi.importing.blogapi_export.layout import ExportFolder
from blogapi.importing.blogapi_export.restoring import Summary, WorkingCopyRestorer, restore_redirects
from blogapi.importing.blogapi_export.values import Values
from blogapi.importing.format_api import privacy
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import FileReport, Item, read_item, report_problem
from blogapi.importing.format_api.source import CONTRACT_VERSION, Format, ImportOptions, Source
from blogapi.importing.format_api.source_files import Entry, read_bytes
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.storing.service import Importer
from blogapi.importing.storing.terms import list_parents_first
from blogapi.importing.texts.lines import to_bool, to_line
from blogapi.importing.texts.messages import join_counts
from blogapi.importing.texts.parsers import parse_yaml
from blogapi.parsing import parse_uuid
from blogapi.publication.visibility import READABLE_STATUSES, SCHEDULED, ItemType, Status
from blogapi.rendering.slugs import MAX_SLUG_LENGTH, make_slug, make_term_slug
from blogapi.web.fields import Timestamp
from blogapi.web.media_addresses import FILE_PREFIX

_FRONT_MATTER = re.compile(
    rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_BLOGAPI_FIELD = re.compile(rb"^blogapi[ \t]*:", re.MULTILINE)
_CONTENT_TYPES = {".md": "markdown", ".html": "html", ".txt": "text"}
# These fields are no reasons for a draft here, because other functions of this module read them.
_FIELDS_WITHOUT_REASONS = ("blogapi", "draft", "permalink", "url")
# An export numbers further references to the same file in an article (`../media/cat.jpg#2`).
_REFERENCE_NUMBER = re.compile(r"#[0-9]+\Z")
_PRE_ELEMENT = re.compile(r"<pre>(.*)</pre>\n?", re.DOTALL)
# A reference to a file of the library; every other address of a media file is a path of an old blog.
_LIBRARY_REFERENCE = re.compile(rf"media:|.*{FILE_PREFIX}", re.IGNORECASE | re.DOTALL)
_MAX_REPLACEMENTS = 10_000
# Parsing longer front matter would take more than a second.
_MAX_FRONT_MATTER_BYTES = 2_000_000
_TIMESTAMP_FIELD = Timestamp()


def has_blogapi_field(head: bytes) -> bool | None:
    """Return whether the front matter has the field `blogapi`; None if `head` is too short."""
    if not _has_front_matter(head):
        return False
    match = _FRONT_MATTER.match(head)
    if match is None:
        return True if _BLOGAPI_FIELD.search(head) else None
    return _BLOGAPI_FIELD.search(match[1]) is not None


def _has_front_matter(data: bytes) -> bool:
    return data.removeprefix(b"\xef\xbb\xbf").startswith(b"---")


def make_record_key(uuid: object) -> str:
    return f"blogapi:{uuid}"


class ArticleReader:
    """Reads the article files of an export.

    `media_uuids` maps uuids of media files in the export to other uuids of these files in this blog. Each
    article is added to `files`, which maps the uuid of an article to the key of its file.
    """

    def __init__(
        self,
        export: ExportFolder,
        data: BlogData,
        now: datetime,
        media_uuids: Mapping[UUID, UUID],
        files: dict[UUID, str],
    ) -> None:
        self.export, self._now, self._media_folder = export, now, export.layout.article_media
        self._media_uuids, self._files = media_uuids, files
        self._media = {item.file: item for item in data.media}
        #: The slugs of the terms by kind and name; several terms can have the same name.
        self._slugs: dict[tuple[str, str], list[str]] = defaultdict(list)
        for (kind, slug), term in data.terms.items():
            self._slugs[kind, term.fields["name"]].append(slug)

    def read_article(self, entry: Entry) -> ArticleRecord:
        """Return the record of an article; raises RefusedFile if the file is broken."""
        if entry.problem:
            raise entry.problem
        data, path = read_bytes(entry.path), entry.path
        match = _FRONT_MATTER.match(data)
        if match is None:
            if _has_front_matter(data):
                raise RefusedFile("Its head (front matter) has no end; add a line with `---`.")
            raise RefusedFile(
                "It has no head (front matter); begin it with the lines `---`, `title: Bread`, `---`."
            )
        if len(match[1]) > _MAX_FRONT_MATTER_BYTES:
            raise RefusedFile(
                f"Its head (front matter) has more than {_MAX_FRONT_MATTER_BYTES:,} bytes; shorten it."
            )
        entries, notes = parse_yaml(values.decode_text(match[1]), 2)
        place = path.relative_to(self.export.root)
        metadata = values.get_mapping(entries, "blogapi")
        uuid = self.export.get_or_derive_uuid(metadata, place.as_posix())
        if self.export.source and place.is_relative_to(self.export.layout.pages):
            metadata = {"type": ItemType.PAGE.value, **metadata}
        content, media_paths = self._read_content(metadata, values.decode_text(data[match.end() :]))
        content_type = metadata.get("content_type")
        if content_type is not None and content_type not in _CONTENT_TYPES.values():
            raise RefusedFile(
                f"`content_type` is not one of {', '.join(_CONTENT_TYPES.values())}; correct it."
            )
        content_type = str(content_type or _CONTENT_TYPES.get(path.suffix.lower(), "markdown"))
        if content_type == ContentType.TEXT and path.suffix.lower() == ".html":
            pre = _PRE_ELEMENT.fullmatch(content)
            content = html.unescape(pre[1]) if pre else content
        content = replace_media_uuids(content, self._media_uuids)
        is_hidden = any(privacy.find_draft_reasons_in_folders(place.parts[:-1]))
        published_at = values.get_time(entries, "date")
        # The values of custom fields in an export of blogapi say nothing about its status.
        marks = entries if self.export.source else {**entries, "custom": None}
        status, reasons = _read_status(marks, metadata, published_at, self._now, is_hidden=is_hidden)
        covers = [entries.get("cover_image"), *values.get_list(entries, "images"), entries.get("image")]
        fields = {
            **entries,
            "excerpt": entries.get("excerpt", entries.get("summary")),
            "language": entries.get("language", entries.get("lang")),
            "translation_key": entries.get("translation_key", entries.get("translationKey")),
            "content": content,
            "content_type": content_type,
            "cover_image": self._read_picture_address(metadata, "cover_image", *covers),
        }
        terms = self._read_terms(entries, metadata, notes)
        seo = {name: values.get_text(entries, key) for name, key in SEO_FIELD_NAMES.items() if key in entries}
        if "og_image" in entries or "og_image" in values.get_mapping(metadata, "originals"):
            seo["og_image"] = self._read_picture_address(metadata, "og_image", entries.get("og_image"))
        notes += reasons
        slug = _read_slug(entries, notes)
        texts: dict[str, Any] = {}
        for text in TEXT_FIELDS:
            is_flag = isinstance(text.default, bool)
            texts[text.name] = (values.get_flag if is_flag else values.get_text)(fields, text.name)
        values.get_required_text(fields, "title", "Bread")
        created = values.get_time(metadata, "created")
        last_updated = values.get_time(entries, "lastmod") or created
        place_in_tree: dict[str, Any] = {}
        if metadata.get("type") == ItemType.PAGE:
            parent = parse_uuid(values.get_text(metadata, "parent"))
            position = str(metadata.get("position", ""))
            place_in_tree = {"type": ItemType.PAGE.value, "parent": parent and str(parent)}
            place_in_tree["position"] = int(position[:9]) if position.isdecimal() else 0
        # The digest of the record depends on the order of these fields.
        body: dict[str, Any] = {
            **texts,
            "status": status,
            "published_at": _TIMESTAMP_FIELD._serialize(published_at, None, None),
            **terms,
            "seo": {**({} if self.export.source else make_default_seo(texts)), **seo},
            **place_in_tree,
            **({"slug": slug} if slug else {}),
        }
        former_slugs = values.get_former_slugs_or_paths(metadata, "former_slugs", last_updated)
        former_paths = values.get_former_slugs_or_paths(metadata, "former_paths", last_updated)
        values.refuse_surrogates([body, former_slugs, former_paths, media_paths])
        if uuid in self._files:
            raise RefusedFile(
                f"“{self._files[uuid]}” has the same uuid; if this is another article, remove `blogapi` and "
                "the lines below it from its head (front matter)."
            )
        self._files[uuid] = entry.key
        return ArticleRecord(
            key=make_record_key(uuid),
            source=entry.key,
            title=texts["title"],
            slug=slug,
            content=content,
            content_type=content_type,
            status=status,
            published_at=published_at,
            # With a path, the import looks for the pictures of the article; an export lists its pictures.
            path=path if self.export.source else None,
            cover_image=texts["cover_image"] if self.export.source else "",
            custom=values.get_custom_values(entries),
            uuid=uuid,
            body=body,
            created=created,
            last_updated=last_updated,
            was_public=values.get_flag(metadata, "was_public"),
            slug_derived=values.get_flag(metadata, "slug_derived"),
            former_slugs=tuple(former_slugs),
            former_paths=tuple(map(quote, former_paths)),
            former_times=former_slugs | former_paths,
            media_paths=media_paths,
            notes=tuple(notes),
        )

    def _read_terms(self, entries: Values, metadata: Values, notes: list[str]) -> dict[str, Any]:
        categories = values.get_texts(entries, "categories")
        if len(categories) > 1:
            notes.append("It has several categories; the first one is used.")
        terms: dict[str, Any] = {"category": None}
        if metadata.get("type") != ItemType.PAGE:
            names, slugs = categories[:1] or [DEFAULT_CATEGORY], values.get_texts(metadata, "category")
            (terms["category"],) = self._choose_terms("category", names, slugs)
        for field in TERM_LIST_FIELDS:
            names, slugs = values.get_texts(entries, field.name), values.get_texts(metadata, field.name)
            terms[field.name] = self._choose_terms(field.kind, names, slugs)
        return terms

    def _choose_terms(self, kind: str, names: Sequence[str], slugs: Sequence[str]) -> list[dict[str, str]]:
        """Return the slug and the name of each named term; `slugs` decides between terms of the same name.

        A name that the export does not contain becomes a new term.
        """
        remaining, references = list(slugs), list[dict[str, str]]()
        for name in names:
            known_slugs = self._slugs.get((kind, name), [])
            slug = next((slug for slug in remaining if slug in known_slugs), "")
            if slug:
                remaining.remove(slug)
            elif known_slugs:
                slug = known_slugs[0]
            elif len(name) > MAX_NAME_LENGTH:
                raise RefusedFile(f"The name of a {kind} has {len(name):,} characters; shorten it.")
            else:
                slug = make_term_slug(name)
                self._slugs[kind, name].append(slug)
            references.append({"slug": slug, "name": name})
        return references

    def _read_picture_address(self, metadata: Values, name: str, *candidates: object) -> str:
        originals = values.get_mapping(metadata, "originals")
        if name in originals:
            return values.get_text(originals, name)
        address = values.get_text({name: next(filter(None, candidates), "")}, name)
        if self.export.source and name == "cover_image":
            return address
        file = self._media.get(address.removeprefix(self._media_folder))
        return file.address if file and address.startswith(self._media_folder) else address

    def _read_content(self, metadata: Values, exported: str) -> tuple[str, dict[str, UUID]]:
        """Return the original content, and the uuids of media files by the paths that refer to them."""
        entries = values.get_list(metadata, "replacements")
        if len(entries) > _MAX_REPLACEMENTS:
            raise RefusedFile(f"It has more than {_MAX_REPLACEMENTS:,} `replacements`; remove some.")
        replacements: dict[str, str] = {}
        paths: dict[str, UUID] = {}
        for item in values.get_mappings(metadata, "replacements"):
            text, original = values.get_text(item, "exported"), values.get_text(item, "original")
            if text:
                replacements[text] = original
            name = _REFERENCE_NUMBER.sub("", text.removeprefix(self._media_folder))
            file = self._media.get(name) if text.startswith(self._media_folder) else None
            if text and file and not _LIBRARY_REFERENCE.match(original):
                paths[original] = file.uuid
        for item in values.get_mappings(metadata, "paths"):
            if file := self._media.get(values.get_text(item, "file")):
                paths[values.get_text(item, "path")] = file.uuid
        paths = {path: self._media_uuids.get(uuid, uuid) for path, uuid in paths.items()}
        return restore_content(exported, replacements), paths


def _read_status(
    entries: Values, metadata: Values, date: datetime | None, now: datetime, *, is_hidden: bool
) -> tuple[str, tuple[str, ...]]:
    """Return the status, and the reasons for a draft; `is_hidden` = the file is in a folder of drafts."""
    other_entries = {key: value for key, value in entries.items() if key not in _FIELDS_WITHOUT_REASONS}
    reasons = tuple(reason.note for reason in privacy.find_draft_reasons_in_front_matter(other_entries))
    draft = to_bool(entries.get("draft")) if "draft" in entries else False
    status = metadata.get("status")
    if status == SCHEDULED and metadata.get("type") == ItemType.PAGE and not (draft is not False or reasons):
        # An export puts scheduled pages into the folder of drafts, because Jekyll would publish them at once.
        is_public = not is_hidden or (date and date > now)
        status, reasons = (Status.PUBLISHED if is_public else Status.DRAFT).value, ()
    elif status is not None and not (reasons and status in READABLE_STATUSES):
        if status not in WRITTEN_STATUSES:
            note = "Its status is not understood; the article became a draft."
            return Status.DRAFT.value, (*filter(None, reasons), note)
        reasons = ()
    elif draft is None:
        line = to_line(entries["draft"])[:100]
        note = f"The value “{line}” of `draft` is not understood; the article became a draft."
        return Status.DRAFT.value, (*filter(None, reasons), note)
    else:
        status = Status.DRAFT.value if draft or reasons or is_hidden else Status.PUBLISHED.value
    if status == Status.PUBLISHED and date is None:
        note = "It has no date; the article became a draft. To publish it, add the date."
        return Status.DRAFT.value, (note,)
    return str(status), tuple(filter(None, reasons))


def _read_slug(fields: Values, notes: list[str]) -> str:
    slug = values.get_text(fields, "slug")
    if len(slug) > MAX_SLUG_LENGTH:
        raise RefusedFile(f"Its slug has more than {MAX_SLUG_LENGTH} characters; shorten it.")
    valid = make_slug(slug, max_length=MAX_SLUG_LENGTH) if slug else ""
    if slug != valid:
        notes.append(f"The slug “{slug}” is not valid; the article got “{valid}”.")
    return valid


class ExportSource(Source):
    """Reads the articles of exports; the methods `restore_…` store all other data."""

    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(total=len(entries))
        self.notes: list[str] = []
        self._now = options.now
        self._unread: list[FileReport] = []
        self._folders: dict[ExportFolder, list[Entry]] = {}
        for entry in entries:
            export = layout.find_export_folder(entry.path)
            if export is None:
                reason = "It is not in the folder of an export; import the whole folder or its archive."
                self._unread.append(report_problem(entry.key, entry.problem or RefusedFile(reason)))
                continue
            articles = self._folders.setdefault(export, [])
            if not layout.is_data_file(export, entry.path):
                articles.append(entry)
        self._media_uuids: dict[UUID, UUID] = {}
        self._data: dict[ExportFolder, BlogData] = {}
        #: The uuids of the articles that were read, with the files that contain them.
        self._files: dict[UUID, str] = {}

    def restore_blog_data(self, importer: Importer) -> Iterator[FileReport]:
        """Store the data of the exports besides articles and working copies; yield a report for each refusal.

        A dry run stores nothing. Call this before `read`, outside of any transaction.
        """
        restored = Summary()
        for export in list(self._folders):
            try:
                data = self._data[export] = data_files.read_blog_data(export)
            except RefusedFile as error:
                del self._folders[export]
                yield report_problem(f"{export.root.name}/{DESCRIPTION_FILE}", error)
                continue
            if export.source:
                self.assets = (*self.assets, export.root / export.layout.media)
            key, state = export.root.name, importer.state
            yield from data.reports
            yield from restoring.restore_media(data, state, key, restored)
            yield from restoring.restore_terms(data, importer, key, restored)
            yield from restoring.restore_fields(data, key, state, restored)
            yield from restore_redirects(data, key, state, restored)
            yield from restoring.restore_site(data, key, state, restored)
            state.exported_terms = {**state.exported_terms, **data.terms}
        self._media_uuids = restored.media_uuids
        if counts := {name: number for name, number in sorted(restored.counts.items()) if number}:
            self.notes.append(f"Created besides articles: {join_counts(counts)}.")
        self.notes += restored.notes

    def read(self) -> Iterator[Item]:
        yield from self._unread
        for export, entries in self._folders.items():
            data = self._data.get(export) or data_files.read_blog_data(export)
            reader = ArticleReader(export, data, self._now, self._media_uuids, self._files)
            pages = []
            for entry in entries:
                item = read_item(entry.key, partial(reader.read_article, entry))
                if isinstance(item, ArticleRecord) and "parent" in item.body:
                    pages.append(item)
                else:
                    yield item
            parents = {page.key: make_record_key(page.body["parent"]) for page in pages}
            yield from list_parents_first(pages, parents, lambda page: page.key)

    def restore_working_copies(self, importer: Importer) -> Iterator[FileReport]:
        """Store the working copies after all articles have been stored; yield a report for each."""
        copies = WorkingCopyRestorer(importer.state, self._media_uuids, self._files)
        for export in self._folders:
            name = export.layout.working_copies
            if (export.root / name).is_file():
                yield from copies.restore_file(export.root / name, f"{export.root.name}/{name}")


def is_export_file(entry: Entry, head: bytes) -> bool:
    """Return whether the file belongs to an export of blogapi.

    An export consists of the data files and of the text files with the field `blogapi` in the front matter.
    If `blogapi.yaml` names a source, all files in the folders of articles belong to the export too. Other
    files in the folder belong to other formats.
    """
    export = layout.find_export_folder(entry.path)
    if export is None:
        return False
    if layout.is_data_file(export, entry.path):
        return True
    if entry.problem or entry.path.suffix.lower() not in layout.ARTICLE_SUFFIXES:
        return False
    is_marked = has_blogapi_field(head)
    if is_marked is None:
        with suppress(RefusedFile):
            is_marked = has_blogapi_field(read_bytes(entry.path))
    return is_marked is True or export.is_in_article_folder(entry.path)


FORMAT = Format(name="blogapi", contract=CONTRACT_VERSION, detect=is_export_file, open_source=ExportSource)
