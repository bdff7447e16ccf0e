"""The names of stored files, derived from the names that clients send."""

from __future__ import annotations

import re

from blogapi.rendering.media_types import MediaType
from blogapi.rendering.slugs import make_slug

MAX_STEM_LENGTH = 80
_DEFAULT_STEM = "file"

# Windows reserves these names with any extension.
_DEVICE_NAMES = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3]")
_WIDTH = re.compile(r"w[0-9]{3,4}", re.ASCII)
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
# The number of characters of a name that are read, because making a slug of a long text takes long.
_READ_LENGTH = 200


def make_name(client_name: str, type: MediaType) -> str:
    """Return a safe file name: the slug of the given name, and the extension of the type.

    The name has no folder, no second extension, and no character that a shell or a browser could interpret.
    """
    base = re.split(r"[/\\]", client_name)[-1]
    # A name from a header can contain lone surrogates.
    base = base.encode("utf-8", "replace").decode()
    stem = make_slug(
        _EXTENSION.sub("", base)[:_READ_LENGTH], max_length=MAX_STEM_LENGTH, default=_DEFAULT_STEM
    )
    # A file must not have the address of a resized copy; see `widths`.
    if _DEVICE_NAMES.fullmatch(stem) or _WIDTH.fullmatch(stem):
        stem = f"{stem}-{_DEFAULT_STEM}"
    return f"{stem}.{type.extension}"
