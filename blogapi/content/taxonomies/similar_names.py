"""Finds terms whose names are equal except for case, accents, spaces, punctuation or a plural."""

from __future__ import annotations

import html
import unicodedata
from collections import defaultdict
from collections.abc import Container, Mapping
from uuid import UUID


def make_name_key(name: str) -> str:
    """Return the name normalized for comparison: NFKC, case folded, at most 500 characters."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    # A key of an index on PostgreSQL has at most 2,704 bytes.
    return unicodedata.normalize("NFKC", folded)[:500]


def make_spelling_key(name: str) -> str:
    """Return a key that is equal for names that differ only in case, entities or the kind of apostrophe."""
    return make_name_key(html.unescape(name)).translate(dict.fromkeys(map(ord, "\u2019\u02bc"), "'"))


def find_similar_terms(names: Mapping[UUID, str]) -> list[UUID]:
    """Return the uuids of the terms whose names are similar to others, with similar terms together."""
    keys = {uuid: _make_similarity_key(name) for uuid, name in names.items()}
    known, groups = set(keys.values()), defaultdict[str, list[UUID]](list)
    for uuid, key in keys.items():
        groups[_to_singular(key, known)].append(uuid)
    return [uuid for _, group in sorted(groups.items()) if len(group) > 1 for uuid in group]


def _make_similarity_key(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    # Names without letters and digits, such as emoji, are compared as they are.
    return "".join(letter for letter in letters if letter.isalnum()) or name


def _to_singular(key: str, known: Container[str]) -> str:
    """Return the singular of the key if the singular is also the key of a term, otherwise the key."""
    candidates = {"ies": f"{key[:-3]}y", "es": key[:-2], "s": key[:-1]}
    for ending, singular in candidates.items():
        if key.endswith(ending) and singular in known and len(singular) > 2:
            return singular
    return key
