"""The client address and the scheme of a request, with and without a trusted proxy."""

from __future__ import annotations

import json
import os
from http.client import HTTPConnection
from socket import has_dualstack_ipv6
from typing import Any

import pytest

from blogapi.serving.access_log import AccessLog
from blogapi.web.access import Role
from tests.conftest import KEYS
from tests.live_server import serve
from tests.serving.sockets import HEALTH, LOGIN, assert_problem, connect, read_all, send


def create_key(port: int, **headers: str) -> int:
    """Send a request that creates a key; return the status of the response."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", KEYS, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_requests_are_limited_by_the_address_that_a_trusted_proxy_forwards(make_app):
    with serve(make_app(TRUSTED_PROXY="127.0.0.1", KEY_LIMIT="1 per hour")) as port:
        statuses = [
            create_key(port, **{"X-Forwarded-For": address}) for address in ("1.2.3.4", "1.2.3.4", "::5")
        ]
        # Only the last address is from the proxy; the client may have sent the addresses before it.
        statuses.append(create_key(port, **{"X-Forwarded-For": "9.9.9.9, 1.2.3.4"}))
    assert statuses == [201, 429, 201, 429]


def test_a_network_of_proxies_can_be_trusted(make_app):
    with serve(make_app(TRUSTED_PROXY="127.0.0.0/8", KEY_LIMIT="1 per hour")) as port:
        assert [create_key(port, **{"X-Forwarded-For": f"1.2.3.{last}"}) for last in (4, 5)] == [201, 201]


@pytest.mark.skipif(os.name == "nt" or not has_dualstack_ipv6(), reason="`::` does not include IPv4 here")
@pytest.mark.parametrize("trusted", ["127.0.0.1", "127.0.0.0/8", "::ffff:127.0.0.1", "10.0.0.1"])
def test_an_ipv4_proxy_is_trusted_by_a_server_on_all_addresses(make_app, monkeypatch, trusted):
    def respond(environ, start_response):
        body = f"{environ['REMOTE_ADDR']} {environ['wsgi.url_scheme']}".encode()
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    app = make_app(TRUSTED_PROXY=trusted)
    monkeypatch.setattr(app, "wsgi_app", respond)
    head = "Host: a\r\nConnection: close\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\n"
    with serve(app, host="::") as port:
        answer = send(port, f"GET / HTTP/1.1\r\n{head}\r\n".encode()).body
    assert answer == (b"127.0.0.1 http" if trusted == "10.0.0.1" else b"1.2.3.4 https")


@pytest.mark.parametrize("trusted", ["", "10.0.0.1"])
def test_a_forwarded_address_from_an_untrusted_sender_is_ignored(make_app, trusted):
    with serve(make_app(TRUSTED_PROXY=trusted, KEY_LIMIT="1 per hour")) as port:
        statuses = [create_key(port, **{"X-Forwarded-For": address}) for address in ("1.2.3.4", "1.2.3.5")]
    assert statuses == [201, 429]


@pytest.mark.parametrize("trusted", ["", "127.0.0.1"])
def test_untrusted_forwarding_headers_are_removed(make_app, monkeypatch, trusted):
    def respond(environ, start_response):
        names = " ".join(sorted(name for name in environ if "FORWARDED" in name)).encode()
        start_response("200 OK", [("Content-Length", str(len(names)))])
        return [names]

    app = make_app(TRUSTED_PROXY=trusted)
    monkeypatch.setattr(app, "wsgi_app", respond)
    names = ("Forwarded", "X-Forwarded-By", "X-Forwarded-Port", *(() if trusted else ("X-Forwarded-For",)))
    head = "".join(f"{name}: 1\r\n" for name in names)
    with serve(app) as port:
        assert (
            send(port, f"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{head}\r\n".encode()).body == b""
        )


@pytest.mark.parametrize(
    "header",
    [
        ("X-Forwarded-For", '"unclosed'),
        ("X-Forwarded-For", "<script>"),
        ("X-Forwarded-For", "unknown"),
        ("X-Forwarded-Proto", "gopher"),
        ("X-Forwarded-Proto", "http, https"),
    ],
)
def test_a_malformed_forwarding_header_gets_a_400(make_app, header):
    with serve(make_app(TRUSTED_PROXY="127.0.0.1")) as port:
        head = f"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{header[0]}: {header[1]}\r\n\r\n"
        assert_problem(send(port, head.encode()), 400, "malformed")


@pytest.mark.parametrize("sent", ["1.2.3.4 200 0.1ms 9B forged", "9" * 3000, '"unclosed'])
def test_a_malformed_forwarded_address_is_not_logged(make_app, sent):
    entries = []
    log = AccessLog(entries.extend)
    with serve(make_app(TRUSTED_PROXY="127.0.0.1"), access_log=log) as port:
        head = f"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: {sent}\r\n\r\n"
        assert_problem(send(port, head.encode()), 400, "malformed")
    log.close()
    assert [entry.client for entry in entries] == ["127.0.0.1"]


@pytest.mark.parametrize(("trusted", "secure"), [("127.0.0.1", True), ("", False)])
def test_the_cookie_is_secure_if_the_proxy_forwards_https(make_app, trusted, secure):
    app = make_app(TRUSTED_PROXY=trusted)
    from blogapi.accounts.users import service

    with app.app_context():
        service.create_user("ada", "a long pass phrase", role=Role.ADMIN)
    with serve(app) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(
            "POST",
            LOGIN,
            body=json.dumps({"username": "ada", "password": "a long pass phrase"}),
            headers={"Content-Type": "application/json", "X-Forwarded-Proto": "https"},
        )
        response = connection.getresponse()
        cookie = response.headers["Set-Cookie"]
        connection.close()
    assert response.status == 200
    assert ("Secure" in cookie) is secure
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_url_scheme_option_sets_the_scheme(app, monkeypatch, scheme):
    def respond(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(len(environ["wsgi.url_scheme"])))])
        return [environ["wsgi.url_scheme"].encode()]

    monkeypatch.setattr(app, "wsgi_app", respond)
    with serve(app, url_scheme=scheme) as port:
        assert f"\r\n\r\n{scheme}".encode() in get_health(port)


def get_health(port: int) -> bytes:
    with connect(port) as sock:
        sock.sendall(HEALTH)
        return read_all(sock)


@pytest.mark.parametrize(
    ("setting", "option", "address"),
    [("10.0.0.1", "127.0.0.1", b"1.2.3.4"), ("", "", b"127.0.0.1"), ("127.0.0.1", "", b"127.0.0.1")],
)
def test_the_trusted_proxy_option_overrides_the_setting(make_app, monkeypatch, setting, option, address):
    def respond(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(len(environ["REMOTE_ADDR"])))])
        return [environ["REMOTE_ADDR"].encode()]

    app = make_app(TRUSTED_PROXY=setting)
    monkeypatch.setattr(app, "wsgi_app", respond)
    with serve(app, trusted_proxy=option) as port, connect(port) as sock:
        sock.sendall(HEALTH.replace(b"Host: a", b"Host: a\r\nX-Forwarded-For: 1.2.3.4"))
        assert read_all(sock).endswith(address)
