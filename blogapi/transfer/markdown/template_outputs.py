"""Evaluate the outputs of template engines that do not depend on the site: `{{ "/x" | relative_url }}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Variables for the root of the blog, in lower case; articles are imported into the root.
_ROOTS = {
    *("site.baseurl", "site.url", "site.base_url", "site.github.url", "site.root", "site.site_url"),
    *("baseurl", "base_url", "root_url", "config.base_url", "metadata.url"),
}  # fmt: skip
# Filters that make an address relative to the root; the address itself stays as it is.
_ADDRESS_FILTERS = {
    *("relative_url", "absolute_url", "url", "absurl", "relurl", "htmlbaseurl", "uri_escape", "escape"),
    *("escape_once", "xml_escape", "strip", "safe", "absoluteurl", "relativeurl", "asset_url", "cdn"),
}  # fmt: skip
_JOINING_FILTERS = {"prepend", "append", "prefix"}
_PART = re.compile(r"""(?:[^|"']++|"[^"]*+"|'[^']*+'|["'])++""")
_STRING = re.compile(r"""(["'])(?P<text>(?:(?!\1).)*+)\1""", re.DOTALL)
_NAME = re.compile(r"[.$]?[\w.$-]+")
_INNER_OUTPUT = re.compile(r"\{\{-?([^{}]{1,500})-?\}\}")
_MARKS = {"{{", "}}", "{%", "%}", "{#", "#}"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/#?.]")


@dataclass(frozen=True, slots=True)
class Output:
    """The text of an output; `is_root` if it is only the root of the blog, without a path."""

    text: str
    is_root: bool = False


def evaluate(expression: str) -> Output | None:
    """Return the text of an output, or None if it depends on variables of the former blog."""
    base, *filters = [part.strip() for part in _PART.findall(expression)] or [""]
    text = _get_constant(base)
    if text is None:
        return None
    for one in filters:
        name, _, argument = one.partition(":")
        name = name.strip().lower()
        if name in _JOINING_FILTERS:
            other = _get_constant(argument.strip())
            if other is None:
                return None
            text = text + other if name == "append" else other + text
        elif name in ("relative_url", "absolute_url") and text and not _SCHEME.match(text):
            text = f"/{text}"
        elif name not in _ADDRESS_FILTERS:
            return None
    if filters or _STRING.fullmatch(base) is None:
        return Output(text.replace(" ", "%20"), is_root=not text)
    # The text between two quoted marks is not an output: `"{{" and "}}"`.
    return Output(text) if text in _MARKS else None


def _get_constant(expression: str) -> str | None:
    string = _STRING.fullmatch(expression)
    if string:
        return string["text"]
    return "" if expression.lower() in _ROOTS else None


def get_name(expression: str) -> str:
    """Return the name under which an output is counted, its variable or its last filter, or ""."""
    parts = [part.strip() for part in _PART.findall(expression)]
    named = parts[0] if parts and not _STRING.fullmatch(parts[0]) else parts[-1] if parts else ""
    found = _NAME.match(named)
    return found[0] if found else ""


def resolve_inside(text: str) -> str | None:
    """Return an argument of a tag with its outputs evaluated; None if one of them is unknown."""
    if "{{" not in text and "{%" not in text:
        return text
    is_known = True

    def resolve(match: re.Match[str]) -> str:
        nonlocal is_known
        output = evaluate(match[1])
        is_known = is_known and output is not None
        return output.text if output else ""

    resolved = _INNER_OUTPUT.sub(resolve, text)
    return resolved if is_known and "{{" not in resolved and "{%" not in resolved else None
