"""Read the values in template tags: `x.png 300 "title"`, `src="x.png"`, `{{ "/x" | relative_url }}`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

_ARGUMENT = re.compile(
    r"""(?:(?P<name>[A-Za-z_][\w-]*+)\s*(?:=|:(?=[\s"']))\s*)?
    (?:"(?P<double>(?:[^"\\]++|\\.)*+)"|'(?P<single>(?:[^'\\]++|\\.)*+)'|“(?P<curly>[^”]{0,999}+)”|`(?P<raw>[^`]*+)`
      |(?P<bare>[^\s,"'`][^\s,]*+))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([\"'\\])")
# Unquoted values in Liquid tags, which are names of variables.
_VARIABLE = re.compile(r"(?:page|site|include|post|layout|forloop|item|image|img|theme|paginator)\.[\w.-]+")
_MAX_ARGUMENTS = 100
# Variables for the root of the blog, in lower case; articles are imported into the root.
_ROOTS = {
    *("site.baseurl", "site.url", "site.base_url", "site.github.url", "site.root", "site.site_url"),
    *("baseurl", "base_url", "root_url", "config.base_url", "metadata.url"),
}  # fmt: skip
# Filters that change only the form of an address; the address is kept unchanged.
_ADDRESS_FILTERS = {
    *("relative_url", "absolute_url", "url", "absurl", "relurl", "htmlbaseurl", "uri_escape", "escape"),
    *("escape_once", "xml_escape", "strip", "safe", "absoluteurl", "relativeurl", "asset_url", "cdn"),
}  # fmt: skip
_PART = re.compile(r"""(?:[^|"']++|"[^"]*+"|'[^']*+'|["'])++""")
_STRING = re.compile(r"""(["'])(?P<text>(?:(?!\1).)*+)\1""", re.DOTALL)
_NAME = re.compile(r"[.$]?[\w.$-]+")
_OUTPUT = re.compile(r"\{\{-?([^{}]{1,500})-?\}\}")
_MARKS = {"{{", "}}", "{%", "%}", "{#", "#}"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/#?.]")


@dataclass(slots=True)
class Arguments:
    """The arguments of a tag. Variables, which have values only in the template engine, are left out."""

    values: list[str] = field(default_factory=list)  #: arguments without a name
    named: dict[str, str] = field(default_factory=dict)  #: by name, in lower case

    def get(self, *names: str) -> str:
        """Return the first named argument that is not empty, or ""."""
        return next(filter(None, (self.named.get(name, "") for name in names)), "")

    def get_first(self, *names: str) -> str:
        """Return the first named argument that is not empty, or else the first value, or ""."""
        return self.get(*names) or next(iter(self.values), "")


def parse_arguments(text: str) -> Arguments:
    arguments = Arguments()
    for match in islice(_ARGUMENT.finditer(text), _MAX_ARGUMENTS):
        value = _get_value(match)
        if value is not None and match["name"]:
            arguments.named.setdefault(match["name"].lower(), value)
        elif value is not None:
            arguments.values.append(value)
    return arguments


def _get_value(match: re.Match[str]) -> str | None:
    kind = match.lastgroup or "bare"
    value: str = match[kind]
    if kind == "bare" and _VARIABLE.fullmatch(value):
        return None
    if kind in ("double", "single"):
        value = _ESCAPE.sub(r"\1", value)
    value = _OUTPUT.sub(_replace_output, value)
    return None if "{{" in value or "{%" in value else " ".join(value.split())


def _replace_output(match: re.Match[str]) -> str:
    value = evaluate(match[1])
    return match[0] if value is None else value


def evaluate(expression: str) -> str | None:
    """Return the text that `{{ expression }}` shows ("" = root of the blog); None if it needs variables."""
    base, *filters = [part.strip() for part in _PART.findall(expression)] or [""]
    text = _get_constant(base)
    for filter_text in filters:
        if text is not None:
            text = _apply_filter(text, filter_text)
    if text is None or filters or not _STRING.fullmatch(base):
        return None if text is None else text.replace(" ", "%20")
    # A quoted string without a filter counts only if it is a delimiter, as in `{{ "{{" }}`. In the text
    # `"{{" and "}}"`, the pattern also matches the part `{{" and "}}`, which outputs nothing.
    return text if text in _MARKS else None


def _apply_filter(text: str, written: str) -> str | None:
    """Return the text after a filter such as `prepend: site.url`; None if the filter is unknown."""
    name, _, argument = (part.strip() for part in written.partition(":"))
    other = _get_constant(argument)
    if name in ("append", "prepend", "prefix") and other is not None:
        return text + other if name == "append" else other + text
    if name in ("relative_url", "absolute_url") and text and not _SCHEME.match(text):
        return f"/{text}"
    return text if name.lower() in _ADDRESS_FILTERS else None


def _get_constant(expression: str) -> str | None:
    string = _STRING.fullmatch(expression)
    if string:
        return string["text"]
    return "" if expression.lower() in _ROOTS else None


def get_name(expression: str) -> str:
    """Return the name under which an output is counted: its variable or its last filter, else ""."""
    parts = [part.strip() for part in _PART.findall(expression)] or [""]
    match = _NAME.match(parts[-1] if _STRING.fullmatch(parts[0]) else parts[0])
    return match[0] if match else ""
