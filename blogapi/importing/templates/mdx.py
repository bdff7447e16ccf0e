"""Read MDX as Markdown: without JavaScript and comments, and with the text of components in their place."""

from __future__ import annotations

import re
from collections import Counter

from blogapi.importing.format_api.privacy_signs import TEXT_MARK
from blogapi.importing.templates.known_tags import TemplateTag, parse_arguments, render_tag
from blogapi.importing.templates.tag_markup import LinkFinder, ResolvedText
from blogapi.importing.texts.scanner import find_outside_code
from blogapi.rendering.hidden_elements import remove_spans

_CODE_OR_COMMENT = re.compile(
    r"^import\s++(?:(?:[^\"'{}\n]|\{[^\"'{}]*\})*?\bfrom\s++)?[\"'][^\"'\n]++[\"'];?[ \t]*+(?://.*)?$"
    r"|^export\s++(?:const|let|var|default|function|class|async|type|interface|\{|\*)[^\n]*+(?:\n[^\n]++)*+"
    # A comment that has no end is searched only up to the next comment.
    r"|\{/\*(?:[^*{]++|\*(?!/)|\{(?!/\*))*+\*/\}",
    re.MULTILINE,
)
_BRACES = r"\{[^{}]*+\}"
# Each round allows one more level of braces.
for _ in range(5):
    _BRACES = rf"\{{(?:[^{{}}]++|{_BRACES})*+\}}"

# Matches values such as `{"a.png"}`, `{require("a.png").default}` and `{30}`.
_LITERAL = re.compile(r"=\{(?:(?:[\w.]*+\()?[\"']([^\"'{}]*+)[\"']\)?(?:\.default)?|([0-9]++))\}")
_TAG = re.compile(
    rf"</?+(?:(?P<name>[A-Za-z][\w.-]*+)(?=[\s/>])(?:[^<>{{}}\"']|\"[^\"]*+\"|'[^']*+'|{_BRACES})*+)?+>"
)
_EXPRESSION = re.compile(rf"(\"[^\"]*+\"|'[^']*+')|(?<![\w:-])(?:[\w:-]++=)?{_BRACES}")


def remove_code(content: str) -> str:
    """Return the text without `import` and `export` statements and without comments."""
    code = find_outside_code(content, "mdx", _CODE_OR_COMMENT, "ie{")
    return remove_spans(content, (match.span() for match in code)).lstrip("\n")


def resolve_components(content: str, content_type: str, targets: LinkFinder) -> ResolvedText:
    """Return MDX as Markdown, and the names of the components of which only the text is kept."""
    parts, position, column, unresolved = list[str](), 0, 0, Counter[str]()
    for tag in find_outside_code(content, "mdx", _TAG, "<"):
        name, is_end = tag["name"] or "", tag[0].startswith("</")
        written = _EXPRESSION.sub(r"\1", _LITERAL.sub(r'="\1\2"', tag[0]))
        replacement = _convert_tag(name, written, targets)
        if replacement == tag[0]:
            continue
        before = _dedent_lines(content[position : tag.start()], column, includes_last=not is_end)
        if replacement is None:
            unresolved.update([f"<{name}>"] if name and not is_end else [])
            replacement = " " * (is_end and content.startswith("<", tag.end()))
            title = parse_arguments(written).get_named("title", "label", "summary")
            # The title of a component is shown if its tag starts a line, but not inside a sentence.
            if title and before.rstrip(" \t")[-1:] in ("", "\n"):
                replacement = f"**{title}**\n\n"
        column = len(before) - len(before.rstrip(" \t"))
        parts += [before, replacement]
        position = tag.end()
    return ResolvedText("".join([*parts, _dedent_lines(content[position:], column)]), unresolved)


def _convert_tag(name: str, written: str, targets: LinkFinder) -> str | None:
    if name == "Link":
        return written.replace("Link", "a", 1).replace(" to=", " href=", 1)
    if name[:1].islower() or TEXT_MARK.match(f"<{name} "):
        return written if name != "img" or "src=" in written else None
    arguments = parse_arguments(written.rstrip("/>")[len(name) + 1 :])
    return render_tag(TemplateTag(name.lower(), arguments, "include", False, targets))


def _dedent_lines(text: str, column: int, *, includes_last: bool = False) -> str:
    """Return the text with the lines below a tag moved to its column if Markdown would read them as code."""
    indents = re.findall(r"(?<=\n)[ \t]*+(?=\S|\Z)" if includes_last else r"(?<=\n)[ \t]*+(?=\S)", text)
    depth = min(map(len, indents), default=0)
    if (depth < 4 and "\t" not in "".join(indents)) or not text.lstrip(" \t").startswith("\n"):
        return text
    return re.sub(rf"(?<=\n)[ \t]{{0,{max(0, depth - column)}}}", "", text)
