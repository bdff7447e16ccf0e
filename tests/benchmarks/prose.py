"""Generated prose: as in natural language, a few words are very frequent and most are rare."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product
from random import Random

VOCABULARY = 5_000

# This word is in every 2,000th article; no other word has the same beginning.
RARE = "quillwort"
RARE_EVERY = 2_000

_BEGINNINGS = ("ba", "ca", "de", "fo", "ga", "hu", "ke", "lo", "mi", "na", "pe", "ra", "si", "tu", "vo", "wü")
_MIDDLES = ("la", "ne", "ri", "so", "ta", "mu", "vi", "do", "gen", "per", "nach", "tel", "stra", "é")
_ENDINGS = ("", "n", "r", "s", "ment", "ton", "da", "ling", "ra", "vel", "no", "mer", "ty", "ck", "sch", "wi")

Vocabulary = tuple[Sequence[str], Sequence[float]]


def make_vocabulary(random: Random) -> Vocabulary:
    """Return VOCABULARY words, the most frequent first, and their cumulative weights.

    The weights follow Zipf's law: the word of rank n is 1/n as frequent as the first. Short words come first.
    """
    short = {"".join(parts) for parts in product(_BEGINNINGS, _MIDDLES, _ENDINGS)}
    long = {"".join(parts) for parts in product(_BEGINNINGS, _MIDDLES, _MIDDLES, _ENDINGS)} - short
    words = random.sample(sorted(short), VOCABULARY // 2) + random.sample(sorted(long), VOCABULARY // 2)
    return words, list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))


def make_searches() -> dict[str, str]:
    """Return a mapping from descriptions to example searches."""
    words, _ = make_vocabulary(Random(0))
    return {
        "a rare word": RARE,
        "a common word": words[300],
        "a word of every article": words[0],
        "a prefix": words[300][:5],
        "two words": f"{words[100]} {words[400]}",
    }


def make_common_searches() -> dict[str, str]:
    """Return a mapping from descriptions to searches with many matches, which are the slowest searches."""
    words, _ = make_vocabulary(Random(0))
    return {
        "a common word": words[30],
        "two common words": f"{words[20]} {words[50]}",
        "a word of every article": words[0],
        "two words of nearly every article": f"{words[0]} {words[1]}",
        "three common words": f"{words[10]} {words[20]} {words[30]}",
        "three words of nearly every article": f"{words[0]} {words[1]} {words[2]}",
    }


class Writer:
    """Generates titles and texts; the same seed gives the same texts."""

    def __init__(self, seed: int) -> None:
        # The words are the same for every seed, so that the searches have matches in every blog.
        self.words, self.weights = make_vocabulary(Random(0))
        self.random = Random(seed)

    def phrase(self, count: int) -> str:
        """Return `count` words, the first one capitalized."""
        chosen = self.random.choices(self.words, cum_weights=self.weights, k=count)
        return " ".join(chosen).capitalize()

    def html(self, size: int, *, rare: bool) -> str:
        """Return paragraphs of about `size` characters; every text contains the most frequent word."""
        parts = [f"<p>{self.words[0].capitalize()}{' ' + RARE if rare else ''}.</p>"]
        characters_left = size - len(parts[0])
        while characters_left > 0:
            parts.append(self._paragraph(len(parts)))
            characters_left -= len(parts[-1]) + 1
        return "\n".join(parts)

    def markdown(self, size: int) -> str:
        """Return Markdown paragraphs of about `size` characters, with headings, emphasis and links."""
        parts: list[str] = []
        while sum(map(len, parts)) < size:
            sentences = self._sentences()
            sentences[0] = f"**{sentences[0]}**"
            sentences[-1] = f"[{sentences[-1]}](https://example.org/{len(parts)})"
            heading = f"## {self.phrase(3)}\n\n" if len(parts) % 5 == 4 else ""
            parts.append(f"{heading}{' '.join(sentences)}")
        return "\n\n".join(parts)

    def _sentences(self) -> list[str]:
        return [f"{self.phrase(self.random.randint(5, 16))}." for _ in range(self.random.randint(2, 5))]

    def _paragraph(self, number: int) -> str:
        sentences = self._sentences()
        if number % 3 == 0:
            sentences[0] = f"<strong>{sentences[0]}</strong>"
        if number % 4 == 0:
            sentences[-1] = f'<a href="https://example.org/{number}">{sentences[-1]}</a>'
        text = f"<p>{' '.join(sentences)}</p>"
        return f"<h2>{self.phrase(3)}</h2>\n{text}" if number % 5 == 0 else text
