"""Selects one language of texts that contain several (plugins qTranslate and WPGlobus)."""

from __future__ import annotations

import re

# `<!--:en-->text<!--:-->`, `[:en]text[:]` and `{:en}text{:}`; the marker without a language ends a text.
_MARKER = re.compile(r"<!--:([a-z]{2})?-->|\[:([a-z]{2})?\]|\{:([a-z]{2})?\}")
# The other forms can be code (`items[:id]`), unless the text begins with one.
_COMMENT_MARKER = re.compile(r"<!--:[a-z]{2}-->")
_FIRST_MARKER = re.compile(r"\s*(?:\[:[a-z]{2}\]|\{:[a-z]{2}\})")


def select_language(text: str, language: str = "") -> tuple[str, tuple[str, ...]]:
    """Return the text in one language, and the codes of its other languages ("de").

    `language` is the language of the blog ("en-US"); a text without it is returned in its first language.
    """
    if not (_COMMENT_MARKER.search(text) or _FIRST_MARKER.match(text)):
        return text, ()
    markers = [*_MARKER.finditer(text)]
    ends = [marker.start() for marker in markers[1:]] + [len(text)]
    # The text before the first marker belongs to all languages.
    parts = [("", text[: markers[0].start()])]
    for marker, end in zip(markers, ends, strict=True):
        code = marker[1] or marker[2] or marker[3] or ""
        parts.append((code, text[marker.end() : end]))
    languages = [*dict.fromkeys(code for code, part in parts if code and part.strip())]
    wanted = language[:2].lower()
    selected = wanted if wanted in languages else "".join(languages[:1])
    chosen = "".join(part for code, part in parts if code in ("", selected))
    return chosen, tuple(code for code in languages if code != selected)
