"""Makes snippets: the parts of texts around the hits of a query."""

from __future__ import annotations

import html
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from blogapi.content.search.tokenizer import HIT_END, HIT_START, SearchQuery, tokenize_text

SNIPPET_WORDS = 24
# The search for the best snippet considers only the first hits, because a text can have millions of them.
MAX_HITS = 1_000

# Texts can contain the characters that mark hits, because HTML can refer to them, as in `&#2;`.
_RESERVED_TO_SPACE = str.maketrans(dict.fromkeys((HIT_START, HIT_END), " "))


class _Hit(NamedTuple):
    """An occurrence of a phrase, from word `start` up to, but not including, word `end` of a text."""

    start: int
    end: int
    phrase: int


def snippet_to_html(snippet: str) -> str:
    """Return a snippet as HTML with each hit in `<mark>`."""
    joined = " ".join(snippet.replace(f"{HIT_END}{HIT_START}", "").split())
    escaped = html.escape(joined, quote=False)
    return escaped.replace(HIT_START, "<mark>").replace(HIT_END, "</mark>")


def make_snippet(texts: Sequence[str], query: SearchQuery) -> str:
    """Return the snippet that contains the most phrases of the query, with its hits marked.

    If the snippets of several texts are equally good, the first is returned.
    """
    snippets = (_find_best_snippet(text.translate(_RESERVED_TO_SPACE), query) for text in texts)
    return max(snippets, key=lambda scored: scored[0])[1]


def _find_best_snippet(text: str, query: SearchQuery) -> tuple[tuple[int, int], str]:
    """Return the score of the best snippet of the text, and the snippet."""
    words = list(tokenize_text(text))
    hits = _find_hits([word for word, _, _ in words], query.phrases, prefix=query.prefix)
    if not hits:
        return (0, 0), ""
    starts = [hit.start for hit in hits]
    windows = (
        [
            hit
            for hit in hits[bisect_left(starts, first) : bisect_left(starts, first + SNIPPET_WORDS)]
            if hit.end <= first + SNIPPET_WORDS
        ]
        for first in sorted(set(starts))
    )
    best = max(windows, key=_score_hits)
    # A phrase that is longer than a snippet is shown alone.
    first, last = (best[0].start, best[-1].end) if best else (hits[0].start, hits[0].end)
    begin = max(0, min(first - (SNIPPET_WORDS - (last - first)) // 2, len(words) - SNIPPET_WORDS))
    end = min(max(begin + SNIPPET_WORDS, last), len(words))
    inside = [hit for hit in hits if begin <= hit.start and hit.end <= end]
    left, right = (words[begin][1] if begin else 0), (words[end - 1][2] if end < len(words) else len(text))
    spans = [(words[hit.start][1], words[hit.end - 1][2]) for hit in inside]
    marked = _mark_spans(text, spans, left, right)
    return _score_hits(inside), f"{'…' if begin else ''}{marked}{'…' if end < len(words) else ''}"


def _score_hits(hits: Sequence[_Hit]) -> tuple[int, int]:
    return len({hit.phrase for hit in hits}), len(hits)


def _find_hits(words: Sequence[str], phrases: Sequence[Sequence[str]], *, prefix: bool) -> list[_Hit]:
    # The phrases are grouped by their last word, because both the text and the query can be long.
    by_last_word: dict[str, dict[tuple[str, ...], int]] = defaultdict(dict)
    for number, phrase in enumerate(phrases):
        by_last_word[phrase[-1]][tuple(phrase)] = number
    *_, prefix_phrase = phrases
    hits = set[_Hit]()
    for last, word in enumerate(words):
        if len(hits) >= MAX_HITS:
            break
        candidates = by_last_word.get(word, {})
        if prefix and word.startswith(prefix_phrase[-1]):
            candidates = {**candidates, tuple(prefix_phrase): len(phrases) - 1}
        for phrase, number in candidates.items():
            start = last + 1 - len(phrase)
            if start >= 0 and tuple(words[start:last]) == phrase[:-1]:
                hits.add(_Hit(start, last + 1, number))
    return sorted(hits)


def _mark_spans(text: str, spans: Sequence[tuple[int, int]], left: int, right: int) -> str:
    """Return the text from `left` to `right` with the spans marked; overlapping spans are merged."""
    parts: list[str] = []
    position = left
    for start, stop in spans:
        if start >= position or not parts:
            parts += [text[position:start], HIT_START, text[start:stop], HIT_END]
        elif stop > position:
            parts[-1:] = [text[position:stop], HIT_END]
        position = max(position, stop)
    return "".join((*parts, text[position:right]))
