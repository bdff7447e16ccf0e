"""Create the paragraphs and line breaks that WordPress adds to posts of its classic editor.

WordPress stores these posts without `<p>` and `<br>`: a blank line begins a paragraph, any other line break
is shown as a line break. `add_paragraphs` takes time in proportion to the length of the text.
"""

from __future__ import annotations

import re
from collections import Counter

from blogapi.importing.formats.wordpress.conversion import BLOCK_PLACEHOLDER, COMMENT_PLACEHOLDER

# Elements that cannot be in a paragraph.
_BLOCKS = (
    "address|article|aside|blockquote|caption|center|col|colgroup|dd|details|div|dl|dt|fieldset|figcaption|"
    "figure|footer|form|h[1-6]|header|hgroup|hr|legend|li|main|map|menu|nav|ol|p|pre|section|summary|table|"
    "tbody|td|tfoot|th|thead|tr|ul"
)
_EMPTY_ELEMENTS = frozenset({"col", "hr"})

# Three groups of elements: the text in _WITHOUT_TEXT is white space and stays unchanged; the text in
# _WITHOUT_PARAGRAPHS gets line breaks and no paragraphs; the text in _ALWAYS_PARAGRAPHS always becomes
# paragraphs. In all other elements, text with a blank line becomes paragraphs.
_WITHOUT_TEXT = re.compile("colgroup|dl|hgroup|map|menu|ol|table|tbody|tfoot|thead|tr|ul").fullmatch
_WITHOUT_PARAGRAPHS = re.compile("caption|dt|figcaption|h[1-6]|legend|pre|summary").fullmatch
_ALWAYS_PARAGRAPHS = frozenset({"", "blockquote"})  # "" = outside of all elements

_TOKEN = re.compile(rf"<(?P<end>/?)(?P<name>{_BLOCKS})(?=[\s/>])[^<>]*+>|{BLOCK_PLACEHOLDER}", re.IGNORECASE)
_TAG_WITH_LINES = re.compile(r"<[a-zA-Z/][^<>\n]*+\n[^<>]*+>")
_LINE_BREAKS = re.compile(r"<br\s*+/?>\s*+(?:<br\s*+/?>\s*+)++", re.IGNORECASE)
_ENDS_WITH_BREAK = re.compile(r"<br\s*/?>\Z", re.IGNORECASE)
_INVISIBLE_MARKUP = re.compile(
    rf"</?(?!img|input|iframe|object|embed|video|audio)[a-z][^<>]*+>|{COMMENT_PLACEHOLDER}"
)


def add_paragraphs(text: str) -> str:
    """Return the text with `<p>` and `<br />`; placeholders of blocks are between paragraphs."""
    text = _LINE_BREAKS.sub("\n\n", _TAG_WITH_LINES.sub(lambda tag: tag[0].replace("\n", " "), text))
    writer = _ParagraphWriter()
    end = 0
    for token in _TOKEN.finditer(text):
        writer.write_text(text[end : token.start()])
        writer.write_token(token[0], (token["name"] or "").lower(), is_end=bool(token["end"]))
        end = token.end()
    writer.write_text(text[end:])
    return "".join(writer.html).strip("\n")


class _ParagraphWriter:
    def __init__(self) -> None:
        self.html: list[str] = []
        self._stack: list[str] = []
        self._counts: Counter[str] = Counter()

    def write_token(self, token: str, name: str, *, is_end: bool) -> None:
        is_start = bool(name) and not is_end
        if is_start and self._get_parent() == "p":
            self._close_element()
        if is_start and name not in _EMPTY_ELEMENTS:
            self._stack.append(name)
            self._counts[name] += 1
            self.html.append(token)
            return
        if is_end and self._counts[name]:
            while self._close_element() != name:
                pass
        elif is_end and name == "p":
            token = ""  # Browsers show an empty paragraph for a `</p>` without a start tag.
        self.html.append(f"{token}\n")

    def write_text(self, text: str) -> None:
        """Write the text between two tokens, as paragraphs if its parent element may contain paragraphs."""
        if not text or text.isspace():
            return
        parent = self._get_parent()
        chunks = _split_at_blank_lines(text)
        if _WITHOUT_TEXT(parent):
            self.html.append(text)
        elif _WITHOUT_PARAGRAPHS(parent):
            self.html.append("<br />\n".join(chunks))
        elif parent == "p":
            self.html.append("</p>\n<p>".join(chunks))
        elif len(chunks) == 1 and parent not in _ALWAYS_PARAGRAPHS:
            self.html.append(chunks[0])
        else:
            for chunk in chunks:
                is_visible = chunk[0] not in "<\x04" or _INVISIBLE_MARKUP.sub("", chunk).strip()
                self.html.append(f"<p>{chunk}</p>\n" if is_visible else chunk)

    def _get_parent(self) -> str:
        return self._stack[-1] if self._stack else ""

    def _close_element(self) -> str:
        name = self._stack.pop()
        self._counts[name] -= 1
        return name


def _split_at_blank_lines(text: str) -> list[str]:
    """Return the groups of lines between blank lines, each with `<br />` between its lines."""
    chunks: list[list[str]] = [[]]
    for line in map(str.strip, text.split("\n")):
        if line:
            chunks[-1].append(line)
        elif chunks[-1]:
            chunks.append([])
    ended = [
        [f"{it}\n" if _ENDS_WITH_BREAK.search(it[-12:]) else f"{it}<br />\n" for it in lines[:-1]]
        for lines in chunks
    ]
    return ["".join(first) + lines[-1] for first, lines in zip(ended, chunks, strict=True) if lines]
