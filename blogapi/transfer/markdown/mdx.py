"""Read MDX as Markdown: remove JavaScript and comments, and name the components, which are not shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from html import escape

from blogapi.transfer.markdown.scanner import Scanner
from blogapi.transfer.markdown.tag_markup import Markup, is_image
from blogapi.transfer.messages import join_counts

_PATTERN = re.compile(
    r"(?P<code>^(?:import|export)[ \t{][^\n]*+(?:\n[^\n]++)*+)"
    # A comment that has no end is searched only up to the next comment.
    r"|(?P<comment>\{/\*(?:[^*{]++|\*(?!/)|\{(?!/\*))*+\*/\})"
    r"|(?P<component><(?P<name>[A-Z][\w.]{0,60})(?P<attributes>\s[^<>]{0,2000})?)",
    re.MULTILINE,
)
# Docusaurus: `src={require('./x.png').default}` and `src={useBaseUrl('/x.png')}`.
_CALL = re.compile(
    r"=\{\s{0,9}(?:require|useBaseUrl)\(\s{0,9}([\"'])(?P<address>[^\"'\n]{1,500})\1\s{0,9}\)"
    r"(?:\.default)?\s{0,9}\}"
)
_IMPORT = re.compile(r"^import[ \t]+(\w{1,60})[ \t]+from[ \t]+[\"']([^\"'\n]{1,500})[\"']", re.MULTILINE)
_VARIABLE = re.compile(r"=\{(\w{1,60})(?:\.src)?\}")
_VIDEO_ID = re.compile(r"\b(?:id|videoId|youTubeId|v)=[{\"'`]{1,2}([\w-]{11})[\"'`]")


def resolve_addresses(content: str) -> str:
    """Return the text with the address in place of each call of `require` or `useBaseUrl` in an attribute."""
    if "={" not in content or ("require(" not in content and "useBaseUrl(" not in content):
        return content
    return _replace_all(content, _CALL, lambda match: _quote(match["address"]))


def remove_code(content: str, notes: list[str]) -> str:
    """Return the text without `import`, `export` and comments; add a note with the names of components.

    Pictures and players of YouTube are kept as HTML.
    """
    images = {name: path for name, path in _IMPORT.findall(content) if is_image(path)}
    if images:
        content = _replace_all(
            content,
            _VARIABLE,
            lambda match: _quote(images[match[1]]) if match[1] in images else match[0],
        )
    components: Counter[str] = Counter()
    parts, position = [], 0
    for match in Scanner(content, "markdown", _PATTERN, "ie{"):
        replacement = _replace_component(match) if match["name"] else ""
        if replacement is None:
            components[match["name"]] += 1
        else:
            parts += [content[position : match.start()], replacement]
            position = match.end()
    if components:
        notes.append(f"Components of MDX are not shown, but their text is: {join_counts(components)}.")
    return "".join([*parts, content[position:]]).lstrip("\n")


def _replace_component(match: re.Match[str]) -> str | None:
    """Return the start of a component as HTML; None if it is unknown."""
    attributes = match["attributes"] or ""
    if match["name"] == "Image" and " src=" in f" {' '.join(attributes.split())}":
        return f"<img{attributes}"
    video = _VIDEO_ID.search(attributes) if "youtube" in match["name"].casefold() else None
    if video and attributes.endswith("/"):
        frame = Markup("html").make_frame(
            f"https://www.youtube-nocookie.com/embed/{video[1]}", "YouTube video"
        )
        return frame.removesuffix(">")
    return None


def _replace_all(content: str, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> str:
    parts, position = [], 0
    for match in Scanner(content, "markdown", pattern, "="):
        parts += [content[position : match.start()], replace(match)]
        position = match.end()
    return "".join([*parts, content[position:]])


def _quote(address: str) -> str:
    return f'="{escape(address)}"'
