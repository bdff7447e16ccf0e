"""Turn containers of VuePress, Docusaurus, Pandoc (`:::`) and MkDocs (`!!!`, `???`, `===`) into quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from blogapi.importing.format_api.privacy_signs import TEXT_MARK
from blogapi.importing.templates.tag_markup import LinkFinder, ResolvedText
from blogapi.importing.texts.lines import markdown_to_line
from blogapi.importing.texts.scanner import find_outside_code

_ALERT_KINDS = {
    **dict.fromkeys(("note", "info", "abstract", "summary", "example", "question", "seealso"), "NOTE"),
    **dict.fromkeys(("todo", "details", "spoiler", "quote", "cite", "secondary"), "NOTE"),
    **dict.fromkeys(("tip", "hint", "success", "check"), "TIP"),
    "important": "IMPORTANT",
    **dict.fromkeys(("warning", "warn", "attention"), "WARNING"),
    **dict.fromkeys(("caution", "danger", "error", "failure", "bug"), "CAUTION"),
}
# `::: tip Title`, `:::tip[Title]{#id}`, `::: {.tip title="Title"}`, `!!! note inline "Title"`, `=== "Tab"`.
_CONTAINER_MARK = re.compile(
    r"(?<!\S)(?:(?P<colons>:{3,}+)[ \t]*+(?:\{[.#]?+)?+(?:alert[ .-]++|callout-)*+(?P<kind>[A-Za-z][\w-]*+)?+"
    r"(?P<rest>[^\n]*+)|(?:(?:!!!|\?\?\?\+?+)[ \t]*+(?P<box>[A-Za-z][\w-]*+)|===[!+]?(?= \"))"
    r"(?:(?: ++[\w-]++)*+ *+\"(?P<title>[^\"\n]*+)\"|(?: ++(?:inline|end))*+)[ \t]*+$)",
    re.MULTILINE,
)
_TITLE = re.compile(
    r"\[(.*)\]|.*?\b(?:title|label|summary)=\"([^\"]*+)|(?:[^{}]*+\})?+(.*?)(?:\{[^{}]*+\})?$"
)
_MAX_CONTAINER_DEPTH = 10


def resolve_containers(content: str, content_type: str, targets: LinkFinder) -> ResolvedText:
    """Return Markdown with containers outside code as alerts and quotes, and the unknown containers."""
    unknown = Counter[str]()
    if content_type == "markdown" and _CONTAINER_MARK.search(content):
        content = _convert_containers(content, unknown, _MAX_CONTAINER_DEPTH)
    return ResolvedText(content, unknown)


def _convert_containers(text: str, unknown: Counter[str], depth: int) -> str:
    parts, position = list[str](), 0
    for start, inner_end, end, mark in sorted(_find_containers(text, unknown)) if depth else ():
        if start >= position:
            indent, step = text[start : mark.start()], "" if mark["colons"] else r"(?: {4}|\t)"
            inner = re.sub(f"(?m)^{indent}{step}", "", text[mark.end() + 1 : inner_end])
            block = _make_quote(mark, _convert_containers(inner, unknown, depth - 1), unknown)
            # Without blank lines, Markdown would add the text around a quote to the quote.
            before = "\n" * bool(text[max(0, start - 2) : start].strip())
            after = "\n" * bool(text[end : end + 2].strip())
            parts += [text[position:start], before, re.sub(r"(?m)^(?=.)", indent, block), after]
            position = end
    return "".join([*parts, text[position:]])


def _find_containers(text: str, unknown: Counter[str]) -> Iterator[tuple[int, int, int, re.Match[str]]]:
    opened, end = list[tuple[int, re.Match[str]]](), 0
    for mark in find_outside_code(text, "markdown", _CONTAINER_MARK, ":!?="):
        start = text.rfind("\n", 0, mark.start()) + 1
        indent = text[start : mark.start()]
        if start < end or indent.strip():
            continue
        if not mark["colons"]:
            lines = re.compile(rf"(?:(?:\n[ \t]*+(?=\n))*+\n{indent}(?: {{4}}|\t)[^\n]*+)++")
            if inner := lines.match(text, mark.end()):
                end = inner.end()
                yield start, end, end, mark
        elif mark[0].strip(" \t:"):
            opened.append((start, mark))
        elif opened:
            first, opening = opened.pop()
            yield first, start - 1, mark.end(), opening
    unknown.update(f":::{mark['kind'] or ''}" for _, mark in opened)


def _make_quote(mark: re.Match[str], inner: str, unknown: Counter[str]) -> str:
    """Return an alert; an unknown kind becomes a quote if it has a title, otherwise only its text."""
    kind, title = mark["kind"] or mark["box"] or "", mark["title"]
    alert = _ALERT_KINDS.get(kind.lower(), "NOTE" if mark["box"] else "")
    if mark["colons"]:
        titles = _TITLE.match(mark["rest"].rstrip(" \t:")).groups("")  # type: ignore[union-attr]
        title = "".join(titles).strip() or None
        unknown.update([] if alert else [f":::{kind}"])
    if alert:
        # The title of an alert is plain text.
        if title and "](" in title:
            inner, title = f"**{title}**\n\n{inner}", ""
        default = "" if kind.upper() == alert else kind.capitalize()
        title = f"[!{alert}] {default if title is None else markdown_to_line(title)}".rstrip()
        inner = f"{title}\n{inner}"
    elif title or TEXT_MARK.match(mark[0]):
        inner = f"**{title or kind}**\n\n" + inner.lstrip("\n")
    else:
        return inner
    return re.sub(r"(?m)^", "> ", inner)
