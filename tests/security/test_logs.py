"""No log line and no traceback contains a secret, whatever the request contains."""

from __future__ import annotations

import json
import logging
import re
import threading
from functools import wraps

import pytest
from flask import Response
from sqlalchemy import text

from blogapi.accounts.users import service as users
from blogapi.serving import access_log as log
from blogapi.storage.database import db
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.live_server import start_server
from tests.security.test_logins import COOKIE, LOGIN
from tests.serving.sockets import connect, read_all, wait_until

PREVIEW, PREVIEW_PAGE = "/api/v1/blog/preview/", "/preview/"
BROWSER = "Accept: text/html"
SECRET_WORDS = {
    "password": "correct-horse-battery",
    "search": "unspeakable",
    "junk": "hunter2hunter2hunter2hunter2",
    "body": "written-for-nobody",
}


@pytest.fixture
def secrets(app, people, blog, as_admin, as_stranger):
    """The secrets that must not be in a log, by name."""
    with app.app_context():
        users.set_password("ada", SECRET_WORDS["password"])
    as_stranger.post(LOGIN, json={"username": "ada", "password": SECRET_WORDS["password"]})
    link = as_admin.post(f"{ARTICLES}{blog['draft']}/preview/").json["api_url"]
    return SECRET_WORDS | {
        "key": people.key(people.admin, "write"),
        "cookie": as_stranger.get_cookie(COOKIE).value,
        "token": link.rstrip("/").rsplit("/", 1)[-1],
    }


@pytest.fixture
def collect_logs(app, secrets, caplog):
    """Sends requests to a real server; returns the output of every logger, in both formats."""
    caplog.set_level(logging.DEBUG)
    lines = []
    access_log = log.AccessLog(lambda found: lines.extend(form(one) for one in found for form in FORMS))

    def send_and_collect(*requests):
        with start_server(app, access_log=access_log) as server:
            for request in requests:
                with connect(server.effective_port) as sock:
                    sock.sendall(request.encode("latin-1"))
                    read_all(sock)
        access_log.close()
        assert len(lines) == len(requests) * len(FORMS)
        return "\n".join([*lines, caplog.text])

    return send_and_collect


FORMS = (log.format_text_line, log.format_json_line)


def make_request(method, path, *headers, body=None):
    if body is not None:
        headers += ("Content-Type: application/json", f"Content-Length: {len(body)}")
    return "\r\n".join(
        (f"{method} {path} HTTP/1.1", "Host: a", "Connection: close", *headers, "", body or "")
    )


def make_requests(password, key, cookie, token, search, junk, body):
    """Return requests that contain each secret, where the API expects it and elsewhere."""
    by_key, writing = f"X-API-KEY: {key}", json.dumps({"title": body})
    return [
        make_request("POST", LOGIN, body=json.dumps({"username": "ada", "password": password})),
        make_request("POST", LOGIN, body=json.dumps({"username": "ada", "password": junk})),
        make_request(
            "POST", LOGIN, body=json.dumps({"username": junk, "password": password, body: password})
        ),
        make_request("POST", LOGIN, body=f'{{"password": "{password}'),
        make_request("POST", LOGIN, body=json.dumps({"username": "ada", "password": password, "code": junk})),
        *(
            make_request("POST", f"/api/v1/auth/{path}/", body=json.dumps({"token": token} | more))
            for path in ("join", "invitation", "setup", "reset-password")
            for more in ({}, {"username": "new", "password": password}, {"password": password, "code": junk})
        ),
        make_request("GET", f"{LOGIN}?username=ada&password={password}"),
        make_request("GET", ARTICLES, by_key),
        make_request("GET", f"{ARTICLES}?q={search}", by_key),
        make_request("GET", f"{ARTICLES}?key={key}"),
        make_request("GET", f"{ARTICLES}{key}/", by_key),
        make_request("DELETE", f"{KEYS}{key}/", by_key),
        make_request("GET", f"/{key}"),
        make_request("GET", f"/{junk}/{token}?{search}"),
        make_request("GET", TAGS, f"X-API-KEY: {junk}"),
        make_request("GET", TAGS, f"X-API-KEY: {key}x"),
        make_request("GET", TAGS, f"Authorization: Bearer {junk}"),
        make_request("GET", TAGS, f"Cookie: {COOKIE}={cookie}"),
        make_request("GET", TAGS, f"Cookie: {COOKIE}={junk}"),
        make_request("POST", ARTICLES, by_key, f"Idempotency-Key: {junk}", body=writing),
        make_request("PATCH", ARTICLES, f"Cookie: {COOKIE}={cookie}", f"Origin: http://{junk}", body=writing),
        *(make_request(method, f"{PREVIEW}{token}/") for method in ("GET", "HEAD", "OPTIONS", "POST")),
        *(
            make_request("GET", f"{PREVIEW}{token}{end}")
            for end in ("", "//", "/x/", "%2f", f"?fields={search}")
        ),
        *(make_request(method, f"{PREVIEW_PAGE}{token}") for method in ("GET", "HEAD", "OPTIONS", "POST")),
        *(
            make_request("GET", f"{PREVIEW_PAGE}{token}{end}", BROWSER)
            for end in ("", "x", "/", "//", "/x/", "%2f", f"?token={token}")
        ),
        make_request("GET", "/docs/", f"Referer: http://a{PREVIEW_PAGE}{token}"),
        make_request("GET", f"{PREVIEW}%{ord(token[0]):02x}{token[1:]}/"),
        make_request("GET", f"http://ada:{password}@a{PREVIEW}{token}/"),
        make_request("GET", f"{PREVIEW}{token}/", "no colon"),
        make_request("GET", f"{PREVIEW}{token}/", f"X-Request-ID: {junk} {junk}"),
        make_request("GET", f"{PREVIEW}{token}/", f"Host: {junk}"),
        make_request("POST", KEYS, by_key, "Content-Length: 99999999999"),
        make_request("GET", TAGS, f"X: {junk * 1000}"),
        f"{junk}\r\n\r\n",
    ]


def test_no_request_writes_a_secret_to_a_log(secrets, collect_logs):
    output = collect_logs(*make_requests(**secrets))
    assert {name for name, secret in secrets.items() if secret in output} == set()
    # The log shows the prefix of a key, as the list of keys does.
    assert f" {secrets['key'][:14]} 127.0.0.1\n" in output


def test_no_failure_writes_a_secret_to_a_log(app, secrets, collect_logs, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("broken")

    for endpoint, view in app.view_functions.items():
        monkeypatch.setitem(app.view_functions, endpoint, wraps(view)(fail))
    output = collect_logs(*make_requests(**secrets))
    assert "RuntimeError: broken" in output
    assert {name for name, secret in secrets.items() if secret in output} == set()


def rename_tables(app, tables):
    with app.app_context():
        for old, new in tables.items():
            db.session.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))
        db.session.commit()


def test_no_database_error_writes_a_secret_to_a_log(app, secrets, collect_logs):
    tables = ("api_key", "web_session", "account", "preview")
    rename_tables(app, {table: f"{table}_elsewhere" for table in tables})
    try:
        output = collect_logs(*make_requests(**secrets))
    finally:
        # On a database server the next test uses the same tables, so their names are restored.
        rename_tables(app, {f"{table}_elsewhere": table for table in tables})
    assert "SQL parameters hidden" in output
    assert all(f"FROM {table}" in output for table in tables)
    assert {name for name, secret in secrets.items() if secret in output} == set()
    assert not re.search(r"\b[0-9a-f]{64}\b", output), "a digest"


@pytest.mark.parametrize("ends", ["breaks", "is left"])
def test_an_interrupted_response_does_not_log_its_preview_token(app, secrets, monkeypatch, caplog, ends):
    caplog.set_level(logging.DEBUG)
    view, disconnected = app.view_functions["preview_contents.single"], threading.Event()

    @wraps(view)
    def stream(**_):
        def stream_body():
            yield b"x" * 100
            if ends == "breaks":
                raise RuntimeError("broken")
            assert disconnected.wait(60)
            for _ in range(1000):
                yield b"x" * 65536

        # If the response had no ETag, the application would read the whole response to compute one.
        return Response(stream_body(), headers={"ETag": '"a"'})

    monkeypatch.setitem(app.view_functions, "preview_contents.single", stream)
    with start_server(app) as server:
        with connect(server.effective_port) as sock:
            sock.sendall(make_request("GET", f"{PREVIEW}{secrets['token']}/").encode())
            assert sock.recv(10)
        disconnected.set()
        wait_until(lambda: "while serving" in caplog.text)
    assert f"while serving {PREVIEW}<token>/" in caplog.text
    assert secrets["token"] not in caplog.text
