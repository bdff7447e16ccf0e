"""The authors of an import: how the author map renames and merges them, and the report about them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from blogapi.content.taxonomies.authors import Author
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.refusals import RefusedFile


@dataclass(slots=True)
class AuthorReport:
    """An author of imported articles, whether the import created them, and the number of stored articles."""

    slug: str
    name: str
    created: bool = False
    articles: int = 0


class ImportedAuthors:
    """The authors of one run.

    `author_map` maps names in the files to names or slugs of authors of the blog; see `read_author_map`.
    """

    def __init__(self, author_map: Mapping[str, str]) -> None:
        self._map = author_map
        self._reports: dict[str, AuthorReport] = {}
        #: The names in the author map that no file has.
        self.unused_names = set(author_map)
        #: The uuids of the authors that this run has created.
        self.created: set[UUID] = set()

    def rename(self, record: ArticleRecord) -> ArticleRecord:
        """Return the record with its authors renamed as the author map says."""
        if not self._map:
            return record
        names = [author.name.casefold() for author in record.authors]
        self.unused_names.difference_update(names)
        authors = [
            replace(author, name=self._map.get(name, author.name))
            for author, name in zip(record.authors, names, strict=True)
        ]
        return replace(record, authors=tuple(authors))

    def count(self, authors: Iterable[Author]) -> None:
        for author in {author.uuid: author for author in authors}.values():
            report = self._reports.setdefault(author.slug, AuthorReport(author.slug, author.name))
            report.created |= author.uuid in self.created
            report.articles += 1

    def list_reports(self) -> list[AuthorReport]:
        """Return the report of each author, sorted by slug."""
        return sorted(self._reports.values(), key=lambda report: report.slug)


def read_author_map(path: Path) -> dict[str, str]:
    """Return the names or slugs of authors by their names in the files, in lower case.

    Each line of the file is `"name in the files" = "slug or name"`. Raises RefusedFile if the file cannot be
    read or has another form.
    """
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RefusedFile(f"The author map cannot be read ({error}); write it as TOML in UTF-8.") from error
    for name, target in entries.items():
        if not isinstance(target, str) or not target.strip():
            raise RefusedFile(
                f"The author map has no text for {name!r}; "
                'write each line as "name in the files" = "slug or name".'
            )
    return {" ".join(name.split()).casefold(): target.strip() for name, target in entries.items()}
