"""The responses to requests during an upgrade of the blog, before the application can be created."""

from __future__ import annotations

import html
import json
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from waitress.utilities import RequestEntityTooLarge

from blogapi.serving import listening
from blogapi.serving.channel import Channel
from blogapi.serving.limits import SHORT_BODY_BYTES, ByteCounter, Limits
from blogapi.serving.parser import ParserSettings, ServerBusy, StorageFull
from blogapi.serving.server import Server, UnixServer
from blogapi.serving.tasks import ProblemTask, ResponseTask
from blogapi.storage.upgrade_progress import UPGRADE_STATE
from blogapi.web.errors import get_reason_phrase, make_problem_body
from blogapi.web.headers import make_error_headers
from blogapi.web.request_environ import choose_request_id

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

RETRY_SECONDS = 5
# The number of bytes that a refused client may still send; the time limit `drop` usually ends first.
_MAX_DROPPED_BYTES = 1024**3
_STATUS = 503
_PROBLEM_DETAIL = "The blog is being upgraded; send the request again in a few seconds."
_PAGE_TEMPLATE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="{seconds}"><title>Upgrading</title>
<h1>This blog is being upgraded</h1><p>{progress}</p><p>This page reloads automatically.</p></html>
"""
_PAGE_CSP = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def send_upgrade_response(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """WSGI application that sends 503 and the progress: HTML if the client accepts it, otherwise JSON."""
    headers = dict(make_error_headers(choose_request_id(environ.get("HTTP_X_REQUEST_ID"))))
    progress = UPGRADE_STATE.progress
    if "text/html" in environ.get("HTTP_ACCEPT", ""):
        text = html.escape(progress.to_text()) if progress else ""
        body = _PAGE_TEMPLATE.format(seconds=RETRY_SECONDS, progress=text).encode("utf-8")
        headers |= {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": _PAGE_CSP}
    else:
        problem: dict[str, Any] = json.loads(make_problem_body(_STATUS, "upgrading", _PROBLEM_DETAIL))
        problem |= {"progress": asdict(progress)} if progress else {}
        body = json.dumps(problem).encode("ascii")
    headers |= {"Retry-After": str(RETRY_SECONDS), "Content-Length": str(len(body))}
    start_response(f"{_STATUS} {get_reason_phrase(_STATUS)}", [*headers.items()])
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]


class _RefusedBodyTask(ResponseTask):
    """The task that answers a request whose body the server does not read."""

    def execute(self) -> None:
        self.set_close_on_finish()
        self.channel.is_refused = True
        super().execute()


def _make_error_task(channel: Channel, request: Any) -> ProblemTask | ResponseTask:
    """Return the task for a request that the server refuses; a refused body gets the upgrade response."""
    is_parsed = isinstance(request.error, RequestEntityTooLarge | ServerBusy | StorageFull)
    return (_RefusedBodyTask if is_parsed else ProblemTask)(channel, request)


class _UpgradeChannel(Channel):
    error_task_class = staticmethod(_make_error_task)  # type: ignore[assignment]


class _TemporaryUnixServer(UnixServer):
    def close(self) -> None:
        """Close the socket, and keep its file for the server that follows."""
        Server.close(self)


@contextmanager
def serve_upgrade_responses(listening_socket: socket.socket) -> Iterator[None]:
    """Answer requests to the socket during the `with` block, which upgrades the blog."""
    UPGRADE_STATE.progress = None
    server_socket = listening_socket.dup()
    settings = ParserSettings(
        sockets=[server_socket],
        threads=2,
        max_request_body_size=SHORT_BODY_BYTES,
    )
    settings.bodies = ByteCounter(SHORT_BODY_BYTES)
    settings.max_dropped_bytes = _MAX_DROPPED_BYTES
    server_class = _TemporaryUnixServer if listening.is_unix_socket(listening_socket) else Server
    server = server_class(send_upgrade_response, server_socket, settings, limits=Limits())
    server.channel_class = _UpgradeChannel
    # An upgrade may take longer than systemd waits for READY, so each sweep asks it to wait another minute.
    server.heartbeat = "EXTEND_TIMEOUT_USEC=60000000"
    thread = threading.Thread(target=server.run, name="upgrading", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.stop()
        thread.join()
