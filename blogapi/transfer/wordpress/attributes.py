"""The attributes of shortcodes."""

from __future__ import annotations

import re

_ATTRIBUTE = re.compile(
    r"""([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"']++))|"([^"]*)"|'([^']*)'|(\S++)"""
)
# Quotes that editors and themes put in place of straight ones.
_QUOTES = re.compile("&quot;|&#34;|&#822[01];|&#8243;|[“”″„]")
_SPACES = re.compile("&nbsp;|&#160;|[\xa0\u200b]")


def parse_attributes(text: str) -> tuple[dict[str, str], list[str]]:
    """Return the named values (names in lower case), and the values without a name."""
    if '"' not in text:
        text = _QUOTES.sub('"', text)
    named: dict[str, str] = {}
    positional: list[str] = []
    for name, *values in _ATTRIBUTE.findall(_SPACES.sub(" ", text)):
        value = next(filter(None, values), "")
        if name:
            named[name.lower()] = value
        elif value and value != "/":
            positional.append(value)
    return named, positional
