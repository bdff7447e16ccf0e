"""Shapes on the wire: the fields that all schemas are made of.

marshmallow's own fields take more than they should (braced UUIDs, `1_000`, lone surrogates); these take
exactly what the interface says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar
from urllib.parse import urlsplit
from uuid import UUID

import marshmallow as ma
from flask import current_app
from marshmallow import validate

from blogapi import config
from blogapi.content import slugs

Fields = dict[str, Any]

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TIMESTAMP = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)([T ](?P<time>\d\d:\d\d(:\d\d(\.\d{1,6})?)?)(?P<zone>Z|[+-]\d\d:\d\d)?)?",
    re.ASCII,
)
# Everything below the blank but tab, line feed and carriage return, and half a character.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

NAIVE_PATTERN = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$"
AWARE_PATTERN = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$"


def parse_uuid(written: str) -> UUID | None:
    """Return the UUID written in its canonical form, or None for anything else.

    The nil UUID is the uuid of nothing.
    """
    return UUID(written) if _UUID.fullmatch(written) and written.strip("0-") else None


def parse_timestamp(written: str) -> datetime | None:
    """Return the moment (aware, UTC) of an ISO 8601 date-time or date, or None for anything else.

    Without an offset it is UTC; a date alone is its midnight.
    """
    match = _TIMESTAMP.fullmatch(written)
    if match is None:
        return None
    zone = (match["zone"] or "Z").replace("Z", "+00:00")
    try:
        # Shifting a moment at either end of the calendar to UTC can leave it.
        return datetime.fromisoformat(f"{match['date']}T{match['time'] or '00:00'}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def get_limit(limit: int | str) -> int:
    """Return a limit: a number, or what the setting of that name says."""
    most: int = current_app.config[limit] if isinstance(limit, str) else limit
    return most


class Text(ma.fields.String):
    """A text of at most `max_length` characters (a number, or the name of a setting).

    Control characters and halves of characters are refused.
    """

    def __init__(self, *, max_length: int | str, min_length: int = 0, **options: Any) -> None:
        self.max_length, self.min_length = max_length, min_length
        shape = {"maxLength": config.default(max_length) if isinstance(max_length, str) else max_length}
        if min_length:
            shape["minLength"] = min_length
        super().__init__(metadata=shape | options.pop("metadata", {}), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        if _UNFIT.search(text):
            raise ma.ValidationError("Holds a control character or half a character; remove it.")
        if self.required and not text.strip():
            raise ma.ValidationError("Must not be empty.")
        if not self.min_length <= len(text) <= get_limit(self.max_length):
            raise ma.ValidationError(
                f"Must have {self.min_length} to {get_limit(self.max_length)} characters."
            )
        return text


class Slug(Text):
    """A slug: lowercase words and numbers with hyphens between."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=slugs.MAX_SLUG_LENGTH, min_length=1, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        slug = super()._deserialize(value, attr, data, **options)
        fits = slugs.make_slug(slug, longest=slugs.MAX_SLUG_LENGTH)
        if slug != fits:
            raise ma.ValidationError(f"Not a slug; {fits!r} would be one.")
        return slug


class EmptySchema(ma.Schema):
    """No body, or an empty object."""

    class Meta:
        unknown = ma.RAISE


class BoundedList(ma.fields.List[Any]):
    """An array of at most `max_items` items (a number, or the name of a setting)."""

    def __init__(self, inner: ma.fields.Field[Any], *, max_items: int | str, **options: Any) -> None:
        self.max_items = max_items
        super().__init__(inner, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > get_limit(self.max_items):
            raise ma.ValidationError(f"Must hold at most {get_limit(self.max_items)} items.")
        return super()._deserialize(value, attr, data, **options)


class Identifier(ma.fields.Field[UUID]):
    """A UUID in its canonical form."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **options: Any) -> str | None:
        return None if value is None else str(value)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> UUID:
        found = parse_uuid(value) if isinstance(value, str) else None
        if found is None:
            raise ma.ValidationError("Not a UUID such as 3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d.")
        return found


class Timestamp(ma.fields.Field[datetime]):
    """A moment; shown in UTC with microseconds, without an offset unless `aware`."""

    def __init__(self, *, aware: bool = False, **options: Any) -> None:
        self.aware = aware
        shape = {"pattern": AWARE_PATTERN if aware else NAIVE_PATTERN} if options.get("dump_only") else {}
        super().__init__(metadata=shape | options.pop("metadata", {}), **options)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **options: Any) -> str | None:
        if value is None:
            return None
        # isoformat() would drop a fraction of zero.
        shown: str = value.astimezone(UTC).isoformat(timespec="microseconds")
        return shown if self.aware else shown.removesuffix("+00:00")

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> datetime:
        found = parse_timestamp(value) if isinstance(value, str) else None
        if found is None:
            raise ma.ValidationError("Not a date-time such as 2026-01-31T09:30:00Z.")
        return found


class WebAddress(Text):
    """A web address: http or https without a password in it, or a path on the reader's own site."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length="MAX_URL", **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        address = super()._deserialize(value, attr, data, **options)
        if not is_web_address(address):
            raise ma.ValidationError("Not an http(s) address or a relative one.")
        return address


def is_web_address(address: str) -> bool:
    """Tell whether the text is empty, an http(s) address without credentials, or a relative one."""
    # Browsers drop tabs and line ends inside an address, and read a backslash as a slash.
    if re.search(r"[\s\\\x00-\x20<>\"]", address):
        return False
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return False
    if parts.scheme:
        return parts.scheme in ("http", "https") and bool(host) and "@" not in parts.netloc
    return not parts.netloc


class InputSchema(ma.Schema):
    """A body or a query string that comes in: every field must be known.

    `read_only` names the fields that a read shows and a write does not take: they are passed over, so
    that what was read can be sent back.
    """

    read_only: ClassVar[frozenset[str]] = frozenset()

    class Meta:
        unknown = ma.RAISE

    @ma.pre_load(pass_collection=True)
    def pass_over(self, data: Any, many: bool, **_: Any) -> Any:
        """Return the body without its read-only fields."""
        if many and isinstance(data, list):
            if len(data) > get_limit("MAX_BULK"):
                raise ma.ValidationError(f"Send at most {get_limit('MAX_BULK')} items at once.")
            return [self._without(item) for item in data]
        return self._without(data)

    def _without(self, item: Any) -> Any:
        if not isinstance(item, Mapping):
            return item
        return {name: value for name, value in item.items() if name not in self.read_only}


class Reference(InputSchema):
    """Another item as a body names it: by its uuid, or else by its slug."""

    uuid = Identifier()
    slug = Text(max_length=255, min_length=1)

    @ma.validates_schema
    def named(self, data: Fields, **_: Any) -> None:
        """Refuse a reference to nothing."""
        if not data:
            raise ma.ValidationError("Name it by uuid or slug.")


class OutputSchema(ma.Schema):
    """A body that goes out: every field is always there."""

    def hidden(self, shown: Any) -> str:
        """Return what a write can change of an item and this shape does not show.

        It counts in the ETag, or an If-Match would not notice it.
        """
        return ""

    def on_bind_field(self, field_name: str, field_obj: ma.fields.Field[Any]) -> None:
        """Mark each field as present, for the document of the API."""
        field_obj.required = True


class PartialOutputSchema(ma.Schema):
    """A body that goes out with the fields that the caller chose."""

    def on_bind_field(self, field_name: str, field_obj: ma.fields.Field[Any]) -> None:
        """Mark each field as one that may be left out."""
        field_obj.required = False


class StrictInteger(ma.fields.Integer):
    """A whole number between two bounds; `from_query` expects a string of plain digits."""

    def __init__(self, *, minimum: int, maximum: int, from_query: bool = False, **options: Any) -> None:
        self.from_query = from_query
        super().__init__(strict=True, validate=validate.Range(min=minimum, max=maximum), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> int:
        # int() alone would take 1_000, blanks and the digits of other scripts.
        if self.from_query and re.fullmatch(r"[0-9]{1,18}", value):
            return int(value)
        if self.from_query:
            raise ma.ValidationError("Not a valid integer.")
        number: int = super()._deserialize(value, attr, data, **options)
        return number


class FieldNames(ma.fields.Field[tuple[str, ...]]):
    """Names of the fields of a schema, with commas between them."""

    def __init__(self, shape: type[PartialOutputSchema], **options: Any) -> None:
        self.shape = shape
        super().__init__(
            # `fields` itself is a name that marshmallow's schemas use.
            data_key="fields",
            metadata={
                "type": "string",
                "description": "Show these fields only, with commas between: "
                + ", ".join(f"`{name}`" for name in shape._declared_fields),
                "example": next(iter(shape._declared_fields)),
            },
            **options,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> tuple[str, ...]:
        names = tuple(name.strip() for name in str(value).split(","))
        unknown = [name for name in names if name not in self.shape._declared_fields]
        if unknown:
            raise ma.ValidationError(
                [
                    f"{name!r} is not a field; known are {', '.join(self.shape._declared_fields)}."
                    for name in unknown
                ]
            )
        return names


class WithAttributes:
    """An object seen with further attributes beside its own."""

    def __init__(self, seen: object, **further: object) -> None:
        self._seen = seen
        self.__dict__.update(further)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._seen, name)


def join_messages(messages: Mapping[str, Iterable[str]]) -> str:
    """Return validation messages as one sentence for a person."""
    return " ".join(f"{path}: {' '.join(sentences)}" for path, sentences in messages.items())
