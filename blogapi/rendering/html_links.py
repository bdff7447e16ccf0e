"""Links in sanitized HTML, which quotes each attribute value and contains no nested links."""

from __future__ import annotations

import re


def make_link_pattern(address: str) -> re.Pattern[str]:
    """Return the pattern of a link whose whole address matches the pattern `address`.

    The first group contains the attributes before the address; the groups of `address` follow; the last two
    groups contain the attributes after the address, and the text of the link.
    """
    return re.compile(rf'<a(?= )(?>([^<>]*?) href="{address}")([^<>]*+)>((?:[^<]++|<(?!/?a[ >]))*+)</a>')
