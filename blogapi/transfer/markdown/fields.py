"""Front matter by name: `Publish-Date`, `publish_date` and `publishdate` are one."""

from __future__ import annotations

from collections.abc import Sequence

from blogapi.transfer.markdown.text import line

_LINKS = {ord(sign): None for sign in "-_ "}
# Known, and without a meaning here: not worth a note.
_IDLE = {"layout", "type", "toc"}


def fold(key: object) -> str:
    """Return a key in lower case, without `-`, `_` and spaces."""
    return str(key).casefold().translate(_LINKS)


def empty(value: object) -> bool:
    """Return whether a value says nothing: null, blank text, an empty list or mapping."""
    return value is None or value in ({}, []) or (isinstance(value, str) and not value.strip())


class Fields:
    """The entries of a file's front matter; remembers which were used and what is to be told about them."""

    def __init__(self, entries: dict[str, object], notes: Sequence[str] = ()) -> None:
        self.notes = list(notes)
        #: All entries as written, also empty ones and several spellings of one name.
        self.written = entries
        self._entries = {key: value for key, value in entries.items() if not empty(value)}
        self._keys = _by_name(self._entries)
        self._used: set[str] = set()

    def take(self, *names: str) -> object:
        """Return the first entry that says something, and mark it as used; None if there is none.

        Names are folded already; `seo.title` is the entry `title` in the mapping `seo`.
        """
        for name in names:
            value = self._find(name)
            if not empty(value):
                self._used.add(self._keys[name.partition(".")[0]])
                return value
        return None

    def text(self, *names: str) -> str:
        """Return the first entry that is a scalar with something in it, as one line; "" if there is none."""
        found = next((name for name in names if line(self._find(name))), "")
        return line(self.take(found)) if found else ""

    def _find(self, name: str) -> object:
        top, _, inner = name.partition(".")
        value = self._entries[self._keys[top]] if top in self._keys else None
        if not inner:
            return value
        return _named(value, inner) if isinstance(value, dict) else None

    def note(self, sentence: str) -> None:
        """Tell the owner one thing that was altered or left behind."""
        self.notes.append(sentence)

    def unused(self) -> list[str]:
        """Return the keys, as written, of entries that were not taken and do not only repeat one that was."""
        told = {line(self._entries[key]) for key in self._used} - {""}
        left = (key for key in self._entries if key not in self._used and fold(key) not in _IDLE)
        return [key for key in left if line(self._entries[key]) not in told]


def _named(entries: dict[object, object], name: str) -> object:
    return next((value for key, value in entries.items() if fold(key) == name and not empty(value)), None)


def _by_name(entries: dict[str, object]) -> dict[str, str]:
    """Return the keys by their folded names; of two spellings the first."""
    return {fold(key): key for key in reversed(entries)}
