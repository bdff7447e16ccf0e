"""The query parameter `fields`, which selects the fields of a response."""

from __future__ import annotations

from typing import Any

import marshmallow as ma


class FieldNames(ma.fields.Field[tuple[str, ...]]):
    """A comma-separated list of fields of a schema.

    `*` stands for the fields of `default`, the schema of a response without `fields` (None: all fields).
    A name with a leading `-` removes a field that is named before it. For a list, `single` is the schema of a
    single item: the error for a field that lists do not have tells the client to request a single item.
    """

    def __init__(
        self,
        schema: type[ma.Schema],
        default: type[ma.Schema] | None = None,
        *,
        single: type[ma.Schema] | None = None,
        **options: Any,
    ) -> None:
        self.field_names = _list_fields(schema)
        self.default_names = _list_fields(default or schema)
        self.single_names = frozenset(_list_fields(single) if single else ()) - {*self.field_names}
        super().__init__(
            # marshmallow schemas already have an attribute `fields`.
            data_key="fields",
            metadata={
                "type": "string",
                "description": "Comma-separated properties to return. `*` stands for all of a response "
                "without this parameter; `-` omits one, as in `*,-uuid`. "
                f"Names: {', '.join(self.field_names)}.",
                "example": "*",
            },
            **options,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> tuple[str, ...]:
        names = [name.strip() for name in str(value).split(",")]
        known = {"*", *self.field_names, *(f"-{name}" for name in self.field_names)}
        errors = [self._describe_error(name.removeprefix("-")) for name in names if name not in known]
        if errors:
            raise ma.ValidationError(errors)
        if names[0].startswith("-"):
            raise ma.ValidationError(f"Begin with the fields to keep, as in `*,{names[0]}`.")
        selected = dict[str, None]()
        for name in names:
            if name.startswith("-"):
                selected.pop(name[1:], None)
            else:
                selected |= dict.fromkeys(self.default_names if name == "*" else (name,))
        if not selected:
            raise ma.ValidationError("All fields are left out; keep at least one.")
        return tuple(selected)

    def _describe_error(self, name: str) -> str:
        if name in self.single_names:
            return f"{name!r} is not a field of a list; request a single item with `fields={name}`."
        return f"{name!r} is not a field; send one of *, {', '.join(self.field_names)}."


def _list_fields(schema: type[ma.Schema]) -> tuple[str, ...]:
    excluded = schema.opts.exclude
    return tuple(name for name in schema._declared_fields if name not in excluded)
