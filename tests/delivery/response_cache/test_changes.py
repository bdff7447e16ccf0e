"""The next read after a change of a key, a user or the content shows that change."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from blogapi.accounts.api_keys import service as api_keys
from blogapi.storage.database import db
from blogapi.storage.files import get_side_files
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.contracts.client import outcome
from tests.databases import write_from_other_process
from tests.delivery.response_cache.cached_blog import warm
from tests.delivery.response_cache.sockets import format_request, send_all
from tests.live_server import serve

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


# Keys and users


def test_a_deleted_key_is_refused(as_reader, people):
    key = people.uuid(as_reader.key)
    warm(as_reader, ARTICLES)
    assert as_reader.delete(f"{KEYS}{key}/").status_code == 204
    assert outcome(as_reader.get(ARTICLES)) == (401, "key_invalid")


def test_a_key_deleted_by_a_command_is_refused(app, as_reader, people):
    key = people.uuid(as_reader.key)
    warm(as_reader, ARTICLES)
    assert app.test_cli_runner().invoke(args=["key", "delete", key]).exit_code == 0
    assert as_reader.get(ARTICLES).status_code == 401


def test_a_key_of_a_deleted_user_is_refused(app, as_member):
    warm(as_member, ARTICLES)
    assert app.test_cli_runner().invoke(args=["user", "delete", "mel", "--yes"]).exit_code == 0
    assert as_member.get(ARTICLES).status_code == 401


def test_a_key_expires_at_its_expiry_time(app, as_stranger, set_clock, get_counted):
    set_clock(NOON)
    with app.app_context():
        key = api_keys.issue_key(None, expires=NOON + 10 * MINUTE).value
    headers = {"X-API-KEY": key}
    warm(as_stranger, TAGS, headers=headers)
    set_clock(NOON + 10 * MINUTE - timedelta.resolution)
    response, statements = get_counted(as_stranger, TAGS, headers=headers)
    assert (response.status_code, statements) == (200, 0)
    set_clock(NOON + 10 * MINUTE)
    assert as_stranger.get(TAGS, headers=headers).json["code"] == "key_expired"


def test_a_rotated_key_is_valid_during_the_overlap(as_reader, as_admin, people, set_clock):
    set_clock(NOON)
    key = people.uuid(as_reader.key)
    warm(as_reader, TAGS)
    assert as_admin.post(f"{KEYS}{key}/rotate/", json={"overlap_seconds": 60}).status_code == 201
    warm(as_reader, TAGS)
    set_clock(NOON + timedelta(seconds=59))
    assert as_reader.get(TAGS).status_code == 200
    set_clock(NOON + timedelta(seconds=60))
    assert outcome(as_reader.get(TAGS)) == (401, "key_expired")


def test_the_last_use_of_a_key_is_stored_every_hour(as_reader, as_admin, people, set_clock):
    set_clock(NOON)
    as_reader.get(TAGS)
    key = people.uuid(as_reader.key)
    for minutes, last in ((1, "12:00"), (59, "12:00"), (60, "13:00"), (119, "13:00"), (120, "14:00")):
        set_clock(NOON + minutes * MINUTE)
        for _ in range(2):
            as_reader.get(TAGS)
        assert as_admin.get(f"{KEYS}{key}/").json["last_used"][:16] == f"2030-01-01T{last}"


@pytest.mark.parametrize("role", ["reader", "admin"])
def test_a_changed_role_applies_immediately(app, people, as_member, as_admin, role):
    own = f"{ARTICLES}author/me/"
    client = as_admin if role == "reader" else as_member
    outcomes = [outcome(warm(client, own))]
    write_from_other_process(app, "UPDATE account SET role = :role", role=role)
    outcomes.append(outcome(client.get(own)))
    admin, member = (200, None), (403, "forbidden")
    assert outcomes == ([admin, member] if role == "reader" else [member, admin])


def test_a_changed_scope_applies_immediately(app, as_admin):
    for scope, expected in (("write", (201, None)), ("read", (403, "scope_missing")), ("write", (201, None))):
        write_from_other_process(app, "UPDATE api_key SET scope = :scope", scope=scope)
        warm(as_admin, TAGS)
        response = as_admin.post(TAGS, json={"name": f"{scope} {time.monotonic_ns()}"})
        assert outcome(response) == expected


# Content


def test_an_unpublished_article_is_not_shown(as_reader, as_admin, make_article):
    path = f"{ARTICLES}{make_article().uuid}/"
    assert (warm(as_reader, path).status_code, len(warm(as_reader, ARTICLES).json)) == (200, 1)
    assert as_admin.patch(path, json={"status": "draft"}).status_code == 200
    assert (as_reader.get(path).status_code, as_reader.get(ARTICLES).json) == (404, [])


def test_a_renamed_tag_is_renamed_everywhere(as_reader, as_admin, make_article, make_tag):
    tag = make_tag("old")
    path = f"{ARTICLES}{make_article(tags=(tag,)).uuid}/"
    for each in (ARTICLES, path, TAGS, f"{TAGS}{tag.uuid}/"):
        assert '"name":"old"' in warm(as_reader, each).text
    as_admin.patch(f"{TAGS}{tag.uuid}/", json={"name": "new"})
    for each in (ARTICLES, path, TAGS, f"{TAGS}{tag.uuid}/"):
        text = as_reader.get(each).text
        assert '"name":"new"' in text and '"name":"old"' not in text


def test_a_write_of_another_process_is_shown(app, as_reader, make_article):
    path = f"{ARTICLES}{make_article().uuid}/"
    assert warm(as_reader, path).status_code == 200
    write_from_other_process(app, "UPDATE article SET status = 'draft'")
    assert outcome(as_reader.get(path)) == (404, "not_found")


@pytest.mark.sqlite("its file")
def test_no_cached_response_is_served_if_the_database_file_is_missing(app, as_reader, make_article, instance):
    make_article()
    warm(as_reader, ARTICLES)
    with app.app_context():
        db.session.remove()
        db.engine.dispose()
    database = instance / "blog.db"
    for path in (database, *get_side_files(database)):
        path.unlink(missing_ok=True)
    assert outcome(as_reader.get(ARTICLES)) == (503, "unavailable")


def test_a_read_pipelined_behind_a_write_sees_that_write(cached_blog, people):
    key = people.key(None)
    uuid = people.uuid(key)
    assert cached_blog.get(TAGS, key, Host="blog")[0] == "200 OK"
    respond = cached_blog.application.respond

    def respond_after_another_check(environ, start_response):
        # Meanwhile another request reads the commit version.
        assert cached_blog.source.get_version() is not None
        return respond(environ, start_response)

    cached_blog.application.respond = respond_after_another_check
    with serve(cached_blog.app) as port:
        received = send_all(
            port,
            format_request("DELETE", f"{KEYS}{uuid}/", key),
            format_request("GET", TAGS, key, "Connection: close"),
        )
    assert [line for line in received.split("\r\n") if line.startswith("HTTP/")] == [
        "HTTP/1.1 204 NO CONTENT",
        "HTTP/1.1 401 UNAUTHORIZED",
    ]
