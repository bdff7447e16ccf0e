"""Preview links."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blogapi.core.database import db

ARTICLES = "/api/v1/blog/articles/"


@pytest.fixture
def draft(make_article):
    return make_article(title="Secret", status="draft")


@pytest.fixture
def link(as_admin, draft):
    """A link to the draft."""
    answer = as_admin.post(f"{ARTICLES}{draft.uuid}/preview/", json={"expires_in": 3600})
    assert answer.status_code == 201
    return answer.json


def test_whoever_has_the_link_sees_this_one_article(as_admin, as_stranger, draft, link):
    seen = as_stranger.get(link["url"])
    assert (seen.status_code, seen.headers["Cache-Control"]) == (200, "no-store")
    assert seen.json == as_admin.get(f"{ARTICLES}{draft.uuid}/").json


def test_nothing_else_opens_with_it(as_stranger, draft, link, make_article):
    token = link["url"].split("/")[-2]
    other = make_article(status="draft")
    for path in (f"{ARTICLES}{draft.uuid}/", ARTICLES, f"{ARTICLES}{other.uuid}/"):
        assert as_stranger.get(path, headers={"X-API-KEY": token}).status_code == 401
        assert as_stranger.get(f"{path}?preview={token}").status_code == 401


def test_it_ends_at_its_moment(as_stranger, link, at):
    at(datetime.now(UTC) + timedelta(seconds=3599))
    assert as_stranger.get(link["url"]).status_code == 200
    at(datetime.now(UTC) + timedelta(seconds=3601))
    assert as_stranger.get(link["url"]).status_code == 404


def test_it_can_be_revoked(as_admin, as_stranger, draft, link):
    where = f"{ARTICLES}{draft.uuid}/preview/"
    assert [row["uuid"] for row in as_admin.get(where).json] == [link["uuid"]]
    assert as_admin.delete(f"{where}{link['uuid']}/").status_code == 204
    assert as_stranger.get(link["url"]).status_code == 404
    assert as_admin.get(where).json == []


def test_it_is_revoked_under_its_own_article_only(as_admin, as_stranger, link, make_article):
    other = make_article()
    assert as_admin.delete(f"{ARTICLES}{other.uuid}/preview/{link['uuid']}/").status_code == 404
    assert as_stranger.get(link["url"]).status_code == 200


@pytest.mark.sqlite("reads its file")
def test_only_its_digest_is_stored(app, link):
    token = link["url"].split("/")[-2]
    with app.app_context(), db.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        data = Path(str(db.engine.url.database)).read_bytes()
    assert token.encode() not in data


def test_a_deleted_article_takes_its_links_along(as_admin, as_stranger, draft, link):
    as_admin.delete(f"{ARTICLES}{draft.uuid}/")
    assert as_stranger.get(link["url"]).status_code == 404


@pytest.mark.parametrize("token", ["x", "%00", "é", "x" * 3000])
def test_a_wrong_link_is_a_404(as_stranger, token):
    assert as_stranger.get(f"/api/v1/blog/preview/{token}/").status_code == 404


@pytest.mark.parametrize("seconds", [0, -1, 90 * 24 * 3600 + 1, "3600", 1.5, True, None])
def test_an_impossible_duration_is_refused(as_admin, draft, seconds):
    answer = as_admin.post(f"{ARTICLES}{draft.uuid}/preview/", json={"expires_in": seconds})
    assert answer.status_code == 422
