"""Read MDX as Markdown: remove JavaScript and comments, and name the components, which are not shown."""

from __future__ import annotations

import re
from collections import Counter

from blogapi.importing.texts.messages import join_counts
from blogapi.importing.texts.scanner import find_outside_code

_PATTERN = re.compile(
    r"(?P<code>^(?:import|export)[ \t{][^\n]*+(?:\n[^\n]++)*+)"
    # A comment that has no end is searched only up to the next comment.
    r"|(?P<comment>\{/\*(?:[^*{]++|\*(?!/)|\{(?!/\*))*+\*/\})"
    r"|<(?P<component>[A-Z][\w.]{0,60})",
    re.MULTILINE,
)


def remove_code(content: str, notes: list[str]) -> str:
    """Return the text without `import`, `export` and comments; add a note with the names of components."""
    components: Counter[str] = Counter()
    parts, position = [], 0
    for match in find_outside_code(content, "markdown", _PATTERN, "ie{"):
        if match["component"]:
            components[match["component"]] += 1
        else:
            parts.append(content[position : match.start()])
            position = match.end()
    if components:
        notes.append(f"Components of MDX are not shown, but their text is: {join_counts(components)}.")
    return "".join([*parts, content[position:]]).lstrip("\n")
