"""The marks of the tests: which tests a run leaves out.

`slow`: left out without the option `--slow`, unless `-m` names the mark or the command line names the file;
    tests that use a browser get it here.
`release`: a slow test that finds a fault only rarely; `.ci/release` runs it, and `.ci/run` does not.
`once`: neither the Python version nor the database changes the result, so `.ci/run` runs it only once.
`no_database`: about code that uses no database, or the same statements on each, so `.ci/run` does not run it
    on PostgreSQL.
`sqlite(reason)`: about SQLite only; skipped on PostgreSQL.
"""

from __future__ import annotations

from functools import cache
from itertools import compress
from pathlib import Path

import pytest

from tests.databases import SERVER_URL

MARKS = (
    "slow: takes long; runs with --slow or if its file is named",
    "release: takes long and finds a fault only rarely; .ci/release runs it",
    "once: neither the Python version nor the database changes the result",
    "no_database: about code that uses no database, or the same statements on each",
    "sqlite(reason): about SQLite only; skipped on PostgreSQL",
)
TESTS = Path(__file__).parent
NO_DATABASE = tuple(
    TESTS / path
    for path in (
        *("accounts/api_keys", "accounts/mail", "accounts/users", "benchmarks"),
        *("content/articles/test_invalid_fields.py", "content/media/test_delivery.py"),
        *("content/media/test_images.py", "content/media/test_prepare.py"),
        *("content/media/test_replacing.py", "content/media/test_routes.py", "content/media/test_svg.py"),
        *("content/presence", "content/taxonomies/authors", "contracts/test_fields.py"),
        *("contracts/test_references.py", "contracts/test_requirements.py", "delivery/feeds"),
        *("delivery/previews", "delivery/response_cache/test_not_cached.py", "delivery/site_checks"),
        *("deploy", "docs", "exporting", "importing/blogapi_export", "importing/format_api"),
        *("importing/formats", "importing/hidden_words", "importing/jobs", "importing/links"),
        *("importing/media", "importing/pipeline", "importing/storing/test_second_imports.py"),
        *("importing/templates", "importing/test_archives.py", "importing/texts", "mcp/test_protocol.py"),
        *("mcp/test_tasks.py", "operations/backups/test_status.py", "operations/demo"),
        *("reader_site/test_static_copy.py", "reader_site/test_words.py", "release", "rendering"),
        *("reader_site/test_crawl.py", "security/test_authors.py", "security/test_drafts_keys.py"),
        *("security/test_secret_fields.py", "serving", "shared_caches", "site"),
        *("test_authentication.py", "test_blog_folder.py", "test_config.py", "test_main.py"),
        *("test_setting_types.py", "test_two_apps.py", "web"),
    )
)
# Tests of foreign clients, of kills and full disks, of real blogs, of what a release consists of, of the time
# that patterns take, of memory and disk space, and tests that repeat random requests.
RELEASE = tuple(
    TESTS / path
    for path in (
        *("accounts/api_keys/test_unused.py", "benchmarks/test_parts.py", "clients"),
        *("content/articles/writing/test_random_writes.py", "content/articles/writing/test_render_again.py"),
        *("content/media/test_interrupted.py", "content/media/test_several_servers.py"),
        *("contracts/test_new_taxonomy.py", "contracts/test_new_text_field.py", "contracts/test_wheel.py"),
        *("contracts/test_whole_blogs.py", "delivery/response_cache/test_equivalence.py"),
        *("delivery/response_cache/test_never_stale.py", "deploy", "docs/test_browser.py", "durability"),
        *("faults", "frontend/test_frameworks.py", "importing/test_corpus_accounting.py"),
        *("operations/backups/test_staging.py", "operations/backups/test_under_load.py", "release"),
        *("security/test_fuzz.py", "security/test_pattern_time.py", "serving/test_memory.py"),
        *("shared_caches", "storage/test_upgrades.py", "test_without_posix.py"),
    )
)
# The pages in a browser, and requests that are refused before they reach the database.
ONCE = tuple(
    TESTS / path
    for path in (
        *("accounts/api_keys/test_access.py", "admin", "contracts/test_interface.py"),
        *("contracts/test_shapes.py", "deploy", "docs/test_guide_pages.py", "faults", "release"),
        *("security/test_assignment.py", "security/test_bad_input.py", "security/test_bad_paths.py"),
        *("security/test_headers.py", "security/test_logins.py", "security/test_malformed_ids.py"),
        "security/test_objects.py",
    )
)
NOT_ONCE = TESTS / "admin/test_routes.py"


def register(config: pytest.Config) -> None:
    """Register the marks."""
    for mark in MARKS:
        config.addinivalue_line("markers", mark)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not collect a file all of whose tests `-m` leaves out; each worker collects all files."""
    if collection_path.suffix != ".py":
        return None
    # `-m "not (once or no_database)"`
    left_out = config.option.markexpr.partition("not (")[2].partition(")")[0].split(" or ")
    return None if set(left_out).isdisjoint(_list_marks(collection_path)) else True


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of whole folders, and those that use a browser."""
    for name in _list_marks(item.path):
        item.add_marker(name)
    # Each worker would start a browser.
    if "browser" in getattr(item, "fixturenames", ()):
        item.add_marker("slow")
    if _is_in(item.path, RELEASE) and item.get_closest_marker("slow"):
        item.add_marker("release")


@cache
def _list_marks(path: Path) -> list[str]:
    marks = {"no_database": NO_DATABASE, "once": () if path == NOT_ONCE else ONCE}
    return [mark for mark, paths in marks.items() if _is_in(path, paths)]


@cache
def _is_in(path: Path, paths: tuple[Path, ...]) -> bool:
    return not {path, *path.parents}.isdisjoint(paths)


# Before pytest evaluates `-m`, so that the marks above are known.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests."""
    if config.option.slow or "slow" in config.option.markexpr or "release" in config.option.markexpr:
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
