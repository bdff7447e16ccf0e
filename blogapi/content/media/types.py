"""The types of files that the library accepts, and how each type is recognised and served.

A type is recognised by the first bytes of the file. The type that a client states is ignored. Only the types
of the setting MEDIA_TYPES are recognised by the extension of the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from flask import Flask, current_app

from blogapi.config import CannotStart
from blogapi.rendering.media_types import TYPES_BY_EXTENSION, TYPES_BY_NAME, MediaType

# The number of bytes from the beginning of a file that `detect_type` needs.
HEAD_BYTES = 4096


SVG = TYPES_BY_NAME["image/svg+xml"]

_SIGNATURES = (
    ("jpg", rb"\xff\xd8\xff"),
    ("png", rb"\x89PNG\r\n\x1a\n"),
    ("gif", rb"GIF8[79]a"),
    ("webp", rb"RIFF....WEBP"),
    ("avif", rb"....ftyp(avif|avis|(mif1|msf1)....(....){0,16}?(avif|avis))"),
    # Comments, the XML declaration and the document type can precede the first element.
    (
        "svg",
        rb"(?:\xef\xbb\xbf)?\s*+(?:(?><!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?\s*>)\s*+)*+"
        rb"<(?:\w+:)?svg[\s/>]",
    ),
    ("pdf", rb"%PDF-"),
    ("m4a", rb"....ftyp(M4A |M4B )"),
    ("mp3", rb"ID3[\x02-\x04]"),
    # The header of an MPEG layer 3 frame, with a valid bit rate.
    ("mp3", rb"\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x10-\xef]"),
    ("ogg", rb"OggS"),
    ("wav", rb"RIFF....WAVE"),
    ("flac", rb"fLaC"),
)
_PATTERNS = tuple((TYPES_BY_EXTENSION[name], re.compile(pattern, re.DOTALL)) for name, pattern in _SIGNATURES)

# The messages for types that are often uploaded but not accepted.
_REFUSAL_MESSAGES = (
    (
        re.compile(rb"<(!doctype\s+html|html|head|body|script|iframe|\?xml)", re.IGNORECASE),
        "HTML and XML files are not accepted, because browsers would run their scripts. Upload an image, "
        "a PDF or an audio file.",
    ),
    (
        re.compile(rb"\A....ftyp(hei[cmsx]|hev[cmsx]|mif1|msf1)", re.DOTALL),
        "HEIC images are not accepted, because few browsers show them. Convert the file to JPEG or AVIF.",
    ),
)


def init_app(app: Flask) -> None:
    """Check the setting MEDIA_TYPES; raise CannotStart if it names the extension of a built-in type."""
    for extension in _parse_configured_types(app):
        if extension in TYPES_BY_EXTENSION:
            raise CannotStart(
                f"The setting MEDIA_TYPES names the extension {extension}, which is built in; remove it."
            )


def detect_type(head: bytes, name: str) -> MediaType | None:
    """Return the type that the first HEAD_BYTES or an extension in MEDIA_TYPES show, or None if unknown."""
    for type, pattern in _PATTERNS:
        if pattern.match(head):
            return type
    return _parse_configured_types(current_app).get(name.rpartition(".")[2].lower())


def describe_refusal(head: bytes) -> str:
    """Return why a file with these first bytes is not accepted, and what to do."""
    for pattern, sentence in _REFUSAL_MESSAGES:
        if pattern.search(head):
            return sentence
    extensions = ", ".join((*TYPES_BY_EXTENSION, *_parse_configured_types(current_app)))
    return f"The type of the file is not accepted. Upload a file of one of these types: {extensions}."


def get_types_by_extension(app: Flask) -> Mapping[str, MediaType]:
    """Return the types that the library accepts, by extension."""
    return {**_parse_configured_types(app), **TYPES_BY_EXTENSION}


def _parse_configured_types(app: Flask) -> Mapping[str, MediaType]:
    pairs = (item.split("=") for item in app.config["MEDIA_TYPES"])
    return {extension: MediaType(type, extension) for extension, type in pairs}
