"""Makes the plain text of sanitized HTML, and its excerpt, number of words and reading time."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from blogapi.rendering.characters import FORBIDDEN_CHARACTER
from blogapi.rendering.players import remove_players

WORDS_PER_MINUTE = 220
# The reading speed for Chinese, Japanese and Korean, whose length is counted in characters.
CHARACTERS_PER_MINUTE = 500
MAX_EXCERPT_LENGTH = 200
MAX_LABEL_LENGTH = 100

# Kana, Han and Hangul.
_CJK_CHARACTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")

# nh3 escapes `<` and `>` in the values of attributes, and it writes only the entities in _ENTITIES.
_TAG = re.compile(r"<[^<>]*>")
# Inline elements, whose tags do not separate words.
INLINE_ELEMENTS = (
    "a|abbr|acronym|b|bdi|bdo|cite|code|data|del|dfn|em|i|ins|kbd|mark|q|ruby|s|samp|small|span|strike|strong|sub"
    "|time|tt|u|var|wbr"
)
# `10<sup>th</sup>` is one word; a footnote mark, an exponent or a verse number is not part of a word.
_INLINE_TAG = re.compile(rf"</?(?:{INLINE_ELEMENTS})(?: [^<>]*)?>|<sup(?: [^<>]*)?>(?=[^\W\d])|</sup>(?!\w)")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&nbsp;", " "), ("&amp;", "&"))

_PICTURE, _ALT = re.compile(r"<img([^<>]*)>"), re.compile(r' alt="([^"]*)"')

# Characters, of several scripts, that are removed from the end of a shortened text.
_CUT_PUNCTUATION = (
    " .,;:!?([{\xb7-\u2013\u2014\u2026\u201e\u060c\u061b\u061f\u0964"
    "\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f"
)

#: The reference to a footnote that the renderer writes. The text of a heading does not contain it.
FOOTNOTE_REFERENCE = re.compile(r'<sup class="footnote-ref">(?:[^<]++|<(?!/?sup))*+</sup>')
# A link whose text is the mark of a footnote.
_FOOTNOTE_MARK = r"\[?(?:[0-9]{1,3}|[*\u2020\u2021\xa7\u21a9\ufe0e]++)\]?"
_FOOTNOTE_MARK_LINK = re.compile(rf"(?:<sup[^<>]*+>)?<a ([^<>]*+)>{_FOOTNOTE_MARK}</a>(?:</sup>)?")
_BLOCK = re.compile(r"<(?:section|div|ol) [^<>]*+>")
_HAS_FOOTNOTES = re.compile(r'class="(?:[^"]* )?(?:wp-block-)?footnotes[ "]')
_HEADING = re.compile(r"<h([1-6])(?: [^<>]*+)?>(?:[^<]++|<(?!/?h[1-6][ >]))*+</h\1>")
# Matches the last letter of a list item or of a cell; after punctuation, no separator is added.
_ITEM_END = re.compile(
    rf"([^\s<>{re.escape(_CUT_PUNCTUATION)}])"
    r"(?=\s*+(?:</[a-z0-9]++>\s*+)*?(?:</(?:li|t[dh]|d[dt])>|<[uo]l[ >]))"
)
_SEPARATOR = " \xb7"
_BARE_URL = re.compile(
    r"(?<![0-9A-Za-z])(?:(?:https?|ftp)://(?:[^\s/?#@]*+@)?|(?=www\.))([0-9A-Za-z.-]*[0-9A-Za-z])"
    r"(?:[!-~]*[0-9A-Za-z]/?|/)?(\)/?)?"
)


def to_plain_text(html: str) -> str:
    """Return the text of sanitized HTML as one line, without markup and forbidden characters."""
    text = decode_entities(_TAG.sub(" ", _INLINE_TAG.sub("", html)))
    # An entity such as `&#127;` can stand for a forbidden character.
    return " ".join(FORBIDDEN_CHARACTER.sub("", text).split())


def decode_entities(text: str) -> str:
    """Return a text or an attribute value of sanitized HTML without entities."""
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def make_excerpt(html: str) -> str:
    """Return the beginning of the text of sanitized HTML: at most MAX_EXCERPT_LENGTH characters.

    The excerpt ends between two words. It contains no headings, code blocks, players or footnotes;
    `·` separates the items of lists and the cells of tables, and bare URLs are shortened to their host.
    """
    start, *rest = remove_players(html).split("<pre")
    html = start + "".join(part.partition("</pre>")[2] for part in rest)
    html = _HEADING.sub(" ", html)
    html = _remove_footnote_marks(html)
    # The footnotes are at the end of the HTML.
    end = next((block.start() for block in _BLOCK.finditer(html) if _HAS_FOOTNOTES.search(block[0])), None)
    html = _ITEM_END.sub(rf"\1{_SEPARATOR}", html[:end])
    text = to_plain_text(html)
    if "://" in text or "www." in text:
        text = _BARE_URL.sub(_shorten_url_to_host, text)
    return shorten_text(text.strip().removesuffix(_SEPARATOR), MAX_EXCERPT_LENGTH)


def make_label(html: str) -> str:
    """Return the text of sanitized HTML with alt texts for pictures, at most MAX_LABEL_LENGTH characters."""
    html = _PICTURE.sub(lambda picture: " ".join(_ALT.findall(picture[1])), _remove_footnote_marks(html))
    return shorten_text(to_plain_text(html), MAX_LABEL_LENGTH)


def _remove_footnote_marks(html: str) -> str:
    if 'href="#' not in html:
        return html
    return _FOOTNOTE_MARK_LINK.sub(lambda link: "" if 'href="#' in link[1] else link[0], html)


def _shorten_url_to_host(url: re.Match[str]) -> str:
    # A `)` belongs to the address if the address contains a `(`, otherwise to the text around the address.
    is_closed = url[0].count("(") >= url[0].count(")")
    return url[1] if is_closed else url[1] + (url[2] or "")


def shorten_text(text: str, max_length: int) -> str:
    """Return the text if it has at most `max_length` characters, otherwise its beginning and `…`."""
    if len(text) <= max_length:
        return text
    beginning = text[: max_length - 1]
    end = beginning.rfind(" ")
    return f"{(beginning[:end] if end > max_length // 2 else beginning).rstrip(_CUT_PUNCTUATION)}…"


class TextLength(NamedTuple):
    """The length of a plain text: its number of words, and the minutes it takes to read it (1 or more)."""

    word_count: int
    reading_minutes: int


def measure_text(text: str) -> TextLength:
    """Return the length of a plain text; each Chinese, Japanese or Korean character counts as one word."""
    spaced, unspaced = _CJK_CHARACTER.subn(" ", text)
    words = len(spaced.split())
    minutes = unspaced / CHARACTERS_PER_MINUTE + words / WORDS_PER_MINUTE
    return TextLength(words + unspaced, max(1, math.ceil(minutes)))
