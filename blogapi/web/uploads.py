"""Receives an uploaded file: the body itself, or one part of a multipart/form-data body.

The file is written to the disk as it arrives, and is never completely in memory.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import marshmallow as ma
from flask import Request
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

from blogapi.web.errors import Invalid, Malformed, TooLarge, UnsupportedMediaType, flatten_messages
from blogapi.web.fields import Fields, Schema, Text

MULTIPART_TYPE = "multipart/form-data"

# The maximum number of parts of a multipart body, and the maximum size of all parts except the file.
_MAX_PARTS = 10
MAX_PARTS_SIZE = 256 * 1024
# A body of one of these types contains more than the file, so it cannot be stored as the file.
_REFUSED_TYPES = ("application/x-www-form-urlencoded", "multipart/")


class FilePart(ma.fields.Field[FileStorage]):
    """A file in a multipart/form-data body."""

    def __init__(self, **options: Any) -> None:
        super().__init__(metadata={"type": "string", "format": "binary"}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> FileStorage:
        if not isinstance(value, FileStorage):
            raise ma.ValidationError("Must be a file; send the part with a file name.")
        return value


class FileBodySchema(Schema):
    """A file."""

    class Meta:
        unknown = ma.RAISE

    file = FilePart(required=True)


class FileQuery(Schema):
    """The query parameters of an upload."""

    name = Text(
        max_length=255,
        min_length=1,
        metadata={
            "description": "Name of the file. If the body is the file itself, the name is required, here or "
            "in `Content-Disposition`.",
            "example": "cat.jpg",
        },
    )


def describe_file_body(schema: type[FileBodySchema]) -> Fields:
    """Return the description of the body for the OpenAPI document."""
    return {
        "required": True,
        "content": {
            MULTIPART_TYPE: {"schema": schema},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A received file: its name as the client sent it, and the values of the query and of the parts."""

    name: str
    values: Fields


def receive_file(
    request: Request,
    query: Fields,
    path: Path,
    *,
    max_size: int,
    schema: type[FileBodySchema],
    default_name: str = "",
) -> ReceivedFile:
    """Write the file in the body of the request to the existing file `path`.

    `query` has the loaded query parameters, and `schema` loads the parts of a multipart body. A file without
    a name gets `default_name`. Raises UnsupportedMediaType, TooLarge, Malformed or Invalid if the body does
    not contain exactly one acceptable file.
    """
    is_multipart = request.mimetype == MULTIPART_TYPE
    if not is_multipart and (request.is_json or request.mimetype.startswith(_REFUSED_TYPES)):
        raise UnsupportedMediaType(
            "Send the file as the part `file` of a multipart/form-data body, or as the body itself, with its "
            "own Content-Type or application/octet-stream and with its name in the parameter `name`."
        )
    # The setting MAX_CONTENT_LENGTH limits only JSON bodies.
    request.max_content_length = max_size + MAX_PARTS_SIZE if is_multipart else max_size
    try:
        if is_multipart:
            received = _receive_multipart_body(request, query, path, schema())
        else:
            received = _receive_raw_body(request, query, path)
    except RequestEntityTooLarge as error:
        raise _make_size_error(max_size) from error
    size = path.stat().st_size
    if size > max_size:
        raise _make_size_error(max_size)
    if not received.name and not default_name:
        raise Invalid(
            "The file has no name; send it in the parameter `name`, such as ?name=cat.jpg.",
            errors={"name": ["Missing data for required field."]},
        )
    if not size:
        raise _make_file_error("The file is empty; send a file with content.")
    return replace(received, name=received.name or default_name)


def _receive_raw_body(request: Request, query: Fields, path: Path) -> ReceivedFile:
    with path.open("wb") as target:
        shutil.copyfileobj(request.stream, target, 64 * 1024)
    return ReceivedFile(query.get("name") or _read_file_name(request), query)


def _read_file_name(request: Request) -> str:
    """Return the name in the header Content-Disposition, or an empty string."""
    _, options = parse_options_header(request.headers.get("Content-Disposition"))
    name = options.get("filename", "")
    try:
        # Headers are read as Latin-1, but many clients send UTF-8.
        return name.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return name


def _receive_multipart_body(request: Request, query: Fields, path: Path, schema: ma.Schema) -> ReceivedFile:
    with ExitStack() as opened:
        number_of_files = 0

        def open_file(*_: Any, **__: Any) -> Any:
            nonlocal number_of_files
            number_of_files += 1
            if number_of_files > 1:
                raise _make_file_error("The body contains several files; send each file in its own request.")
            return opened.enter_context(path.open("wb"))

        parser = FormDataParser(
            open_file, max_form_memory_size=MAX_PARTS_SIZE, max_form_parts=_MAX_PARTS, silent=False
        )
        try:
            _, parts, files = parser.parse(
                request.stream, MULTIPART_TYPE, request.content_length, request.mimetype_params
            )
        except ValueError as error:
            raise Malformed(
                "The body is not valid multipart/form-data; send the boundary of the body in Content-Type, "
                "and the whole body."
            ) from error
    values = query | _load_parts(schema, parts, files)
    return ReceivedFile(query.get("name") or values["file"].filename or "", values)


def _load_parts(schema: ma.Schema, *parts: MultiDict[str, Any]) -> Fields:
    """Return the parts of a body (texts and files), loaded by the schema."""
    sent = [(name, values) for part in parts for name, values in part.lists()]
    names = [name for name, values in sent for _ in values]
    errors = {name: ["Is sent several times; send it once."] for name in names if names.count(name) > 1}
    try:
        loaded: Fields = schema.load({name: values[0] for name, values in sent})
    except ma.ValidationError as error:
        assert isinstance(error.messages, dict)
        errors |= flatten_messages(error.messages)
    if errors:
        raise Invalid("Some parts of the body are invalid; `errors` names them all.", errors=errors)
    return loaded


def _make_size_error(max_size: int) -> TooLarge:
    return TooLarge(
        f"The body is larger than this server accepts: send one file of at most {max_size} bytes, with short "
        "texts."
    )


def _make_file_error(message: str) -> Invalid:
    return Invalid(message, errors={"file": [message]})
