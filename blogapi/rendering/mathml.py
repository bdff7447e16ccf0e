"""The elements and attributes of MathML that the sanitizer keeps.

Other elements can contain links or HTML (`maction`, `annotation-xml`), or browsers parse them differently in
different contexts (`mglyph`, `malignmark`).
"""

from __future__ import annotations

import re

_TEXT_ELEMENTS = "mi|mn|mo|ms|mtext"
_LAYOUTS = (
    "menclose|merror|mfrac|mmultiscripts|mover|mpadded|mphantom|mprescripts|mroot|mrow|mspace|msqrt|mstyle|msub"
    "|msubsup|msup|mtable|mtd|mtr|munder|munderover|semantics"
)
TAGS = frozenset({"math", *_TEXT_ELEMENTS.split("|"), *_LAYOUTS.split("|")})
_ATTRIBUTES = "accent columnspan display fence linethickness lspace mathvariant rowspan rspace stretchy width"
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
# The first group matches a formula that contains no HTML and no other formula, because browsers could parse
# HTML in a formula differently from nh3. Of all other formulas, only the text is kept.
FORMULA_OR_TAG = re.compile(
    rf"(<math(?: [^<>]*)?>(?:[^<]|<(?:{_TEXT_ELEMENTS})(?: [^<>]*)?>[^<]*</(?:{_TEXT_ELEMENTS})>"
    rf"|</?(?:{_LAYOUTS})(?: [^<>]*)?>)*+</math>)|</?(?:math|{_TEXT_ELEMENTS}|{_LAYOUTS})(?: [^<>]*)?>"
)
