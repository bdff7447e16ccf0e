"""Language tags of BCP 47, such as `de-AT`."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from blogapi.parsing import MAX_LANGUAGE_TAG_LENGTH, is_language, normalize_language
from blogapi.web.fields import Text


class Language(Text):
    """A language tag, whose case is normalized (`de-AT`); with `may_be_empty`, it can be empty."""

    def __init__(self, *, may_be_empty: bool = False, **options: Any) -> None:
        super().__init__(max_length=MAX_LANGUAGE_TAG_LENGTH, **options)
        self.may_be_empty = may_be_empty

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        tag = super()._deserialize(value, attr, data, **options)
        if not tag and self.may_be_empty:
            return ""
        if not is_language(tag):
            raise ma.ValidationError("Not a language tag such as en or de-AT (BCP 47).")
        return normalize_language(tag)
