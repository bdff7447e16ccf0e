"""The filters of lists by custom fields, checked against their definitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import marshmallow as ma

from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.custom_values import UnfitValue
from blogapi.content.custom_fields.definitions import list_visible_fields
from blogapi.content.custom_fields.models import CustomField, FieldType
from blogapi.web.access import current_caller
from blogapi.web.fields import PrefixedParameters

MAX_FILTERS = 5


class FieldFilter(NamedTuple):
    """The name of a custom field and the wanted values. With `is_list`, the field contains lists."""

    name: str
    values: Sequence[Any]
    is_list: bool = False


class CustomFiltersField(PrefixedParameters):
    """The filters by custom fields, loaded as `ArticleFilters.custom`.

    Raises ValidationError for a field that the caller may not read, and for a value that does not fit.
    """

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> Sequence[FieldFilter]:
        parameters: dict[str, list[str]] = value
        definitions = (
            {field.name: field for field in list_visible_fields(current_caller())} if parameters else {}
        )
        errors: dict[str, list[str]] = {}
        filters: list[FieldFilter] = []
        for name, texts in parameters.items():
            try:
                filters.append(_parse_filter(definitions.get(name), texts))
            except UnfitValue as error:
                errors[name] = [str(error)]
        if len(parameters) > MAX_FILTERS:
            errors[next(iter(parameters))] = [f"Send at most {MAX_FILTERS} filters by custom fields."]
        if errors:
            raise ma.ValidationError({**errors})
        return tuple(filters)


def _parse_filter(field: CustomField | None, texts: Sequence[str]) -> FieldFilter:
    if field is None:
        raise UnfitValue("There is no such custom field.")
    if field.type == FieldType.LONG_TEXT:
        raise UnfitValue("A long text cannot be filtered; search for its words with `q`.")
    if len(texts) > custom_values.MAX_LIST_ITEMS:
        raise UnfitValue(f"Send at most {custom_values.MAX_LIST_ITEMS} values.")
    values = [
        custom_values.convert_single_value(field, custom_values.parse_value(field, text)) for text in texts
    ]
    return FieldFilter(field.name, values, field.is_list)
