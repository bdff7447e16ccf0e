"""The state that the batches of one import share, its authors, and the errors for which items are refused."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

import marshmallow as ma
from sqlalchemy.exc import DataError, IntegrityError

from blogapi.accounts.users.models import Account
from blogapi.content.custom_fields.custom_values import CustomValues
from blogapi.content.custom_fields.shown_values import omit_admin_values
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.models import Term
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.storing.exported_terms import ExportedTerms
from blogapi.importing.storing.guesses import Guesses
from blogapi.storage.database import db
from blogapi.web.access import Role
from blogapi.web.errors import Problem, flatten_messages
from blogapi.web.fields import join_messages

#: The errors for which an import refuses an article, a term or the site.
REFUSAL_ERRORS = (RefusedFile, ma.ValidationError, Problem, IntegrityError, DataError)


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

    def rename_authors(self, record: ArticleRecord) -> ArticleRecord:
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

    def count_articles(self, authors: Iterable[Author]) -> None:
        for author in {author.uuid: author for author in authors}.values():
            report = self._reports.setdefault(author.slug, AuthorReport(author.slug, author.name))
            report.created |= author.uuid in self.created
            report.articles += 1

    def list_reports(self) -> list[AuthorReport]:
        return sorted(self._reports.values(), key=lambda report: report.slug)


def read_author_map(path: Path) -> dict[str, str]:
    """Return the names or slugs of authors by their names in the files, in lower case.

    Each line is `"name in the files" = "slug or name"`. Raises RefusedFile if the file has another form.
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


def describe_refusal(error: Exception) -> str:
    if isinstance(error, ma.ValidationError):
        return join_messages(flatten_messages(error.messages))
    if isinstance(error, Problem):
        return error.detail
    if isinstance(error, (IntegrityError, DataError)):
        return f"The database refused it: {error.orig}."
    return str(error)


def report_refusal(key: str, error: Exception) -> FileReport:
    """Return the report of an item that was refused with `error`, one of the REFUSAL_ERRORS."""
    return FileReport(key, Result.REFUSED, notes=(describe_refusal(error),))


@dataclass(kw_only=True, slots=True)
class ImportState:
    """The user who imports, the options, and the data that batches keep for later batches."""

    author: UUID
    authors: ImportedAuthors
    guesses: Guesses
    restore_deleted: bool = False
    dry_run: bool = False
    #: whether the user who started the import is not an admin; the author can be an admin
    restricted: bool = False
    #: The redirects of this run. A redirect is removed if an article that is imported later has its slug.
    redirects: set[str] = field(default_factory=set)
    #: The categories, tags and authors of an export of blogapi.
    exported_terms: ExportedTerms = field(default_factory=dict)
    #: The terms of the blog by their kinds and by the names in the records; they are not looked up again.
    found_terms: defaultdict[str, dict[str, Term]] = field(default_factory=lambda: defaultdict(dict))
    #: The data that earlier transactions of a dry run stored and rolled back: terms by kind and slug, which
    #: later transactions store together; the slugs of articles; the articles with each former path.
    planned_terms: dict[tuple[str, str], Term] = field(default_factory=dict)
    planned_slugs: set[str] = field(default_factory=set)
    planned_paths: dict[str, UUID] = field(default_factory=dict)
    #: The pages that were stored before their parents: the keys of both, and whether the page is new.
    missing_parents: dict[str, tuple[str, bool]] = field(default_factory=dict)
    #: The keys of records with public articles that unread rules can hide (`Source.unread_rules`).
    public_unread: set[str] = field(default_factory=set)

    def is_admin(self) -> bool:
        """Return whether an admin imports: only admins change custom fields, redirects and the site."""
        account = db.session.get(Account, self.author)
        return not self.restricted and account is not None and account.role == Role.ADMIN

    def select_custom_values(self, values: CustomValues) -> CustomValues:
        """Return the values of custom fields that the user who started the import may write."""
        return omit_admin_values(values) if self.restricted else values

    def plan_term(self, slug: str, term: Term) -> None:
        """In a dry run, keep a term that was created for later transactions."""
        # The profile of a user replaces another profile, so later transactions must create it again.
        if self.dry_run and not (isinstance(term, Author) and term.owner_id):
            self.planned_terms[term.kind, slug] = term
