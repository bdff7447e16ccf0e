"""Receives an upload: the file goes to the media folder as it arrives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flask import Request, current_app

from blogapi.media.folder import get_folder
from blogapi.media.schemas import UploadBodySchema
from blogapi.web.fields import Fields
from blogapi.web.uploads import FileBodySchema, receive_file


@dataclass(frozen=True, slots=True)
class Upload:
    """A received file, its name, and its texts. The name is what the client sent."""

    path: Path
    name: str
    alt: str = ""
    caption: str = ""


@contextmanager
def receive(
    request: Request,
    query: Fields,
    *,
    schema: type[FileBodySchema] = UploadBodySchema,
    default_name: str = "",
) -> Iterator[Upload]:
    """Receive the file in the body of the request; it is deleted at the end.

    `query` has the loaded query parameters. A file without a name gets `default_name`. Raises a Problem if
    the body contains no acceptable file, and StorageFull if the disk is full.
    """
    max_size = current_app.config["MAX_MEDIA_SIZE"]
    with get_folder().temporary_file() as path:
        received = receive_file(
            request, query, path, max_size=max_size, schema=schema, default_name=default_name
        )
        texts = {name: received.texts[name] for name in ("alt", "caption") if name in received.texts}
        yield Upload(path, received.name, **texts)
