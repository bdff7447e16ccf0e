"""Puts the original texts back into the content of an exported article."""

from __future__ import annotations

import heapq
from collections.abc import Mapping


def restore_content(content: str, replacements: Mapping[str, str]) -> str:
    """Return the content with each text in `replacements` replaced by its original, in one pass.

    At each place, the longest text that matches is replaced. Each text is searched for separately, which
    takes linear time for any content.
    """
    found = [(position, -len(text), text) for text in replacements if (position := content.find(text)) >= 0]
    heapq.heapify(found)
    parts, end = [], 0
    while found:
        position, _, text = found[0]
        if position >= end:
            parts += [content[end:position], replacements[text]]
            end = position + len(text)
        following = content.find(text, end)
        if following < 0:
            heapq.heappop(found)
        else:
            heapq.heapreplace(found, (following, -len(text), text))
    return "".join((*parts, content[end:]))
