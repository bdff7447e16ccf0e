"""Logs: no line and no traceback contains a secret, whatever the request."""

from __future__ import annotations

import json
import logging
import re
import threading
from functools import wraps

import pytest
from flask import Response
from sqlalchemy import text

from blogapi.serving import log
from blogapi.storage.database import db
from blogapi.users import service as users
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.live_server import start_server
from tests.security.test_logins import COOKIE, LOGIN
from tests.serving.test_server import connect, read_all

PREVIEW = "/api/v1/blog/preview/"
WORDS = {
    "password": "correct-horse-battery",
    "search": "unspeakable",
    "junk": "hunter2hunter2hunter2hunter2",
    "body": "written-for-nobody",
}


@pytest.fixture
def secrets(app, people, blog, as_admin, as_stranger):
    """The secrets that must not be in a log, by name."""
    with app.app_context():
        users.set_password("ada", WORDS["password"])
    as_stranger.post(LOGIN, json={"username": "ada", "password": WORDS["password"]})
    link = as_admin.post(f"{ARTICLES}{blog['draft']}/preview/").json["url"]
    return WORDS | {
        "key": people.key(people.admin, "write"),
        "cookie": as_stranger.get_cookie(COOKIE).value,
        "token": link.rstrip("/").rsplit("/", 1)[-1],
    }


@pytest.fixture
def logged(app, secrets, caplog):
    """Sends requests to a real server; returns the output of every logger, in both formats."""
    caplog.set_level(logging.DEBUG)
    lines = []
    journal = log.AccessLog(lambda found: lines.extend(form(one) for one in found for form in FORMS))

    def sent(*requests):
        with start_server(app, access_log=journal) as server:
            for request in requests:
                with connect(server.effective_port) as sock:
                    sock.sendall(request.encode("latin-1"))
                    read_all(sock)
        journal.close()
        assert len(lines) == len(requests) * len(FORMS)
        return "\n".join([*lines, caplog.text])

    return sent


FORMS = (log.format_text, log.format_json)


def ask(method, path, *headers, body=None):
    if body is not None:
        headers += ("Content-Type: application/json", f"Content-Length: {len(body)}")
    return "\r\n".join(
        (f"{method} {path} HTTP/1.1", "Host: a", "Connection: close", *headers, "", body or "")
    )


def requests_with(password, key, cookie, token, search, junk, body):
    """Return requests that contain each secret, in the right places and in wrong ones."""
    by_key, writing = f"X-API-KEY: {key}", json.dumps({"title": body})
    return [
        ask("POST", LOGIN, body=json.dumps({"username": "ada", "password": password})),
        ask("POST", LOGIN, body=json.dumps({"username": "ada", "password": junk})),
        ask("POST", LOGIN, body=json.dumps({"username": junk, "password": password, body: password})),
        ask("POST", LOGIN, body=f'{{"password": "{password}'),
        ask("GET", f"{LOGIN}?username=ada&password={password}"),
        ask("GET", ARTICLES, by_key),
        ask("GET", f"{ARTICLES}?q={search}", by_key),
        ask("GET", f"{ARTICLES}?key={key}"),
        ask("GET", f"{ARTICLES}{key}/", by_key),
        ask("DELETE", f"{KEYS}{key}/", by_key),
        ask("GET", f"/{key}"),
        ask("GET", f"/{junk}/{token}?{search}"),
        ask("GET", TAGS, f"X-API-KEY: {junk}"),
        ask("GET", TAGS, f"X-API-KEY: {key}x"),
        ask("GET", TAGS, f"Authorization: Bearer {junk}"),
        ask("GET", TAGS, f"Cookie: {COOKIE}={cookie}"),
        ask("GET", TAGS, f"Cookie: {COOKIE}={junk}"),
        ask("POST", ARTICLES, by_key, f"Idempotency-Key: {junk}", body=writing),
        ask("PATCH", ARTICLES, f"Cookie: {COOKIE}={cookie}", f"Origin: http://{junk}", body=writing),
        *(ask(method, f"{PREVIEW}{token}/") for method in ("GET", "HEAD", "OPTIONS", "POST")),
        *(ask("GET", f"{PREVIEW}{token}{end}") for end in ("", "//", "/x/", "%2f", f"?fields={search}")),
        ask("GET", f"{PREVIEW}%{ord(token[0]):02x}{token[1:]}/"),
        ask("GET", f"http://ada:{password}@a{PREVIEW}{token}/"),
        ask("GET", f"{PREVIEW}{token}/", "no colon"),
        ask("GET", f"{PREVIEW}{token}/", f"X-Request-ID: {junk} {junk}"),
        ask("GET", f"{PREVIEW}{token}/", f"Host: {junk}"),
        ask("POST", KEYS, by_key, "Content-Length: 99999999999"),
        ask("GET", TAGS, f"X: {junk * 1000}"),
        f"{junk}\r\n\r\n",
    ]


def test_no_request_writes_a_secret_to_a_log(secrets, logged):
    output = logged(*requests_with(**secrets))
    assert {name for name, secret in secrets.items() if secret in output} == set()
    # The log shows the prefix of a key, as the list of keys does.
    assert f" {secrets['key'][:14]}\n" in output


def test_no_failure_writes_a_secret_to_a_log(app, secrets, logged, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("broken")

    for endpoint, view in app.view_functions.items():
        monkeypatch.setitem(app.view_functions, endpoint, wraps(view)(fail))
    output = logged(*requests_with(**secrets))
    assert "RuntimeError: broken" in output
    assert {name for name, secret in secrets.items() if secret in output} == set()


def rename(app, tables):
    with app.app_context():
        for old, new in tables.items():
            db.session.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))
        db.session.commit()


def test_no_database_error_writes_a_secret_to_a_log(app, secrets, logged):
    tables = ("api_key", "web_session", "account", "preview")
    rename(app, {table: f"{table}_elsewhere" for table in tables})
    try:
        output = logged(*requests_with(**secrets))
    finally:
        # On a database server the tables remain for the next test.
        rename(app, {f"{table}_elsewhere": table for table in tables})
    assert "SQL parameters hidden" in output
    assert all(f"FROM {table}" in output for table in tables)
    assert {name for name, secret in secrets.items() if secret in output} == set()
    assert not re.search(r"\b[0-9a-f]{64}\b", output), "a digest"


@pytest.mark.parametrize("ends", ["breaks", "is left"])
def test_an_interrupted_response_does_not_log_its_preview_token(app, secrets, monkeypatch, caplog, ends):
    caplog.set_level(logging.DEBUG)
    view, gone = app.view_functions["previews.single"], threading.Event()

    @wraps(view)
    def stream(**_):
        def pieces():
            yield b"x" * 100
            if ends == "breaks":
                raise RuntimeError("broken")
            assert gone.wait(10)
            for _ in range(1000):
                yield b"x" * 65536

        # Without an ETag, the whole response would be read to compute one.
        return Response(pieces(), headers={"ETag": '"a"'})

    monkeypatch.setitem(app.view_functions, "previews.single", stream)
    with start_server(app) as server:
        with connect(server.effective_port) as sock:
            sock.sendall(ask("GET", f"{PREVIEW}{secrets['token']}/").encode())
            assert sock.recv(10)
        gone.set()
    assert f"while serving {PREVIEW}<token>/" in caplog.text
    assert secrets["token"] not in caplog.text
