"""The text of sanitized HTML, its excerpt and its reading time."""

from __future__ import annotations

import math
import re

WORDS_PER_MINUTE = 220
# The reading speed for texts in the scripts of _UNSPACED_CHARACTER, whose length is counted in characters.
CHARACTERS_PER_MINUTE = 500
MAX_EXCERPT_LENGTH = 200

# Kana, Han and Hangul.
_UNSPACED_CHARACTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")

# nh3 escapes `<` and `>` in the values of attributes, and it writes only the entities in _ENTITIES.
_TAG = re.compile(r"<[^>]*>")
_INLINE_TAG = re.compile(r"</?(?:a|abbr|b|code|del|em|i|mark|s|small|span|strong|sub|u)(?: [^>]*)?>")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&nbsp;", " "), ("&amp;", "&"))


def to_plain_text(html: str) -> str:
    """Return the text of sanitized HTML as one line, without markup."""
    text = _TAG.sub(" ", _INLINE_TAG.sub("", html))
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return " ".join(text.split())


def make_excerpt(text: str) -> str:
    """Return the beginning of a plain text: at most MAX_EXCERPT_LENGTH characters, cut between words."""
    if len(text) <= MAX_EXCERPT_LENGTH:
        return text
    beginning = text[: MAX_EXCERPT_LENGTH - 1]
    end = beginning.rfind(" ")
    return f"{beginning[:end] if end > MAX_EXCERPT_LENGTH // 2 else beginning}…"


def estimate_reading_minutes(text: str) -> int:
    """Return the minutes it takes to read a plain text (1 or more)."""
    unspaced = len(_UNSPACED_CHARACTER.findall(text))
    spaced = len(_UNSPACED_CHARACTER.sub(" ", text).split())
    return max(1, math.ceil(unspaced / CHARACTERS_PER_MINUTE + spaced / WORDS_PER_MINUTE))
