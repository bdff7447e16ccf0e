"""Preview links: who can read an article through a link, and for how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from blogapi.delivery.previews import service
from blogapi.storage.database import db
from blogapi.web.errors import NotFound
from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"


@pytest.fixture
def draft(make_article):
    return make_article(title="Secret", status="draft")


@pytest.fixture
def preview_link(as_admin, draft):
    """A preview link to the draft article."""
    response = as_admin.post(f"{ARTICLES}{draft.uuid}/preview/", json={"expires_in": 3600})
    assert response.status_code == 201
    return response.json


def test_anyone_with_the_link_can_read_the_article(as_admin, as_stranger, draft, preview_link):
    seen = as_stranger.get(preview_link["api_url"])
    assert (seen.status_code, seen.headers["Cache-Control"]) == (200, "no-store")
    assert seen.json == as_admin.get(f"{ARTICLES}{draft.uuid}/").json


def test_the_token_of_a_link_gives_no_other_access(as_stranger, draft, preview_link, make_article):
    token = preview_link["api_url"].split("/")[-2]
    other = make_article(status="draft")
    for path in (f"{ARTICLES}{draft.uuid}/", ARTICLES, f"{ARTICLES}{other.uuid}/"):
        assert outcome(as_stranger.get(path, headers={"X-API-KEY": token})) == (401, "key_invalid")
        assert outcome(as_stranger.get(f"{path}?preview={token}")) == (401, "key_missing")


def test_a_link_expires(as_stranger, preview_link, set_clock):
    set_clock(datetime.now(UTC) + timedelta(seconds=3599))
    assert as_stranger.get(preview_link["api_url"]).status_code == 200
    set_clock(datetime.now(UTC) + timedelta(seconds=3601))
    assert outcome(as_stranger.get(preview_link["api_url"])) == (404, "not_found")


def test_a_link_expires_and_disappears_from_the_list_in_the_same_microsecond(
    as_admin, as_stranger, draft, set_clock
):
    made_at, where = datetime(2030, 1, 1, tzinfo=UTC), f"{ARTICLES}{draft.uuid}/preview/"
    set_clock(made_at)
    url = as_admin.post(where, json={"expires_in": 60}).json["api_url"]
    for time, status in (
        (made_at + timedelta(seconds=60) - timedelta.resolution, 200),
        (made_at + timedelta(seconds=60), 404),
    ):
        set_clock(time)
        assert as_stranger.get(url).status_code == status
        assert len(as_admin.get(where).json) == (status == 200)


@pytest.mark.parametrize(("body", "days"), [({}, 7), ({"expires_in": 90 * 24 * 3600}, 90)])
def test_a_link_lasts_a_week_by_default_and_at_most_ninety_days(as_admin, draft, body, days, set_clock):
    now = datetime(2030, 1, 1, tzinfo=UTC)
    set_clock(now)
    created = as_admin.post(f"{ARTICLES}{draft.uuid}/preview/", json=body).json
    assert created["created"] == "2030-01-01T00:00:00.000000+00:00"
    assert created["expires"][:19] == (now + timedelta(days=days)).isoformat()[:19]


def test_an_article_can_have_several_links_which_are_listed_newest_first(
    as_admin, as_stranger, people, draft, make_article, set_clock
):
    where, created = f"{ARTICLES}{draft.uuid}/preview/", []
    for hour in (1, 2, 3):
        set_clock(datetime(2030, 1, 1, hour, tzinfo=UTC))
        created.append(as_admin.post(where).json)
    other = as_admin.post(f"{ARTICLES}{make_article(status='draft').uuid}/preview/").json
    assert len({link["api_url"] for link in created}) == 3
    assert [as_stranger.get(link["api_url"]).status_code for link in (*created, other)] == [200] * 4
    listed = as_admin.get(where).json
    assert [link["uuid"] for link in listed] == [link["uuid"] for link in reversed(created)]
    assert {link["user"] for link in listed} == {str(people.admin.uuid)}
    page = as_admin.get(f"{where}?page=2&page_size=2&fields=uuid")
    assert (page.json, page.headers["X-Total-Count"]) == ([{"uuid": created[0]["uuid"]}], "3")
    assert as_admin.delete(f"{where}{created[0]['uuid']}/").status_code == 204
    assert [as_stranger.get(link["api_url"]).status_code for link in created] == [404, 200, 200]


def test_an_article_has_at_most_fifty_links_and_the_oldest_ends(
    as_admin, as_stranger, draft, make_article, set_clock, monkeypatch
):
    monkeypatch.setattr(service, "MAX_PREVIEWS", 3)
    where, created = f"{ARTICLES}{draft.uuid}/preview/", []
    set_clock(datetime(2030, 1, 1, tzinfo=UTC))
    other = as_admin.post(f"{ARTICLES}{make_article(status='draft').uuid}/preview/").json
    for second in (1, 2, 3, 4, 5, 5, 5, 5):
        set_clock(datetime(2030, 1, 1, 0, 0, second, tzinfo=UTC))
        created.append(as_admin.post(where).json)
        assert as_stranger.get(created[-1]["api_url"]).status_code == 200
        ended = [link for link in created if as_stranger.get(link["api_url"]).status_code == 404]
        if second < 5:
            assert ended == created[:-3]
        assert len(as_admin.get(where).json) == len(created) - len(ended) == min(len(created), 3)
    assert as_stranger.get(other["api_url"]).status_code == 200


def test_the_fields_parameter_selects_the_fields_of_a_preview(as_stranger, preview_link):
    assert as_stranger.get(f"{preview_link['api_url']}?fields=title,status").json == {
        "title": "Secret",
        "status": "draft",
    }


def test_requests_for_the_links_of_an_unknown_article_return_404(as_admin):
    where = f"{ARTICLES}00000000-0000-4000-8000-000000000000/preview/"
    assert [as_admin.get(where).status_code, as_admin.post(where).status_code] == [404, 404]


def test_creating_a_link_to_a_deleted_article_is_refused(app, people):
    with app.app_context(), pytest.raises(NotFound):
        service.create_preview(people.admin.uuid, uuid4(), seconds=60)


def test_a_revoked_link_is_not_found(as_admin, as_stranger, draft, preview_link):
    where = f"{ARTICLES}{draft.uuid}/preview/"
    assert [row["uuid"] for row in as_admin.get(where).json] == [preview_link["uuid"]]
    assert as_admin.delete(f"{where}{preview_link['uuid']}/").status_code == 204
    assert as_stranger.get(preview_link["api_url"]).status_code == 404
    assert as_admin.get(where).json == []


def test_a_link_can_be_revoked_only_at_the_path_of_its_article(
    as_admin, as_stranger, preview_link, make_article
):
    other = make_article()
    assert outcome(as_admin.delete(f"{ARTICLES}{other.uuid}/preview/{preview_link['uuid']}/")) == (
        404,
        "not_found",
    )
    assert as_stranger.get(preview_link["api_url"]).status_code == 200


@pytest.mark.sqlite("reads its dump")
def test_the_token_itself_is_not_stored(app, preview_link):
    token = preview_link["api_url"].split("/")[-2]
    with app.app_context(), db.engine.connect() as connection:
        stored = "\n".join(connection.connection.iterdump())
    assert "INSERT INTO" in stored and token not in stored


def test_the_links_of_a_deleted_article_are_not_found(as_admin, as_stranger, draft, preview_link):
    as_admin.delete(f"{ARTICLES}{draft.uuid}/")
    assert outcome(as_stranger.get(preview_link["api_url"])) == (404, "not_found")


@pytest.mark.parametrize("token", ["x", "%00", "é", "x" * 3000])
def test_an_unknown_token_gets_a_404(as_stranger, token):
    assert outcome(as_stranger.get(f"/api/v1/blog/preview/{token}/")) == (404, "not_found")


@pytest.mark.parametrize("seconds", [0, -1, 90 * 24 * 3600 + 1, "3600", 1.5, True, None])
def test_an_invalid_lifetime_is_refused(as_admin, draft, seconds):
    response = as_admin.post(f"{ARTICLES}{draft.uuid}/preview/", json={"expires_in": seconds})
    assert outcome(response) == (422, "invalid_fields")
