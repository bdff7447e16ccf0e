"""Measures the elapsed time of the first search after a write, for searches with many matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from tests.benchmarks import in_process
from tests.benchmarks.blogs import Blog
from tests.benchmarks.in_process import ColdRead
from tests.benchmarks.plan import ARTICLES, Plan, Table, format_value
from tests.benchmarks.prose import make_common_searches

PAGE_SIZE = 20
LAST_PAGE = 50
# On a small blog, a search has fewer pages of matches: a category and a tag have one of 53 articles.
ARTICLES_PER_PAGE = 1_200
MAX_SAMPLES = 5
# Filters of a search for a word of every article. `published_after` matches half of the articles.
FILTERS = {
    "one of 8 categories": "category=category-3",
    "one of 20 tags": "tag=tag-4",
    "a category and a tag": "category=category-3&tag=tag-4",
    "the newer half": "published_after=2021-01-01",
    "ordered by title": "ordering=title",
}


@dataclass(frozen=True, slots=True)
class Row:
    """The median in ms of the elapsed time of one page of a search; invalid if `problem` is not empty."""

    search: str
    engine: str
    articles: int
    page: int
    elapsed_ms: float
    problem: str

    def __str__(self) -> str:
        """Return the name of the measurement."""
        return f"search for {self.search}, page {self.page}, {self.engine}"


def run(plan: Plan) -> list[Row]:
    """Measure on each database; raises MeasurementError if the measuring process fails."""
    rows = []
    for blog in plan.searched_blogs():
        plan.print_progress(f"large: searches in {blog.name}")
        pages = sorted({1, max(1, min(LAST_PAGE, blog.articles // ARTICLES_PER_PAGE))})
        queries = {search: f"q={quote(words)}" for search, words in make_common_searches().items()}
        frequent = queries["a word of every article"]
        queries |= {
            f"a word of every article, {name}": f"{frequent}&{query}" for name, query in FILTERS.items()
        }
        cases = {
            (search, page): f"{ARTICLES}?{query}&page={page}&page_size={PAGE_SIZE}"
            for search, query in queries.items()
            for page in pages
        }
        paths = {f"{search}, page {page}": path for (search, page), path in cases.items()}
        found = in_process.measure_reads(blog, paths, min(plan.samples, MAX_SAMPLES))
        rows += [_make_row(*case, blog, found[name]) for case, name in zip(cases, paths, strict=True)]
    return rows


def make_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the rows as a table with a column for each page and database."""
    columns = list(dict.fromkeys((row.engine, row.page) for row in rows))
    found = {(row.search, row.engine, row.page): row for row in rows}
    lines = [
        (search, *(_format(found[search, *column]) for column in columns))
        for search in dict.fromkeys(row.search for row in rows)
    ]
    names = [f"{engine}, page {page}, ms" for engine, page in columns]
    return [Table(f"Searches in {rows[0].articles:,} articles, elapsed time", ("Search", *names), lines)]


def _format(row: Row) -> str:
    return "invalid" if row.problem else format_value(row.elapsed_ms)


def _make_row(search: str, page: int, blog: Blog, cold: ColdRead) -> Row:
    return Row(search, blog.engine, blog.articles, page, cold.elapsed_ms, cold.problem)
