"""Requests to delete keys, and requests with malformed, unknown or deleted ids."""

from __future__ import annotations

import pytest

from tests.accounts.api_keys.conftest import is_valid, path_of
from tests.conftest import KEYS
from tests.contracts.client import outcome

MALFORMED = [
    "x",
    "1",
    "00000000-0000-0000-0000-000000000000",
    "{3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d}",
    "urn:uuid:3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d",
    "3f2b6c1e8d4a4f5b9c7d1e2f3a4b5c6d",
    "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6",
    "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6g",
    "%00",
    "%27%20OR%201=1--",
    "٣f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d",
    "x" * 5000,
]


@pytest.mark.parametrize("method", ["GET", "PATCH", "PUT", "DELETE"])
@pytest.mark.parametrize("id", MALFORMED)
def test_a_request_with_a_malformed_id_returns_404(as_admin, as_stranger, method, id):
    body = {} if method in ("PATCH", "PUT") else None
    assert outcome(as_admin.open(f"{KEYS}{id}/", method=method, json=body)) == (404, "not_found")
    assert outcome(as_stranger.open(f"{KEYS}{id}/", method=method)) == (401, "key_missing")


@pytest.mark.parametrize("id", ["x", "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"])
@pytest.mark.parametrize("method", ["DELETE", "PATCH", "PUT"])
def test_a_write_to_an_unknown_key_returns_404_even_with_if_match(as_admin, method, id):
    response = as_admin.open(f"{KEYS}{id}/", method=method, json={}, headers={"If-Match": '"x"'})
    assert outcome(response) == (404, "not_found")


def test_an_id_is_case_insensitive(as_reader, as_stranger, make_key):
    key = make_key()
    response = as_reader.delete(path_of(key).upper().replace("/API/V1/AUTH/API-KEY/", KEYS))
    assert response.status_code == 204 and not is_valid(as_stranger, key.value)


def test_a_deleted_key_is_refused_in_every_process(make_app, make_client, make_key):
    here, there, key = make_app(), make_app(), make_key()
    assert is_valid(make_client(there), key.value)
    assert make_client(here, key.value).delete(path_of(key)).status_code == 204
    assert not is_valid(make_client(there), key.value)
    assert make_client(there, key.value).delete(path_of(key)).status_code == 401


def test_deleting_a_deleted_key_gets_a_404(as_reader, make_key):
    key = make_key()
    assert [outcome(as_reader.delete(path_of(key))) for _ in range(2)] == [(204, None), (404, "not_found")]
