"""The text of sanitized HTML, its excerpt and its reading time."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser

WORDS_PER_MINUTE = 220
# For the scripts of _UNSPACED_CHARACTER, whose text is counted in characters and not in words.
CHARACTERS_PER_MINUTE = 500
MAX_EXCERPT_LENGTH = 200

# Kana, Han and Hangul.
_UNSPACED_CHARACTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


def to_plain_text(html: str) -> str:
    """Return the text of sanitized HTML as one line, without markup."""
    extractor = _TextExtractor()
    extractor.feed(html)
    extractor.close()
    return " ".join("".join(extractor.chunks).split())


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


class _TextExtractor(HTMLParser):
    INLINE_TAGS = frozenset(
        {"a", "abbr", "b", "code", "em", "i", "mark", "s", "small", "span", "strong", "sub", "u"}
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.chunks: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Insert a space for block-level tags."""
        if tag not in self.INLINE_TAGS:
            self.chunks.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """Insert a space for block-level tags."""
        self.handle_starttag(tag, [])

    def handle_data(self, data: str) -> None:
        """Collect the text."""
        self.chunks.append(data)
