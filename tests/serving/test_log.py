"""The line that each request leaves."""

from __future__ import annotations

import io
import json
import logging
import re
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from blogapi.serving import log
from blogapi.serving.log import AccessLog, AccessLogEntry
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.live_server import server
from tests.serving.test_server import connected, parsed, read_all, send

KEY = "blogapi_" + "aB3dE6" + "0" * 32


def served(**fields: Any) -> AccessLogEntry:
    usual = AccessLogEntry(1_795_000_000.25, "GET", ARTICLES, ARTICLES, "200 OK", 0.00123, 45, "id-1", "")
    return usual._replace(**fields)


@pytest.fixture
def heard() -> Iterator[tuple[AccessLog, list[AccessLogEntry]]]:
    """A journal, and what it has handed on."""
    kept: list[AccessLogEntry] = []
    journal = AccessLog(kept.extend)
    yield journal, kept
    journal.close()


def told(app: Any, heard: tuple[AccessLog, list[AccessLogEntry]], *requests: bytes) -> list[AccessLogEntry]:
    journal, kept = heard
    with server(app, access_log=journal) as made:
        for request in requests:
            send(made.effective_port, request)
    journal.close()
    return kept


def ask(path: str, *headers: str, method: str = "GET") -> bytes:
    head = (f"{method} {path} HTTP/1.1", "Host: a", "Connection: close", *headers, "", "")
    return "\r\n".join(head).encode()


def test_a_line_of_text():
    assert log.format_text(served(key=KEY)) == (
        f"2026-11-18T11:06:40.250Z GET {ARTICLES} {ARTICLES} 200 1.2ms 45B id-1 blogapi_aB3dE6"
    )


def test_what_there_is_none_of_is_a_dash():
    line = log.format_text(served(method="", path="", route=""))
    assert line == "2026-11-18T11:06:40.250Z - - - 200 1.2ms 45B id-1 -"


def test_a_line_of_json():
    assert json.loads(log.format_json(served(key=KEY))) == {
        "time": "2026-11-18T11:06:40.250Z",
        "method": "GET",
        "path": ARTICLES,
        "route": ARTICLES,
        "status": 200,
        "ms": 1.2,
        "bytes": 45,
        "request_id": "id-1",
        "key": "blogapi_aB3dE6",
    }


@pytest.mark.parametrize("form", [log.format_text, log.format_json])
@pytest.mark.parametrize("path", ["/a\nb", "/a b", '/a"b', "/a\x1b[0m", "/a\x85b", "/\xff", "/a\\nb"])
def test_a_path_cannot_forge_a_line(form, path):
    line = form(served(path=path, route=""))
    assert line.isascii() and line.isprintable()
    assert len(log.format_text(served(path=path, route="")).split(" ")) == 9


@pytest.mark.parametrize(
    ("path", "route", "shown"),
    [
        ("/preview/" + "t" * 43, "/preview/<token>/", "/preview/<token>/"),
        ("/preview/" + "t" * 43 + "/x", "", "/preview/*/x"),
        (f"/articles/{KEY}/", "/articles/<id:uuid>/", "/articles/blogapi_aB3dE6*/"),
        (f"/{KEY}", "", "/blogapi_aB3dE6*"),
    ],
)
def test_a_path_tells_no_secret(path, route, shown):
    assert log.loggable_path(path, route) == shown


@pytest.mark.parametrize("key", ["hunter2", "blogapi_short", KEY + "x", "blogapi_" + "é" * 38, "a\nb"])
def test_of_what_can_be_no_key_nothing_is_told(key):
    assert log.key_prefix(key) == ""


def test_each_request_is_told_once(app, people, heard):
    key = people.key(None)
    found = told(
        *(app, heard, ask(f"{TAGS}?q=secret", f"X-API-KEY: {key}", "X-Request-ID: r-1")),
        *(ask(TAGS, f"X-API-KEY: {key}"), ask("/nowhere"), ask("/health", method="HEAD"), b"junk\r\n\r\n"),
    )
    assert [(one.method, one.path, one.route, one.status[:3]) for one in found] == [
        ("GET", TAGS, TAGS, "400"),
        ("GET", TAGS, TAGS, "200"),
        ("GET", "/nowhere", "", "404"),
        ("HEAD", "/health", "/health/", "200"),
        ("", "", "", "400"),
    ]
    assert found[0].request_id == "r-1" and len({one.request_id for one in found}) == 5
    assert [one.size > 0 for one in found] == [True, True, True, False, True]
    assert all(0 <= one.seconds < 10 for one in found)
    text = "\n".join(map(log.format_text, found))
    assert "secret" not in text and key not in text and key[:14] in text


def test_an_answer_given_again_is_told_alike(app, people, heard):
    question = ask(TAGS, f"X-API-KEY: {people.key(None)}")
    # The first notes the use of the key, the second is kept, the third is that one again.
    _, first, again = told(app, heard, question, question, question)
    assert (first.route, first.size, first.status) == (again.route, again.size, again.status)
    assert again.route == TAGS


def test_the_id_of_a_line_is_that_of_the_answer(app, heard):
    journal, kept = heard
    with server(app, access_log=journal) as made:
        ids = [send(made.effective_port, one).headers["X-Request-Id"] for one in (ask("/x"), b"j\r\n\r\n")]
    journal.close()
    assert [one.request_id for one in kept] == ids


def test_a_proxy_that_is_refused_is_told(make_app, heard):
    app = make_app(TRUSTED_PROXY="127.0.0.1")
    (one,) = told(app, heard, ask("/health", "X-Forwarded-For: <x>", "X-Request-ID: r"))
    assert (one.status[:3], one.request_id) == ("400", "r")


def test_a_reader_that_leaves_is_told_with_what_it_got(app, monkeypatch, heard):
    left = threading.Event()

    def answer(environ, start_response):
        start_response("200 OK", [])
        yield b"x" * 100
        assert left.wait(10)
        for _ in range(1000):
            yield b"x" * 65536

    monkeypatch.setattr(app, "wsgi_app", answer)
    journal, kept = heard
    with server(app, access_log=journal) as made:
        with connected(made.effective_port) as sock:
            sock.sendall(ask("/"))
            assert sock.recv(10)
        left.set()
    journal.close()
    (one,) = kept
    assert one.size >= 100


def test_a_stop_loses_no_line(app, heard):
    journal, kept = heard
    with server(app, access_log=journal) as made:
        connections = [connected(made.effective_port) for _ in range(8)]
        for number, sock in enumerate(connections):
            sock.sendall(ask(f"/{number}"))
        made.stop()
        for sock in connections:
            assert parsed(read_all(sock)).status == 404
            sock.close()
    journal.close()
    assert {one.path for one in kept} == {f"/{number}" for number in range(8)}


def test_what_nobody_takes_is_counted(monkeypatch, caplog):
    monkeypatch.setattr(log, "MAX_WAITING_ENTRIES", 2)
    entered, go = threading.Event(), threading.Event()

    def take(found):
        entered.set()
        assert go.wait(10)

    journal = AccessLog(take)
    journal.add(served())
    assert entered.wait(10)
    for _ in range(5):
        journal.add(served())
    go.set()
    journal.close()
    assert "3 requests are missing from this log" in caplog.text


@pytest.fixture
def fresh(monkeypatch):
    """The logger as it is in a new process."""
    logger = logging.Logger("blogapi.access")
    monkeypatch.setattr(log, "logger", logger)
    return logger


def test_lines_go_to_standard_error(fresh, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    log.log_lines("text")([served(), served(request_id="id-2")])
    assert re.fullmatch(r"[^\n]+ id-1 -\n[^\n]+ id-2 -\n", sys.stderr.getvalue())


def test_where_logging_is_set_up_lines_go_there(fresh, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    stream = io.StringIO()
    fresh.addHandler(logging.StreamHandler(stream))
    log.log_lines("json")([served()])
    assert json.loads(stream.getvalue())["request_id"] == "id-1"
    assert sys.stderr.getvalue() == ""


def test_a_new_key_is_not_told(app, heard):
    (one,) = told(app, heard, ask(KEYS, method="POST"))
    assert (one.status[:3], one.key) == ("201", "")
