"""Leave out the parts of a text that visitors could not see, and find the marks that hide other parts."""

from __future__ import annotations

import re
from dataclasses import replace

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.privacy_signs import GHOST_GATE, HIDING_VALUES, TEXT_MARK
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.scanner import blank_code
from blogapi.rendering.hidden_elements import find_hidden, remove_spans

_HINT = re.compile("hidden|display|kg-gated-block", re.IGNORECASE)
# A `<` that begins no tag in Markdown.
_LESS_THAN_SIGN = re.compile(r"""(?<=\{\{)<|<(?!/?[a-z](?:"[^"]*+"|'[^']*+'|[^<>])*+>|!--)""", re.IGNORECASE)


def hide_parts(record: ArticleRecord) -> ArticleRecord:
    """Return the record without the parts of its text that visitors could not see, and with notes.

    It is a draft if a mark hides another part. Exports of blogapi stay as they are.
    """
    if record.exported is not None:
        return record
    content, notes = leave_out_hidden(record.content, record.content_type)
    record = replace(record, content=content, notes=(*record.notes, *notes))
    mark = _find_mark(record) if record.status != "archived" else None
    if not mark or not mark.lastgroup:
        return record
    name = f"{mark.lastgroup} “{mark[mark.lastgroup][:60]}”"
    note = f"The {name} hides a part of its text; the article became a draft."
    return replace(record, status="draft", is_undated=False, notes=(*record.notes, note))


def leave_out_hidden(content: str, content_type: str) -> tuple[str, list[str]]:
    """Return the text without the parts that visitors could not see, and notes."""
    if content_type == "text" or not _HINT.search(content):
        return content, []
    gates = [gate.span() for gate in GHOST_GATE.finditer(blank_code(content, content_type))]
    content = remove_spans(content, gates)
    text = blank_code(content, content_type)
    text = _LESS_THAN_SIGN.sub(" ", text) if content_type == "markdown" else text
    elements = list(find_hidden(text, HIDING_VALUES))
    notes = [
        f"The import left out {format_count(len(spans), 'part')} of the text that {reason}."
        for spans, reason in (
            (gates, "only members could read"),
            (elements, "browsers did not show (`hidden`, `display: none`)"),
        )
        if spans
    ]
    return remove_spans(content, elements), notes


def _find_mark(record: ArticleRecord) -> re.Match[str] | None:
    """Return the first mark outside of code; only generators read tags, and only Markdown has containers."""
    if not TEXT_MARK.search(record.content):
        return None
    kinds = {"tag"} if record.has_templates else set()
    kinds |= {"comment", "element"} if record.content_type != "text" else set()
    kinds |= {"container"} if record.content_type == "markdown" else set()
    marks = TEXT_MARK.finditer(blank_code(record.content, record.content_type))
    return next((mark for mark in marks if mark.lastgroup in kinds), None)
