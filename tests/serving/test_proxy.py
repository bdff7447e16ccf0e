"""Whom a limit counts and which scheme is told, with and without a trusted proxy."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from typing import Any

import pytest

from blogapi.users import models
from tests.conftest import KEYS
from tests.live import running
from tests.serving.sockets import HEALTH, LOGIN, assert_problem, connected, read_all, send


def created(port: int, **headers: str) -> int:
    """Create a key and return the status."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", KEYS, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_trusted_proxy_says_whom_a_limit_counts(make_app):
    with running(make_app(TRUSTED_PROXY="127.0.0.1", KEY_LIMIT="1 per hour")) as port:
        told = [created(port, **{"X-Forwarded-For": address}) for address in ("1.2.3.4", "1.2.3.4", "::5")]
        # Only the last address is the proxy's word; what stands before it, the client wrote.
        told.append(created(port, **{"X-Forwarded-For": "9.9.9.9, 1.2.3.4"}))
    assert told == [201, 429, 201, 429]


def test_a_network_of_proxies_can_be_trusted(make_app):
    with running(make_app(TRUSTED_PROXY="127.0.0.0/8", KEY_LIMIT="1 per hour")) as port:
        assert [created(port, **{"X-Forwarded-For": f"1.2.3.{last}"}) for last in (4, 5)] == [201, 201]


@pytest.mark.parametrize("trusted", ["", "10.0.0.1"])
def test_nobody_else_is_believed(make_app, trusted):
    with running(make_app(TRUSTED_PROXY=trusted, KEY_LIMIT="1 per hour")) as port:
        told = [created(port, **{"X-Forwarded-For": address}) for address in ("1.2.3.4", "1.2.3.5")]
    assert told == [201, 429]


@pytest.mark.parametrize("trusted", ["", "127.0.0.1"])
def test_the_application_is_told_nothing_that_nobody_vouches_for(make_app, monkeypatch, trusted):
    def tell(environ, start_response):
        told = " ".join(sorted(name for name in environ if "FORWARDED" in name)).encode()
        start_response("200 OK", [("Content-Length", str(len(told)))])
        return [told]

    app = make_app(TRUSTED_PROXY=trusted)
    monkeypatch.setattr(app, "wsgi_app", tell)
    names = ("Forwarded", "X-Forwarded-By", "X-Forwarded-Port", *(() if trusted else ("X-Forwarded-For",)))
    head = "".join(f"{name}: 1\r\n" for name in names)
    with running(app) as port:
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
def test_a_broken_word_of_the_proxy_is_a_400(make_app, header):
    with running(make_app(TRUSTED_PROXY="127.0.0.1")) as port:
        head = f"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{header[0]}: {header[1]}\r\n\r\n"
        assert_problem(send(port, head.encode()), 400, "malformed")


@pytest.mark.parametrize(("trusted", "secure"), [("127.0.0.1", True), ("", False)])
def test_the_cookie_is_secure_where_the_proxy_says_tls(make_app, trusted, secure):
    app = make_app(TRUSTED_PROXY=trusted)
    from blogapi.users import service

    with app.app_context():
        service.create("ada", "a long pass phrase", role=models.Role.ADMIN)
    with running(app) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request(
            "POST",
            LOGIN,
            body=json.dumps({"username": "ada", "password": "a long pass phrase"}),
            headers={"Content-Type": "application/json", "X-Forwarded-Proto": "https"},
        )
        answer = connection.getresponse()
        cookie = answer.headers["Set-Cookie"]
        connection.close()
    assert answer.status == 200
    assert ("Secure" in cookie) is secure
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_scheme_is_as_told(app, monkeypatch, scheme):
    def tell(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(len(environ["wsgi.url_scheme"])))])
        return [environ["wsgi.url_scheme"].encode()]

    monkeypatch.setattr(app, "wsgi_app", tell)
    with running(app, url_scheme=scheme) as port:
        assert f"\r\n\r\n{scheme}".encode() in read_of(port)


def read_of(port: int) -> bytes:
    with connected(port) as sock:
        sock.sendall(HEALTH)
        return read_all(sock)


@pytest.mark.parametrize(
    ("setting", "option", "told"),
    [("10.0.0.1", "127.0.0.1", b"1.2.3.4"), ("", "", b"127.0.0.1"), ("127.0.0.1", "", b"127.0.0.1")],
)
def test_the_option_wins_over_the_setting(make_app, monkeypatch, setting, option, told):
    def tell(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(len(environ["REMOTE_ADDR"])))])
        return [environ["REMOTE_ADDR"].encode()]

    app = make_app(TRUSTED_PROXY=setting)
    monkeypatch.setattr(app, "wsgi_app", tell)
    with running(app, trusted_proxy=option) as port, connected(port) as sock:
        sock.sendall(HEALTH.replace(b"Host: a", b"Host: a\r\nX-Forwarded-For: 1.2.3.4"))
        assert read_all(sock).endswith(told)
