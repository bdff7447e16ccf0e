"""Responses that send a file in chunks, so that the whole file is never in memory."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast
from urllib.parse import quote

from flask import Response, request
from werkzeug.http import dump_options_header
from werkzeug.wsgi import ClosingIterator

from blogapi.web.headers import compute_etag

_CHUNK_BYTES = 64 * 1024


def _read_chunks(file: BinaryIO, length: int) -> Iterator[bytes]:
    with file:
        while length and (chunk := file.read(min(_CHUNK_BYTES, length))):
            length -= len(chunk)
            yield chunk


class _FileWithCloseCallback(io.FileIO):
    """An open file that calls a function after it is closed.

    The function can delete the file; Windows cannot delete an open file.
    """

    def __init__(self, path: Path, on_close: Callable[[], object] | None) -> None:
        super().__init__(path)
        self._on_close = on_close

    def close(self) -> None:
        """Close the file; the first call also calls the function."""
        super().close()
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            on_close()


def make_file_body(environ: dict[str, object], file: BinaryIO, length: int) -> Iterable[bytes]:
    """Return the response body that sends the open file from its current position, and closes the file.

    `length` is the Content-Length of the response. A server that reads the file itself stops after this
    number of bytes (PEP 3333).
    """
    wrap = cast(Callable[[BinaryIO], Iterable[bytes]] | None, environ.get("wsgi.file_wrapper"))
    # Closing a generator that has not started does not run its `with` block, so also close the file itself.
    return ClosingIterator(_read_chunks(file, length), file.close) if wrap is None else wrap(file)


def make_disposition(name: str) -> str:
    """Return the `Content-Disposition` header that makes browsers save the file under this name."""
    if name.isascii():
        return dump_options_header("attachment", {"filename": name})
    # Clients that do not support `filename*` use an ASCII name with the same extension.
    options = {"filename": f"file.{name.rpartition('.')[2]}", "filename*": f"UTF-8''{quote(name, safe='')}"}
    return dump_options_header("attachment", options)


def send_download(
    path: Path, *, name: str, mimetype: str, on_close: Callable[[], object] | None = None
) -> Response:
    """Return a response that makes browsers save the file under this name.

    The server sends the file without occupying a thread. `on_close` is called after the file was closed, even
    if the client did not read all of it; this function can delete a temporary file. Raises FileNotFoundError.
    """
    file = cast(BinaryIO, _FileWithCloseCallback(path, on_close))
    status = os.fstat(file.fileno())
    body = make_file_body(request.environ, file, status.st_size)
    response = Response(body, mimetype=mimetype, direct_passthrough=True)
    response.content_length = status.st_size
    response.headers["Content-Disposition"] = make_disposition(name)
    response.set_etag(compute_etag(f"{name} {status.st_size} {status.st_mtime_ns}".encode()))
    return response
