"""No regular expression of the package takes quadratic time for the texts that are made from its parts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from tests.security.attack_strings import Attack, build_attacks
from tests.security.patterns import Use, list_uses

pytestmark = [pytest.mark.slow, pytest.mark.once, pytest.mark.no_database]

# From the first length to the second, linear time grows by 4 and quadratic time by 16.
_SHORT, _LONG, _MAX_LENGTH = 400, 1600, 200_000
_SUSPICIOUS_GROWTH, _SUSPICIOUS_SECONDS = 6, 30e-6
# The number of attacks on a pattern that are tried with long texts, those that take the longest first.
_MAX_SUSPICIONS = 2
# Each is so much longer than the one before that exponential time is noticed before it is too long.
_TINY = (16, 24, 36, 54, 80)
# Shorter times do not count. From a text of a quarter, linear time grows by 4 and quadratic time by 16.
_MEASURABLE_SECONDS, _MAX_GROWTH = 0.02, 8.0
_REPEATS = 6
# The patterns are divided, so that several processes can try them.
_PARTS = 4

# The patterns that may take quadratic time, and why.
_SANITIZED = "It reads the output of nh3, which closes elements and escapes `<` and `>` in texts and values."
_ALLOWED = {
    "sanitizer._IFRAME": _SANITIZED,
    "sanitizer._ALIGNED_TAG": _SANITIZED,
    "privacy_signs._HIDING_START_TAG": "It is matched with one start tag, from its first character.",
    "parser.HEADER_FIELD_RE": "A pattern of waitress; control characters are refused first.",
    "types._PATTERNS": "It reads the first 4,096 bytes of a file.",
    **dict.fromkeys(
        ("schema_comparison._CAST_ARRAY", "schema_comparison._CAST_VALUE"),
        "It reads the schema of the blog's own database.",
    ),
    "blocks._DELIMITER": "The search ends at the last `-->`, so that each delimiter that begins has an end.",
}


def find_quadratic(use: Use) -> Attack | None:
    """Return an attack for which the pattern takes quadratic time, or None."""
    method = getattr(use.pattern, use.method)
    is_binary = isinstance(use.pattern.pattern, bytes)

    def measure(attack: Attack, length: int) -> float:
        text = attack.build(length)
        data = text.encode("latin-1", "replace") if is_binary else text
        start = time.process_time()
        method(data)
        return time.process_time() - start

    suspicions = []
    for attack in build_attacks(use.pattern):
        # A pattern that takes exponential time would not end with longer texts.
        for length in _TINY:
            if measure(attack, length) > _MEASURABLE_SECONDS:
                return attack
        seconds = measure(attack, _LONG)
        if seconds > _SUSPICIOUS_SECONDS and seconds > _SUSPICIOUS_GROWTH * measure(attack, _SHORT):
            suspicions.append((seconds, attack))
    suspicions.sort(key=lambda item: -item[0])
    return next(
        (attack for _, attack in suspicions[:_MAX_SUSPICIONS] if _is_quadratic(measure, attack)), None
    )


def _is_quadratic(measure: Callable[[Attack, int], float], attack: Attack) -> bool:
    """Return whether a text of four times the length takes more than eight times as long."""
    length = _LONG
    while measure(attack, length) < _MEASURABLE_SECONDS:
        length *= 2
        if length > _MAX_LENGTH:
            return False
    # Other processes can only make a measurement longer.
    seconds, quarter = (min(measure(attack, size) for _ in range(_REPEATS)) for size in (length, length // 4))
    return seconds >= _MEASURABLE_SECONDS and seconds > _MAX_GROWTH * quarter


@pytest.mark.parametrize("part", range(_PARTS))
def test_no_pattern_takes_quadratic_time(part):
    found = {}
    for use in list_uses()[part::_PARTS]:
        if not use.place.endswith(tuple(_ALLOWED)) and (attack := find_quadratic(use)):
            found[f"{use.place} {use.method}"] = (use.pattern.pattern, attack)
    assert found == {}, "use possessive quantifiers (`*+`), atomic groups or methods of str"


@pytest.mark.parametrize(
    ("form", "method"),
    [
        # Both made the server stop for a minute.
        (r"\s*\+?([0-9]{1,7}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})\s*(px|pt|pc|mm|cm|in|)\s*\Z", "match"),
        (r"\\|@import|url\s*\(\s*(?![\"']?\s*#)|javascript:", "search"),
        (r"\bsrc\s*=\s*[\"']?\s*(?:https?:)?//([^/\"'\s]*)", "search"),
        (r"\bsrc\s*=\s*[\"']?\s*data:", "findall"),
        ("<!--.*?-->", "findall"),
        (r"[^\s@]+@[^\s@]+\.[^\s@]+", "fullmatch"),
        ("(a*)*b", "match"),
        (r"[ \t]+$", "findall"),
    ],
)
def test_a_quadratic_pattern_is_found(form, method):
    # Each text is first measured once, and a busy machine can make a short one look long.
    use = Use("here", re.compile(form), method)
    assert any(find_quadratic(use) for _ in range(5))


@pytest.mark.parametrize(
    ("form", "method"),
    [
        (r"\s*+\+?([0-9]{1,7}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})\s*+(px|pt|pc|mm|cm|in|)\s*+\Z", "match"),
        (r"(?<!\s)\s*+<[a-z]{1,64}>", "findall"),
        ("<[^<>]*>", "findall"),
        (r"\s*x", "match"),
    ],
)
def test_a_linear_pattern_is_not_found(form, method):
    assert find_quadratic(Use("here", re.compile(form), method)) is None


def test_patterns_are_found_wherever_they_are():
    places = {use.place.partition(":")[0] for use in list_uses()}
    # A name, a name in another module, and a pattern without a name.
    assert places >= {
        *(
            "blogapi.content.media.svg._LENGTH",
            "blogapi.content.media.types._PATTERNS",
            "blogapi.serving.parser.HEADER_FIELD_RE",
        ),
        "blogapi.serving.access_log",
    }
    assert all(any(place.endswith(name) for place in places) for name in _ALLOWED)
