"""The elements and attributes of MathML that are kept.

Some others contain links or HTML (`maction`, `annotation-xml`), and browsers parse some others differently at
different places (`mglyph`, `malignmark`).
"""

from __future__ import annotations

import re

_WORDS = "mi|mn|mo|ms|mtext"
_LAYOUTS = (
    "menclose|merror|mfrac|mmultiscripts|mover|mpadded|mphantom|mprescripts|mroot|mrow|mspace|msqrt|mstyle|msub"
    "|msubsup|msup|mtable|mtd|mtr|munder|munderover|semantics"
)
TAGS = frozenset({"math", *_WORDS.split("|"), *_LAYOUTS.split("|")})
_ATTRIBUTES = "accent columnspan display fence linethickness lspace mathvariant rowspan rspace stretchy width"
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
# The first group matches a formula without HTML and other formulas in it, which browsers could parse
# otherwise than nh3. Other elements of MathML are replaced by their text.
FORMULA_OR_TAG = re.compile(
    rf"(<math(?: [^<>]*)?>(?:[^<]|<(?:{_WORDS})(?: [^<>]*)?>[^<]*</(?:{_WORDS})>"
    rf"|</?(?:{_LAYOUTS})(?: [^<>]*)?>)*+</math>)|</?(?:math|{_WORDS}|{_LAYOUTS})(?: [^<>]*)?>"
)
