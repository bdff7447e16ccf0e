"""What the one trusted proxy says of the client: its address, whether it came over TLS, and by which name."""

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


def trust_proxy(app: Flask, proxy: str, *, everybody: bool = False) -> WSGIApplication:
    """Return the application behind a reader of `X-Forwarded-*`, which only `proxy` may send.

    `proxy` is an address or a network; empty: nobody's are believed, unless `everybody`'s are. waitress has
    the same, but answers a broken header in a body of its own, and takes anything for a client's address.
    """
    trusted = ip_network(proxy, strict=False) if proxy else None

    def translated(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        untrusted = PROXY_HEADERS
        if everybody or (trusted is not None and ip_address(environ["REMOTE_ADDR"]) in trusted):
            try:
                untrusted = _translate(environ)
            except (MalformedProxyHeader, ValueError):
                return _refuse(environ, start_response)
        clear_untrusted_headers(environ, untrusted)
        return app(environ, start_response)

    return translated


def _translate(environ: WSGIEnvironment) -> frozenset[str]:
    untrusted: frozenset[str] = parse_proxy_headers(
        environ, trusted_proxy_count=1, trusted_proxy_headers=_HEADERS
    )
    # The address limits and is logged: it must be one.
    environ["REMOTE_ADDR"] = str(ip_address(environ["REMOTE_ADDR"]))
    return untrusted


def _refuse(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    body = errors.problem_body(400, *errors.default_problem(400))
    name = environ[request_id.REQUEST_ID_KEY] = request_id.choose_request_id(environ.get("HTTP_X_REQUEST_ID"))
    start_response("400 Bad Request", [*headers.error_headers(name), ("Content-Length", str(len(body)))])
    return [body]
