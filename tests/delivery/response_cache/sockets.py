"""HTTP requests as bytes on a socket."""

from __future__ import annotations

import socket


def send_all(port: int, *requests: str) -> str:
    """Send all requests together; return what the server sends until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        sock.sendall("".join(requests).encode())
        chunks = []
        while chunk := sock.recv(65536):
            chunks.append(chunk)
    return b"".join(chunks).decode("latin-1")


def format_request(method: str, path: str, key: str, *headers: str) -> str:
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: blog", f"X-API-KEY: {key}", *headers, "", ""))
