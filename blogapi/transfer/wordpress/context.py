"""What the conversion of a post's text takes and returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from blogapi.media.types import BY_EXTENSION

#: The media types of files by their extensions.
MIME_TYPES = {extension: type.name for extension, type in BY_EXTENSION.items()} | {
    "jpeg": "image/jpeg", "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg",
    "mov": "video/quicktime",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attachment:
    """A media file of the blog, as its `attachment` item in the export describes it."""

    url: str  #: "" if the export does not contain it
    alt: str = ""  #: plain text
    caption: str = ""  #: HTML
    title: str = ""  #: plain text
    mime_type: str = ""
    parent: int = 0  #: the id of the post to which the file was uploaded; 0 = none


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentContext:
    """What the conversion of a post's text needs besides the text."""

    #: returns the attachment with an id, or None if the export does not contain it
    attachments: Callable[[int], Attachment | None]
    autop: bool = True  #: whether line breaks become paragraphs, as in WordPress without plugins
    uploads: Sequence[
        Attachment
    ] = ()  #: the attachments that were uploaded to the post, in the order of a gallery
    patterns: Callable[[int], str] = lambda _: ""  #: returns the text of a synced pattern; "" = unknown
    footnotes: str = ""  #: the custom field `footnotes` of the post: JSON, a list of `{"id", "content"}`


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """The text of a post as HTML. It is not sanitized."""

    html: str
    #: plain text before the "more" tag, as the excerpt of a post that has none; "" = there is no such tag
    excerpt: str = ""
    notes: tuple[str, ...] = ()  #: distinct sentences
    #: how often each shortcode (`name`) and each block that the server of WordPress creates (`wp:name`)
    #: occurs that could not be converted
    unconverted: Counter[str] = field(default_factory=Counter)
