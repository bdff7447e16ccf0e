"""Leave out the parts of a text that visitors could not see, and find marks (TEXT_MARKS) that hide others."""

from __future__ import annotations

import re
from dataclasses import replace

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.privacy_signs import END_TAG, GHOST_GATED_BLOCK, HIDING_VALUES, TEXT_MARK
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.scanner import blank_code
from blogapi.rendering.hidden_elements import find_hidden, remove_spans

_HINT = re.compile("hidden|display|kg-gated-block", re.IGNORECASE)
# A `<` that begins no tag in Markdown.
_LESS_THAN_SIGN = re.compile(r"""(?<=\{\{)<|<(?!/?[a-z](?:"[^"]*+"|'[^']*+'|[^<>])*+>|!--)""", re.IGNORECASE)


def hide_parts(record: ArticleRecord) -> ArticleRecord:
    """Return the record without the parts of its text that visitors could not see, and with notes.

    The record becomes a draft if a mark hides another part. Exports of blogapi are not changed.
    """
    if record.exported is not None:
        return record
    text, notes, parts, unclear = leave_out_hidden(record.content, record.content_type, keeps_unclear=True)
    record = replace(record, content=text, notes=(*record.notes, *notes), left_out=(*record.left_out, *parts))
    mark = _find_mark(record)
    if record.status == "archived" or not (mark or unclear):
        return record
    reason = "It is unclear where an element that browsers did not show ends"
    if mark and mark.lastgroup:
        reason = f"The {mark.lastgroup} “{mark[mark.lastgroup][:60]}” hides a part of its text"
    note = f"{reason}; the article became a draft."
    return replace(record, status="draft", is_undated=False, notes=(*record.notes, note))


def leave_out_hidden(
    content: str, content_type: str, *, keeps_unclear: bool = False
) -> tuple[str, list[str], list[str], bool]:
    """Return the text without the parts that visitors could not see, notes, and a list of these parts.

    With `keeps_unclear`, hidden elements without a clear end stay in the text; the last value is whether
    there are any.
    """
    if content_type == "text" or not _HINT.search(content):
        return content, [], [], False
    gated_spans = [block.span() for block in GHOST_GATED_BLOCK.finditer(blank_code(content, content_type))]
    parts = [content[slice(*span)] for span in gated_spans]
    content = remove_spans(content, gated_spans)
    text = blank_code(content, content_type)
    text = _LESS_THAN_SIGN.sub(" ", text) if content_type == "markdown" else text
    # Append a character, so that an element without an end ends behind the text.
    found = list(find_hidden(f"{text} ", HIDING_VALUES))
    # In Markdown, an element without an end tag would reach to a later tag, over visible paragraphs.
    gap = "\n\n" if content_type == "markdown" else f"{text} "
    elements = [
        (start, end)
        for start, end in found
        if not keeps_unclear or (end <= len(text) and (gap not in text[start:end] or text[end - 1] == ">"))
    ]
    notes = [
        f"The import left out {format_count(len(spans), 'part')} of the text that {reason}."
        for spans, reason in (
            (gated_spans, "only members could read"),
            (elements, "browsers did not show (`hidden`, `display: none`)"),
        )
        if spans
    ]
    parts += (content[slice(*span)] for span in elements)
    return remove_spans(content, elements), notes, parts, len(elements) < len(found)


def _find_mark(record: ArticleRecord) -> re.Match[str] | None:
    """Return the first mark outside of code, of a kind that the content type can have, or None."""
    if not TEXT_MARK.search(record.content):
        return None
    kinds = {"tag"} if record.has_templates else set()
    kinds |= {"comment", "element"} if record.content_type != "text" else set()
    kinds |= {"container"} if record.content_type == "markdown" else set()
    text = blank_code(record.content, record.content_type)
    ends = {"", *(name.lower() for name in END_TAG.findall(text))}
    marks = (mark for mark in TEXT_MARK.finditer(text) if (mark["pair"] or "").lower() in ends)
    return next((mark for mark in marks if mark.lastgroup in kinds), None)
