"""Preview links."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from blogapi.previews import service
from blogapi.storage.database import db
from blogapi.web.errors import NotFound
from tests.contracts.client import outcome

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
        assert outcome(as_stranger.get(path, headers={"X-API-KEY": token})) == (401, "key_invalid")
        assert outcome(as_stranger.get(f"{path}?preview={token}")) == (401, "key_missing")


def test_it_ends_at_its_moment(as_stranger, link, at):
    at(datetime.now(UTC) + timedelta(seconds=3599))
    assert as_stranger.get(link["url"]).status_code == 200
    at(datetime.now(UTC) + timedelta(seconds=3601))
    assert outcome(as_stranger.get(link["url"])) == (404, "not_found")


def test_it_ends_to_the_microsecond_in_the_list_too(as_admin, as_stranger, draft, at):
    made_at, where = datetime(2030, 1, 1, tzinfo=UTC), f"{ARTICLES}{draft.uuid}/preview/"
    at(made_at)
    url = as_admin.post(where, json={"expires_in": 60}).json["url"]
    for moment, status in (
        (made_at + timedelta(seconds=60) - timedelta.resolution, 200),
        (made_at + timedelta(seconds=60), 404),
    ):
        at(moment)
        assert as_stranger.get(url).status_code == status
        assert len(as_admin.get(where).json) == (status == 200)


@pytest.mark.parametrize(("body", "days"), [({}, 7), ({"expires_in": 90 * 24 * 3600}, 90)])
def test_it_lasts_a_week_unless_told_otherwise_and_ninety_days_at_most(as_admin, draft, body, days, at):
    now = datetime(2030, 1, 1, tzinfo=UTC)
    at(now)
    made = as_admin.post(f"{ARTICLES}{draft.uuid}/preview/", json=body).json
    assert made["created"] == "2030-01-01T00:00:00.000000"
    assert made["expires"][:19] == (now + timedelta(days=days)).isoformat()[:19]


def test_an_article_has_several_links_the_newest_first(
    as_admin, as_stranger, people, draft, make_article, at
):
    where, made = f"{ARTICLES}{draft.uuid}/preview/", []
    for hour in (1, 2, 3):
        at(datetime(2030, 1, 1, hour, tzinfo=UTC))
        made.append(as_admin.post(where).json)
    other = as_admin.post(f"{ARTICLES}{make_article(status='draft').uuid}/preview/").json
    assert len({link["url"] for link in made}) == 3
    assert [as_stranger.get(link["url"]).status_code for link in (*made, other)] == [200] * 4
    listed = as_admin.get(where).json
    assert [link["uuid"] for link in listed] == [link["uuid"] for link in reversed(made)]
    assert {link["user"] for link in listed} == {str(people.admin.uuid)}
    page = as_admin.get(f"{where}?page=2&page_size=2&fields=uuid")
    assert (page.json, page.headers["X-Total-Count"]) == ([{"uuid": made[0]["uuid"]}], "3")
    assert as_admin.delete(f"{where}{made[0]['uuid']}/").status_code == 204
    assert [as_stranger.get(link["url"]).status_code for link in made] == [404, 200, 200]


def test_what_a_link_shows_is_trimmed_like_any_article(as_stranger, link):
    assert as_stranger.get(f"{link['url']}?fields=title,status").json == {
        "title": "Secret",
        "status": "draft",
    }


def test_there_is_no_link_to_what_is_not_there(as_admin):
    where = f"{ARTICLES}00000000-0000-4000-8000-000000000000/preview/"
    assert [as_admin.get(where).status_code, as_admin.post(where).status_code] == [404, 404]


def test_no_link_is_made_to_what_was_deleted_before_its_turn_came(app, people):
    with app.app_context(), pytest.raises(NotFound):
        service.create(people.admin.uuid, uuid4(), seconds=60)


def test_it_can_be_revoked(as_admin, as_stranger, draft, link):
    where = f"{ARTICLES}{draft.uuid}/preview/"
    assert [row["uuid"] for row in as_admin.get(where).json] == [link["uuid"]]
    assert as_admin.delete(f"{where}{link['uuid']}/").status_code == 204
    assert as_stranger.get(link["url"]).status_code == 404
    assert as_admin.get(where).json == []


def test_it_is_revoked_under_its_own_article_only(as_admin, as_stranger, link, make_article):
    other = make_article()
    assert outcome(as_admin.delete(f"{ARTICLES}{other.uuid}/preview/{link['uuid']}/")) == (404, "not_found")
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
    assert outcome(as_stranger.get(link["url"])) == (404, "not_found")


@pytest.mark.parametrize("token", ["x", "%00", "é", "x" * 3000])
def test_a_wrong_link_is_a_404(as_stranger, token):
    assert outcome(as_stranger.get(f"/api/v1/blog/preview/{token}/")) == (404, "not_found")


@pytest.mark.parametrize("seconds", [0, -1, 90 * 24 * 3600 + 1, "3600", 1.5, True, None])
def test_an_impossible_duration_is_refused(as_admin, draft, seconds):
    answer = as_admin.post(f"{ARTICLES}{draft.uuid}/preview/", json={"expires_in": seconds})
    assert outcome(answer) == (422, "invalid_fields")
