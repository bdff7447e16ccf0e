"""Files that are read while they are sent."""

from __future__ import annotations

import hashlib
import socket
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from waitress.buffers import ReadOnlyFileBasedBuffer

from blogapi.content.media.folder import get_folder
from blogapi.serving import channel
from blogapi.serving.access_log import AccessLog, AccessLogEntry
from blogapi.serving.channel import Channel
from blogapi.web import downloads
from tests.content.media.stored_files import put_file
from tests.live_server import start_server
from tests.serving.slow_clients import LIMITS, get_response, send_request, serve_blog
from tests.serving.sockets import HEALTH, parse_response, read_all, send, wait_until

# Each part of the content is different.
CONTENT = b"".join(hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(65_536))
SIZE = len(CONTENT)


@pytest.fixture
def path(app: Any) -> str:
    """The path of a stored file of 2 MB."""
    return put_file(app, CONTENT, "report.pdf")


def read_requests(server: Any) -> int:
    """Return the number of connections that have unread bytes of the file."""
    return sum(channel.total_outbufs_len > SIZE // 2 for channel in list(server.active_channels.values()))


@pytest.mark.parametrize("more", ["", "Range: bytes=0-\r\n"], ids=["whole", "as video players ask"])
def test_readers_that_read_nothing_hold_neither_threads_nor_memory(app, path, more):
    with serve_blog(app, threads=2) as server, ExitStack() as stack:
        readers = [stack.enter_context(send_request(server, path, more=more)) for _ in range(12)]
        wait_until(lambda: read_requests(server) == 12)
        assert send(server.effective_port, HEALTH).status == 200
        # The buffers contain the heads and the files.
        buffers = [buffer for channel in server.active_channels.values() for buffer in channel.outbufs]
        assert all(isinstance(buffer, ReadOnlyFileBasedBuffer) for buffer in buffers if len(buffer) > 1000)
        # Nor do they lose their response.
        readers[5].shutdown(socket.SHUT_WR)
        assert parse_response(read_all(readers[5])).body == CONTENT


def test_a_response_is_sent_in_turns(app, path, monkeypatch):
    sent: list[int] = []
    send_bytes = Channel.send

    def record(self: Any, data: bytes, **options: Any) -> int:
        number = send_bytes(self, data, **options)
        sent.append(number)
        return number

    monkeypatch.setattr(Channel, "send", record)
    with start_server(app) as server:
        assert get_response(server, path).body == CONTENT
    assert max(sent) <= channel.CHUNK_BYTES
    assert sent.count(0) >= SIZE // (channel.TURN_BYTES + channel.CHUNK_BYTES) - 1


def test_requests_for_parts_on_one_connection_are_answered_in_order(app, path):
    with serve_blog(app) as server:
        sock = send_request(server, path, more="Range: bytes=1000-1500000\r\n")
        with sock:
            sock.sendall(f"HEAD {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            more = f"GET {path} HTTP/1.1\r\nHost: a\r\nRange: bytes=-3\r\nConnection: close\r\n\r\n"
            sock.sendall(more.encode())
            first = parse_response(read_all(sock))
    assert (first.status, first.body) == (206, CONTENT[1000:1_500_001])
    head, _, rest = first.rest.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200") and f"Content-Length: {SIZE}".encode() in head
    assert parse_response(rest).body == CONTENT[-3:]


def test_the_connection_is_closed_if_the_file_is_cut_while_it_is_sent(app, path):
    with serve_blog(app) as server, send_request(server, path) as sock:
        wait_until(lambda: read_requests(server) == 1)
        (file,) = get_folder(app).root.rglob("*.pdf")
        with file.open("r+b") as opened:
            opened.truncate(SIZE // 2)
        received = b""
        while len(received.partition(b"\r\n\r\n")[2]) < SIZE // 2:
            chunk = sock.recv(65536)
            assert chunk
            received += chunk
        # The server waits for the rest of the file until this time is over.
        (connection,) = server.active_channels.values()
        connection.limits = replace(LIMITS, stall=0.1)
        response = parse_response(received + read_all(sock))
        assert response.headers["Content-Length"] == str(SIZE)
        assert response.body == CONTENT[: SIZE // 2]
        wait_until(lambda: not server.active_channels)


def test_the_file_is_closed_when_the_client_disconnects(app, path, monkeypatch):
    files: list[Any] = []
    make_file_body = downloads.make_file_body
    monkeypatch.setattr(
        downloads,
        "make_file_body",
        lambda environ, file, length: files.append(file) or make_file_body(environ, file, length),
    )
    with serve_blog(app) as server:
        with send_request(server, path):
            wait_until(lambda: read_requests(server) == 1)
            assert not files[0].closed
        wait_until(lambda: not server.active_channels)
        assert files[0].closed


def test_the_access_log_shows_the_route_and_the_size_of_a_file(app, path):
    entries: list[AccessLogEntry] = []
    access_log = AccessLog(entries.extend)
    with start_server(app, access_log=access_log) as server:
        get_response(server, path)
    access_log.close()
    ((route, status, size),) = [(entry.route, entry.status, entry.size) for entry in entries]
    assert (route, status, size) == ("/media/<hash>/<name>", "200 OK", SIZE)
