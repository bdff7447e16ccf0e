"""How user names are written and compared."""

from __future__ import annotations

import re
import unicodedata

from blogapi.web.errors import Invalid

_USERNAME = re.compile(r"[^\W_][\w.@+-]{0,63}")


def normalize_username(written: str) -> str:
    """Return the name as it is stored: case and compatibility forms folded, so that no two look alike.

    Raises Invalid for a name that is empty, too long or holds other signs.
    """
    name = fold_username(written)
    if not _USERNAME.fullmatch(name):
        raise Invalid(
            "The user name is not usable.",
            errors={"username": ["Use 1 to 64 letters, digits and . @ + - _, a letter or digit first."]},
        )
    return name


def fold_username(written: str) -> str:
    """Return the name with case and compatibility forms folded, whether or not it is usable."""
    return unicodedata.normalize("NFKC", written).casefold()
