"""The marks of the tests: which tests a run leaves out.

`slow`: left out without the option `--slow`, unless `-m` names the mark or the command line names the file.
`once`: neither the Python version nor the database changes the result, so `.ci/run` runs it only once.
`no_database`: about code that uses no database, so `.ci/run` does not run it on PostgreSQL.
`sqlite(reason)`: about SQLite only; skipped on PostgreSQL.
"""

from __future__ import annotations

from itertools import compress
from pathlib import Path

import pytest

from tests.databases import SERVER_URL

MARKS = (
    "slow: takes long; runs with --slow or if its file is named",
    "once: neither the Python version nor the database changes the result",
    "no_database: about code that uses no database",
    "sqlite(reason): about SQLite only; skipped on PostgreSQL",
)
TESTS = Path(__file__).parent
NO_DATABASE = tuple(
    TESTS / path
    for path in (
        *("rendering", "docs", "rate_limits", "serving", "web"),
        *("media/test_delivery.py", "media/test_images.py", "media/test_svg.py"),
        *("importing/blogger", "importing/ghost", "importing/links", "importing/markdown"),
        *("importing/medium", "importing/wordpress"),
        *("importing/test_archives.py", "importing/test_folder.py"),
    )
)
# The pages in a browser.
ONCE = TESTS / "admin"
NOT_ONCE = ONCE / "test_routes.py"


def register(config: pytest.Config) -> None:
    """Register the marks."""
    for mark in MARKS:
        config.addinivalue_line("markers", mark)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of whole folders."""
    if any(item.path.is_relative_to(path) for path in NO_DATABASE):
        item.add_marker("no_database")
    if item.path.is_relative_to(ONCE) and item.path != NOT_ONCE:
        item.add_marker("once")


# Before pytest evaluates `-m`, so that the marks above are known.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests."""
    if config.option.slow or "slow" in config.option.markexpr:
        return
    named = {Path(argument.partition("::")[0]).resolve() for argument in config.args}
    is_left_out = [bool(item.get_closest_marker("slow")) and item.path not in named for item in items]
    config.hook.pytest_deselected(items=list(compress(items, is_left_out)))
    items[:] = [item for item, left_out in zip(items, is_left_out, strict=True) if not left_out]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests of SQLite if the suite runs on PostgreSQL."""
    mark = item.get_closest_marker("sqlite")
    if SERVER_URL and mark is not None:
        pytest.skip(f"about SQLite: {mark.args[0]}")
