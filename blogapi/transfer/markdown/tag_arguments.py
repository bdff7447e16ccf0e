"""Parse the arguments of template tags: `x.png 300 "title"`, `src="x.png"`, `(id="x", class="y")`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

_ARGUMENT = re.compile(
    r"""(?:(?P<name>[A-Za-z_][\w-]*+)\s*(?:=|:(?=[\s"']))\s*)?
    (?:"(?P<double>(?:[^"\\]++|\\.)*+)"|'(?P<single>(?:[^'\\]++|\\.)*+)'|“(?P<curly>[^”]{0,999}+)”|`(?P<raw>[^`]*+)`
      |(?P<bare>[^\s,"'`][^\s,]*+))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([\"'\\])")
# Values without quotes in the tags of Liquid that stand for variables.
_VARIABLE = re.compile(r"(?:page|site|include|post|layout|forloop|item|image|img|theme|paginator)\.[\w.-]+")
_MAX_ARGUMENTS = 100


@dataclass(slots=True)
class Arguments:
    """The arguments of a tag. Variables, which have values only in the template engine, are left out."""

    values: list[str] = field(default_factory=list)  #: arguments without a name
    named: dict[str, str] = field(default_factory=dict)  #: by name, in lower case
    has_variables: bool = False

    def get(self, *names: str) -> str:
        """Return the first named argument that is not empty, or ""."""
        return next(filter(None, (self.named.get(name, "") for name in names)), "")

    def get_first(self, *names: str) -> str:
        """Return the first named argument that is not empty, or else the first value, or ""."""
        return self.get(*names) or next(iter(self.values), "")


def parse_arguments(text: str, resolve: Callable[[str], str | None]) -> Arguments:
    """Return the arguments in a tag; `resolve` returns a value without template tags, or None."""
    arguments = Arguments()
    for match in islice(_ARGUMENT.finditer(text), _MAX_ARGUMENTS):
        written = _get_value(match)
        value = None if written is None else resolve(written)
        if value is None:
            arguments.has_variables = True
        elif match["name"]:
            arguments.named.setdefault(match["name"].lower(), value)
        else:
            arguments.values.append(value)
    return arguments


def _get_value(match: re.Match[str]) -> str | None:
    kind = match.lastgroup or "bare"
    value: str = match[kind]
    if kind == "bare":
        return None if _VARIABLE.fullmatch(value) else value
    return " ".join((_ESCAPE.sub(r"\1", value) if kind in ("double", "single") else value).split())
