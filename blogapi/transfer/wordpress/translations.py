"""The texts of qTranslate and its successors, which contain several languages."""

from __future__ import annotations

import re

_MARK = re.compile(r"(?:<!--|\[):([a-z]{2})?(?:-->|\])")
_ENDS = ("[:]", "<!--:-->")


def list_languages(text: str) -> list[str]:
    """Return the languages of which a text has marks; [] for a text without marks."""
    if not any(end in text for end in _ENDS):
        return []
    return list(dict.fromkeys(code for code in _MARK.findall(text) if code))


def choose_language(text: str, language: str) -> str:
    """Return the parts of a text that are in a language; a text without marks stays as it is.

    `language` is a code such as `en-US`. If the text has no part in this language, the first one is used.
    """
    languages = list_languages(text)
    if not languages:
        return text
    chosen = language[:2].lower() if language[:2].lower() in languages else languages[0]
    first, *parts = _MARK.split(text)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return first + "".join(part for code, part in pairs if code in (None, chosen))
