"""Requests with a key: which keys are accepted, and when the last use of a key is stored."""

from __future__ import annotations

from datetime import timedelta

import pytest

from blogapi.web import key_format
from blogapi.web.key_format import digest_token
from tests.accounts.api_keys.conftest import NOON, is_valid, path_of
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.contracts.client import outcome
from tests.databases import other_connection


def mistype(value):
    return value[:-1] + ("0" if value[-1] != "0" else "1")


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (lambda make_key: "", "key_invalid"),
        (lambda make_key: "x", "key_invalid"),
        (lambda make_key: "<API_KEY>", "key_invalid"),
        (lambda make_key: mistype(make_key().value), "key_invalid"),
        (lambda make_key: make_key().value.upper(), "key_invalid"),
        (lambda make_key: key_format.generate_key(), "key_invalid"),
        (lambda make_key: digest_token(make_key().value), "key_invalid"),
        (lambda make_key: f"ApiKey {make_key().value}", "key_invalid"),
        (lambda make_key: "clé", "key_invalid"),
        (lambda make_key: "blogapi_" + "0" * 100_000, "key_invalid"),
        (lambda make_key: make_key(expires=NOON).value, "key_expired"),
    ],
)
def test_an_invalid_or_expired_key_gets_a_401(as_stranger, make_key, value, code):
    response = as_stranger.get(ARTICLES, headers={"X-API-KEY": value(make_key)})
    assert (response.status_code, response.json["code"]) == (401, code)
    assert response.headers["WWW-Authenticate"] == "ApiKey"


def test_an_invalid_key_gets_a_401_even_if_no_key_is_required(as_stranger):
    assert outcome(as_stranger.post(KEYS, headers={"X-API-KEY": key_format.generate_key()})) == (
        401,
        "key_invalid",
    )


def test_a_mistyped_key_is_refused_without_a_query(as_stranger, make_key, record_statements):
    mistyped = mistype(make_key().value)
    with record_statements() as seen:
        assert as_stranger.get(TAGS, headers={"X-API-KEY": mistyped}).status_code == 401
    assert seen == []


def test_a_key_is_looked_up_in_one_statement(as_stranger, record_statements):
    with record_statements() as seen:
        assert as_stranger.get(TAGS, headers={"X-API-KEY": key_format.generate_key()}).status_code == 401
    assert len(seen) == 1


def test_two_keys_in_one_request_get_a_401(as_stranger, make_key):
    headers = [("X-API-KEY", make_key().value), ("X-API-KEY", make_key().value)]
    assert outcome(as_stranger.get(TAGS, headers=headers)) == (401, "key_invalid")


@pytest.mark.parametrize("name", ["X-API-KEY", "api_key", "key", "apikey"])
def test_a_key_in_the_query_string_is_ignored(as_stranger, make_key, name):
    assert outcome(as_stranger.get(TAGS, query_string={name: make_key().value})) == (401, "key_missing")


@pytest.mark.parametrize("form", ["Bearer {}", "ApiKey {}", "{}"])
def test_a_key_in_another_header_is_ignored(as_stranger, make_key, form):
    headers = {"Authorization": form.format(make_key().value)}
    assert outcome(as_stranger.get(TAGS, headers=headers)) == (401, "key_missing")


def test_a_key_is_valid_until_its_expiry(as_stranger, make_key, set_clock):
    key = make_key(expires=NOON)
    set_clock(NOON - timedelta(microseconds=1))
    assert is_valid(as_stranger, key.value)
    set_clock(NOON)
    assert not is_valid(as_stranger, key.value)


def test_the_time_of_the_last_use_is_written_at_most_once_an_hour(
    as_stranger, make_key, set_clock, record_statements
):
    key = make_key()
    minutes = {0: True, 1: False, 59: False, 60: True, 61: False, 120: True}
    for minute, writes in minutes.items():
        set_clock(NOON + timedelta(minutes=minute))
        with record_statements() as seen:
            assert is_valid(as_stranger, key.value)
        assert any(statement.startswith("UPDATE api_key") for statement in seen) is writes, minute


def test_a_key_shows_the_time_of_its_last_use(as_stranger, make_key, people, set_clock):
    key = make_key(people.member)
    set_clock(NOON)
    as_stranger.get(TAGS, headers={"X-API-KEY": key.value})
    shown = as_stranger.get(path_of(key), headers={"X-API-KEY": key.value}).json
    assert shown["last_used"] == "2026-03-01T12:00:00.000000+00:00"


def test_a_read_does_not_wait_for_a_writer_in_another_process(app, as_stranger, make_key, lock_timeouts):
    key = make_key()
    lock_timeouts.clear()
    with other_connection(app, writing=True) as other:
        assert is_valid(as_stranger, key.value)
        assert lock_timeouts == [0]
        assert other.exec_driver_sql("SELECT last_used FROM api_key").fetchall() == [(None,)]
