"""Checks the values of custom fields, in request bodies and imported files, against their definitions."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import marshmallow as ma

from blogapi.content.article_hooks import ARTICLE_HOOKS
from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.custom_values import CustomValues, UnfitValue
from blogapi.content.custom_fields.definitions import list_definitions, list_visible_fields
from blogapi.content.custom_fields.models import CustomField, FieldType
from blogapi.web.access import current_caller
from blogapi.web.errors import Errors
from blogapi.web.fields import REFERENCE_MESSAGE, parse_reference


class CustomValuesField(ma.fields.Field[dict[str, Any]]):
    """The values of an item's custom fields in a request, by name; null removes a value."""

    def __init__(self, kind: str, **options: Any) -> None:
        self.kind = kind
        super().__init__(
            metadata={
                "type": "object",
                "additionalProperties": {},
                "x-custom-fields": "changes",
                "description": "Values of custom fields, by name; null removes a value. Omitted values stay.",
                "example": {},
            },
            **options,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ma.ValidationError("Must be an object with the values by name.")
        values, errors = _convert_values(value, self.kind)
        errors |= _resolve_article_references(values)
        if errors:
            raise ma.ValidationError({**errors})
        return values


def _convert_values(requested: CustomValues, kind: str) -> tuple[dict[str, Any], dict[str, list[str]]]:
    definitions = {field.name: field for field in list_visible_fields(current_caller())} if requested else {}
    values: dict[str, Any] = {}
    errors: dict[str, list[str]] = {}
    for name, value in requested.items():
        field = definitions.get(name)
        if field is None:
            errors[name] = ["There is no such custom field."]
            continue
        # Null can also remove the value of a field that this kind of items no longer has.
        if value is not None and kind not in field.kinds:
            items = " and ".join(f"{item_kind}s" for item_kind in field.kinds)
            errors[name] = [f"Only {items} have this custom field."]
            continue
        try:
            convert_single = _parse_article_reference if field.type == FieldType.ARTICLE else None
            values[name] = custom_values.convert_value(field, value, convert_single)
        except UnfitValue as error:
            errors[name] = [str(error)]
    return values, errors


def _parse_article_reference(field: CustomField, value: Any) -> UUID | str:
    try:
        return parse_reference(value)
    except ma.ValidationError as error:
        raise UnfitValue(REFERENCE_MESSAGE) from error


def _resolve_article_references(values: dict[str, Any]) -> dict[str, list[str]]:
    """Replace references to articles by uuids; return an error for each value with an unknown reference."""
    fields = {field.name: field for field in list_definitions()} if values else {}
    named = {
        name: custom_values.list_single_values(fields[name], value)
        for name, value in values.items()
        if value is not None and fields[name].type == FieldType.ARTICLE
    }
    known = ARTICLE_HOOKS.get().resolve_item_references(set().union(*named.values())) if named else {}
    errors: dict[str, list[str]] = {}
    for name, references in named.items():
        uuids = [str(known[reference]) for reference in references if reference in known]
        if len(uuids) < len(references):
            errors[name] = ["There is no such article."]
        else:
            values[name] = uuids if fields[name].is_list else uuids[0]
    return errors


def convert_imported_values(values: CustomValues) -> dict[str, Any]:
    """Return the values from an imported file as they are stored; invalid values are kept unchanged."""
    fields = {field.name: field for field in list_definitions()} if values else {}
    converted = {
        name: custom_values.convert_imported_value(fields[name], value) if name in fields else value
        for name, value in values.items()
    }
    return {name: value for name, value in converted.items() if value is not None}


def describe_unfit_values(values: CustomValues) -> list[str]:
    """Return a sentence for each value of an imported file that is kept, but does not fit its field.

    Editors read these sentences, so they quote no field that only admins read.
    """
    fields = {field.name: field for field in list_definitions()} if values else {}
    sentences = []
    for name, value in convert_imported_values(values).items():
        try:
            if name in fields:
                custom_values.convert_value(fields[name], value)
        except UnfitValue as error:
            sentences.append(
                "A value of a custom field for admins does not fit, and is kept."
                if fields[name].is_admin_only
                else f"Its value of the custom field “{name}” does not fit, and is kept: {error}"
            )
    return sentences


def make_missing_field_errors(kind: str, before: str, after: str, *, was_readable: bool) -> Errors:
    """Return an error for each required field that is missing or invalid, if the item is to become public.

    With `was_readable`, the item is public already: only a required value that the write removes or makes
    invalid is an error.
    """
    errors: Errors = {}
    old, new = custom_values.parse_stored_values(before), custom_values.parse_stored_values(after)
    for field in list_definitions():
        if not field.is_required or kind not in field.kinds:
            continue
        is_missing = field.name not in new or not custom_values.fits_definition(field, new[field.name])
        is_changed = field.name in old and old[field.name] != new.get(field.name)
        if is_missing and (is_changed or not was_readable):
            errors[f"custom.{field.name}"] = [f"{field.label} is missing; a published article needs it."]
    return errors
