"""The words of an article with their positions, as PostgreSQL indexes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from blogapi.content.search.tokenizer import find_words, list_terms

# PostgreSQL limits the value of a position, the number of positions per word and the size of a tsvector.
MAX_POSITION, MAX_POSITIONS_PER_WORD, MAX_BYTES = 16_383, 255, 1_000_000

# The last position before a gap. Because of such gaps, also between two texts, a phrase never matches words
# of two texts, or a word at MAX_POSITION.
_LAST_POSITION_IN_PHRASES = MAX_POSITION - 2

Placed = list[tuple[str, int]]


def place_words(texts: Sequence[str]) -> list[Placed]:
    """Return the words and the terms of each text, with their positions in the article.

    Consecutive words have consecutive positions. Terms, and all words after the last position, have the
    position MAX_POSITION. Words beyond MAX_BYTES are omitted, as are further occurrences of a word that
    occurs too often.
    """
    return list(_place(map(find_words, texts), map(list_terms, texts)))


def _place(words: Iterable[list[str]], terms: Iterable[list[str]]) -> Iterator[Placed]:
    counts: dict[str, int] = {}
    position, bytes_left = 0, MAX_BYTES
    for words_of_text, terms_of_text in zip(words, terms, strict=True):
        placed: Placed = []
        for word in words_of_text:
            position += 1
            count = counts.get(word, 0)
            if count == MAX_POSITIONS_PER_WORD or (count and position > _LAST_POSITION_IN_PHRASES):
                continue
            bytes_left -= 2 if count else 8 + len(word.encode())
            if bytes_left < 0:
                break
            counts[word] = count + 1
            placed.append((word, position if position <= _LAST_POSITION_IN_PHRASES else MAX_POSITION))
        for term in terms_of_text:
            bytes_left -= 10 + len(term.encode())
            if bytes_left < 0:
                break
            placed.append((term, MAX_POSITION))
        yield placed
        position += 1
