"""Receives an upload: a body that is the file itself, or one part of a multipart/form-data body.

The file goes to the media folder as it arrives, and is never completely in memory.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import marshmallow as ma
from flask import Request, current_app
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

from blogapi.media.folder import get_folder
from blogapi.media.schemas import UploadBodySchema
from blogapi.web.errors import (
    Invalid,
    Malformed,
    TooLarge,
    UnsupportedMediaType,
    flatten_messages,
)
from blogapi.web.fields import Fields

MULTIPART = "multipart/form-data"

# The parts of a body other than the file: their number, and their size with their headers.
_MAX_PARTS = 10
_MAX_PARTS_SIZE = 256 * 1024
# Clients send these types if they do not know that the body is a file, or if it is something else.
_REFUSED_TYPES = ("application/x-www-form-urlencoded", "multipart/")

_body_schema = UploadBodySchema()


@dataclass(frozen=True, slots=True)
class Upload:
    """A received file, its name, and its texts. The name is what the client sent."""

    path: Path
    name: str
    alt: str = ""
    caption: str = ""


@contextmanager
def receive(request: Request, query: Fields) -> Iterator[Upload]:
    """Receive the file in the body of the request; it is deleted at the end.

    `query` has the loaded query parameters. Raises UnsupportedMediaType, TooLarge, Malformed and Invalid if
    the body contains no acceptable file, and StorageFull if the disk is full.
    """
    max_size = current_app.config["MAX_MEDIA_SIZE"]
    is_multipart = request.mimetype == MULTIPART
    if not is_multipart and (request.is_json or request.mimetype.startswith(_REFUSED_TYPES)):
        raise UnsupportedMediaType(
            "Send the file as the part `file` of a multipart/form-data body, or as the body itself, with its "
            "own Content-Type or application/octet-stream and with its name in the parameter `name`."
        )
    # MAX_CONTENT_LENGTH is for JSON.
    request.max_content_length = max_size + _MAX_PARTS_SIZE if is_multipart else max_size
    with get_folder().temporary_file() as path:
        try:
            receive_body = _receive_multipart if is_multipart else _receive_raw
            upload = receive_body(request, query, path)
        except (RequestEntityTooLarge, _FileTooLarge) as error:
            raise TooLarge(
                f"The body is larger than this server accepts: send one file of at most {max_size} bytes, "
                "and its texts."
            ) from error
        if not upload.name:
            raise Invalid(
                "The file has no name; send it in the parameter `name`, such as ?name=cat.jpg.",
                errors={"name": ["Missing data for required field."]},
            )
        if not path.stat().st_size:
            raise _invalid("The file is empty; send a file with content.")
        yield upload


def _receive_raw(request: Request, query: Fields, path: Path) -> Upload:
    with path.open("wb") as target:
        shutil.copyfileobj(request.stream, target, 64 * 1024)
    name = query.get("name") or _read_name(request)
    return Upload(path, name, query.get("alt", ""), query.get("caption", ""))


def _read_name(request: Request) -> str:
    """Return the name in the header Content-Disposition, or an empty string."""
    _, options = parse_options_header(request.headers.get("Content-Disposition"))
    name = options.get("filename", "")
    try:
        # Headers are read as Latin-1, but many clients send UTF-8.
        return name.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return name


class _FileTooLarge(Exception):
    """The file in a multipart body is larger than the server accepts."""


class _LimitedFile:
    """The file on the disk to which the parser writes a part."""

    def __init__(self, file: IO[bytes], max_size: int) -> None:
        self._file, self._left = file, max_size

    def write(self, data: bytes) -> int:
        """Write the data; raises _FileTooLarge if the file becomes too large."""
        self._left -= len(data)
        if self._left < 0:
            raise _FileTooLarge
        return self._file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _receive_multipart(request: Request, query: Fields, path: Path) -> Upload:
    with ExitStack() as opened:
        number_of_files = 0

        def open_file(*_: Any, **__: Any) -> Any:
            nonlocal number_of_files
            number_of_files += 1
            if number_of_files > 1:
                raise _invalid("The body contains several files; send each file in its own request.")
            return _LimitedFile(opened.enter_context(path.open("wb")), current_app.config["MAX_MEDIA_SIZE"])

        parser = FormDataParser(
            open_file, max_form_memory_size=_MAX_PARTS_SIZE, max_form_parts=_MAX_PARTS, silent=False
        )
        try:
            _, parts, files = parser.parse(
                request.stream, MULTIPART, request.content_length, request.mimetype_params
            )
        except ValueError as error:
            raise Malformed(
                "The body is not valid multipart/form-data; send the boundary of the body in Content-Type, "
                "and the whole body."
            ) from error
    values = query | _load_parts(parts, files)
    return Upload(
        path,
        query.get("name") or values["file"].filename or "",
        values.get("alt", ""),
        values.get("caption", ""),
    )


def _load_parts(*parts: MultiDict[str, Any]) -> Fields:
    """Return the loaded parts of a body: texts and files."""
    sent = [(name, values) for some in parts for name, values in some.lists()]
    names = [name for name, values in sent for _ in values]
    errors = {name: ["Is sent several times; send it once."] for name in names if names.count(name) > 1}
    try:
        loaded: Fields = _body_schema.load({name: values[0] for name, values in sent})
    except ma.ValidationError as error:
        assert isinstance(error.messages, dict)
        errors |= flatten_messages(error.messages)
    if errors:
        raise Invalid("Some parts of the body are invalid; `errors` names them all.", errors=errors)
    return loaded


def _invalid(message: str) -> Invalid:
    return Invalid(message, errors={"file": [message]})
