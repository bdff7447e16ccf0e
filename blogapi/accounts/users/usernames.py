"""Validates user names, and converts them to their stored form."""

from __future__ import annotations

import re
import unicodedata

from blogapi.web.errors import Invalid

_USERNAME = re.compile(r"[^\W_][\w.@+-]{0,63}")


def normalize_username(username: str) -> str:
    """Return the user name in its stored form: NFKC-normalized and case-folded.

    Raises Invalid if the name is empty or too long, if it does not begin with a letter or a digit, or if it
    contains characters other than letters, digits and `. @ + - _`.
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
    """Return the name after NFKC normalization and case folding, without validating it."""
    return unicodedata.normalize("NFKC", username).casefold()
