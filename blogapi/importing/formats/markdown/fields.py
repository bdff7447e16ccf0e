"""Access to front matter by normalized keys: `Publish-Date` and `publish_date` are the same key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from blogapi.importing.texts.lines import is_empty, normalize_key, to_line

# Common keys that have no counterpart in this blog; they are not reported as ignored.
UNREPORTED_KEYS = {"layout", "type", "toc"}


class Fields:
    """The front matter of a file. Keeps track of the used entries, and collects notes for the report."""

    def __init__(self, entries: dict[str, object], notes: Sequence[str] = ()) -> None:
        self.notes = list(notes)
        #: All entries as written, including empty ones and different spellings of a key.
        self.all_entries = entries
        self._entries = {key: value for key, value in entries.items() if not is_empty(value)}
        # The keys are in reverse order, so that the first of several spellings is used.
        self._keys = {normalize_key(key): key for key in reversed(self._entries)}
        self._used: set[str] = set()
        #: The names of the used entries that are in a mapping: `extra.noindex`.
        self._used_inner: set[str] = set()

    def take(self, *names: str) -> object:
        """Return the value of the first named field that is not empty and mark it as used, or return None.

        The names must be normalized. `seo.title` is the entry `title` in the mapping `seo`.
        """
        for name in names:
            value = self.find(name)
            if not is_empty(value):
                self._used.add(self._keys[name.partition(".")[0]])
                self._used_inner.add(name)
                return value
        return None

    def take_line(self, *names: str) -> str:
        """Return the first named field that is a non-empty scalar as one line, or "" if there is none."""
        found = next((name for name in names if to_line(self.find(name))), "")
        return to_line(self.take(found)) if found else ""

    def find(self, name: str) -> object:
        """Return the value of the named field, or None; the field is not marked as used."""
        outer, _, inner = name.partition(".")
        value = self._entries[self._keys[outer]] if outer in self._keys else None
        if not inner:
            return value
        entries = value.items() if isinstance(value, dict) else ()
        return next((it for key, it in entries if normalize_key(key) == inner and not is_empty(it)), None)

    def add_note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def list_unused(self, tables: Sequence[str]) -> Iterator[tuple[str, str, object]]:
        """Yield each unused entry: the key of the mapping that contains it ("" = none), its key, its value.

        The keys are as written. The mappings named in `tables` are yielded entry by entry, at the end.
        """
        inner = {self._keys[name]: name for name in tables if isinstance(self.find(name), dict)}
        for key, value in self._entries.items():
            if key not in self._used and key not in inner:
                yield "", key, value
        for outer, name in inner.items():
            for inner_key, value in cast(dict[object, object], self._entries[outer]).items():
                if not is_empty(value) and f"{name}.{normalize_key(inner_key)}" not in self._used_inner:
                    yield outer, str(inner_key), value

    def repeats_used_value(self, value: object) -> bool:
        """Return whether a used entry has the same text, as when `url` repeats `permalink`."""
        text = to_line(value)
        return bool(text) and text in {to_line(self._entries[key]) for key in self._used}
