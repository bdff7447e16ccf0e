"""The state of one conversion: finished HTML, which later steps must not change, and what to report."""

from __future__ import annotations

import re
from collections import Counter

from blogapi.transfer.wordpress.context import ContentContext

# Each placeholder is one of these characters, a number and _END. XML does not allow them, and `clean`
# removes them from the text of the post.
BLOCK, INLINE, COMMENT = "\x02", "\x01", "\x04"
_END = "\x03"

#: matches the placeholder of a block, and of a comment
BLOCK_PLACEHOLDER, COMMENT_PLACEHOLDER = rf"{BLOCK}\d+{_END}", rf"{COMMENT}\d+{_END}"
_PLACEHOLDER = re.compile(rf"[{BLOCK}{INLINE}{COMMENT}](\d+){_END}")
_REMOVED = re.compile(r"[\x00-\x08]")


def clean(text: str) -> str:
    """Return the text with LF line endings and without the control characters of placeholders."""
    return _REMOVED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


class Conversion:
    """Stores finished HTML, and returns a placeholder that the next steps treat as one character."""

    def __init__(self, context: ContentContext) -> None:
        self.context = context
        self.unconverted: Counter[str] = Counter()
        self._notes: dict[str, None] = {}
        self._html: list[str] = []

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes)

    def add_note(self, sentence: str) -> None:
        self._notes[sentence] = None

    def store(self, html: str, kind: str = BLOCK) -> str:
        """Return a placeholder for the HTML; `kind` is BLOCK, INLINE (part of a paragraph) or COMMENT."""
        self._html.append(html)
        return f"{kind}{len(self._html) - 1}{_END}"

    def restore(self, text: str) -> str:
        """Return the text with the stored HTML in place of the placeholders."""
        return _PLACEHOLDER.sub(lambda found: self.restore(self._html[int(found[1])]), text)
