"""The check of the events: they describe the items that readers can see in lists."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from blogapi.content.articles.models import Article
from blogapi.publication.visibility import API_STATUSES, SCHEDULED
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES

PAGES = "/api/v1/blog/pages/"


@pytest.fixture
def check_events(app):
    """Return a function that returns the result of the check of the events."""

    def check(*words):
        lines = app.test_cli_runner().invoke(args=["doctor", "--full", *words]).stdout.splitlines()
        (line,) = (line for line in lines if " events: " in line)
        return line.split()[0]

    return check


@pytest.mark.parametrize("path", [ARTICLES, PAGES])
@pytest.mark.parametrize("status", API_STATUSES)
def test_the_events_of_an_item_in_each_status_are_right(as_admin, check_events, path, status):
    time = {"published_at": "2999-01-01T00:00:00Z"} if status == SCHEDULED else {}
    created = as_admin.post(path, json={"title": "T", "status": status, **time})
    assert created.status_code == 201
    assert check_events() == "ok"


@pytest.mark.parametrize("last", ["published", "unlisted", "draft"])
def test_the_events_of_an_item_that_was_listed_and_unlisted_are_right(
    as_admin, make_article, check_events, last
):
    path = f"{ARTICLES}{make_article().uuid}/"
    for status in ("unlisted", "published", "unlisted", last):
        assert as_admin.patch(path, json={"status": status}).status_code == 200
        assert check_events() == "ok"


@pytest.mark.parametrize(
    ("before", "after"), [("published", "unlisted"), ("unlisted", "published"), ("published", "draft")]
)
def test_a_change_of_another_program_is_found_and_repaired(app, make_article, check_events, before, after):
    make_article(status=before)
    with app.app_context(), transaction():
        db.session.execute(update(Article).values(status=after))
    assert check_events() == "wrong"
    assert check_events("--repair") == "repaired"
    assert check_events() == "ok"
