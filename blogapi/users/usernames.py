"""Validation and normalization of user names."""

from __future__ import annotations

import re
import unicodedata

from blogapi.web.errors import Invalid

_USERNAME = re.compile(r"[^\W_][\w.@+-]{0,63}")


def normalize_username(username: str) -> str:
    """Return the user name in its stored form: NFKC-normalized and case-folded.

    Raises Invalid for a name that is empty or too long, or contains other characters than letters, digits and
    `. @ + - _`.
    """
    name = fold_username(username)
    if not _USERNAME.fullmatch(name):
        raise Invalid(
            "The user name is not valid.",
            errors={
                "username": ["Use 1 to 64 letters, digits and . @ + - _; begin with a letter or a digit."]
            },
        )
    return name


def fold_username(username: str) -> str:
    """Return the name NFKC-normalized and case-folded, without validating it."""
    return unicodedata.normalize("NFKC", username).casefold()
