"""The endpoints of the site for readers: its pages, its style sheet and the files of the theme."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import flask
from flask import Flask, Response, current_app, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.routing import Rule
from werkzeug.wrappers import Response as BaseResponse

from blogapi.config import AppState
from blogapi.content.articles.queries import get_next_publication_time
from blogapi.delivery.redirects import queries as redirects
from blogapi.delivery.redirects.custom.service import GONE_STATUS
from blogapi.delivery.response_cache import middleware
from blogapi.publication.kinds import KINDS_WITH_PAGES
from blogapi.publication.shared_caching import declare_shown_kinds
from blogapi.reader_site import pages, templating, theme
from blogapi.reader_site.pages import Edition, HtmlPage
from blogapi.reader_site.targets import find_target
from blogapi.site.addresses import make_home_paths
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.site.served_paths import SEARCH_PATH, is_site_path
from blogapi.site.theme_files import THEME_FOLDER
from blogapi.storage.database import current_time
from blogapi.web import json as web_json
from blogapi.web import request_environ
from blogapi.web.access import allow, anyone
from blogapi.web.errors import InvalidQuery, NotFound, TooManyRequests
from blogapi.web.headers import NO_STORE, asks_for_json, prefers_html
from blogapi.web.operation import get_operation
from blogapi.web.rate_limits import limiter

reader_site = flask.Blueprint("reader_site", __name__)

HTML_TYPE = "text/html; charset=utf-8"
_API_PREFIX = "/api/v1/blog/"

_POLICY = "; ".join(
    (
        *("default-src 'none'", "style-src 'self'", "font-src 'self'", "img-src * data:", "media-src *"),
        templating.FRAME_SRC_DIRECTIVE,
        *("form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"),
    )
)
# The texts of imported blogs contain addresses of pictures with http, which a page over TLS cannot load.
_TLS_POLICY = f"{_POLICY}; upgrade-insecure-requests"

_WAS_SITE_ON = AppState[bool]("site-was-on")
# Maps (language, status) to the page for unknown addresses: the state of the blog when the page was rendered,
# the time until which the page is valid, and its HTML. Clients can request any number of unknown addresses.
_MISSING_PAGES = AppState[dict[tuple[str, int], tuple[tuple[object, ...], datetime, str]]]("missing-pages")


def init_app(app: Flask) -> None:
    """Store the initial state: an empty theme, no cached pages, and that the site is off."""
    theme.init_app(app)
    _WAS_SITE_ON.set(app, False)
    _MISSING_PAGES.set(app, {})


def is_site_on() -> bool:
    """Return whether the site is on; if the database cannot be read, whether it was on at the last read."""
    with suppress(SQLAlchemyError):
        # The setter takes the application itself, and not the proxy of Flask.
        _WAS_SITE_ON.set(current_app._get_current_object(), get_site().built_in)  # type: ignore[attr-defined]
    return _WAS_SITE_ON.get()


def answers_unknown_path() -> bool:
    """Return whether the site answers the current request, whose path matches no view."""
    return request.method in ("GET", "HEAD") and is_site_path(request.path) and is_site_on()


def use_page_view() -> None:
    """Let the site answer the current request, although its path matches no view."""
    request.routing_exception, request.url_rule, request.view_args = None, _PAGE_RULE, {}


@reader_site.get("/")
@allow(anyone)
def show_home_or_paths() -> BaseResponse:
    """Return the home page of the site, or a redirect to the admin pages or the guide if the site is off.

    Clients that ask for JSON get a list of the important paths.
    """
    if is_site_on():
        if not asks_for_json(request.accept_mimetypes):
            use_page_view()
            return show_page()
    elif request_environ.has_replaced_query(request.environ):
        raise InvalidQuery("This operation takes no query parameters.")
    elif prefers_html():
        return flask.redirect("/admin/" if current_app.config["ADMIN_PAGES"] else "/docs/")
    return web_json.make_json_response(web_json.to_json_bytes(_list_important_paths()))


def _list_important_paths() -> dict[str, Any]:
    lists = {
        rule.rule.removeprefix(_API_PREFIX).strip("/"): rule.rule
        for rule in current_app.url_map.iter_rules()
        if rule.rule.startswith(_API_PREFIX) and not rule.arguments and "GET" in (rule.methods or ())
    }
    return {
        "docs": "/docs/",
        "openapi": "/openapi.json",
        "health": "/health",
        "lists": dict(sorted(lists.items())),
    }


@allow(anyone)
@declare_shown_kinds(*KINDS_WITH_PAGES)
def show_page() -> Response:
    """Return what the site shows at the path of the request."""
    try:
        response = _make_page_response(get_site(), request.path)
    except Exception as error:
        # The error handlers log the error, and choose the status and the headers.
        response = current_app.make_response(current_app.handle_user_exception(error))
        if response.status_code not in (500, 503):
            return response
        response.set_data(templating.get_built_in_environment().get_template("error.html").render())
        response.content_type = HTML_TYPE
    response.headers["Content-Security-Policy"] = _TLS_POLICY if request.is_secure else _POLICY
    if response.status_code != 429 and not (request.path == SEARCH_PATH and "q" in request.args):
        middleware.allow_caching(request.environ)
    return response


get_operation(show_page).takes_query = True
get_operation(show_home_or_paths).takes_query = True
# No path matches this rule: `authentication` uses the rule for paths that no other rule matches.
_PAGE_RULE = Rule("/<path:path>", endpoint="reader_site.show_page", methods=["GET"], build_only=True)
reader_site.add_url_rule("/<path:path>", "show_page", show_page, methods=["GET"], build_only=True)


def _make_page_response(site: Site, path: str) -> Response:
    edition, target = Edition(site, theme.get_theme().words), find_target(site, path)
    try:
        if target is not None and target.own_path == path:
            if target.kind == "search":
                return _make_search_response(edition)
            return _render_page(site, pages.make_target_page(edition, target))
    except NotFound:
        target = None
    for redirect in redirects.find_redirects(quote(path)).rows:
        if redirect.status == GONE_STATUS:
            return _make_missing_response(site, path, GONE_STATUS)
        if redirect.new_url and not _is_current_path(site, redirect.new_url, path):
            return _make_redirect(site, redirect.new_url, redirect.status or 308)
    if path == "/":
        # No home page is at `/` if path patterns begin with the language; redirect to the first home page.
        return _make_redirect(site, quote(next(iter(make_home_paths(site).values()))), 302)
    if target is not None:
        query = request.query_string.decode("ascii", "replace")
        return _make_redirect(site, f"{quote(target.own_path)}{'?' if query else ''}{query}", 308)
    return _make_missing_response(site, path, 404)


def _is_current_path(site: Site, url: str, path: str) -> bool:
    return url.startswith(f"{site.url}/") and unquote(urlsplit(url).path) == path


def _make_redirect(site: Site, url: str, status: int) -> Response:
    """Return a redirect; an address of the site becomes a path, because the host may have several names."""
    location = url.removeprefix(site.url) if url.startswith(f"{site.url}/") else url
    return Response(status=status, headers={"Location": location}, content_type=HTML_TYPE)


def _make_search_response(edition: Edition) -> Response:
    q, page = request.args.get("q", "").strip(), request.args.get("page", "1")
    number = max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 10 else 1
    refusal: TooManyRequests | None = None
    if q:
        try:
            limiter.count_attempts(("SEARCH_LIMIT", limiter.get_client_address_key()))
        except TooManyRequests as error:
            refusal = error
    result = pages.make_search_page(edition, q, number, is_refused=bool(refusal))
    response = _render_page(edition.site, result)
    if refusal:
        response.headers.update(refusal.headers)
    elif "q" in request.args:
        response.headers["Cache-Control"] = NO_STORE
    return response


def _make_missing_response(site: Site, path: str, status: int) -> Response:
    """Return the page for an unknown address; it is rendered only once until the blog or theme changes."""
    language, stored, now = pages.choose_language(site, path), _MISSING_PAGES.get(), current_time()
    version, current = request.environ.get(middleware.COMMIT_VERSION_KEY), theme.get_theme()
    state = (version, current.generation)
    former, valid_until, html = stored.get((language, status), ((), now, ""))
    if version is None or former != state or now >= valid_until:
        page = pages.make_missing_page(Edition(site, current.words), language, status)
        html = templating.replace_site_addresses(theme.render_page(page), site.url)
        valid_until = get_next_publication_time(now) or middleware.NO_EXPIRY
        stored[language, status] = (state, valid_until, html)
    return Response(html, status, content_type=HTML_TYPE)


def _render_page(site: Site, page: HtmlPage) -> Response:
    html = templating.replace_site_addresses(theme.render_page(page), site.url)
    return Response(html, page.status, content_type=HTML_TYPE)


@reader_site.get("/style.css")
@allow(anyone)
def send_style_sheet() -> Response:
    """Return the style sheet of the site."""
    _check_site_is_on()
    response = Response(templating.read_style_sheet(), content_type="text/css; charset=utf-8")
    if request.args.get("v") == templating.get_style_digest():
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


@reader_site.get("/theme/<path:name>")
@allow(anyone)
def send_theme_file(name: str) -> Response:
    """Return a file of the owner's theme that browsers need: a style sheet, a font or a picture."""
    _check_site_is_on()
    path = theme.get_theme().served_files.get(f"{THEME_FOLDER}/{name}")
    if path is None or not path.is_file():
        raise NotFound("The theme has no such file.")
    response = Response(path.read_bytes(), content_type=theme.CONTENT_TYPES[path.suffix])
    response.headers["Cache-Control"] = "public, max-age=300"
    response.headers["Content-Security-Policy"] = (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    )
    return response


get_operation(send_style_sheet).takes_query = True
get_operation(send_theme_file).takes_query = True


def _check_site_is_on() -> None:
    if not is_site_on():
        # While the site is off, its paths get the same error as unknown paths.
        flask.abort(404)
