"""Language tags of BCP 47, such as `de-AT`."""

from __future__ import annotations

import re
from typing import Any

import marshmallow as ma

from blogapi.web.fields import Text

MAX_LENGTH = 35

# A well-formed tag: language, script, region, variants, extensions and private use.
_TAG = re.compile(
    r"[a-z]{2,3}(-[a-z]{3}){0,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(-([a-z\d]{5,8}|\d[a-z\d]{3}))*"
    r"(-[a-wyz\d](-[a-z\d]{2,8})+)*(-x(-[a-z\d]{1,8})+)?",
    re.ASCII | re.IGNORECASE,
)


def is_language(tag: str) -> bool:
    """Return whether the text is a well-formed language tag."""
    return 2 <= len(tag) <= MAX_LENGTH and _TAG.fullmatch(tag) is not None


def normalize_language(tag: str) -> str:
    """Return the tag in the usual case, such as `zh-Hant-TW`; tags that differ only in case are equal."""
    language, *others = tag.lower().split("-")
    cases = {2: str.upper, 4: str.title}
    is_extension = False
    for place, part in enumerate(others):
        is_extension = is_extension or len(part) == 1
        others[place] = part if is_extension else cases.get(len(part), str)(part)
    return "-".join([language, *others])


class Language(Text):
    """A language tag in the usual case; with `may_be_empty`, it can be an empty text."""

    def __init__(self, *, may_be_empty: bool = False, **options: Any) -> None:
        super().__init__(max_length=MAX_LENGTH, **options)
        self.may_be_empty = may_be_empty

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        tag = super()._deserialize(value, attr, data, **options)
        if not tag and self.may_be_empty:
            return ""
        if not is_language(tag):
            raise ma.ValidationError("Not a language tag such as en or de-AT (BCP 47).")
        return normalize_language(tag)
