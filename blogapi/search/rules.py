"""What is searched for, in which order hits come, and how text is cut into words."""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

# How many articles can share one microsecond without a detour.
SLOTS = 16

# Marks of a hit inside a snippet, until the text around them is safe.
OPENS, CLOSES = "\x02", "\x03"

# Stands between signs in the index where the text has no blank: separates words, and is not shown.
SEAM = "\x1f"

# A shorter beginning would fit a good part of all words.
SHORTEST_PREFIX = 2

# Words in a snippet.
AROUND = 24

# No word of a language is longer.
LONGEST_WORD = 250

_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
# Numbers below the first moment's, for articles that share it: some programs give it to all without a date.
_ROOM = 1 << 32
# Han, Hiragana, Katakana: written without blanks, so each sign is taken for a word.
_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# What the words of `cut` are made of: letters and digits of any script, with their diacritics.
_WORD = re.compile(r"(?:[^\W_]|[\ue000-\uf8ff])(?:[^\W_]|[\ue000-\uf8ff\u0300-\u036f])*")
# A Greek word ends in a form of its own.
_SIGMAS = ("\u03c2", "\u03c3")
_DIACRITICS = re.compile(r"(?<=[\x00-\u024f])[\u0300-\u036f]+")
# A text may bring them as `&#2;`: they would pass for ours.
_NOT_OURS = str.maketrans(dict.fromkeys((OPENS, CLOSES, SEAM), " "))


def number_of(published_at: datetime) -> int:
    """Return the first number for an article published then: hits in falling order are newest first."""
    since = published_at - _BEGINNING
    return ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * SLOTS + _ROOM


def last_number(now: datetime) -> int:
    """Return the largest number that an article published by now can have."""
    return number_of(now) + SLOTS - 1


def words_of(query: str) -> list[str]:
    """Return what is searched for: the parts between blanks that hold a letter or a digit."""
    return [word for word in query.split() if any(sign.isalnum() for sign in word)]


def apart(text: str) -> str:
    """Return the text as the index knows it: each sign of a script without blanks is a word."""
    return _SIGN.sub(rf"{SEAM}\g<0>{SEAM}", text.translate(_NOT_OURS))


def shown(snippet: str) -> str:
    """Return a piece of the index as HTML with the hits in `<mark>`."""
    together = " ".join(snippet.replace(SEAM, "").replace(f"{CLOSES}{OPENS}", "").split())
    safe = html.escape(together, quote=False)
    return safe.replace(OPENS, "<mark>").replace(CLOSES, "</mark>")


def cut(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word of a text that is `apart` and where it begins and ends, as SQLite's FTS5 takes them.

    In lower case and, in Latin script, without diacritics.
    """
    for found in _WORD.finditer(text):
        yield folded(found[0]), found.start(), found.end()


def folded(word: str) -> str:
    """Return the word as it is compared."""
    lower = word.lower()[:LONGEST_WORD]
    if lower.isascii():
        return lower
    bare = _DIACRITICS.sub("", unicodedata.normalize("NFD", lower.replace(*_SIGMAS)))
    return unicodedata.normalize("NFC", bare)


def piece(texts: Sequence[str], phrases: Sequence[Sequence[str]], *, prefix: bool) -> str:
    """Return the piece of the first of the texts that shows most phrases, hits marked.

    `prefix` tells whether the last word of the last phrase may be a beginning.
    """
    return max((_best(text, phrases, prefix=prefix) for text in texts), key=lambda best: best[0])[1]


def _best(text: str, phrases: Sequence[Sequence[str]], *, prefix: bool) -> tuple[tuple[int, int], str]:
    """Return how many phrases the best piece of the text shows, and how often, and that piece."""
    words = list(cut(text))
    hits = _hits([word for word, _, _ in words], phrases, prefix=prefix)
    if not hits:
        return (0, 0), ""
    starts = [start for start, _, _ in hits]
    windows = (
        [hit for hit in hits[index : bisect_left(starts, first + AROUND)] if hit[1] <= first + AROUND]
        for index, first in enumerate(starts)
    )
    shown = max(windows, key=_worth)
    # A phrase that is longer than a piece stands there alone.
    first, last = (shown[0][0], shown[-1][1]) if shown else hits[0][:2]
    begin = max(0, min(first - (AROUND - (last - first)) // 2, len(words) - AROUND))
    end = min(max(begin + AROUND, last), len(words))
    inside = [hit for hit in hits if begin <= hit[0] and hit[1] <= end]
    left, right = (words[begin][1] if begin else 0), (words[end - 1][2] if end < len(words) else len(text))
    spans = [(words[start][1], words[stop - 1][2]) for start, stop, _ in inside]
    marked = _marked(text, spans, left, right)
    return _worth(inside), f"{'…' if begin else ''}{marked}{'…' if end < len(words) else ''}"


def _worth(hits: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    return len({phrase for _, _, phrase in hits}), len(hits)


def _hits(
    words: Sequence[str], phrases: Sequence[Sequence[str]], *, prefix: bool
) -> list[tuple[int, int, int]]:
    """Return where each phrase stands: its first word, the word after it, and which one it is."""
    # By their last words: a text can be long, and so can a query.
    ending: dict[str, dict[tuple[str, ...], int]] = defaultdict(dict)
    for number, phrase in enumerate(phrases):
        ending[phrase[-1]][tuple(phrase)] = number
    *_, goes_on = phrases
    found = set()
    for last, word in enumerate(words):
        fits = ending.get(word, {})
        if prefix and word.startswith(goes_on[-1]):
            fits = {**fits, tuple(goes_on): len(phrases) - 1}
        for phrase, number in fits.items():
            start = last + 1 - len(phrase)
            if start >= 0 and tuple(words[start:last]) == phrase[:-1]:
                found.add((start, last + 1, number))
    return sorted(found)


def _marked(text: str, spans: Sequence[tuple[int, int]], left: int, right: int) -> str:
    told: list[str] = []
    at = left
    for start, stop in spans:
        # What overlaps is one hit.
        if start >= at or not told:
            told += [text[at:start], OPENS, text[start:stop], CLOSES]
        elif stop > at:
            told[-1:] = [text[at:stop], CLOSES]
        at = max(at, stop)
    return "".join((*told, text[at:right]))
