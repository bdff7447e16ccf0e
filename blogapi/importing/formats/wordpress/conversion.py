"""The conversion of a post's text: the data that the conversion needs, its state, and its result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from blogapi.importing.format_api.article_record import Guess
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.xml_elements import MAX_ITEM_SIZE
from blogapi.rendering.media_types import TYPES_BY_EXTENSION

#: The media types of files by their extensions.
MIME_TYPES = {extension: type.name for extension, type in TYPES_BY_EXTENSION.items()} | {
    "jpeg": "image/jpeg", "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg",
    "mov": "video/quicktime",
}  # fmt: skip
# Each placeholder is one of these characters, a number and _END_MARK. XML does not allow these
# characters, and `clean_text` removes them from the text of the post.
BLOCK_MARK, INLINE_MARK, COMMENT_MARK = "\x02", "\x01", "\x04"
_END_MARK = "\x03"
#: matches the placeholder of a block, and of a comment
BLOCK_PLACEHOLDER, COMMENT_PLACEHOLDER = rf"{BLOCK_MARK}\d+{_END_MARK}", rf"{COMMENT_MARK}\d+{_END_MARK}"
_PLACEHOLDER = re.compile(rf"[{BLOCK_MARK}{INLINE_MARK}{COMMENT_MARK}](\d+){_END_MARK}")
_REMOVED_CHARACTERS = re.compile(r"[\x00-\x08]")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A media file of the blog, as its `attachment` item in the export describes it."""

    url: str  #: "" if the export does not contain it
    alt: str = ""  #: plain text
    caption: str = ""  #: HTML
    title: str = ""  #: plain text
    mime_type: str = ""


def clean_text(text: str) -> str:
    """Return the text with LF line endings and without the control characters of placeholders."""
    return _REMOVED_CHARACTERS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


@dataclass(slots=True, kw_only=True)
class Conversion:
    """The conversion of a text: the data of the blog that it needs, its state and its result.

    For finished HTML, `store_html` returns a placeholder that the next steps treat as one character.
    """

    #: returns the attachment with an id, or None if the export does not contain it
    get_attachment: Callable[[int], Attachment | None]
    #: the attachments that were uploaded to the post, in the order of a gallery
    uploads: Sequence[Attachment] = ()
    get_pattern: Callable[[int], str] = lambda _: ""  #: returns the text of a synced pattern; "" = unknown
    footnotes: str = ""  #: the custom field `footnotes` of the post: JSON, a list of `{"id", "content"}`
    html: str = ""  #: the text as HTML, which is not sanitized
    excerpt: str = ""  #: the plain text before the "more" tag; "" = there is no such tag
    #: the numbers of unconverted shortcodes (`name`), and of unconverted blocks that the server of
    #: WordPress creates (`wp:name`)
    unconverted: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)  #: the parts of the source hidden from everyone
    hidden: str = ""  #: the first reason why the post becomes a draft; "" = visitors saw the whole text
    guesses: dict[str, Guess] = field(default_factory=dict)  #: by name
    notes: dict[str, None] = field(default_factory=dict)  #: distinct sentences about the changes
    _stored: list[str] = field(default_factory=list)
    _stored_length: int = 0  #: the number of characters in `_stored`

    def add_note(self, sentence: str) -> None:
        self.notes[sentence] = None

    def add_guess(self, guess: Guess, *, is_new: bool) -> None:
        """Add a guess; a guess is new (`Guess.is_new`) only if all signs with its name are new."""
        former = self.guesses.get(guess.name.casefold())
        is_new = is_new and (former is None or former.is_new)
        self.guesses[guess.name.casefold()] = replace(guess, is_new=is_new)

    def store_html(self, html: str, kind: str = BLOCK_MARK) -> str:
        """Return a placeholder for the HTML; `kind` is BLOCK_MARK, INLINE_MARK or COMMENT_MARK."""
        self._stored_length += len(html)
        if self._stored_length > MAX_ITEM_SIZE:
            raise RefusedFile("It shows too many pictures in its galleries; shorten it in WordPress.")
        self._stored.append(html)
        return f"{kind}{len(self._stored) - 1}{_END_MARK}"

    def restore_html(self, text: str) -> str:
        """Return the text with the stored HTML in place of the placeholders."""
        return _PLACEHOLDER.sub(lambda found: self.restore_html(self._stored[int(found[1])]), text)
