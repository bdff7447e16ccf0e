"""The interface of custom fields for formats; `storing.custom_fields` implements it with the definitions."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Protocol

#: The value of `define_fields` with which an import defines no custom fields.
DEFINE_NONE = "none"


class CustomField(Protocol):
    """The definition of a custom field."""

    @property
    def name(self) -> str:
        """The name in the API."""

    @property
    def is_list(self) -> bool:
        """Whether an article has a list of such values."""


class CustomFields:
    """Finds custom fields by the names of fields in a source, in any spelling. This base class finds none."""

    def find(self, key: str) -> CustomField | None:
        """Return the definition for a field of a source, or None."""
        return None

    def convert(self, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values by the names of their custom fields."""
        return {}

    def guess_types(self, value: Any) -> Set[str]:
        """Return the types of fields that could take the value; empty if none can."""
        return frozenset()
