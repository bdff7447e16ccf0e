"""Request hooks that identify the caller (API key or session), check the access rule and add headers."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial

from flask import Flask, Request, Response, current_app, g, request, session
from flask.globals import request_ctx
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask_cors import CORS
from itsdangerous import BadSignature
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.http import parse_cookie
from werkzeug.routing import MapAdapter

from blogapi import clock
from blogapi.accounts.api_keys import permissions
from blogapi.accounts.api_keys import queries as api_key_queries
from blogapi.accounts.api_keys import service as api_key_service
from blogapi.accounts.users import service as user_service
from blogapi.accounts.users.queries import find_login_by_token, is_second_factor_required
from blogapi.delivery.response_cache import middleware
from blogapi.operations.health.routes import check_free_space
from blogapi.publication import shared_caching
from blogapi.reader_site import routes as site_routes
from blogapi.web import headers, request_environ
from blogapi.web.access import (
    INCLUDED_SCOPES,
    SAFE_METHODS,
    SCOPES,
    STRANGER,
    AccessRequirement,
    Caller,
    Role,
    check_same_origin,
    may_publish,
    reader,
    refuse_form_request,
    require_access,
)
from blogapi.web.errors import InvalidQuery, Unauthorized, format_allow_header
from blogapi.web.headers import CORS_EXPOSED_HEADERS
from blogapi.web.logs import USERNAME_KEY
from blogapi.web.operation import OPERATIONS
from blogapi.web.request_environ import MCP_PATH
from blogapi.web.slug_lookup import check_ids
from blogapi.web.writes import refuse_unsupported_headers

SESSION_COOKIE = "blogapi_session"
# Browsers accept a cookie with the prefix `__Host-` only over TLS and only for the host that sets it, so no
# other host of the domain can set this cookie.
SECURE_SESSION_COOKIE = f"__Host-{SESSION_COOKIE}"

# Requests to these paths are answered even on a full disk: logins, the checks that an admin runs, and calls
# of MCP tools, because each tool sends a request to the API, which checks the free space for this request.
_FULL_DISK_PREFIXES = ("/api/v1/auth/", "/api/v1/doctor/", MCP_PATH)


class SessionInterface(SecureCookieSessionInterface):
    """Flask's session without a signed timestamp; its cookie is Secure if the request came over TLS.

    The expiry of a login is stored in the database. With signed timestamps, setting the clock back would end
    all sessions, because their timestamps would then be in the future.
    """

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        """Return the session in the cookie, or an empty session if the signature is missing or invalid."""
        cookie = request.cookies.get(SECURE_SESSION_COOKIE if request.is_secure else SESSION_COOKIE)
        if not cookie:
            return self.session_class()
        signer = self.get_signing_serializer(app)
        assert signer is not None, "config.load_settings() always sets SECRET_KEY"
        try:
            return self.session_class(signer.loads(cookie))
        except BadSignature:
            return self.session_class()

    def get_cookie_name(self, app: Flask) -> str:
        """Return the name of the cookie, which depends on whether the request came over TLS."""
        return SECURE_SESSION_COOKIE if request.is_secure else SESSION_COOKIE

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Set the cookie and the header `Vary` if the request used the session."""
        if session.accessed or session.modified:
            super().save_session(app, session, response)


def init_app(app: Flask) -> None:
    """Register the hooks, and CORS if the setting CORS_ORIGINS names origins."""
    app.session_interface = SessionInterface()
    app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_REFRESH_EACH_REQUEST=False)
    app.before_request(authorize_request)
    # The function that is registered last runs first.
    app.after_request(headers.finish_response)
    app.after_request(shared_caching.add_caching_headers)
    if app.config["CORS_ORIGINS"]:
        _enable_cors(app)


def has_session(app: Flask, cookies: str) -> bool:
    """Return whether a Cookie header contains a session that the blog has signed.

    The server calls this before it accepts a large body. The login itself may have ended.
    """
    signer = SessionInterface().get_signing_serializer(app)
    assert signer is not None, "config.load_settings() always sets SECRET_KEY"
    for name, value in parse_cookie(cookies).items(multi=True):
        if name.endswith(SESSION_COOKIE):
            with suppress(BadSignature):
                return bool(signer.loads(value))
    return False


def authorize_request() -> Response | None:
    """Set `g.caller` and check the access rule of the view; return a response only for OPTIONS.

    Sets `g.check_caller`, with which a write checks the rule again. A preflight request of an allowed origin
    gets a response on every path, so that pages of that origin can read errors. Otherwise, an unknown path
    returns 404 to every caller, a malformed id in a path returns 404 to callers who may call the view, and
    OPTIONS needs no key. If the path does not support the method, a request without credentials gets 405 if
    another method of the path needs no credentials; otherwise it gets 401.
    """
    g.caller = STRANGER
    if request.routing_exception is not None or request.path.endswith("//"):
        request.routing_exception = _correct_routing_error()
    if request.method == "OPTIONS" and (request.routing_exception is None or _is_allowed_preflight()):
        allowed = format_allow_header(_get_url_adapter().allowed_methods(_end_with_slash(request.path)))
        return Response(status=204, headers={"Allow": allowed})
    if isinstance(request.routing_exception, MethodNotAllowed):
        _require_credentials_before_405(request.routing_exception)
        return None
    if request.routing_exception is not None and site_routes.answers_unknown_path():
        site_routes.use_page_view()
    if request.routing_exception is not None:
        return None
    request.environ[request_environ.ROUTE_KEY] = request.url_rule.rule if request.url_rule else ""
    operation = OPERATIONS.get()[request.endpoint or ""]
    g.check_caller = partial(_check_caller, operation.access)
    g.check_caller()
    if request.view_args:
        check_ids(request.view_args)
    if request.args and not operation.takes_query:
        raise InvalidQuery("This operation takes no query parameters.")
    if operation.representation is None and request.method not in SAFE_METHODS:
        refuse_unsupported_headers()
    # If the disk is almost full, only logins, deletions and checks may use the remaining space.
    if request.method not in ("GET", "HEAD", "DELETE") and not request.path.startswith(_FULL_DISK_PREFIXES):
        check_free_space()
    if operation.cacheable:
        _allow_caching()
    return None


def _is_allowed_preflight() -> bool:
    is_preflight = "Access-Control-Request-Method" in request.headers
    return is_preflight and request.origin in current_app.config["CORS_ORIGINS"]


def _allow_caching() -> None:
    """Set how long the response cache may keep the response, unless the response depends on a login."""
    if g.caller.key is not None:
        request.environ[middleware.CACHEABLE_UNTIL_KEY] = g.cacheable_until
        # The responses to an author depend on their own drafts.
        shows_drafts = g.caller.sees_drafts or g.caller.restricted_to_author is not None
        request.environ[middleware.SHOWS_DRAFTS_KEY] = shows_drafts
    elif not g.caller.is_authenticated:
        request.environ[middleware.CACHEABLE_UNTIL_KEY] = middleware.NO_EXPIRY
        request.environ[middleware.SHOWS_DRAFTS_KEY] = False


def _correct_routing_error() -> HTTPException | None:
    """Return the 404 or 405 error of a request that matches no view, or None.

    A path matches with and without a trailing slash. This function corrects two results of Werkzeug,
    which accepts two trailing slashes, and which raises NotFound instead of MethodNotAllowed if the path has
    no trailing slash and does not support the method.
    """
    if request.path.endswith("//"):
        return NotFound()
    if isinstance(request.routing_exception, NotFound):
        try:
            _get_url_adapter().match(_end_with_slash(request.path))
        except HTTPException as error:
            return error
    return request.routing_exception


def _end_with_slash(path: str) -> str:
    return f"{path.rstrip('/')}/"


def _check_caller(access: AccessRequirement) -> None:
    if access.rule.checks_credentials:
        if (value := request.headers.get("X-API-KEY")) is not None:
            g.caller = _authenticate_key(value)
        elif (SECURE_SESSION_COOKIE if request.is_secure else SESSION_COOKIE) in request.cookies:
            g.caller = _authenticate_session()
        else:
            g.caller = STRANGER
    require_access(access, g.caller)


def _require_credentials_before_405(error: MethodNotAllowed) -> None:
    endpoints = {_get_url_adapter().match(method=method)[0] for method in error.valid_methods or ()}
    accesses = [OPERATIONS.get()[endpoint].access for endpoint in endpoints]
    most_open = min(
        accesses, key=lambda access: (access.rule.requires_credentials, access.rule.checks_credentials)
    )
    if most_open.rule.requires_credentials:
        _check_caller(AccessRequirement(reader, "published"))


def _authenticate_key(value: str) -> Caller:
    key, now = api_key_queries.find_key_by_value(value), clock.now()
    if key is None:
        raise Unauthorized("This API key is not valid; check it, or create a new one.", code="key_invalid")
    if key.owner_is_disabled:
        raise Unauthorized("The user of this API key is disabled; ask an admin.", code="key_disabled")
    if key.expires is not None and key.expires <= now:
        raise Unauthorized("This API key has expired; create a new one.", code="key_expired")
    last_used, expires = key.last_used, key.expires
    # If the clock was set back, the last use can be in the future.
    if last_used is None or not last_used <= now < last_used + permissions.LAST_USED_INTERVAL:
        removes_expiry = last_used is None and permissions.has_unused_key_expiry(
            key.owner, key.created, expires
        )
        if api_key_service.record_key_use(key.uuid, key.owner, now, remove_expiry=removes_expiry):
            last_used, expires = now, None if removes_expiry else expires
        else:
            # The next request must try to store the use again, so this response must not be cached.
            last_used = now - permissions.LAST_USED_INTERVAL
    g.caller_tag = key.commit_tag
    # Until this time, the key is valid and its use need not be stored again: a cached response may be sent.
    g.cacheable_until = min(last_used + permissions.LAST_USED_INTERVAL, expires or middleware.NO_EXPIRY)
    return Caller(
        user=key.owner,
        username=key.username or "",
        role=(role := Role(key.role or Role.READER)),
        publishes=may_publish(role, can_publish=bool(key.can_publish)),
        scopes=frozenset(INCLUDED_SCOPES[key.scope]),
        key=key.uuid,
        key_name=key.name,
        expires=expires,
        is_authenticated=True,
    )


def _authenticate_session() -> Caller:
    login = find_login_by_token(session.get("token", ""))
    if login is None:
        session.clear()
        raise Unauthorized("The login has ended; log in again.", code="login_over")
    operation = OPERATIONS.get().get(request.endpoint or "")
    check_same_origin(request)
    refuse_form_request(request, takes_file=operation is not None and operation.takes_file)
    account, role = login.account, Role(login.account.role)
    request.environ[USERNAME_KEY] = account.username
    now, last_used, digest = clock.now(), login.last_used, login.digest
    lacks_second_factor = is_second_factor_required(role) and account.second_factor_since is None
    caller = Caller(
        user=account.uuid,
        username=account.username,
        role=role,
        publishes=may_publish(role, can_publish=account.can_publish),
        scopes=frozenset(["published"] if lacks_second_factor else SCOPES),
        is_authenticated=True,
        lacks_second_factor=lacks_second_factor,
    )
    # If the clock was set back, the last use can be in the future.
    if last_used is None or not last_used <= now < last_used + user_service.LAST_USED_INTERVAL:
        user_service.record_login_use(digest, account.uuid, now)
    return caller


def _get_url_adapter() -> MapAdapter:
    adapter = request_ctx.url_adapter
    assert adapter is not None
    return adapter


def _enable_cors(app: Flask) -> None:
    # flask-cors treats a string with brackets, such as an IPv6 address, as an unanchored regular expression.
    origins = [
        re.compile(rf"{re.escape(origin)}\Z") if "[" in origin else origin
        for origin in app.config["CORS_ORIGINS"]
    ]
    CORS(
        app,
        origins=origins,
        allow_headers=[
            *("Content-Type", "X-API-KEY", "If-Match", "If-None-Match", "Idempotency-Key"),
            # The clients of `/mcp` send and read these headers.
            *("Authorization", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"),
        ],
        expose_headers=list(CORS_EXPOSED_HEADERS),
        # headers.VARY already contains the origin, in the documented spelling.
        vary_header=False,
        intercept_exceptions=False,
        max_age=600,
    )
