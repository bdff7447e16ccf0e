"""The `X-Forwarded-*` headers of the trusted proxy: the client's address, scheme and host."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from flask import Flask
from waitress.proxy_headers import (
    PROXY_HEADERS,
    MalformedProxyHeader,
    clear_untrusted_headers,
    parse_proxy_headers,
)

from blogapi.web import errors, headers, request_id

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_HEADERS = frozenset({"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"})


def trust_proxy(app: Flask, proxy: str, *, trust_all: bool = False) -> WSGIApplication:
    """Return the application wrapped in a middleware that applies the `X-Forwarded-*` headers of `proxy`.

    `proxy` is an address or a network. If it is empty, no sender is trusted unless `trust_all` is set.
    The middleware of waitress is not used: its error responses have another format, and it accepts any text
    as an address.
    """
    trusted = ip_network(proxy, strict=False) if proxy else None

    def translated(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        untrusted = PROXY_HEADERS
        if trust_all or (trusted is not None and ip_address(environ["REMOTE_ADDR"]) in trusted):
            try:
                untrusted = parse_proxy_headers(
                    environ, trusted_proxy_count=1, trusted_proxy_headers=_HEADERS
                )
                # Raise ValueError unless it is an IP address, because rate limits and the access log use it.
                environ["REMOTE_ADDR"] = str(ip_address(environ["REMOTE_ADDR"]))
            except (MalformedProxyHeader, ValueError):
                return _refuse(environ, start_response)
        clear_untrusted_headers(environ, untrusted)
        return app(environ, start_response)

    return translated


def _refuse(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    body = errors.problem_body(400, *errors.default_problem(400))
    name = environ[request_id.REQUEST_ID_KEY] = request_id.choose_request_id(environ.get("HTTP_X_REQUEST_ID"))
    start_response("400 Bad Request", [*headers.error_headers(name), ("Content-Length", str(len(body)))])
    return [body]
