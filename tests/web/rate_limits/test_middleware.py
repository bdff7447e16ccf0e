"""Limits on all requests, by address and by key, in front of the response cache."""

from __future__ import annotations

import pytest

from blogapi import clock
from blogapi.config import CannotStart
from blogapi.serving.server import wrap_with_proxy_middleware
from blogapi.web.rate_limits.middleware import RateLimitMiddleware
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.contracts.client import outcome

SLOWED = "too_many_requests"


@pytest.fixture
def steady_clock(monkeypatch):
    """The monotonic clock, as a list with one number that the test sets."""
    passed = [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: passed[0])
    return passed


@pytest.fixture
def make_limited_client(make_app, make_client, people):
    """Makes clients with an anonymous key for a blog with the given limits."""
    return lambda **settings: make_client(make_app(**settings), people.key(None))


def from_address(address):
    return {"environ_base": {"REMOTE_ADDR": address}}


def get_statuses(client, times, path=TAGS, **options):
    return [client.get(path, **options).status_code for _ in range(times)]


@pytest.mark.parametrize("setting", ["REQUEST_ADDRESS_LIMIT", "REQUEST_KEY_LIMIT"])
def test_a_request_over_the_limit_gets_a_429(make_limited_client, setting, steady_clock):
    client = make_limited_client(**{setting: "3 per minute"})
    assert get_statuses(client, 3) == [200] * 3
    steady_clock[0] += 19.5
    response = client.get(TAGS)
    assert (response.status_code, response.json["code"]) == (429, "too_many_requests")
    assert response.headers["Retry-After"] == "41"
    steady_clock[0] += 41
    assert get_statuses(client, 4) == [200, 200, 200, 429]


def test_requests_with_cached_responses_are_counted(make_limited_client, record_statements):
    client = make_limited_client(REQUEST_KEY_LIMIT="3 per minute")
    client.get(TAGS)
    with record_statements() as seen:
        assert get_statuses(client, 3) == [200, 200, 429]
    assert seen == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/openapi.json", 200),
        ("OPTIONS", TAGS, 204),
        ("PUT", TAGS, 403),
        ("BREW", TAGS, 405),
        ("HEAD", TAGS, 200),
    ],
)
def test_a_request_of_any_kind_is_counted_and_refused_as_documented(
    make_limited_client, method, path, status
):
    client = make_limited_client(REQUEST_ADDRESS_LIMIT="1 per minute")
    assert client.open(path, method=method).status_code == status
    # The client checks body and headers against the OpenAPI document.
    response = client.open(path, method=method)
    assert response.status_code == 429
    assert (response.data == b"") is (method == "HEAD") and int(response.headers["Content-Length"]) > 100


def test_a_health_check_is_never_refused(make_limited_client):
    client = make_limited_client(REQUEST_ADDRESS_LIMIT="1 per minute")
    assert get_statuses(client, 3, "/health") + get_statuses(client, 3, "/health/") == [200] * 6
    assert get_statuses(client, 2) == [200, 429]


def test_requests_are_counted_for_each_ipv4_address_and_each_ipv6_network(make_limited_client):
    client = make_limited_client(REQUEST_ADDRESS_LIMIT="1 per minute")
    addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.1", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"]
    found = [outcome(client.get(TAGS, **from_address(address)))[1] for address in addresses]
    assert found == [None, None, SLOWED, None, SLOWED, None]


def test_requests_are_counted_for_each_key_from_any_address(make_limited_client, people):
    client = make_limited_client(REQUEST_KEY_LIMIT="1 per minute")
    other = {"X-API-KEY": people.key(None)}
    assert client.get(TAGS).status_code == 200
    assert outcome(client.get(ARTICLES, **from_address("192.0.2.7"))) == (429, "too_many_requests")
    assert client.get(TAGS, headers=other).status_code == 200


@pytest.mark.parametrize("value", ["x", "", "é", "blogapi_" + "a" * 38])
def test_requests_with_a_malformed_key_are_not_counted(make_limited_client, value):
    client = make_limited_client(REQUEST_KEY_LIMIT="1 per minute")
    assert get_statuses(client, 3, headers={"X-API-KEY": value}) == [401] * 3


def test_a_refused_request_is_not_counted(make_limited_client, steady_clock):
    client = make_limited_client(REQUEST_ADDRESS_LIMIT="2 per minute", REQUEST_KEY_LIMIT="1 per minute")
    assert get_statuses(client, 5) == [200, 429, 429, 429, 429]
    assert get_statuses(client, 2, "/openapi.json", headers={"X-API-KEY": ""}) == [200, 429]


def test_a_refused_request_creates_no_key(make_limited_client, as_admin):
    client = make_limited_client(REQUEST_ADDRESS_LIMIT="1 per minute")
    before = len(as_admin.get(KEYS).json)
    assert [client.post(KEYS).status_code for _ in range(3)] == [201, 429, 429]
    assert len(as_admin.get(KEYS).json) == before + 1


@pytest.mark.parametrize(
    ("origin", "told"), [("https://front.example", True), ("https://evil.example", False)]
)
def test_a_page_of_an_allowed_origin_can_read_the_429_response(make_limited_client, origin, told):
    client = make_limited_client(REQUEST_ADDRESS_LIMIT="1 per minute", CORS_ORIGINS="https://front.example")
    first, second = (client.get(TAGS, headers={"Origin": origin}) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 429)
    names = ("Access-Control-Allow-Origin", "Access-Control-Expose-Headers")
    assert [second.headers.get(name) for name in names] == [first.headers.get(name) for name in names]
    assert ("Access-Control-Allow-Origin" in second.headers) is told


@pytest.mark.parametrize(
    ("proxy", "client", "forwarded", "expected"),
    [
        # Without a trusted proxy, the header is ignored.
        ("", "192.0.2.1", ["1.1.1.1", "2.2.2.2", "3.3.3.3"], [200, 429, 429]),
        # Behind the proxy, requests are counted for the address that the proxy appends.
        ("10.0.0.1", "10.0.0.1", ["1.1.1.1", "2.2.2.2", "1.1.1.1"], [200, 200, 429]),
        ("10.0.0.1", "10.0.0.1", ["8.8.8.8, 1.1.1.1", "9.9.9.9, 1.1.1.1"], [200, 429]),
        ("10.0.0.1", "10.0.0.1", ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"], [200, 429, 200]),
        # This client does not connect through the proxy, so its own header is ignored.
        ("10.0.0.1", "192.0.2.1", ["1.1.1.1", "2.2.2.2"], [200, 429]),
        ("10.0.0.0/8", "10.9.9.9", ["1.1.1.1", "2.2.2.2"], [200, 200]),
    ],
)
def test_only_the_trusted_proxy_can_set_the_client_address(
    make_limited_client, proxy, client, forwarded, expected
):
    asking = make_limited_client(REQUEST_ADDRESS_LIMIT="1 per minute", TRUSTED_PROXY=proxy)
    asking.application.wsgi_app = wrap_with_proxy_middleware(asking.application.wsgi_app, proxy)
    others = {"X-Real-IP": "5.5.5.5", "Forwarded": "for=6.6.6.6", "CF-Connecting-IP": "7.7.7.7"}
    found = [
        outcome(asking.get(TAGS, headers={"X-Forwarded-For": word} | others, **from_address(client)))
        for word in forwarded
    ]
    assert found == [(status, SLOWED if status == 429 else None) for status in expected]


def test_without_a_limit_the_middleware_is_not_installed(app):
    assert not isinstance(app.wsgi_app, RateLimitMiddleware)


@pytest.mark.parametrize("setting", ["REQUEST_ADDRESS_LIMIT", "REQUEST_KEY_LIMIT"])
@pytest.mark.parametrize("value", ["many", "0 per minute", None, 5])
def test_an_invalid_limit_prevents_the_start(make_app, setting, value):
    with pytest.raises(CannotStart, match=setting):
        make_app(**{setting: value})
