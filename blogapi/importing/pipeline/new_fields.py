"""Define custom fields for the fields of the sources that have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from blogapi.content.custom_fields import service
from blogapi.content.custom_fields.definitions import copy_definitions
from blogapi.content.custom_fields.models import CustomField, FieldType
from blogapi.content.custom_fields.schemas import KINDS, READERS
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.source import DEFINE_NONE
from blogapi.importing.storing import custom_fields
from blogapi.importing.storing.custom_fields import CustomFields
from blogapi.importing.storing.state import REFUSALS, describe_refusal
from blogapi.importing.texts.lines import to_line
from blogapi.importing.texts.messages import join_counts, join_names
from blogapi.storage.database import end_read

#: The largest number of custom fields that one import defines; fields of more articles come first.
MAX_NEW_FIELDS = 50
# The maximum numbers of names that are kept in memory, and that one sentence lists.
_MAX_NAMES, _MAX_LISTED = 1_000, 100


@dataclass(slots=True)
class _FoundField:
    """A field of the sources, with the types of its values."""

    key: str  #: its first spelling
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

    def describe(self) -> str:
        """Return the type and the number of articles."""
        kind = self.type.value.replace("_", " ")
        return f"{'list of ' if self.is_list else ''}{kind}, {self.articles:,}"


class NewFields:
    """The fields of the sources without a custom field; `readers` is the option `define_fields`."""

    def __init__(self, readers: str) -> None:
        self._readers = readers
        self._found: dict[str, _FoundField] = {}
        #: The number of uses of each field name that a custom field cannot have.
        self._unnamed = Counter[str]()
        self._definitions = CustomFields(())

    def add(self, record: ArticleRecord) -> None:
        for key, value in record.other_fields.items():
            identity = custom_fields.get_identity(custom_fields.make_name(key))
            if not identity:
                self._unnamed[to_line(key)[:40] if len(self._unnamed) < _MAX_NAMES else "others"] += 1
            elif identity in self._found or len(self._found) < _MAX_NAMES:
                found = self._found.setdefault(
                    identity, _FoundField(to_line(key)[: custom_fields.MAX_KEY_LENGTH])
                )
                found.types |= self._definitions.guess_types(value)
                found.is_list |= isinstance(value, list)
                found.kinds.add(KINDS[record.is_page])
                found.articles += 1

    def define(self, *, dry_run: bool) -> Iterator[str]:
        """Define custom fields, or in a dry run only plan them; yield sentences for the report."""
        known = copy_definitions()
        end_read()
        self._definitions = CustomFields(known)
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
        defined: list[tuple[_FoundField, CustomField]] = []
        for found in ranked[:room]:
            name = custom_fields.make_name(found.key)
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
                    service.define(body)
                defined.append((found, CustomField(choices="[]", minimum=None, maximum=None, **body)))
            except REFUSALS as error:
                yield f"The custom field {name} was not defined: {describe_refusal(error)}"
        self._definitions = CustomFields([*known, *(definition for _, definition in defined)])
        if defined:
            verb = "would be" if dry_run else "were"
            names = [f"{definition.name} ({found.describe()})" for found, definition in defined]
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

    def complete(self, record: ArticleRecord) -> ArticleRecord:
        """Return the record with the values of the custom fields that the import has defined."""
        values = self._definitions.convert(record.other_fields)
        return replace(record, custom={**values, **record.custom}) if values else record
