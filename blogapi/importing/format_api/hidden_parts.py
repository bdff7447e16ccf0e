"""Remove the parts of a text that visitors could not see, and find the marks (TEXT_MARKS) of other parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from blogapi.importing.format_api import hiding_words, privacy_signs
from blogapi.importing.format_api.article_record import ArticleRecord, Guess
from blogapi.importing.format_api.privacy import make_guess
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.scanner import find_outside_code, replace_code_with_spaces
from blogapi.rendering.hidden_elements import find_hidden_spans, remove_spans

_HIDING_HINT = re.compile(
    r"hidden|display|kg-gated-block|<(?:template|dialog|noscript|script)\b|:\s*-\d{3}|\[(?://|comment|_)\]:",
    re.IGNORECASE,
)
_TAG = re.compile("<[^<>]*+>")
# Matches a `<` that does not begin a tag in Markdown.
_LESS_THAN_SIGN = re.compile(r"""(?<=\{\{)<|<(?!/?[a-z](?:"[^"]*+"|'[^']*+'|[^<>])*+>|!--)""", re.IGNORECASE)

# Matches the named parts of a text: comments, elements, containers, and tags of templates and of Handlebars.
_NAMED_PART = re.compile(
    r"<!--\s*+(?P<comment>[^\W\d_][\w \t:-]{1,40}?)\s*+-->"
    r"|<(?P<element>[A-Za-z][\w.-]*+)(?=[\s/>])(?P<attributes>[^<>]*+)(?P<void>(?<=/))?>"
    r"|^[ \t>]*+:{3,}+[ \t]*+\{?[.#]?(?P<container>[A-Za-z][\w-]*+)"
    r"|\{(?:\{[<%]|%)-?\s*+(?P<tag>[A-Za-z][\w-]*+)(?P<condition>[^%>}\n]{0,200})"
    r"|\{\{#(?P<block>[A-Za-z][\w-]*+)(?P<block_condition>[^{}\n]{0,200})\}\}",
    re.MULTILINE,
)
_END_NAME = re.compile(r"</([A-Za-z][\w.-]*+)|\{(?:\{[<%]|%)-?\s*+(?:/\s*+|end_?)([\w-]++)|\{\{/([\w-]++)")
_CONDITION_WORDS = re.compile(r"[@\w.-]+")
_PROGRAM_KEY_PREFIXES = ("ghost:", "substack:", "wordpress:")
_CONDITIONAL_TAGS = {"if", "unless"}


def apply_hiding_signs(record: ArticleRecord) -> ArticleRecord:
    """Return the record without the parts of its text that visitors could not see, and with notes.

    The record becomes a draft if a mark hides another part. Otherwise, the record gets a guess for each part
    whose name has a word of `hiding_words`. Exports of blogapi are not changed.
    """
    if record.uuid is not None:
        return record
    text, notes, parts, unclear = remove_hidden_text(record.content, record.content_type, keeps_unclear=True)
    record = replace(record, content=text, notes=(*record.notes, *notes), left_out=(*record.left_out, *parts))
    mark = _find_hiding_mark(record)
    if record.content_type != "text" and not mark:
        known = {guess.name.casefold() for guess in record.guesses}
        found = {it.name.casefold(): it for it in _find_guesses_in_text(record)}
        new = (guess for name, guess in found.items() if name not in known)
        record = replace(record, guesses=(*record.guesses, *new))
    if record.status == "archived" or not (mark or unclear):
        return record
    reason = "It is unclear where a hidden element of its text ends"
    if mark and mark.lastgroup:
        reason = f"The {mark.lastgroup} “{mark[mark.lastgroup][:60]}” hides a part of its text"
    note = f"{reason}; the article became a draft."
    return replace(record, status="draft", is_undated=False, notes=(*record.notes, note))


def remove_hidden_text(
    content: str, content_type: str, *, keeps_unclear: bool = False
) -> tuple[str, list[str], list[str], bool]:
    """Return the text without the parts that visitors could not see, notes, and a list of these parts.

    With `keeps_unclear`, hidden elements without a clear end stay in the text; the last value says if any do.
    """
    if content_type == "text" or not _HIDING_HINT.search(content):
        return content, [], [], False
    blank = replace_code_with_spaces(content, content_type)
    gated_spans = [block.span() for block in privacy_signs.GHOST_GATED_BLOCK.finditer(blank)]
    parts = [content[slice(*span)] for span in gated_spans]
    content, comments = remove_spans(content, gated_spans), list[tuple[int, int]]()
    if content_type == "markdown":
        matches = find_outside_code(content, content_type, privacy_signs.LINK_COMMENT, r" \[")
        comments += (match.span() for match in matches)
        parts += [content[slice(*span)] for span in comments]
        content = remove_spans(content, comments)
    text = replace_code_with_spaces(content, content_type)
    text = _LESS_THAN_SIGN.sub(" ", text) if content_type == "markdown" else text
    # Append a space, so that the span of an element without an end is longer than the original text.
    spans = ((it, text[slice(*it)]) for it in find_hidden_spans(f"{text} ", privacy_signs.HIDING_ATTRIBUTES))
    # A <noscript> without a text is a fallback, such as the picture of a lazy loader.
    found = [it for it, part in spans if part[:9].lower() != "<noscript" or _TAG.sub("", part).strip()]
    # In Markdown, the span of an element without an end tag would include visible paragraphs.
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
            (comments, "are comments of Markdown"),
            (elements, "browsers did not show (`hidden`, `display: none`)"),
        )
        if spans
    ]
    parts += (content[slice(*span)] for span in elements)
    return remove_spans(content, elements), notes, parts, len(elements) < len(found)


def _find_hiding_mark(record: ArticleRecord) -> re.Match[str] | None:
    if not privacy_signs.TEXT_MARK.search(record.content):
        return None
    hides = {"tag": record.has_templates, "element": record.content_type != "text"}
    # Posts that came from Ghost to Jekyll have comments of Ghost, which hid nothing in Jekyll.
    hides["comment"] = hides["element"] and record.generator != "jekyll"
    hides["container"] = record.content_type == "markdown"
    text = replace_code_with_spaces(record.content, record.content_type)
    ends = {"", *(name.lower() for name in privacy_signs.END_TAG.findall(text))}
    marks = (mark for mark in privacy_signs.TEXT_MARK.finditer(text) if (mark["pair"] or "").lower() in ends)
    return next((mark for mark in marks if hides.get(mark.lastgroup or "")), None)


def _find_guesses_in_text(record: ArticleRecord) -> Iterator[Guess]:
    shown, ends = set[tuple[str | None, ...]](), set[str]()
    # In files of a known generator, a comment can be a remark of the author, which hides nothing.
    is_plain_markdown = record.content_type == "markdown" and not record.generator
    has_comments = record.key.startswith(_PROGRAM_KEY_PREFIXES) or is_plain_markdown
    for found in dict.fromkeys(it.groups() for it in _NAMED_PART.finditer(record.content)):
        comment, element, attributes, void, container, tag, condition, block, block_condition = found
        name, kind = element or container or tag or block or "", "tag"
        subject = f"The {'element' if element else 'container' if container else 'tag'} “{name[:60]}”"
        if comment:
            if not (has_comments and hiding_words.is_hiding_comment(comment)):
                continue
            name, kind, subject = comment.strip().lower(), "comment", f"The comment “{comment.strip()}”"
        elif name.lower() in _CONDITIONAL_TAGS:
            if not (words := _describe_reader_condition(name, condition or block_condition or "")):
                continue
            subject = f"The condition “{words}”"
        elif (
            (container and record.content_type != "markdown")
            or (tag and not record.has_templates)
            or not (
                hiding_words.is_hiding_name(name)
                # A component of a site begins with a capital letter; a `label` of HTML also has `for`.
                or (name[0].isupper() and hiding_words.has_hiding_attribute(attributes or ""))
            )
        ):
            continue
        if not ends:
            # Only the few texts with names of hidden parts are searched for code, because this is slow.
            text = replace_code_with_spaces(record.content, record.content_type)
            shown = {it.groups() for it in _NAMED_PART.finditer(text)}
            ends = {next(filter(None, groups)).lower() for groups in _END_NAME.findall(text)} | {""}
        is_enclosing = bool(comment or container) or (name.lower() in ends and void is None)
        if (is_enclosing or hiding_words.is_paywall_name(name)) and found in shown:
            yield make_guess(kind, words if name.lower() in _CONDITIONAL_TAGS else name, subject)


def _describe_reader_condition(name: str, condition: str) -> str:
    """Return the tag with its condition, or "" if the condition is not about readers or is negated."""
    is_negated = (name.lower() == "unless") != bool(re.search(r"!(?!=)|\bnot\b|== *false\b", condition))
    words = _CONDITION_WORDS.findall(condition)
    is_about_reader = any(
        word.lstrip("@").partition(".")[0] in ("user", "member", "visitor", "current_user", "currentUser")
        or hiding_words.is_hiding_name(word)
        for word in words
    )
    return f"{name} {' '.join(words)}" if is_about_reader and not is_negated else ""
