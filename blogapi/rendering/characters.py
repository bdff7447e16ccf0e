"""Forbidden characters, and characters that are parts of words without being letters."""

from __future__ import annotations

import re
import unicodedata

#: Matches lone surrogates, and control characters other than tab, line feed and carriage return.
FORBIDDEN_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

#: The zero-width joiner and non-joiner, which change how the letters around them are shown.
JOINERS = r"\u200c\u200d"
# The blocks that contain the marks of all scripts in use; a check of all characters would take 200 ms.
_BLOCKS_WITH_MARKS = (
    *((0x0300, 0x1E00), (0x20D0, 0x2E00), (0xA660, 0xAC00), (0xFB1E, 0xFE30), (0x10A00, 0x12000)),
    *((0x16AF0, 0x16FA0), (0x1E000, 0x1E950)),
)


def _find_combining_marks() -> str:
    """Return the ranges of diacritics, vowel signs and other combining marks, for a character class."""
    blocks = (map(chr, range(start, end)) for start, end in _BLOCKS_WITH_MARKS)
    text = " ".join(
        "".join(char if unicodedata.category(char) in ("Mn", "Mc") else " " for char in block)
        for block in blocks
    )
    return "".join(f"{marks[0]}-{marks[-1]}" for marks in text.split())


#: The combining marks of letters, as the ranges of a character class in a regular expression.
COMBINING_MARKS = _find_combining_marks()
