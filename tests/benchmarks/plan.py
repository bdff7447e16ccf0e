"""The options of a run and the blogs that it measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.blogs import Blog

ARTICLES = "/api/v1/blog/articles/"
TAGS = "/api/v1/blog/tags/"
CATEGORIES = "/api/v1/blog/categories/"
LIST_OF_20 = f"{ARTICLES}?page=1&page_size=20"
LIST_OF_100 = f"{ARTICLES}?page=1&page_size=100"

# Pairs are numbers of articles and of characters in each article.
HOT_BLOG = (100, 4_000)
COLD_SIZE = 1_000
LARGE_SIZE = 5_000


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a run; `print_progress` prints a sentence, `add_note` also records it."""

    home: Path
    rounds: int
    seconds: int
    sizes: tuple[int, ...]
    samples: int
    articles: int
    starts: int
    wrk: bool
    drf: bool
    print_progress: Callable[[str], None]
    add_note: Callable[[str], None]
    blogs: dict[tuple[int, int], Blog]

    def hot_blog(self) -> Blog:
        """Return the small blog that is read as fast as possible."""
        return self.blogs[HOT_BLOG]

    def cold_blogs(self) -> list[Blog]:
        """Return the blogs that are read after a write, the smallest first."""
        return [self.blogs[size, COLD_SIZE] for size in sorted(self.sizes)]

    def large_blog(self) -> Blog:
        """Return the large blog, whose complete list is read."""
        return self.blogs[self.articles, LARGE_SIZE]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of formatted cells; the first column is text, the others are numbers or words."""

    title: str
    columns: tuple[str, ...]
    lines: list[tuple[str, ...]]


def format_value(value: Any) -> str:
    """Return a number with three significant digits, or any other value as text."""
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
