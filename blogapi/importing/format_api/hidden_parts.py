"""Leave out the parts of a text that visitors could not see, and find the marks that hide other parts."""

from __future__ import annotations

import re
from dataclasses import replace

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.privacy_signs import (
    GHOST_GATE,
    GHOST_GATE_END,
    GHOST_GATE_HIDES,
    TEXT_MARK,
    is_hiding_attribute,
)
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.scanner import blank_code
from blogapi.rendering.hidden_elements import find_hidden, remove_spans

# A `<` that begins no tag in Markdown.
_LESS_THAN_SIGN = re.compile(r"(?<=\{\{)<|<(?!/?[a-z][^<>]*+>|!--)", re.IGNORECASE)


def hide_parts(record: ArticleRecord) -> ArticleRecord:
    """Return the record without the parts of its text that visitors could not see, and with notes.

    It is a draft if a mark hides another part. Exports of blogapi stay as they are.
    """
    if record.exported is not None:
        return record
    content, notes = leave_out_hidden(record.content, record.content_type)
    mark = _find_mark(content, record) if record.status != "archived" else None
    if mark and mark.lastgroup:
        name = f"{mark.lastgroup} “{mark[mark.lastgroup][:60]}”"
        notes.append(f"The {name} hides a part of its text; the article became a draft.")
    if not notes:
        return record
    return replace(
        record,
        content=content,
        status="draft" if mark else record.status,
        is_undated=record.is_undated and not mark,
        notes=(*record.notes, *notes),
    )


def leave_out_hidden(content: str, content_type: str) -> tuple[str, list[str]]:
    """Return the text without the parts that visitors could not see, and notes."""
    if content_type == "text":
        return content, []
    notes, gated = [], 0
    if GHOST_GATE in content:
        content, gated = remove_gated(content, blank_code(content, content_type))
    if gated:
        parts = format_count(gated, "part")
        notes.append(f"The import left out {parts} of the text that only members could read.")
    lowered, spans = content.lower(), list[tuple[int, int]]()
    if "hidden" in lowered or "display" in lowered:
        text = blank_code(content, content_type)
        text = _LESS_THAN_SIGN.sub(" ", text) if content_type == "markdown" else text
        spans += find_hidden(text, is_hiding_attribute)
    if spans:
        parts = format_count(len(spans), "part")
        notes.append(
            f"The import left out {parts} of the text that browsers did not show (`hidden`, `display: none`)."
        )
    return remove_spans(content, spans), notes


def remove_gated(content: str, text: str) -> tuple[str, int]:
    """Return the content without the parts that Ghost showed only to members, and their number.

    They are looked for in `text`, which has the same places.
    """
    spans: list[tuple[int, int]] = []
    start = text.find(GHOST_GATE)
    while start >= 0:
        condition, gate_end = text[start : text.find("-->", start)], text.find(GHOST_GATE_END, start)
        end = gate_end + len(GHOST_GATE_END) if gate_end >= 0 else len(text)
        if GHOST_GATE_HIDES in condition.replace(" ", ""):
            spans.append((start, end))
        start = text.find(GHOST_GATE, end)
    return remove_spans(content, spans), len(spans)


def _find_mark(content: str, record: ArticleRecord) -> re.Match[str] | None:
    """Return the first mark outside of code; only generators read tags, and only Markdown has containers."""
    if not TEXT_MARK.search(content):
        return None
    kinds = {"tag"} if record.has_templates else set()
    kinds |= {"comment", "element"} if record.content_type != "text" else set()
    kinds |= {"container"} if record.content_type == "markdown" else set()
    content_type = "html" if record.content_type == "html" else "markdown"
    marks = TEXT_MARK.finditer(blank_code(content, content_type))
    return next((mark for mark in marks if mark.lastgroup in kinds), None)
