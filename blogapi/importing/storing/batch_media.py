"""The media files of a batch: the library file to which each path in an imported article refers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from blogapi.content.media import addresses, editing, uses
from blogapi.content.media.models import Media, MediaPath
from blogapi.content.revisions import service as revision_service
from blogapi.importing import queries
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import FileReport
from blogapi.importing.media.imported_media import RecordMedia
from blogapi.importing.texts.media_references import is_local_address
from blogapi.parsing import is_web_address
from blogapi.storage.database import db


class BatchMedia:
    """The files to which the records of a batch refer; `media` has the files of each record by its key."""

    def __init__(
        self, records: Sequence[ArticleRecord], article_ids: Sequence[UUID], media: Mapping[str, RecordMedia]
    ) -> None:
        self._media = media
        #: The library files to which the paths in each article refer.
        self._paths: dict[UUID, dict[str, MediaPath]] = {}
        self._library: dict[UUID, Media] = {}
        #: The articles with a path that now refers to a different file.
        self._remapped: set[UUID] = set()
        #: The alternative texts for files that have none.
        self._alts: dict[UUID, str] = {}
        own = [media[record.key] for record in records if record.key in media]
        if own:
            self._paths = queries.get_media_paths(article_ids)
            covers = {record.cover_image for record in records if record.cover_image}
            rows = (row for paths in self._paths.values() for row in map(paths.get, covers) if row)
            wanted = {file.uuid for it in own for file in it.files.values() if file.uuid}
            self._library = queries.find_media_by_uuids(wanted | {row.media_id for row in rows})

    def map_paths(self, article_id: UUID, record: ArticleRecord) -> bool:
        """Store the library file for each path of a record; return whether a path has another file now.

        After a change, the caller renders the article again. The paths of former versions of the record are
        kept, because the revisions of the article contain them.
        """
        media, is_changed = self._media.get(record.key), False
        if media is None:
            return False
        paths = self._paths.setdefault(article_id, {})
        for path, file in media.files.items():
            row = paths.get(path)
            if row is not None and row.media_id == file.uuid:
                continue
            # A user may have deleted the file since it was stored. In a dry run, files have no uuid.
            if file.uuid is not None and file.uuid not in self._library:
                continue
            is_changed = True
            if file.uuid is None:
                continue
            if row is not None:
                self._remapped.add(article_id)
                db.session.delete(row)
            paths[path] = MediaPath(article_id=article_id, path=path, media_id=file.uuid)
            db.session.add(paths[path])
            uses.mark_files_used(db.session(), [file.uuid])
            stored = self._library[file.uuid]
            if file.uuid in media.alts and not (stored.alt or stored.decorative):
                self._alts.setdefault(file.uuid, media.alts[file.uuid])
        if is_changed:
            # The article is rendered before the session is flushed, and a query finds the files of its paths.
            db.session.flush()
        return is_changed

    def get_picture_address(self, picture: str, article_id: UUID) -> str:
        """Return the address of the library file for `picture`, or else `picture` ("" if it is no URL)."""
        row = self._paths.get(article_id, {}).get(picture)
        file = self._library.get(row.media_id) if row else None
        if file is not None:
            return addresses.make_file_path(file.hash, file.name)
        # Fields of other generators can contain paths with spaces, which are no URLs.
        return "" if is_local_address(picture) and not is_web_address(picture) else picture

    def list_mapped_paths(self, article_id: UUID) -> Iterable[str]:
        """Return the paths in an article that refer to library files."""
        return self._paths.get(article_id, {})

    def store_alts_and_delete_uses(self) -> None:
        """Store the alternative texts of files that had none, and delete the uses of replaced files.

        The uses to which a former version refers are kept.
        """
        for uuid, alt in self._alts.items():
            editing.change_file(uuid, {"alt": alt})
        if self._remapped:
            db.session.flush()
            revision_service.delete_unneeded_former_uses(self._remapped)


def add_media_results(
    record: ArticleRecord, report: FileReport, media: RecordMedia | None, mapped: Iterable[str]
) -> FileReport:
    """Return the report with the source of a record and the results of its media files.

    The paths in `mapped` are known from an earlier import.
    """
    if record.source:
        report = replace(report, source=record.source, title=record.title)
    if media is None:
        return report
    media_report, notes = media.make_report(mapped)
    return replace(report, media=media_report, notes=(*report.notes, *notes))
