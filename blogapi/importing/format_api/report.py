"""The result of each file or item of an import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.refusals import NotAnArticle, RefusedFile


class Result(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class FileReport:
    key: str
    result: Result
    #: the status of the article: "published", "scheduled", "draft" or "archived"; None if there is no article
    status: str | None = None
    notes: tuple[str, ...] = ()  #: why the file was not imported, or which changes were made
    media: MediaReport | None = None  #: None if the file refers to no media files
    source: str = ""  #: the file that contains the item, if `key` is not its path
    title: str = ""  #: the title of the item, if `key` is not its path
    slug: str = ""  #: the slug of an article that was created or updated
    article: UUID | None = None  #: the uuid of the stored article; None in a dry run or without an article
    #: whether the article was edited here and shows a text that the former blog hides (also set in a dry run)
    hidden_there: bool = False


# The record of a file or item that was read, or the report of one that was refused or skipped.
Item = ArticleRecord | FileReport


def read_item(key: str, read: Callable[[], ArticleRecord]) -> Item:
    """Return the record that `read` returns, or the report of its refusal."""
    try:
        return read()
    except (NotAnArticle, RefusedFile) as error:
        return report_problem(key, error)


def report_problem(
    key: str, problem: NotAnArticle | RefusedFile, source: str = "", title: str = ""
) -> FileReport:
    """Return the report of a file that is not imported, or of such an item in the file `source`."""
    result = Result.REFUSED if isinstance(problem, RefusedFile) else Result.SKIPPED
    return FileReport(key, result, notes=(str(problem),), source=source, title=title)


@dataclass(frozen=True, slots=True)
class RefusedMedia:
    """The path of a media file that was not imported, and the reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class MediaReport:
    """The paths of media files in an article: new, already in the library, missing, or refused."""

    new: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    refused: tuple[RefusedMedia, ...] = ()
