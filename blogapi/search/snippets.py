"""Snippets: the part of a text around the hits of a query."""

from __future__ import annotations

import html
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from blogapi.search.tokenizer import HIT_END, HIT_START, WORD_SEPARATOR, tokenize

# Words in a snippet.
SNIPPET_WORDS = 24


def snippet_to_html(snippet: str) -> str:
    """Return a piece of the index as HTML with the hits in `<mark>`."""
    together = " ".join(snippet.replace(WORD_SEPARATOR, "").replace(f"{HIT_END}{HIT_START}", "").split())
    safe = html.escape(together, quote=False)
    return safe.replace(HIT_START, "<mark>").replace(HIT_END, "</mark>")


def make_snippet(texts: Sequence[str], phrases: Sequence[Sequence[str]], *, prefix: bool) -> str:
    """Return the piece of the first of the texts that shows most phrases, hits marked.

    `prefix` tells whether the last word of the last phrase may be a beginning.
    """
    return max((_best_snippet(text, phrases, prefix=prefix) for text in texts), key=lambda best: best[0])[1]


def _best_snippet(
    text: str, phrases: Sequence[Sequence[str]], *, prefix: bool
) -> tuple[tuple[int, int], str]:
    """Return how many phrases the best piece of the text shows, and how often, and that piece."""
    words = list(tokenize(text))
    hits = _hits([word for word, _, _ in words], phrases, prefix=prefix)
    if not hits:
        return (0, 0), ""
    starts = [start for start, _, _ in hits]
    windows = (
        [
            hit
            for hit in hits[index : bisect_left(starts, first + SNIPPET_WORDS)]
            if hit[1] <= first + SNIPPET_WORDS
        ]
        for index, first in enumerate(starts)
    )
    shown = max(windows, key=_worth)
    # A phrase that is longer than a piece stands there alone.
    first, last = (shown[0][0], shown[-1][1]) if shown else hits[0][:2]
    begin = max(0, min(first - (SNIPPET_WORDS - (last - first)) // 2, len(words) - SNIPPET_WORDS))
    end = min(max(begin + SNIPPET_WORDS, last), len(words))
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
            told += [text[at:start], HIT_START, text[start:stop], HIT_END]
        elif stop > at:
            told[-1:] = [text[at:stop], HIT_END]
        at = max(at, stop)
    return "".join((*told, text[at:right]))
