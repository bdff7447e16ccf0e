"""What is to be measured, how often, and where the blogs are."""

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

# Articles and characters of each.
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
        """Return the small blog that is read as fast as it goes."""
        return self.blogs[HOT_BLOG]

    def cold_blogs(self) -> list[Blog]:
        """Return the blogs that are read after a write, the smallest first."""
        return [self.blogs[size, COLD_SIZE] for size in sorted(self.sizes)]

    def large_blog(self) -> Blog:
        """Return the blog that is read in whole."""
        return self.blogs[self.articles, LARGE_SIZE]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows ready to be shown; the first column is text, the others numbers or words."""

    title: str
    columns: tuple[str, ...]
    lines: list[tuple[str, ...]]


def format_value(value: Any) -> str:
    """Return a number with three digits that count, anything else as text."""
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
