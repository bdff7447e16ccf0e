"""Chooses the names of the files in an export; the names are valid and distinct on every file system."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from blogapi.exporting.article_rows import Item

_MAX_NAME_LENGTH, _MAX_NAME_BYTES = 100, 180
_HASH_DIGITS = 8
# Windows reserves the names of devices; Hugo reads `index` and `_index` as the page of the folder.
_RESERVED_NAMES = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3]|_?index", re.IGNORECASE)


class ArticleFileNames:
    """The names of the files of articles, without their suffixes."""

    def __init__(self, slugs: Iterable[str]) -> None:
        names = Counter(fold_name(_make_valid_name(slug, slug)) for slug in slugs)
        self._repeated = frozenset(name for name, number in names.items() if number > 1)

    def choose_file_name(self, slug: str) -> str:
        name = _make_valid_name(slug, slug)
        return _add_hash(slug, slug) if fold_name(name) in self._repeated else name


def choose_media_names(media: Sequence[Item]) -> dict[str, str]:
    """Return the file names of media files by uuid; if names are equal, the oldest file keeps the name."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for file in media:
        stem, _, extension = file["name"].rpartition(".")
        name = f"{_make_valid_name(stem, file['hash'])}.{extension}"
        digits = _HASH_DIGITS
        while fold_name(name) in taken:
            name = f"{_add_hash(stem, file['hash'], digits)}.{extension}"
            digits += _HASH_DIGITS
        taken.add(fold_name(name))
        names[file["uuid"]] = name
    return names


def _make_valid_name(stem: str, identity: str) -> str:
    is_long = len(stem) > _MAX_NAME_LENGTH or len(stem.encode()) > _MAX_NAME_BYTES
    return _add_hash(stem, identity) if is_long or _RESERVED_NAMES.fullmatch(stem) else stem


def _add_hash(stem: str, identity: str, digits: int = _HASH_DIGITS) -> str:
    """Return the shortened name with the first digits of `identity` (a hash) or of the hash of `identity`."""
    is_hash = re.fullmatch("[0-9a-f]{64}", identity)
    digest = identity if is_hash else hashlib.sha256(identity.encode()).hexdigest()
    start = stem[: _MAX_NAME_LENGTH - digits].encode()[: _MAX_NAME_BYTES - digits].decode(errors="ignore")
    return f"{start.rstrip('-')}-{digest[:digits]}"


def fold_name(name: str) -> str:
    """Return a text that is the same for names that differ only in case or Unicode normalization."""
    return unicodedata.normalize("NFC", name).casefold()
