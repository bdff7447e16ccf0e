"""The definition of which articles are public."""

from __future__ import annotations

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import String, literal, select

import blogapi
from blogapi.publication import visibility
from blogapi.publication.visibility import LISTED_STATUSES, VISIBILITY_RULES, Status
from blogapi.storage.database import UtcDateTime, db

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)
PUBLICATION_TIMES = {"never": None, "past": NOW - TICK, "now": NOW, "future": NOW + TICK}

FOLDER = Path(blogapi.__file__).parent
# Here the word is the scope of a key, a transition between statuses, or the status in a file to import.
EXEMPT = (
    "accounts/api_keys/",
    "content/articles/lifecycle.py",
    "migrations/",
    "publication/",
    *(f"importing/{name}/" for name in ("blogapi_export", "format_api", "formats", "pipeline", "storing")),
)


@pytest.mark.parametrize("type_", visibility.ItemType)
@pytest.mark.parametrize("time", PUBLICATION_TIMES)
@pytest.mark.parametrize("status", Status)
def test_python_and_sql_agree(app, status, time, type_):
    item = SimpleNamespace(status=status.value, published_at=PUBLICATION_TIMES[time], type=type_.value)
    columns = (literal(status.value, String), literal(item.published_at, UtcDateTime()))
    named = (columns[0].label("status"), columns[1].label("published_at"), literal(type_.value).label("type"))
    row = select(*named).subquery().c
    conditions = [
        make(row)
        for make in (
            visibility.match_readable_items,
            visibility.match_scheduled_items,
            visibility.match_listed_articles,
        )
    ]
    conditions.append(visibility.match_listed_pages(row))
    conditions.append(visibility.match_status(row, status.value))
    with app.app_context():
        found = [
            db.session.execute(select(row.status).where(condition), {"now": NOW}).first() is not None
            for condition in conditions
        ]
    is_readable = visibility.is_readable(item, NOW)
    is_in_lists = is_readable and VISIBILITY_RULES[status].listed
    is_listed = is_in_lists and type_ == visibility.ItemType.ARTICLE
    has_status = is_readable or not VISIBILITY_RULES[status].readable
    assert found == [
        is_readable,
        visibility.is_scheduled(item, NOW),
        is_listed,
        is_in_lists and not is_listed,
        has_status,
    ]
    listed_from = visibility.get_listed_from(item)
    assert (listed_from is not None and listed_from <= NOW) == is_listed


def test_published_and_unlisted_articles_whose_time_has_come_are_readable():
    readable = {
        (status.value, name)
        for status in Status
        for name, time in PUBLICATION_TIMES.items()
        if visibility.is_readable(SimpleNamespace(status=status.value, published_at=time), NOW)
    }
    assert readable == {(status, time) for status in ("published", "unlisted") for time in ("past", "now")}


def test_each_status_is_listed_or_not():
    assert {*LISTED_STATUSES} < {*Status} == {*VISIBILITY_RULES}
    assert all(rule.readable for rule in VISIBILITY_RULES.values() if rule.listed)


def find_comparisons(tree):
    """Yield the lines that compare the status, or a publication time with a time other than a filter's."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        for part in (node.left, *node.comparators):
            text = ast.unparse(part)
            if text in ("Status.PUBLISHED", "Status.PUBLISHED.value", "'published'"):
                yield node.lineno
            if text.endswith(".published_at") and any(
                word in ast.unparse(node) for word in ("_NOW", "now", "current_time")
            ):
                yield node.lineno


def test_no_other_module_decides_what_is_public():
    found = [
        f"{name}:{line}"
        for path in FOLDER.rglob("*.py")
        if not (name := path.relative_to(FOLDER).as_posix()).startswith(EXEMPT)
        for line in find_comparisons(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == [], "Use blogapi.publication.visibility."
