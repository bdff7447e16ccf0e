"""The options of a run and the blogs that it measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.blogs import Blog, BlogKind
from tests.benchmarks.databases import POSTGRESQL, SQLITE

ARTICLES = "/api/v1/blog/articles/"
TAGS = "/api/v1/blog/tags/"
CATEGORIES = "/api/v1/blog/categories/"
LIST_OF_20 = f"{ARTICLES}?page=1&page_size=20"
LIST_OF_100 = f"{ARTICLES}?page=1&page_size=100"

# This blog has 100 articles of 4,000 characters. For the other blogs, only the size of an article is fixed.
HOT_BLOG = BlogKind(100, 4_000)
COLD_SIZE = 1_000
SIZE_SIZE = 2_000
LARGE_SIZE = 5_000


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a run. `print_progress` prints a sentence; `add_note` prints and records a sentence.

    `postgresql` is the URL of a server, or an empty string. With `sqlite_too`, the part `size` measures both
    databases.
    """

    home: Path
    rounds: int
    seconds: float
    sizes: tuple[int, ...]
    samples: int
    articles: int
    writes: int
    uploads: int
    files: int
    imports: int
    starts: int
    wrk: bool
    drf: bool
    postgresql: str
    sqlite_too: bool
    print_progress: Callable[[str], None]
    add_note: Callable[[str], None]
    blogs: dict[BlogKind, Blog]

    @property
    def engines(self) -> list[str]:
        """Return the databases that can be measured."""
        return [SQLITE, POSTGRESQL] if self.postgresql else [SQLITE]

    def kinds_for(self, part: str) -> list[BlogKind]:
        """Return the kinds of the blogs that a part measures."""
        large = BlogKind(self.articles, LARGE_SIZE)
        return {
            "hot": [HOT_BLOG],
            "cold": self._cold_kinds(SQLITE),
            "size": [kind for engine in self.size_engines for kind in self._size_kinds(engine)],
            "writes": [],
            "webhooks": [],
            "media": [],
            "large": [large, *(self._cold_kinds(engine)[-1] for engine in self.engines)],
            "postgresql": [HOT_BLOG._replace(engine=POSTGRESQL), *self._cold_kinds(POSTGRESQL)],
            "start": [HOT_BLOG, large],
        }[part]

    def hot_blog(self, engine: str = SQLITE) -> Blog:
        """Return the small blog that is read as fast as possible."""
        return self.blogs[HOT_BLOG._replace(engine=engine)]

    def cold_blogs(self, engine: str = SQLITE) -> list[Blog]:
        """Return the blogs that are read after a write, the smallest first."""
        return [self.blogs[kind] for kind in self._cold_kinds(engine)]

    @property
    def size_engines(self) -> list[str]:
        """Return the databases that the part `size` measures."""
        return self.engines if self.sqlite_too or not self.postgresql else [POSTGRESQL]

    def size_blogs(self, engine: str) -> list[Blog]:
        """Return the blogs whose growth is measured, the smallest first."""
        return [self.blogs[kind] for kind in self._size_kinds(engine)]

    def large_blog(self) -> Blog:
        """Return the large blog, whose complete list is read."""
        return self.blogs[BlogKind(self.articles, LARGE_SIZE)]

    def searched_blogs(self) -> list[Blog]:
        """Return the blog with the most articles on each database."""
        return [self.blogs[self._cold_kinds(engine)[-1]] for engine in self.engines]

    def _size_kinds(self, engine: str) -> list[BlogKind]:
        return [BlogKind(size, SIZE_SIZE, engine) for size in sorted(self.sizes)]

    def _cold_kinds(self, engine: str) -> list[BlogKind]:
        return [BlogKind(size, COLD_SIZE, engine) for size in sorted(self.sizes)]


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
