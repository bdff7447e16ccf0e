"""Before each request: who asks (X-API-KEY or session), may they; after it: the headers all answers get."""

from __future__ import annotations

import re

from flask import Flask, Request, Response, current_app, g, request, session
from flask.globals import request_ctx
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from flask_cors import CORS
from itsdangerous import BadSignature
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import MapAdapter

from blogapi import clock
from blogapi.api_keys import policy as key_rules
from blogapi.api_keys import queries as api_keys
from blogapi.api_keys import service as api_key_service
from blogapi.response_cache import middleware
from blogapi.users import queries as users
from blogapi.users.models import Role
from blogapi.web import headers, request_id
from blogapi.web.access import (
    SCOPES,
    STRANGER,
    Access,
    Caller,
    authorize,
    check_same_origin,
    get_access,
    reader,
)
from blogapi.web.blueprint import reject_conditional_headers, reject_query_parameters
from blogapi.web.errors import Unauthorized, format_allow
from blogapi.web.headers import CORS_EXPOSED_HEADERS

COOKIE = "blogapi_session"


class SessionInterface(SecureCookieSessionInterface):
    """Flask's own session, whose cookie is Secure wherever the request came over TLS.

    The login that the cookie names says itself when it ends: a cookie has no age, which a clock that is
    set back would make one of the future, and end.
    """

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        """Return what the cookie holds, nothing where it is not ours."""
        signer = self.get_signing_serializer(app)
        assert signer is not None, "there is always a secret key"
        try:
            return self.session_class(signer.loads(request.cookies.get(COOKIE, "")))
        except BadSignature:
            return self.session_class()

    def get_cookie_secure(self, app: Flask) -> bool:
        """Tell whether the browser may send the cookie over TLS only."""
        return request.is_secure


def init_app(app: Flask) -> None:
    """Put the hook in front of every view and the headers on every answer."""
    app.session_interface = SessionInterface()
    app.config.update(
        SESSION_COOKIE_NAME=COOKIE, SESSION_COOKIE_SAMESITE="Lax", SESSION_REFRESH_EACH_REQUEST=False
    )
    app.before_request(admit)
    app.after_request(headers.finish_response)
    if app.config["CORS_ORIGINS"]:
        _open_to_browsers(app)


def admit() -> Response | None:
    """Establish the caller and apply the rule that the view declared.

    An unknown path stays a 404 for everybody, and OPTIONS needs no key; where a path does not take the
    method, a stranger hears 401 before 405.
    """
    g.caller = STRANGER
    request.routing_exception = _routing_error()
    if isinstance(request.routing_exception, MethodNotAllowed):
        _judge_all(request.routing_exception)
        return None
    if request.routing_exception is not None:
        return None
    if request.method == "OPTIONS":
        return Response(status=204, headers={"Allow": _allowed()})
    request.environ[request_id.ROUTE_KEY] = request.url_rule.rule if request.url_rule else ""
    endpoint = request.endpoint or ""
    view = current_app.view_functions[endpoint]
    _judge(_access(endpoint))
    reject_query_parameters(view)
    reject_conditional_headers(view)
    if view.__dict__.get("cacheable") and g.caller.key is not None:
        request.environ[middleware.CACHEABLE_UNTIL_KEY] = g.until
    return None


def _routing_error() -> HTTPException | None:
    """Return why the request leads to no view, or None where it does.

    A path is taken with and without its last slash; Werkzeug takes it with two as well, and without any
    it forgets which methods the path has.
    """
    if request.path.endswith("//"):
        return NotFound()
    if isinstance(request.routing_exception, NotFound):
        try:
            _adapter().match(_with_slash(request.path))
        except HTTPException as error:
            return error
    return request.routing_exception


def _with_slash(path: str) -> str:
    return f"{path.rstrip('/')}/"


def _judge(access: Access) -> None:
    if access.rule.identifies:
        g.caller = _identified()
    authorize(access, g.caller)


def _judge_all(error: MethodNotAllowed) -> None:
    """Demand of a request with a method that the path does not take what its most open method demands."""
    endpoints = {_adapter().match(method=method)[0] for method in error.valid_methods or ()}
    accesses = [_access(endpoint) for endpoint in endpoints]
    most_open = min(accesses, key=lambda access: (access.rule.requires, access.rule.identifies))
    if most_open.rule.requires:
        _judge(Access(reader, "published"))


def _access(endpoint: str) -> Access:
    access = get_access(current_app.view_functions[endpoint])
    assert access is not None, f"{endpoint} has no rule; the registry lets none through"
    return access


def _identified() -> Caller:
    value = request.headers.get("X-API-KEY")
    if value is not None:
        return _by_key(value)
    return _by_session() if COOKIE in request.cookies else STRANGER


def _by_key(value: str) -> Caller:
    key, now = api_keys.find_holder(value), clock.now()
    if key is None:
        raise Unauthorized("This API key is not valid; check it, or create a new one.", code="key_invalid")
    if key.expires is not None and key.expires <= now:
        raise Unauthorized("This API key has expired; create a new one.", code="key_expired")
    used = key.last_used
    expires = key.expires
    # A clock that was set back shows uses that lie ahead.
    if used is None or not used <= now < used + key_rules.LAST_USED_INTERVAL:
        stays = used is None and key_rules.is_trial_key(key.owner, key.created, expires)
        api_key_service.record_use(key.uuid, now, stays=stays)
        used, expires = now, None if stays else expires
    # Until then the same key is judged the same, and its use need not be noted.
    g.until = min(used + key_rules.LAST_USED_INTERVAL, expires or middleware.NO_EXPIRY)
    return Caller(
        user=key.owner,
        username=key.username or "",
        is_admin=key.role == Role.ADMIN,
        scopes=key_rules.scopes(key.scope),
        key=key.uuid,
        expires=expires,
        known=True,
    )


def _by_session() -> Caller:
    found = users.find_session(session.get("token", ""))
    if found is None:
        session.clear()
        raise Unauthorized("The login is over; log in again.", code="login_over")
    check_same_origin(request)
    return Caller(
        user=found.account.uuid,
        username=found.account.username,
        is_admin=found.account.role == Role.ADMIN,
        scopes=frozenset(SCOPES),
        known=True,
    )


def _allowed() -> str:
    return format_allow(_adapter().allowed_methods(_with_slash(request.path)))


def _adapter() -> MapAdapter:
    adapter = request_ctx.url_adapter
    assert adapter is not None
    return adapter


def _open_to_browsers(app: Flask) -> None:
    # Our own Vary already names the origin, in the documented spelling.
    # flask-cors takes a text with brackets, which an IPv6 address has, for a pattern without an end.
    origins = [
        re.compile(rf"{re.escape(origin)}\Z") if "[" in origin else origin
        for origin in app.config["CORS_ORIGINS"]
    ]
    CORS(
        app,
        origins=origins,
        allow_headers=["Content-Type", "X-API-KEY", "If-Match", "If-None-Match", "Idempotency-Key"],
        expose_headers=list(CORS_EXPOSED_HEADERS),
        vary_header=False,
        intercept_exceptions=False,
        max_age=600,
    )
