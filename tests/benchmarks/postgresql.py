"""Measures hot reads, cold reads and writes on PostgreSQL.

The CPU times do not include the CPU time of the PostgreSQL server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tests.benchmarks import cold, hot, writes
from tests.benchmarks.databases import POSTGRESQL
from tests.benchmarks.plan import Plan, Table

Row = hot.Row | cold.Row | writes.Row


def run(plan: Plan) -> list[Row]:
    """Measure on PostgreSQL; raises MeasurementError if a service does not run."""
    return [
        *hot.measure(plan, plan.hot_blog(POSTGRESQL), compare=False),
        *cold.measure(plan, plan.cold_blogs(POSTGRESQL)),
        *writes.measure(plan, POSTGRESQL, compare=False),
    ]


def make_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the tables of the three parts."""
    return [replace(table, title=f"{table.title}, on {POSTGRESQL}") for table in _make_tables(rows)]


def _make_tables(rows: Sequence[Row]) -> Iterator[Table]:
    yield from hot.make_tables([row for row in rows if isinstance(row, hot.Row)])
    yield from cold.make_tables([row for row in rows if isinstance(row, cold.Row)], elapsed=True)
    yield from writes.make_tables([row for row in rows if isinstance(row, writes.Row)])
