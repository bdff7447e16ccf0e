"""Finds the custom fields for the fields of a source, and defines missing custom fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from blogapi.content.custom_fields import custom_values, service
from blogapi.content.custom_fields.definitions import detach_definitions
from blogapi.content.custom_fields.models import CustomField, FieldType
from blogapi.content.custom_fields.schemas import KINDS, READERS
from blogapi.importing.format_api import source
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.source import DEFINE_NONE
from blogapi.importing.storing.state import REFUSAL_ERRORS, describe_refusal
from blogapi.importing.texts.lines import to_line
from blogapi.importing.texts.messages import join_counts, join_names
from blogapi.rendering.slugs import make_slug
from blogapi.storage.database import end_read

#: The maximum number of characters of a key from which a name is made.
MAX_KEY_LENGTH = 200

# The first of these types that a text matches is its type. A number must look the same when it is shown:
# `007`, `+49` and the version `1.10` are texts.
_TYPE_PATTERNS = {
    FieldType.BOOLEAN: re.compile("true|false|yes|no", re.IGNORECASE),
    FieldType.NUMBER: re.compile(r"-?(?=[0-9.]{1,16}\Z)(0|[1-9][0-9]*)(\.0|\.[0-9]*[1-9])?"),
    FieldType.DATE: re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    FieldType.URL: re.compile(r"https?://\S+"),
    FieldType.TEXT: re.compile(rf".{{1,{custom_values.MAX_TEXT_LENGTH}}}"),
    FieldType.LONG_TEXT: re.compile(rf"(?s).{{1,{custom_values.MAX_LONG_TEXT_LENGTH}}}"),
}

#: The largest number of custom fields that one import defines; the most frequent fields come first.
MAX_NEW_FIELDS = 50
# The maximum numbers of names that are kept in memory, and that one sentence lists.
_MAX_NAMES, _MAX_LISTED = 1_000, 100


@lru_cache(maxsize=1_000)
def make_field_name(key: str) -> str:
    """Return the API name of the custom field for a field of a source; "" if no valid name can be made.

    `Walked on`, `walked-on` and `walkedOn` have the name `walked_on`.
    """
    words = re.sub("(?<=[a-z0-9])(?=[A-Z])", "-", key[:MAX_KEY_LENGTH])
    # Later imports find a field by its name, so every version must make the same names.
    name = make_slug(words, default="-", former=True).replace("-", "_")
    return name if custom_values.is_field_name(name) else ""


class CustomFieldFinder(source.CustomFieldFinder):
    """Finds the definitions of custom fields by the names of fields in a source, in any spelling."""

    def __init__(self, definitions: Iterable[CustomField]) -> None:
        self._definitions = {normalize_spelling(field.name): field for field in definitions}

    def find(self, key: str) -> CustomField | None:
        return self._definitions.get(normalize_spelling(make_field_name(key)))

    def convert_entries(self, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values by the names of their custom fields; the first of several spellings is used."""
        values: dict[str, Any] = {}
        for key, value in entries.items():
            field = self.find(key)
            stored = None if field is None else custom_values.convert_imported_value(field, value)
            if field is not None and stored is not None:
                values.setdefault(field.name, stored)
        return values

    def guess_types(self, value: Any) -> set[FieldType]:
        items = value if isinstance(value, list) else [value]
        types = {guess_field_type(item) for item in items[: custom_values.MAX_LIST_ITEMS]}
        found = {kind for kind in types if kind is not None}
        return found if len(found) == len(types) and len(items) <= custom_values.MAX_LIST_ITEMS else set()


def normalize_spelling(name: str) -> str:
    """Return a form of a name that is the same for all its spellings."""
    return name.replace("_", "")


def guess_field_type(value: Any) -> FieldType | None:
    """Return the type of a custom field for a single value, or None if no type fits, as for a mapping.

    Values that would fit a choice, a picture or an article have a type of text.
    """
    # Python refuses to convert integers of more than 4,300 digits to text.
    is_too_large = isinstance(value, int) and value.bit_length() > 64
    if value is None or isinstance(value, dict | list) or is_too_large:
        return None
    text = value.strip() if isinstance(value, str) else str(value).lower()
    for kind, pattern in _TYPE_PATTERNS.items():
        field = CustomField(type=kind, is_list=False, choices="[]", minimum=None, maximum=None)
        if pattern.fullmatch(text) and custom_values.fits_definition(
            field, custom_values.convert_imported_value(field, value)
        ):
            return kind
    return None


@dataclass(slots=True)
class _NewField:
    """A field of the sources that has no custom field yet."""

    key: str  #: the first spelling of its name
    types: set[FieldType] = field(default_factory=set)
    is_list: bool = False
    kinds: set[str] = field(default_factory=set)
    articles: int = 0

    @property
    def type(self) -> FieldType:
        """The type that all values fit: a type of text if their types differ."""
        if len(self.types) == 1:
            return next(iter(self.types))
        return FieldType.LONG_TEXT if FieldType.LONG_TEXT in self.types else FieldType.TEXT

    def describe_uses(self) -> str:
        """Return the type and the number of articles."""
        kind = self.type.value.replace("_", " ")
        return f"{'list of ' if self.is_list else ''}{kind}, {self.articles:,}"


class NewFieldCollector:
    """Collects fields of the sources that have no custom field; `readers` is the option `define_fields`."""

    def __init__(self, readers: str) -> None:
        self._readers = readers
        self._found: dict[str, _NewField] = {}
        #: The number of uses of each field name that a custom field cannot have.
        self._unnamed = Counter[str]()
        self._definitions = CustomFieldFinder(())

    def collect_fields(self, record: ArticleRecord) -> None:
        for key, value in record.other_fields.items():
            identity = normalize_spelling(make_field_name(key))
            if not identity:
                self._unnamed[to_line(key)[:40] if len(self._unnamed) < _MAX_NAMES else "others"] += 1
            elif identity in self._found or len(self._found) < _MAX_NAMES:
                found = self._found.setdefault(identity, _NewField(to_line(key)[:MAX_KEY_LENGTH]))
                found.types |= self._definitions.guess_types(value)
                found.is_list |= isinstance(value, list)
                found.kinds.add(KINDS[record.is_page])
                found.articles += 1

    def define_fields(self, *, dry_run: bool) -> Iterator[str]:
        """Define custom fields, or in a dry run only plan them; yield sentences for the report."""
        known = detach_definitions()
        end_read()
        self._definitions = CustomFieldFinder(known)
        new = [found for found in self._found.values() if self._definitions.find(found.key) is None]
        ranked = sorted(new, key=lambda found: -found.articles)
        if self._readers == DEFINE_NONE:
            counts = {found.key: found.articles for found in ranked} | self._unnamed
            if counts:
                yield (
                    "Not imported, because no custom field has their names: "
                    f"{join_counts(counts, _MAX_LISTED)}. "
                    "To import them, let the import define custom fields (--define-fields)."
                )
            return
        room = max(0, min(MAX_NEW_FIELDS, service.MAX_FIELDS - len(known)))
        defined: list[tuple[_NewField, CustomField]] = []
        for found in ranked[:room]:
            name = make_field_name(found.key)
            body = {
                "name": name,
                "label": name.replace("_", " ").capitalize(),
                "type": found.type.value,
                "is_list": found.is_list,
                "is_admin_only": self._readers == READERS[1],
                "for_articles": "article" in found.kinds,
                "for_pages": "page" in found.kinds,
            }
            try:
                if not dry_run:
                    service.define_field(body)
                defined.append((found, CustomField(choices="[]", minimum=None, maximum=None, **body)))
            except REFUSAL_ERRORS as error:
                yield f"The custom field {name} was not defined: {describe_refusal(error)}"
        self._definitions = CustomFieldFinder([*known, *(definition for _, definition in defined)])
        if defined:
            verb = "would be" if dry_run else "were"
            names = [f"{definition.name} ({found.describe_uses()})" for found, definition in defined]
            listed = join_names(names, _MAX_LISTED)
            yield f"Custom fields that {verb} defined, read by {self._readers}: {listed}."
        if left := ranked[room:]:
            counts = {found.key: found.articles for found in left}
            yield (
                f"Not imported, because one import defines at most {MAX_NEW_FIELDS} custom fields, and a "
                f"blog has at most {service.MAX_FIELDS}: {join_counts(counts, _MAX_LISTED)}."
            )
        if self._unnamed:
            yield (
                "Not imported, because a custom field cannot have these names: "
                f"{join_counts(self._unnamed, _MAX_LISTED)}."
            )

    def add_custom_values(self, record: ArticleRecord) -> ArticleRecord:
        """Return the record with the values of the custom fields that the import has defined."""
        values = self._definitions.convert_entries(record.other_fields)
        return replace(record, custom={**values, **record.custom}) if values else record
