"""Cross-site requests with a login session."""

from __future__ import annotations

import pytest

from tests.accounts.users.conftest import ADA, LOGIN, LOGOUT, ME
from tests.conftest import KEYS, TAGS

FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:8000"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    {"Sec-Fetch-Site": ""} | {"Origin": "https://evil.example"},
]
OWN = [{}, {"Origin": "http://localhost"}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("path", [KEYS, LOGOUT])
def test_a_cross_site_write_with_a_login_session_is_refused(as_ada, headers, path):
    response = as_ada.post(path, headers=headers)
    assert (response.status_code, response.json["code"]) == (403, "cross_origin")
    assert as_ada.get(ME).status_code == 200


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("body", [b"", b"{"])
def test_a_cross_site_login_is_refused(passwords, as_stranger, headers, body):
    response = as_stranger.post(LOGIN, data=body, content_type="application/json", headers=headers)
    assert (response.status_code, response.json["code"]) == (403, "cross_origin")


@pytest.mark.parametrize("headers", OWN)
def test_a_same_site_write_is_accepted(as_ada, headers):
    assert as_ada.post(LOGIN, json=ADA, headers=headers).json["username"] == "ada"
    assert as_ada.post(KEYS, headers=headers).json["public_state"]


@pytest.mark.parametrize("headers", FOREIGN)
def test_the_origin_is_ignored_for_reads_and_for_requests_with_a_key(as_ada, as_admin, headers):
    assert as_ada.get(TAGS, headers=headers).json == []
    assert as_admin.post(KEYS, headers=headers).json["public_state"]
