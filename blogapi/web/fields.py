"""The fields and base classes of all request and response schemas.

marshmallow's own fields accept too much, for example braced UUIDs, `1_000` and lone surrogates. The fields in
this module are strict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, ClassVar, Self, cast
from uuid import UUID

import marshmallow as ma
from flask import current_app
from marshmallow import validate

from blogapi import config
from blogapi.parsing import (
    MAX_LANGUAGE_TAG_LENGTH,
    is_language_tag,
    is_web_address,
    normalize_language,
    parse_timestamp,
    parse_uuid,
)
from blogapi.rendering import slugs
from blogapi.rendering.characters import FORBIDDEN_CHARACTER

Fields = dict[str, Any]

WRONG_TYPE_MESSAGE = "Must be a JSON object, or an array of objects for several items."
NAIVE_TIME_PATTERN = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$"
AWARE_TIME_PATTERN = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$"


def resolve_limit(limit: int | str) -> int:
    """Return the limit: `limit` itself, or the value of the setting that it names."""
    value: int = current_app.config[limit] if isinstance(limit, str) else limit
    return value


class Schema(ma.Schema):
    """Base of all request and response schemas; an instance is never changed, so it need not be copied."""

    error_messages = {"type": WRONG_TYPE_MESSAGE}  # noqa: RUF012 (marshmallow declares it so)

    def __deepcopy__(self, memo: object) -> Self:
        # Each decorator of flask-smorest copies the schemas of the view; the copies would need 1 MB.
        return self


class Text(ma.fields.String):
    """A string of at most `max_length` characters (a number, or the name of a setting).

    Control characters and lone surrogates are refused; a required text must not be blank.
    """

    def __init__(self, *, max_length: int | str, min_length: int = 0, **options: Any) -> None:
        min_length = max(min_length, int(options.get("required", False)))
        self.max_length, self.min_length = max_length, min_length
        json_schema = {
            "maxLength": config.get_setting_default(max_length) if isinstance(max_length, str) else max_length
        }
        if min_length:
            json_schema["minLength"] = min_length
        super().__init__(metadata=json_schema | options.pop("metadata", {}), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        if FORBIDDEN_CHARACTER.search(text):
            raise ma.ValidationError("Contains a control character or a lone surrogate; remove it.")
        if self.required and not text.strip():
            raise ma.ValidationError("Must not be empty.")
        if not self.min_length <= len(text) <= resolve_limit(self.max_length):
            raise ma.ValidationError(
                f"Must have {self.min_length} to {resolve_limit(self.max_length)} characters."
            )
        return text


class Slug(Text):
    """A slug: lowercase words and numbers, separated by hyphens."""

    def __init__(self, **options: Any) -> None:
        # The pattern excludes only spaces, capital letters and most punctuation; `_deserialize` refuses other
        # characters too.
        options["metadata"] = {"pattern": r"^[^\sA-Z!-,./:-@\[-`{-~]+$"} | options.get("metadata", {})
        super().__init__(max_length=slugs.MAX_SLUG_LENGTH, min_length=1, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        slug = super()._deserialize(value, attr, data, **options)
        valid_slug = slugs.make_slug(slug, max_length=slugs.MAX_SLUG_LENGTH)
        if slug != valid_slug:
            raise ma.ValidationError(f"Not a valid slug; send {valid_slug!r}, for example.")
        return slug


class EmptySchema(Schema):
    """No body, or an empty object."""

    class Meta:
        unknown = ma.RAISE


class BoundedList(ma.fields.List[Any]):
    """An array of at most `max_items` items (a number, or the name of a setting)."""

    def __init__(self, inner: ma.fields.Field[Any], *, max_items: int | str, **options: Any) -> None:
        self.max_items = max_items
        super().__init__(inner, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > resolve_limit(self.max_items):
            raise ma.ValidationError(f"Must contain at most {resolve_limit(self.max_items)} items.")
        return super()._deserialize(value, attr, data, **options)


class Identifier(ma.fields.Field[UUID]):
    """A UUID in its canonical form."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **options: Any) -> str | None:
        return None if value is None else str(value)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> UUID:
        uuid = parse_uuid(value) if isinstance(value, str) else None
        if uuid is None:
            raise ma.ValidationError("Not a UUID such as 3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d.")
        return uuid


class Timestamp(ma.fields.Field[datetime]):
    """A time, rendered in UTC with microseconds and the offset `+00:00`.

    `aware=False` omits the offset, as the interface specification requires for some fields.
    """

    def __init__(self, *, aware: bool = True, **options: Any) -> None:
        self.aware = aware
        json_schema = {"description": "Without an offset, the time is UTC."}
        if options.get("dump_only"):
            json_schema = {
                "pattern": AWARE_TIME_PATTERN if aware else NAIVE_TIME_PATTERN,
                "description": "UTC." if aware else "UTC, without an offset.",
            }
        metadata = options.pop("metadata", {})
        if "description" in metadata:
            json_schema["description"] = f"{metadata['description']} {json_schema['description']}"
        super().__init__(metadata=metadata | json_schema, **options)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **options: Any) -> str | None:
        if value is None:
            return None
        # Without `timespec`, isoformat() drops a zero fraction.
        text: str = value.astimezone(UTC).isoformat(timespec="microseconds")
        return text if self.aware else text.removesuffix("+00:00")

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> datetime:
        time = parse_timestamp(value) if isinstance(value, str) else None
        if time is None:
            raise ma.ValidationError("Not a date-time such as 2026-01-31T09:30:00Z.")
        return time


class WebAddress(Text):
    """An http or https URL without credentials, a relative URL, or an empty string."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length="MAX_URL", **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        return self.check_address(super()._deserialize(value, attr, data, **options))

    def check_address(self, address: str) -> str:
        """Return the address in the form to store; raises ValidationError if the address is not accepted."""
        if not is_web_address(address):
            raise ma.ValidationError("Must be an http(s) URL without credentials, or a relative URL.")
        return address


class InputSchema(Schema):
    """Base of request schemas: unknown fields are refused.

    `read_only` names response fields that a write cannot change. These fields are removed from the body, so
    that a client can send back a response that it received. A PATCH with a read-only field is refused if the
    field differs from the stored value.
    """

    read_only: ClassVar[frozenset[str]] = frozenset()

    class Meta:
        unknown = ma.RAISE

    @ma.pre_load(pass_collection=True)
    def remove_read_only_fields(self, data: Any, many: bool, **_: Any) -> Any:
        """Return the data without the read-only fields."""
        items = data if many and isinstance(data, list) else [data]
        if items is data and len(items) > resolve_limit("MAX_BULK"):
            raise ma.ValidationError(f"Send at most {resolve_limit('MAX_BULK')} items in one request.")
        cleaned = [
            {name: value for name, value in item.items() if name not in self.read_only}
            if isinstance(item, Mapping)
            else item
            for item in items
        ]
        return cleaned if items is data else cleaned[0]


def make_item_schema(body: type[InputSchema]) -> type[InputSchema]:
    """Return the schema of one item of a bulk write: the body with the uuid of the item."""
    name = body.__name__.replace("Body", "Item")
    noun = name.removesuffix("ItemSchema").lower()
    members = {
        "__doc__": f"The fields of one {noun} in a bulk write.",
        "__module__": body.__module__,
        "read_only": body.read_only - {"uuid"},
        "uuid": Identifier(required=True),
    }
    return cast(type[InputSchema], type(name, (body,), members))


class ItemUuidsSchema(InputSchema):
    """The uuids of the items that a request changes together."""

    uuids = BoundedList(
        Identifier(),
        max_items="MAX_BULK",
        required=True,
        validate=validate.Length(min=1),
        metadata={"description": "The uuids of the items."},
    )


class OutputSchema(Schema):
    """Base of response schemas: a response has all fields, or only those in the parameter `fields`."""

    def hidden_state(self, shown: Any) -> str:
        """Return the part of the item's state that a write can change but this schema does not show.

        This state is part of the ETag, so that If-Match also detects such a change.
        """
        return ""

    def on_bind_field(self, field_name: str, field_obj: ma.fields.Field[Any]) -> None:
        """Mark each field as required in the OpenAPI document."""
        field_obj.required = True


class NestedAttributes(ma.fields.Nested):
    """A nested object in the JSON whose fields are attributes of the model itself, such as `seo`."""

    def get_value(self, obj: Any, attr: str, *_: Any, **__: Any) -> Any:
        """Return the object itself, whose attributes are the values of the nested fields."""
        return obj


class OmitNullMixin(ma.Schema):
    """Mixin before OutputSchema, for response schemas that omit some fields if their value is null."""

    omitted_if_null: ClassVar[frozenset[str]] = frozenset()

    def on_bind_field(self, field_name: str, field_obj: ma.fields.Field[Any]) -> None:
        """Mark the fields that can be absent as optional in the OpenAPI document."""
        super().on_bind_field(field_name, field_obj)
        if field_name in self.omitted_if_null:
            field_obj.required = False

    @ma.post_dump
    def remove_nulls(self, data: Fields, **_: Any) -> Fields:
        """Return the data without the fields of `omitted_if_null` whose value is null."""
        return {
            name: value
            for name, value in data.items()
            if value is not None or name not in self.omitted_if_null
        }


class StrictBoolean(ma.fields.Boolean):
    """The JSON value true or false; marshmallow's own field also accepts strings and numbers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(truthy={True}, falsy={False}, **options)


class TextBoolean(ma.fields.Boolean):
    """A boolean that is sent as text, in a query string or a form: `true` or `false`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(truthy={"true"}, falsy={"false"}, **options)


class StrictInteger(ma.fields.Integer):
    """An integer between two bounds. With `from_query`, the value is sent as a string of digits."""

    def __init__(self, *, minimum: int, maximum: int, from_query: bool = False, **options: Any) -> None:
        self.from_query = from_query
        super().__init__(strict=True, validate=validate.Range(min=minimum, max=maximum), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> int:
        # int() also accepts 1_000, spaces and the digits of other scripts.
        if self.from_query and re.fullmatch(r"[0-9]{1,18}", value):
            return int(value)
        if self.from_query:
            raise ma.ValidationError("Not a valid integer.")
        # In JSON, 60.0 is an integer.
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        return int(super()._deserialize(whole, attr, data, **options))


class PrefixedParameters(ma.fields.Field[Any]):
    """The query parameters whose names begin with the name of the field and a dot, such as `custom.rating`.

    The parser passes a dictionary that maps the part of each name after the dot to a list of its values.
    """


def list_changed_fields(schema: type[ma.Schema], item: object, values: Fields) -> list[str]:
    """Return the names of the schema's fields whose new values differ from the values of the item.

    `values` maps attributes of the item to the new values.
    """
    names = {field.attribute or name: name for name, field in schema._declared_fields.items()}
    return [names[attribute] for attribute, value in values.items() if getattr(item, attribute) != value]


class WithAttributes:
    """A proxy for an object, with additional attributes."""

    def __init__(self, target: object, **attributes: object) -> None:
        self._target = target
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


def join_messages(messages: Mapping[str, Iterable[str]]) -> str:
    """Return validation messages as one line of text."""
    return " ".join(f"{path}: {' '.join(texts)}" for path, texts in messages.items())


class Language(Text):
    """A language tag, whose case is normalized (`de-AT`); with `may_be_empty`, the tag can be empty."""

    def __init__(self, *, may_be_empty: bool = False, **options: Any) -> None:
        super().__init__(max_length=MAX_LANGUAGE_TAG_LENGTH, **options)
        self.may_be_empty = may_be_empty

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        tag = super()._deserialize(value, attr, data, **options)
        if not tag and self.may_be_empty:
            return ""
        if not is_language_tag(tag):
            raise ma.ValidationError("Not a language tag such as en or de-AT (BCP 47).")
        return normalize_language(tag)


REFERENCE_MESSAGE = 'Send the slug or the uuid of an item, as in {"slug": "kitchen"} or "kitchen".'


def parse_reference(value: Any) -> UUID | str:
    """Return the uuid or the slug in a reference; raises ValidationError for any other value."""
    # A uuid takes precedence over a slug, which may have changed since the client read it.
    members = value if isinstance(value, Mapping) else {}
    member = next((name for name in ("uuid", "slug") if name in members), "")
    text = members.get(member, value)
    if isinstance(text, str):
        if member != "slug" and (uuid := parse_uuid(text)):
            return uuid
        if member != "uuid" and slugs.is_slug(text):
            return text
    raise ma.ValidationError({member: [REFERENCE_MESSAGE]} if member else REFERENCE_MESSAGE)


class Reference(ma.fields.Field[UUID | str]):
    """A reference to another item: its uuid or slug as a string, or an object with `uuid` or `slug`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> UUID | str:
        return parse_reference(value)


class ReferenceSchema(Schema):
    """A reference to another item by its `uuid` or its `slug`; other members are ignored."""

    uuid = Identifier()
    slug = Text(max_length=slugs.MAX_SLUG_LENGTH, min_length=1)


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
        self.field_names = _list_field_names(schema)
        self.default_names = _list_field_names(default or schema)
        self.single_names = frozenset(_list_field_names(single) if single else ()) - {*self.field_names}
        super().__init__(
            # marshmallow schemas already have an attribute `fields`.
            data_key="fields",
            metadata={
                "type": "string",
                "description": "Comma-separated properties to return. `*` stands for all properties of a "
                "response without this parameter; `-` omits a property, as in `*,-uuid`. "
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
            raise ma.ValidationError("No field is left to return; keep at least one.")
        return tuple(selected)

    def _describe_error(self, name: str) -> str:
        if name in self.single_names:
            return f"{name!r} is not a field of a list; request a single item with `fields={name}`."
        return f"{name!r} is not a field; send one of *, {', '.join(self.field_names)}."


def _list_field_names(schema: type[ma.Schema]) -> tuple[str, ...]:
    excluded = schema.opts.exclude
    return tuple(name for name in schema._declared_fields if name not in excluded)


@lru_cache(maxsize=256)
def restrict_schema(schema: type[ma.Schema], fields: tuple[str, ...]) -> ma.Schema:
    """Return an instance of the schema with only these fields."""
    return schema(only=fields)
