"""Finds articles whose HTML shows less text than their content contains."""

from __future__ import annotations

import re

from blogapi.rendering import plain_text

_MAX_LOST_SHARE = 0.1
# Words are counted roughly, so a difference of a few words means nothing.
_MIN_LOST_WORDS = 5

# The text between these marks is not shown.
_HIDDEN = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"))
# Tags within a word are removed; all other markup separates words.
_INLINE_TAG = re.compile(rf"</?(?:{plain_text.INLINE_NAMES})(?:\s[^<>]*+)?>", re.IGNORECASE)
_MARKUP = re.compile(
    # Tags, pictures, the addresses of links, and references to definitions of links.
    r"</?[a-z][^<>]*+>|!\[[^\]\[]*+\](?:\([^()]*+\))?|\]\([^()]*+(?:\([^()]*+\)[^()]*+)?\)|\]\[[^\]\[]*+\]"
    # Definitions of links, the first lines of code blocks, bare addresses, entities, and ids of headings.
    r"|^[ >]*+(?:\[[^\]\[]++\]:|`{3,}+|~{3,}+)[^\n]*+|https?://[^\s<>()]*+|&#?\w{1,32};|\{#[^{}\n]*+\}",
    re.IGNORECASE | re.MULTILINE,
)
_NO_WORD = re.compile(r"\W++")


def describe_lost_words(content: str, content_type: str, shown: str) -> str | None:
    """Return a note if `shown`, the plain text of the HTML, lacks more than a tenth of the words."""
    expected, actual = _count_words(_strip_markup(content, content_type)), _count_words(shown)
    if expected - actual < max(_MIN_LOST_WORDS, expected * _MAX_LOST_SHARE):
        return None
    return (
        f"Its HTML shows {actual:,} of about {expected:,} words; look for elements in the text that are not "
        "closed or not allowed."
    )


def _strip_markup(content: str, content_type: str) -> str:
    if content_type == "text":
        return content
    for start, end in _HIDDEN:
        first, *parts = content.split(start)
        content = " ".join([first, *(part.partition(end)[2] if end in part else part for part in parts)])
    return _MARKUP.sub(" ", _INLINE_TAG.sub("", content))


def list_words(content: str, content_type: str) -> str:
    """Return the words of a text without its markup, separated by spaces."""
    return " ".join(_NO_WORD.sub(" ", _strip_markup(content, content_type)).split())


def _count_words(text: str) -> int:
    return plain_text.measure_text(_NO_WORD.sub(" ", text)).word_count
