"""The access log: one line for each request."""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from blogapi.serving import access_log
from blogapi.serving.access_log import AccessLog, AccessLogEntry
from blogapi.serving.limits import Limits
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.live_server import start_server
from tests.serving.sockets import connect, parse_response, read_all, send, wait_until

KEY = "blogapi_" + "aB3dE6" + "0" * 32


def make_entry(**fields: Any) -> AccessLogEntry:
    default = AccessLogEntry(
        1_795_000_000.25, "GET", ARTICLES, ARTICLES, "200 OK", 0.00123, 45, "id-1", "", "10.0.0.9"
    )
    return default._replace(**fields)


@pytest.fixture
def recorded_log() -> Iterator[tuple[AccessLog, list[AccessLogEntry]]]:
    """An access log, and a list of the entries that it has written."""
    entries: list[AccessLogEntry] = []
    access_log = AccessLog(entries.extend)
    yield access_log, entries
    access_log.close()


def log_requests(
    app: Any, recorded_log: tuple[AccessLog, list[AccessLogEntry]], *requests: bytes
) -> list[AccessLogEntry]:
    access_log, entries = recorded_log
    with start_server(app, access_log=access_log) as server:
        for request in requests:
            send(server.effective_port, request)
    access_log.close()
    return entries


def make_request(path: str, *headers: str, method: str = "GET") -> bytes:
    head = (f"{method} {path} HTTP/1.1", "Host: a", "Connection: close", *headers, "", "")
    return "\r\n".join(head).encode()


def test_the_text_format_shows_every_field():
    assert access_log.format_text_line(make_entry(key=KEY)) == (
        f"2026-11-18T11:06:40.250Z GET {ARTICLES} {ARTICLES} 200 1.2ms 45B id-1 blogapi_aB3dE6 10.0.0.9"
    )


def test_an_absent_value_is_written_as_a_dash():
    line = access_log.format_text_line(make_entry(method="", path="", route=""))
    assert line == "2026-11-18T11:06:40.250Z - - - 200 1.2ms 45B id-1 - 10.0.0.9"


def test_the_json_format_shows_every_field():
    assert json.loads(access_log.format_json_line(make_entry(key=KEY))) == {
        "time": "2026-11-18T11:06:40.250Z",
        "method": "GET",
        "path": ARTICLES,
        "route": ARTICLES,
        "status": 200,
        "ms": 1.2,
        "bytes": 45,
        "request_id": "id-1",
        "key": "blogapi_aB3dE6",
        "user": None,
        "client": "10.0.0.9",
    }


@pytest.mark.parametrize("form", [access_log.format_text_line, access_log.format_json_line])
@pytest.mark.parametrize("path", ["/a\nb", "/a b", '/a"b', "/a\x1b[0m", "/a\x85b", "/\xff", "/a\\nb"])
def test_a_path_cannot_forge_a_log_line(form, path):
    line = form(make_entry(path=path, route=""))
    assert line.isascii() and line.isprintable()
    assert len(access_log.format_text_line(make_entry(path=path, route="")).split(" ")) == 10


@pytest.mark.parametrize(
    ("path", "route", "shown"),
    [
        ("/preview/" + "t" * 43, "/preview/<token>/", "/preview/<token>/"),
        ("/preview/" + "t" * 43 + "/x", "", "/preview/*/x"),
        (f"/articles/{KEY}/", "/articles/<id:uuid>/", "/articles/blogapi_aB3dE6*/"),
        (f"/{KEY}", "", "/blogapi_aB3dE6*"),
    ],
)
def test_a_logged_path_contains_no_secret(path, route, shown):
    assert access_log.make_loggable_path(path, route) == shown


@pytest.mark.parametrize("key", ["hunter2", "blogapi_short", KEY + "x", "blogapi_" + "é" * 38, "a\nb"])
def test_no_part_of_a_malformed_key_is_logged(key):
    assert access_log.get_key_prefix(key) == ""


def test_each_request_is_logged_once(app, people, recorded_log):
    key, started_at = people.key(None), time.monotonic()
    entries = log_requests(
        *(app, recorded_log, make_request(f"{TAGS}?word=secret", f"X-API-KEY: {key}", "X-Request-ID: r-1")),
        *(
            make_request(TAGS, f"X-API-KEY: {key}"),
            make_request("/nowhere"),
            make_request("/health", method="HEAD"),
            b"junk\r\n\r\n",
        ),
    )
    assert [(entry.method, entry.path, entry.route, entry.status[:3]) for entry in entries] == [
        ("GET", TAGS, TAGS, "400"),
        ("GET", TAGS, TAGS, "200"),
        ("GET", "/nowhere", "", "404"),
        ("HEAD", "/health", "/health/", "200"),
        ("", "", "", "400"),
    ]
    assert entries[0].request_id == "r-1" and len({entry.request_id for entry in entries}) == 5
    assert [entry.size > 0 for entry in entries] == [True, True, True, False, True]
    assert all(entry.seconds >= 0 for entry in entries)
    assert sum(entry.seconds for entry in entries) <= time.monotonic() - started_at
    text = "\n".join(map(access_log.format_text_line, entries))
    assert "secret" not in text and key not in text and key[:14] in text


def test_a_cached_response_is_logged_like_a_computed_one(app, people, recorded_log):
    question = make_request(TAGS, f"X-API-KEY: {people.key(None)}")
    # The first request stores the use of the key, the second response is stored in the cache, and the third
    # response comes from the cache.
    _, first, again = log_requests(app, recorded_log, question, question, question)
    assert (first.route, first.size, first.status) == (again.route, again.size, again.status)
    assert again.route == TAGS


def test_a_log_entry_has_the_request_id_of_the_response(app, recorded_log):
    access_log, entries = recorded_log
    with start_server(app, access_log=access_log) as server:
        ids = [
            send(server.effective_port, request).headers["X-Request-Id"]
            for request in (make_request("/x"), b"j\r\n\r\n")
        ]
    access_log.close()
    assert [entry.request_id for entry in entries] == ids


def test_a_request_from_the_proxy_is_logged_even_if_it_is_refused(make_app, recorded_log):
    app = make_app(TRUSTED_PROXY="127.0.0.1")
    (entry,) = log_requests(
        app, recorded_log, make_request("/health", "X-Forwarded-For: <x>", "X-Request-ID: r")
    )
    assert (entry.status[:3], entry.request_id) == ("400", "r")


def test_an_interrupted_response_is_logged_with_the_number_of_bytes_sent(app, monkeypatch, recorded_log):
    left = threading.Event()

    def respond(environ, start_response):
        start_response("200 OK", [])
        yield b"x" * 100
        assert left.wait(60)
        for _ in range(1000):
            yield b"x" * 65536

    monkeypatch.setattr(app, "wsgi_app", respond)
    access_log, entries = recorded_log
    with start_server(app, access_log=access_log) as server:
        with connect(server.effective_port) as sock:
            sock.sendall(make_request("/"))
            assert sock.recv(10)
        left.set()
        wait_until(lambda: entries)
    access_log.close()
    (entry,) = entries
    assert entry.size >= 100


def test_all_log_lines_are_written_when_the_server_stops(app, recorded_log):
    access_log, entries = recorded_log
    with start_server(app, access_log=access_log, limits=Limits(stop=600)) as server:
        connections = [connect(server.effective_port) for _ in range(8)]
        for number, sock in enumerate(connections):
            sock.sendall(make_request(f"/{number}"))
        server.stop()
        for sock in connections:
            assert parse_response(read_all(sock)).status == 404
            sock.close()
    access_log.close()
    assert {entry.path for entry in entries} == {f"/{number}" for number in range(8)}


def test_dropped_log_entries_are_counted(monkeypatch, caplog):
    monkeypatch.setattr(access_log, "MAX_WAITING_ENTRIES", 2)
    entered, released = threading.Event(), threading.Event()

    def block(entries):
        entered.set()
        assert released.wait(60)

    blocked_log = AccessLog(block)
    blocked_log.add_entry(make_entry())
    assert entered.wait(60)
    for _ in range(5):
        blocked_log.add_entry(make_entry())
    released.set()
    blocked_log.close()
    assert "3 requests are missing from this log" in caplog.text


def test_each_batch_is_one_record(caplog):
    with caplog.at_level(logging.INFO):
        access_log.make_log_handler("text")([make_entry(), make_entry(request_id="id-2")])
    (record,) = caplog.records
    assert re.fullmatch(r"[^\n]+ id-1 - 10.0.0.9\n[^\n]+ id-2 - 10.0.0.9", record.getMessage())


def test_a_new_key_is_not_logged(app, recorded_log):
    (entry,) = log_requests(app, recorded_log, make_request(KEYS, method="POST"))
    assert (entry.status[:3], entry.key) == ("201", "")
