"""Turn the notes and warnings of Docusaurus, VuePress, Quarto and MkDocs into quotes.

These are `:::tip Title` to `:::`, and `!!! tip "Title"` with an indented text.
"""

from __future__ import annotations

import re

from blogapi.transfer.link_targets import LinkTargets
from blogapi.transfer.markdown.tag_markup import Resolved, render_inline

_KIND = (
    r"(?P<kind>note|tip|info|warning|danger|caution|important|success|abstract|example|question|quote|bug|failure"
    r"|details|secondary|attention|hint|error|todo|seealso|summary|tldr|warn)"
)
_TITLE = r"(?:title\s*+=\s*+)?[\"“](?P<quoted>[^\"”\n]{0,300})[\"”]|\[(?P<bracketed>[^\]\n]{0,300})\]"
_COLONS = r"[ \t]*+:{3,}"
# A block of code, which stays as it is.
_FENCE = (
    r"[ \t]*+(?P<fence>`{3,}+|~{3,}+)[^\n]*+(?:\n(?![ \t]*+(?P=fence)[`~]*+[ \t]*$)[^\n]*+)*+(?:\n[^\n]*+)?+"
)
# Each pattern matches a note without notes in its text; the notes around it follow in the next round.
_CONTAINER = re.compile(
    rf"^(?:(?P<indent>[ \t]*+):{{3,}}+[ \t]*+\{{?+[ \t]*+(?:\.?(?:callout|admonition)-)?\.?{_KIND}"
    rf"(?:(?=[\s{{}}\[])[ \t{{}}]*+|$)(?:{_TITLE}|(?P<plain>[^\n={{}}]{{0,300}}+))?[^\n]*+"
    rf"(?P<text>(?:\n(?:{_FENCE}|(?!{_COLONS}|[ \t]*+(?:`{{3}}|~{{3}}))[^\n]*+))*)\n{_COLONS}+[ \t]*+$"
    rf"|{_FENCE.replace('fence', 'code')})",
    re.IGNORECASE | re.MULTILINE,
)
_MARK = rf"(?:(?:!!!|\?\?\?\+?+)[ \t]++(?:[\w-]++[ \t]++){{0,3}}?{_KIND}|===[!+]?(?=[ \t]+[\"“]))"
_INNER_MARK = _MARK.replace("?P<kind>", "?:")
_BLOCK = re.compile(
    rf"^(?:(?P<indent>[ \t]*+){_MARK}(?:[ \t]++(?:[\w-]++[ \t]++){{0,3}}(?:{_TITLE})?)?[ \t]*+$"
    rf"(?P<text>(?:(?:\n[ \t]*+(?=\n))*+\n(?P=indent)(?:[ ]{{4}}|\t)(?![ \t]*+{_INNER_MARK})[^\n]*+)*+)"
    r"(?!\s*?\n(?P=indent)(?:[ ]{4}|\t)[ \t]*+[^\s])"
    rf"|{_FENCE})",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_LINE = re.compile(r"\n[ \t]*+(?!:{3})[^\s]")
_HINTS = (":::", "!!! ", "???", "===")
_MAX_DEPTH = 4


def resolve_admonitions(content: str, content_type: str, targets: LinkTargets) -> Resolved:
    """Return Markdown with the known kinds of notes outside code as quotes; `details` become an element."""
    if content_type == "markdown" and any(hint in content for hint in _HINTS):
        for pattern in (_BLOCK, _CONTAINER):
            for _ in range(_MAX_DEPTH):
                content = pattern.sub(_make_quote, content)
    return Resolved(content)


def _make_quote(match: re.Match[str]) -> str:
    indent, groups = match["indent"], match.groupdict()
    if indent is None:
        return match[0]
    kind = match["kind"] or ""
    title = match["quoted"] or match["bracketed"] or groups.get("plain") or ""
    title = title.replace("**", "").strip() or kind.capitalize()
    inner = [line.removeprefix(indent) for line in match["text"].split("\n")[1:]]
    if match.re is _BLOCK:
        inner = [line[1:] if line.startswith("\t") else line.removeprefix("    ") for line in inner]
    if kind.casefold() == "details" or match[0].lstrip().startswith("???"):
        lines = [f"<details><summary>{render_inline(title)}</summary>", "", *inner, "", "</details>"]
    elif not kind:
        lines = [f"**{title}**", "", *inner]
    else:
        lines = [f"> **{title}**", ">", *(f"> {line}".rstrip() for line in inner)]
    end = "\n" if _NEXT_LINE.match(match.string, match.end()) else ""
    return "\n".join(indent + line if line else "" for line in lines) + end
