"""Renders Markdown to HTML: CommonMark with tables, footnotes, task lists, strikethrough and autolinks."""

from __future__ import annotations

import re
import secrets
from functools import cache
from threading import Lock
from typing import Any

from cmarkgfm._cmark import ffi, lib
from cmarkgfm.cmark import Options

# The maximum number of references and definitions of footnotes. A reference of 4 characters becomes 300
# characters of HTML.
MAX_FOOTNOTES = 4_000

# The extension "tasklist" is not used, because it does not recognize task lists in quotes.
_EXTENSIONS = ("table", "strikethrough", "autolink")
_OPTIONS: int = (
    # Raw HTML is kept here, because the sanitizer cleans it later.
    Options.CMARK_OPT_UNSAFE
    | Options.CMARK_OPT_FOOTNOTES
    # Only two tildes strike text through, because one tilde can mean “about” or a subscript.
    | Options.CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE
)

# Matches the start of a Hugo shortcode without a space before its name, which Markdown reads as an HTML tag.
_SHORTCODE = re.compile(r"\{\{<(?=[\w/])")

_FOOTNOTE = re.compile(r"\[\^(?=[^][\s]+\])")
_FOOTNOTE_DEFINITION = re.compile(r"\[\^[^][\s]+\]:")

# The ids of the renderer's footnotes contain this mark (`fn-…1`) until the sanitizer removes it. Authors
# cannot guess the mark, so it distinguishes these ids from an id `fn-1` that an author wrote.
FOOTNOTE_MARK = secrets.token_hex(16)

_TASK = re.compile(r"<li>(\n<p>)?\[([ xX])\] ")

_AUTOLINK = re.compile(r'<a href="(https?://[^"<>]*+)">((?:https?://|www\.)[^<]*+)</a>')
_AUTOLINK_IN_LINK = re.compile(r'(<a\s[^<>]*>[^<]*)<a href="[^"<>]*">([^<]*)</a>(?=[^<]*</a>)')

# All parsers of cmark share tables of special characters, so only one parser may run at a time.
_LOCK = Lock()


def render_markdown(content: str) -> str | None:
    """Return the Markdown as HTML that is not sanitized yet; the ids of its footnotes contain FOOTNOTE_MARK.

    Returns None if the Markdown would take long to render.
    """
    content = _SHORTCODE.sub("{{< ", content)
    if _FOOTNOTE_DEFINITION.search(content):
        content, footnotes = _FOOTNOTE.subn(f"[^{FOOTNOTE_MARK}", content)
        if footnotes > MAX_FOOTNOTES:
            return None
    html = _AUTOLINK.sub(_unescape_autolink, _render(content.encode("utf-8", "replace")))
    html = _TASK.sub(_make_checkbox, _AUTOLINK_IN_LINK.sub(r"\1\2", html))
    return html.replace('<ul>\n<li class="task', '<ul class="contains-task-list">\n<li class="task')


def _render(content: bytes) -> str:
    with _LOCK:
        parser = lib.cmark_parser_new(_OPTIONS)
        for extension in _find_extensions():
            lib.cmark_parser_attach_syntax_extension(parser, extension)
        lib.cmark_parser_feed(parser, content, len(content))
        document = lib.cmark_parser_finish(parser)
        html = lib.cmark_render_html(document, _OPTIONS, lib.cmark_parser_get_syntax_extensions(parser))
        rendered: bytes = ffi.string(html)
        _free(parser, document, html)
    return rendered.decode("utf-8")


def _free(parser: Any, document: Any, html: Any) -> None:
    """Free the memory of a rendering.

    cmarkgfm frees neither the document nor the HTML (1 MB for 10 kB of Markdown) and has no function for it.
    This function moves the document back into the third field of the parser, so that `cmark_parser_free`
    frees it. The other blocks of memory are freed by `cmark_llist_free`, which frees any block whose first
    word (the next item of a list) is NULL.
    """
    fields = ffi.cast("void **", parser)
    allocator, empty_document = fields[0], fields[2]
    fields[2] = document
    # The block of an empty text has one byte, which is too small for a NULL. All other blocks have at least
    # eight bytes.
    for block in (empty_document, html) if html[0] != b"\0" else (empty_document,):
        ffi.cast("void **", block)[0] = ffi.NULL
        lib.cmark_llist_free(allocator, ffi.cast("cmark_llist *", block))
    lib.cmark_parser_free(parser)


@cache
def _find_extensions() -> tuple[Any, ...]:
    lib.cmark_gfm_core_extensions_ensure_registered()
    return tuple(lib.cmark_find_syntax_extension(name.encode()) for name in _EXTENSIONS)


def _unescape_autolink(link: re.Match[str]) -> str:
    """Return the link without the backslashes of escapes such as `\\_`; cmark adds them to the URL."""
    return link[0].replace("\\", "").replace("%5C", "") if "\\" in link[2] else link[0]


def _make_checkbox(task: re.Match[str]) -> str:
    """Return the start of a task list item with the classes that GitHub uses."""
    checked = "" if task[2] == " " else ' checked=""'
    box = f'<input type="checkbox" class="task-list-item-checkbox" disabled=""{checked}>'
    return f'<li class="task-list-item">{task[1] or ""}{box} '
