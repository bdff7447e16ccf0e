"""Guesses that the former blog hid an article: which guesses the user has lifted, and their articles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sqlalchemy import delete, select

from blogapi.importing import archives
from blogapi.importing.format_api.article_record import PUBLIC_STATUSES, ArticleRecord, Guess
from blogapi.importing.format_api.source_files import find_root_folder
from blogapi.importing.links.index import get_blog_prefix
from blogapi.importing.models import LiftedGuess
from blogapi.importing.texts.messages import format_count, join_names
from blogapi.storage.database import db

#: The value of `--publish-marked` with which an import forgets the guesses that earlier imports lifted.
FORGET_LIFTED = "none"


class Guesses:
    """The guesses of one run. `lifted` names guesses to ignore, in any letter case, or FORGET_LIFTED."""

    def __init__(self, lifted: Iterable[str]) -> None:
        self._option_names = {name.strip().casefold(): name.strip() for name in lifted}
        self._forgets = self._option_names.pop(FORGET_LIFTED, None) is not None
        self._remembered: dict[str, set[str]] | None = None
        self._names: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._used_names: set[str] = set()
        #: The names in the options that the run lifts, by source.
        self._lifted: defaultdict[str, set[str]] = defaultdict(set)
        self._sources: set[str] = set()
        self._lifted_earlier: set[str] = set()
        #: The keys of records whose articles are public although they have guesses that are not lifted.
        self.public_here: set[str] = set()

    def apply_to_record(self, record: ArticleRecord) -> ArticleRecord:
        """Return the record as a draft if it would be public and has a guess that is not lifted."""
        if not record.guesses or record.open_status:
            return record
        source = identify_source(record)
        names = {guess.name.casefold(): guess for guess in record.guesses}
        named = self._option_names.keys() & names.keys()
        remembered = (self._read_lifted_guesses().get(source, set()) & names.keys()) - named
        self._used_names |= named
        if source:
            self._lifted[source] |= named
        self._lifted_earlier |= remembered
        lifted = named | remembered
        return apply_guesses(record, [guess for name, guess in names.items() if name not in lifted])

    def count_guesses(self, record: ArticleRecord) -> None:
        """Count the guesses that are not lifted and therefore make the record a draft."""
        self._sources.add(identify_source(record))
        if record.open_status in PUBLIC_STATUSES:
            names = {guess.name.casefold(): guess.name for guess in record.guesses}
            self._names |= {name: names[name] for name in record.unlifted if name not in self._names}
            self._counts.update(record.unlifted)

    def list_counts(self) -> list[tuple[str, int]]:
        """Return the name of each guess that is not lifted, with the number of its articles."""
        return [(self._names[name], number) for name, number in self._counts.most_common()]

    def list_notes(self) -> Iterator[str]:
        """Yield sentences about named guesses that no article has, and about guesses lifted earlier."""
        for name in sorted(self._option_names.keys() - self._used_names):
            yield f"No article has the guess “{self._option_names[name]}”, which --publish-marked names."
        if self._lifted_earlier:
            names = join_names(sorted(self._lifted_earlier), 50)
            lifted = "Guesses that an earlier import lifted are ignored (--publish-marked none forgets them)"
            yield f"{lifted}: {names}."
        if self.public_here:
            number = format_count(len(self.public_here), "article")
            kept = "They were imported before and keep their status."
            yield f"Public here, perhaps hidden there: {number}. {kept}"

    def store_lifted_guesses(self) -> None:
        """Store, in the transaction, which guesses are lifted for each source."""
        if self._forgets:
            db.session.execute(delete(LiftedGuess).where(LiftedGuess.source.in_(self._sources)))
        for source, names in self._lifted.items():
            new = sorted(names - self._read_lifted_guesses().get(source, set()))
            db.session.add_all(LiftedGuess(source=source, name=name) for name in new)

    def _read_lifted_guesses(self) -> dict[str, set[str]]:
        """Return the names that earlier imports lifted, by source; none if the run forgets them."""
        if self._remembered is None:
            self._remembered = {}
            for row in () if self._forgets else db.session.scalars(select(LiftedGuess)):
                self._remembered.setdefault(row.source, set()).add(row.name)
        return self._remembered


def apply_guesses(record: ArticleRecord, unlifted: Sequence[Guess]) -> ArticleRecord:
    """Return the record with the status and the notes that follow from its guesses that are not lifted."""
    is_draft = bool(unlifted) and record.status in PUBLIC_STATUSES
    notes = [guess.note for guess in unlifted] if is_draft else []
    return replace(
        record,
        status="draft" if is_draft else record.status,
        open_status=record.status,
        unlifted=tuple(guess.name.casefold() for guess in unlifted),
        notes=(*record.notes, *dict.fromkeys(notes)),
    )


def identify_source(record: ArticleRecord) -> str:
    """Return a text that identifies the blog of a record in later imports; "" if there is none.

    The result is the prefix of the key up to the blog, or else the folder that was imported.
    """
    blog = get_blog_prefix(record.key)
    # In old exports of Ghost, this part of a key can be a slug and not the blog.
    if ":" in blog and "/" not in record.key and not blog.startswith("ghost:"):
        return "" if blog.endswith(":") else blog
    # Unpacked archives and uploads have another folder in each import.
    if record.path is None or record.path.is_relative_to(archives.get_import_folder()):
        return ""
    root = find_root_folder(record.path, record.key)
    return f"{root}/{blog}" if root else str(record.path.parent)
