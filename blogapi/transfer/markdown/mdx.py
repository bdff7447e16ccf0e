"""Read MDX as Markdown: remove JavaScript and comments, and name the components, which are not shown."""

from __future__ import annotations

import re
from collections import Counter

from blogapi.transfer.markdown.scanner import Scanner

_PATTERN = re.compile(
    r"(?P<code>^(?:import|export)[ \t{][^\n]*+(?:\n[^\n]++)*+)"
    r"|(?P<comment>\{/\*(?:[^*]++|\*(?!/))*+\*/\})"
    r"|(?P<component><(?P<name>[A-Z][\w.]{0,60}))",
    re.MULTILINE,
)
_MAX_NAMED = 10


def remove_code(content: str, notes: list[str]) -> str:
    """Return the text without `import`, `export` and comments; add a note with the names of components."""
    components: Counter[str] = Counter()
    parts, position = [], 0
    for match in Scanner(content, "markdown", _PATTERN, "ie{"):
        if match["name"]:
            components[match["name"]] += 1
        else:
            parts.append(content[position : match.start()])
            position = match.end()
    if components:
        names = ", ".join(f"“{name}” ({number:,})" for name, number in components.most_common(_MAX_NAMED))
        notes.append(f"Components of MDX are not shown, but their text is: {names}.")
    return "".join([*parts, content[position:]]).lstrip("\n")
