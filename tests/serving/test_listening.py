"""The server on a Unix socket."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blogapi.serving import listening
from tests.live_server import start_server
from tests.serving.sockets import parse_response, read_all

pytestmark = pytest.mark.skipif(not listening.HAS_UNIX_SOCKETS, reason="Windows has no Unix sockets")


@pytest.fixture
def path() -> Iterator[Path]:
    """A path that is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="b") as folder:
        yield Path(folder) / "s"


def get_health(path: Path, *headers: str) -> Any:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(60)
        sock.connect(str(path))
        lines = ["GET /health HTTP/1.1", "Host: a", "Connection: close", *headers, "", ""]
        sock.sendall("\r\n".join(lines).encode())
        return parse_response(read_all(sock))


def test_the_socket_file_has_mode_660_and_is_deleted_at_the_end(app, path):
    with start_server(app, unix_socket=path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        assert get_health(path).json == {"status": "ok"}
    assert not path.exists()


def test_a_process_that_opens_the_socket_is_the_trusted_proxy(app, path, monkeypatch):
    def respond(environ: Any, start_response: Any) -> list[bytes]:
        body = f"{environ['REMOTE_ADDR']} {environ['wsgi.url_scheme']}".encode()
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    monkeypatch.setattr(app, "wsgi_app", respond)
    with start_server(app, unix_socket=path) as server:
        assert (
            get_health(path, "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https").body == b"1.2.3.4 https"
        )
        assert get_health(path).body == b"127.0.0.1 http"
        assert server.get_client_key(("127.0.0.1", None)) == ""


def test_a_stale_socket_is_replaced(app, path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with start_server(app, unix_socket=path):
        assert get_health(path).status == 200


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_another_file_is_not_replaced(path, kind):
    {"file": path.touch, "folder": path.mkdir, "link": lambda: path.symlink_to("nowhere")}[kind]()
    before = path.lstat()
    with pytest.raises(OSError, match="is not a socket"):
        listening.bind_unix_socket(path)
    assert os.path.samestat(before, path.lstat())


def test_a_socket_whose_server_still_starts_is_not_replaced(path):
    match = "another server is listening there"
    with listening.bind_unix_socket(path), pytest.raises(FileExistsError, match=match):
        listening.bind_unix_socket(path)


def test_a_socket_in_use_is_not_replaced(app, path):
    with start_server(app, unix_socket=path):
        with pytest.raises(OSError, match="another server is listening there"):
            listening.bind_unix_socket(path)
        assert get_health(path).status == 200


def test_a_socket_of_another_server_is_not_removed(app, path):
    with start_server(app, unix_socket=path):
        path.unlink()
        other = listening.bind_unix_socket(path)
    assert path.exists()
    other.close()


@pytest.mark.parametrize(
    ("host", "url", "local_url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://0.0.0.0:80", "http://127.0.0.1:80"),  # noqa: S104, no socket is opened
        ("::", "http://[::]:80", "http://[::1]:80"),
        ("2001:db8::1", "http://[2001:db8::1]:80", "http://[2001:db8::1]:80"),
        ("blog.example", "http://blog.example:80", "http://blog.example:80"),
    ],
)
def test_the_url_of_a_server_that_listens_on_all_addresses_can_be_opened(host, url, local_url):
    assert (listening.make_server_url(host, 80), listening.make_local_url(host, 80)) == (url, local_url)
