"""The words of safe HTML: plain text, excerpts and reading time."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser

WORDS_PER_MINUTE = 220


CHARACTERS_PER_MINUTE = 500


MAX_EXCERPT_LENGTH = 200


_SCRIPTS_WITHOUT_BLANKS = re.compile(r"[぀-ヿ㐀-鿿가-힣豈-﫿]")


def to_plain_text(safe: str) -> str:
    """Return the words of sanitised HTML in one line, without markup."""
    reader = _Words()
    reader.feed(safe)
    reader.close()
    return " ".join("".join(reader.pieces).split())


def make_excerpt(words: str) -> str:
    """Return the beginning of a plain text, cut between words at about 200 characters."""
    if len(words) <= MAX_EXCERPT_LENGTH:
        return words
    beginning = words[: MAX_EXCERPT_LENGTH - 1]
    cut = beginning.rfind(" ")
    return f"{beginning[:cut] if cut > MAX_EXCERPT_LENGTH // 2 else beginning}…"


def estimate_reading_minutes(words: str) -> int:
    """Return how many minutes a plain text takes to read (1 or more)."""
    dense = len(_SCRIPTS_WITHOUT_BLANKS.findall(words))
    spaced = len(_SCRIPTS_WITHOUT_BLANKS.sub(" ", words).split())
    return max(1, math.ceil(dense / CHARACTERS_PER_MINUTE + spaced / WORDS_PER_MINUTE))


class _Words(HTMLParser):
    """Collects the text of HTML, with a blank wherever a tag stood."""

    WITHIN_WORDS = frozenset(
        {"a", "abbr", "b", "code", "em", "i", "mark", "s", "small", "span", "strong", "sub", "u"}
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Part what the tag parts."""
        if tag not in self.WITHIN_WORDS:
            self.pieces.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """Part what the tag parts."""
        self.handle_starttag(tag, [])

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.pieces.append(data)
