"""Serves the files of the library at `/media/<hash>/<name>`.

A WSGI middleware finds each file from the address alone, without Flask and without the database. Requests
that the middleware cannot answer reach the view, which makes a missing copy of a picture, redirects from the
address of a replaced file to the new file, or returns the error.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import flask
from flask import Flask, Response, request
from werkzeug.http import parse_etags, parse_range_header

from blogapi.content.media import file_references, resized_copies, types
from blogapi.content.media.addresses import CopyFormat, make_file_path, parse_copy_format
from blogapi.content.media.folder import get_folder
from blogapi.rendering import media_types
from blogapi.web import downloads, headers, request_environ
from blogapi.web.access import allow, anyone
from blogapi.web.errors import NotFound, RangeNotSatisfiable, Unavailable
from blogapi.web.media_addresses import MEDIA_PREFIX

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

logger = logging.getLogger(__name__)

files_bp = flask.Blueprint("media_files", __name__)

FILE_ROUTE = f"{MEDIA_PREFIX}<hash>/<name>"
CACHE_CONTROL = "public, max-age=31536000, immutable"

_PROBLEM_KEY = "blogapi.content.media-problem"

_FILE_PATH = re.compile(rf"{MEDIA_PREFIX}([0-9a-f]{{64}})/([^/]{{1,1000}})")
_HASH = re.compile(r"[0-9a-f]{64}")

_HEADERS = (
    *headers.CONSTANT_HEADERS.items(),
    ("Cache-Control", CACHE_CONTROL),
    ("Accept-Ranges", "bytes"),
    # This value allows pages of any origin to embed the pictures.
    ("Cross-Origin-Resource-Policy", "cross-origin"),
)


# A file that a browser opens as a page runs no scripts and has no access to the blog. An SVG file that a
# browser opens as a page also loads no other files.
_POLICY = "sandbox"
_SVG_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True, slots=True)
class _RequestedFile:
    """The path of a requested file, which can be missing, and the `headers` of all responses for it.

    `content_headers` are further headers of responses with a body, and of responses to HEAD.
    """

    path: Path
    etag: str
    is_resized_copy: bool
    headers: tuple[tuple[str, str], ...]
    content_headers: tuple[tuple[str, str], ...]


class DeliveryMiddleware:
    """A WSGI middleware that sends media files, and passes all other requests to the application."""

    def __init__(self, app: Flask, application: WSGIApplication) -> None:
        self._application = application
        self._folder = get_folder(app)
        self._copies = resized_copies.COPY_CACHE.get(app)
        self._types = types.get_types_by_extension(app)
        self._origins = app.config["CORS_ORIGINS"]
        self._parse_cached_path = lru_cache(1024)(self._parse_path)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        is_read = environ["REQUEST_METHOD"] in ("GET", "HEAD")
        path = environ["PATH_INFO"]
        target = self._parse_cached_path(path) if is_read and path.startswith(MEDIA_PREFIX) else None
        if target is None:
            return self._application(environ, start_response)
        try:
            return self._send_file(target, environ, start_response)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            logger.error("a media file cannot be read: %s", error.strerror)
            environ[_PROBLEM_KEY] = Unavailable(
                "The media folder cannot be read now; send the same request again in a second."
            )
        except RangeNotSatisfiable as problem:
            environ[_PROBLEM_KEY] = problem
        return self._application(environ, start_response)

    def _parse_path(self, path: str) -> _RequestedFile | None:
        """Return the file that the path names; None if no file can have this path."""
        match = _FILE_PATH.fullmatch(path)
        if match is None:
            return None
        hash, encoded = match.groups()
        try:
            name = encoded.encode("latin-1").decode("utf-8")
        except UnicodeDecodeError:
            return None
        stem, _, extension = name.rpartition(".")
        type = self._types.get(extension)
        if type is None or not stem or not name.isprintable():
            return None
        disposition = () if type.is_image else (("Content-Disposition", downloads.make_disposition(name)),)
        policy = _SVG_POLICY if type == types.SVG else _POLICY
        copy_format = parse_copy_format(name)
        etag = f'"{hash}"' if copy_format is None else resized_copies.make_etag(hash, copy_format)
        return _RequestedFile(
            path=self._folder.get_path(hash, type.extension)
            if copy_format is None
            else self._copies.get_path(hash, copy_format),
            etag=etag,
            is_resized_copy=copy_format is not None,
            headers=(*_HEADERS, ("Content-Security-Policy", policy), ("ETag", etag)),
            content_headers=(("Content-Type", type.name), *disposition),
        )

    def _send_file(
        self, target: _RequestedFile, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Send the file or the requested range; raises OSError or RangeNotSatisfiable."""
        common_fields = [
            *target.headers,
            *headers.make_cors_headers(environ.get("HTTP_ORIGIN"), self._origins),
        ]
        none_match = environ.get("HTTP_IF_NONE_MATCH")
        if none_match is not None and headers.contains_etag(parse_etags(none_match), target.etag.strip('"')):
            target.path.stat()
            return _start_file_response(environ, start_response, "304 Not Modified", common_fields)
        fields = [*common_fields, *target.content_headers]
        if environ["REQUEST_METHOD"] == "HEAD":
            fields.append(("Content-Length", str(target.path.stat().st_size)))
            return _start_file_response(environ, start_response, "200 OK", fields)
        file = target.path.open("rb", buffering=0)
        try:
            found = os.fstat(file.fileno())
            size = found.st_size
            if target.is_resized_copy:
                resized_copies.record_request(target.path, found)
            status, length = "200 OK", size
            if (chosen := _parse_range(environ, target.etag, size)) is not None:
                start, end = chosen
                status, length = "206 Partial Content", end - start
                fields.append(("Content-Range", f"bytes {start}-{end - 1}/{size}"))
                file.seek(start)
            fields.append(("Content-Length", str(length)))
            _start_file_response(environ, start_response, status, fields)
            return downloads.make_file_body(environ, file, length)
        except BaseException:
            file.close()
            raise


@files_bp.get(FILE_ROUTE)
@allow(anyone)
def make_copy_or_redirect(hash: str, name: str) -> Response:
    """Make a resized copy of a picture, redirect from the address of a replaced file, or return an error."""
    problem = request.environ.get(_PROBLEM_KEY)
    path, copy_format = None, parse_copy_format(name)
    if problem is None and _HASH.fullmatch(hash):
        found = resized_copies.find_or_make_copy(hash, copy_format) if copy_format is not None else None
        if copy_format is not None and isinstance(found, Path):
            # The copy, or the picture with its copies, can be deleted meanwhile.
            with suppress(FileNotFoundError):
                return _make_copy_response(found, hash, copy_format)
            found = None
        path = str(found) if found is not None else file_references.find_new_path(make_file_path(hash, name))
    if path is None:
        raise problem or NotFound("The library has no such file; check the address.")
    # The redirect is temporary: the new file can be replaced too, and the old file can be uploaded again.
    response = Response(status=302)
    response.headers["Location"] = quote(path)
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _make_copy_response(path: Path, hash: str, copy_format: CopyFormat) -> Response:
    response = Response(
        path.read_bytes(), content_type=media_types.TYPES_BY_EXTENSION[copy_format.extension].name
    )
    response.headers.update(_HEADERS)
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["ETag"] = resized_copies.make_etag(hash, copy_format)
    return response


def init_app(app: Flask) -> None:
    """Wrap the application in the middleware."""
    app.wsgi_app = DeliveryMiddleware(app, app.wsgi_app)  # type: ignore[method-assign]


def _start_file_response(
    environ: WSGIEnvironment, start_response: StartResponse, status: str, fields: list[tuple[str, str]]
) -> list[bytes]:
    environ[request_environ.ROUTE_KEY] = FILE_ROUTE
    start_response(status, fields)
    return []


def _parse_range(environ: WSGIEnvironment, etag: str, size: int) -> tuple[int, int] | None:
    """Return the start and the end (exclusive) of the requested range; None for the whole file.

    Other units, malformed ranges and several ranges in one request are ignored. Raises RangeNotSatisfiable if
    the range begins after the end of the file.
    """
    requested = parse_range_header(environ.get("HTTP_RANGE"))
    if requested is None or requested.units != "bytes" or len(requested.ranges) > 1:
        return None
    if environ.get("HTTP_IF_RANGE", etag).strip() != etag:
        return None
    start, end = requested.ranges[0]
    if start >= size:
        raise RangeNotSatisfiable(
            f"The file has {size} bytes; request a range within them.",
            headers={"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"},
        )
    # A negative start counts from the end of the file.
    return max(0, size + start) if start < 0 else start, min(size if end is None else end, size)
