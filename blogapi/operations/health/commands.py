"""The `health` command, for supervisors of the service."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Mapping
from contextlib import closing
from urllib.parse import urlsplit

import click


def fetch_path(
    url: str, path: str, headers: Mapping[str, str], *, seconds: float, max_bytes: int
) -> tuple[int, bytes]:
    """Return the status and the body of a GET of `path`; `seconds` is the timeout of each network operation.

    Raises ConnectionError, whose message says that the service does not answer.
    """
    try:
        parts = urlsplit(url)
        is_secure = parts.scheme == "https"
        connection_class = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
        with closing(connection_class(parts.netloc.rpartition("@")[2], timeout=seconds)) as connection:
            connection.request("GET", f"{parts.path.rstrip('/')}{path}", headers=headers)
            with connection.getresponse() as response:
                return response.status, response.read(max_bytes)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConnectionError(f"{url} does not answer: {reason}. Is --url right?") from error


# With this timeout and the start of Python, the command takes at most 3 seconds.
_TIMEOUT_SECONDS = 2.5
_MAX_ANSWER_BYTES = 64 * 1024


@click.command()
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="Address of the service.")
def health(url: str) -> None:
    """Ask a running service for its state, and print its answer.

    The exit status is 0 if the service works or upgrades the blog, otherwise 1.
    """
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if not is_address:
        raise click.UsageError("--url must be an address such as http://127.0.0.1:8000.")
    results: list[bytes | Exception] = []
    # Use a thread, because the timeout of a socket limits only a part of the request.
    thread = threading.Thread(target=_fetch_health, args=(url, results), daemon=True)
    thread.start()
    thread.join(_TIMEOUT_SECONDS)
    body = results[0] if results else ConnectionError(f"{url} does not answer: timed out.")
    if isinstance(body, Exception):
        raise click.ClickException(str(body))
    click.echo(body.decode("utf-8", "replace"))
    if not _is_healthy(body):
        raise SystemExit(1)


def _fetch_health(url: str, results: list[bytes | Exception]) -> None:
    try:
        _, body = fetch_path(
            url, "/health/", {"Connection": "close"}, seconds=_TIMEOUT_SECONDS, max_bytes=_MAX_ANSWER_BYTES
        )
        results.append(body)
    except ConnectionError as error:
        results.append(error)


def _is_healthy(body: bytes) -> bool:
    try:
        answer = json.loads(body)
    except ValueError:
        return False
    return isinstance(answer, dict) and (answer.get("status") == "ok" or answer.get("code") == "upgrading")
