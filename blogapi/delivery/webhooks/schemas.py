"""Request and response bodies of webhooks."""

from __future__ import annotations

import re
from typing import Any

import marshmallow as ma
from flask import current_app
from marshmallow import validate

from blogapi.delivery.webhooks.event_types import ALL_TYPES_PATTERN, EVENT_PATTERNS
from blogapi.delivery.webhooks.messages import PRESETS
from blogapi.delivery.webhooks.models import STANDARD_PRESET, CallMode, PauseReason
from blogapi.web import outgoing
from blogapi.web.fields import (
    BoundedList,
    Identifier,
    InputSchema,
    OmitNullMixin,
    OutputSchema,
    StrictInteger,
    Text,
    Timestamp,
)

MAX_HEADERS, MAX_HEADER_LENGTH = 10, 1000
MAX_QUIET_SECONDS, MAX_INTERVAL_SECONDS = 3600, 86_400

# The description names the default, because generated clients treat a property with `default` as required.
_PRESET_METADATA = {
    "description": "The kind of receiver: `standard` (the default) gets signed calls, others start builds."
}
_MODE_METADATA = {"description": "One call for each change (`each`), or for several (`combined`)."}

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]+")
# Headers that the connection or the signature sets.
_RESERVED_HEADERS = re.compile(
    r"host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|webhook-.*", re.IGNORECASE
)


class ReceiverAddress(Text):
    """The absolute URL that a webhook calls."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        address = super()._deserialize(value, attr, data, **options)
        try:
            return outgoing.parse_permitted_url(address, current_app.config["WEBHOOK_HOSTS"]).geturl()
        except outgoing.RefusedAddress as refusal:
            raise ma.ValidationError(str(refusal)) from refusal


def _check_headers(headers: dict[str, str]) -> None:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or _RESERVED_HEADERS.fullmatch(name):
            raise ma.ValidationError(f"{name[:100]!r} cannot be a custom header; choose another name.")
        if len(value) > MAX_HEADER_LENGTH or not _HEADER_VALUE.fullmatch(value):
            raise ma.ValidationError(
                f"The value of {name!r} must be 1 to {MAX_HEADER_LENGTH} ASCII characters."
            )


class LatestCallSchema(OutputSchema):
    """The outcome of a call."""

    uuid = Identifier()
    time = Timestamp(dump_only=True)
    type = ma.fields.String(metadata={"example": "article.published"})
    count = ma.fields.Integer(metadata={"description": "The number of changes."})
    succeeded = ma.fields.Boolean()
    attempt = ma.fields.Integer(metadata={"description": "1 for the first attempt.", "example": 1})
    status = ma.fields.Integer(
        allow_none=True, metadata={"description": "The HTTP status; null if there was no answer."}
    )
    error = ma.fields.String(metadata={"description": "Why there is no answer; may be empty."})
    milliseconds = ma.fields.Integer()


class ChangeOfCallSchema(OmitNullMixin, OutputSchema):
    """A change in a call."""

    omitted_if_null = frozenset({"readable"})

    type = ma.fields.String(metadata={"example": "article.published"})
    kind = ma.fields.String(metadata={"example": "article"})
    uuid = Identifier()
    slug = ma.fields.String(allow_none=True)
    url = ma.fields.String(allow_none=True, metadata={"description": "The address on the site."})
    former_url = ma.fields.String(allow_none=True, metadata={"description": "The address before the change."})
    changed = ma.fields.List(ma.fields.String(), metadata={"description": "The names of the changed fields."})
    cache_tags = ma.fields.List(ma.fields.String())
    cursor = ma.fields.String(
        allow_none=True,
        metadata={
            "description": "The value of `since` for the feed of changes; null if the feed is empty.",
            "example": "5fa31c07-p42",
        },
    )
    readable = ma.fields.Boolean(
        metadata={"description": "Whether readers can see an unlisted item now. Absent in other changes."}
    )


class DeliverySchema(LatestCallSchema):
    """A call, its changes, and the beginning of its answer."""

    message_id = ma.fields.String(
        metadata={"description": "Identifier of the message; all attempts of a call have the same."}
    )
    message_time = Timestamp(dump_only=True)
    changes = ma.fields.List(ma.fields.Nested(ChangeOfCallSchema), attribute="change_list")
    reason = ma.fields.String(
        metadata={"description": "The standard phrase of the status; may be empty.", "example": "OK"}
    )
    answer = ma.fields.String(metadata={"description": "The first 1 kB of the answer, as text."})


class WebhookSchema(OutputSchema):
    """A webhook without its secrets."""

    uuid = Identifier()
    name = ma.fields.String()
    address = ma.fields.String(
        attribute="masked_url",
        metadata={"description": "The address without its path.", "example": "https://hooks.example/•••"},
    )
    preset = ma.fields.String(metadata={"enum": [*PRESETS], **_PRESET_METADATA})
    mode = ma.fields.String(metadata={"enum": [*CallMode], **_MODE_METADATA})
    events = ma.fields.List(
        ma.fields.String(metadata={"enum": [*EVENT_PATTERNS]}), attribute="event_patterns"
    )
    header_names = ma.fields.List(ma.fields.String())
    quiet_seconds = ma.fields.Integer()
    interval_seconds = ma.fields.Integer()
    active = ma.fields.Boolean()
    paused = ma.fields.String(
        allow_none=True,
        metadata={
            "enum": [*PauseReason, None],
            "description": "Why the webhook is paused: by an admin, after its calls failed for three days, "
            "after an answer 410, or because the blog is a copy.",
        },
    )
    paused_at = Timestamp(allow_none=True, dump_only=True)
    failing_since = Timestamp(allow_none=True, dump_only=True)
    next_attempt = Timestamp(
        allow_none=True, dump_only=True, metadata={"description": "The time of the next attempt."}
    )
    next_call = Timestamp(
        allow_none=True,
        dump_only=True,
        metadata={
            "description": "When the waiting changes are sent: after the quiet time and the interval, or "
            "at the next attempt. Null if no changes wait or the webhook is paused."
        },
    )
    rotation_ends = Timestamp(
        allow_none=True,
        dump_only=True,
        metadata={"description": "Until this time, calls are also signed with the former secret."},
    )
    waiting = ma.fields.Integer(metadata={"description": "The number of changes that wait for a call."})
    has_gap = ma.fields.Boolean(
        metadata={"description": "Whether old changes were deleted before the webhook received them."}
    )
    latest_calls = ma.fields.List(
        ma.fields.Nested(LatestCallSchema),
        metadata={"description": "The last calls, at most 20, newest first."},
    )
    is_served = ma.fields.Boolean(
        metadata={"description": "Whether this process makes calls; only `serve` does."}
    )
    created = Timestamp(dump_only=True)


class CreatedWebhookSchema(OutputSchema):
    """A new webhook or a new secret; only this response contains the secret."""

    uuid = Identifier()
    secret = ma.fields.String(
        allow_none=True,
        metadata={
            "description": "The secret that signs the calls (Standard Webhooks); null for a build hook.",
            "example": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwWMfKQ9r8GKY=",
        },
    )


class WebhookBodySchema(InputSchema):
    """The fields of a webhook that a client can write."""

    read_only = frozenset(WebhookSchema._declared_fields) - {
        *("name", "preset", "mode", "events", "quiet_seconds", "interval_seconds", "active")
    }

    name = Text(max_length="MAX_NAME", required=True, metadata={"example": "search index"})
    url = ReceiverAddress(
        max_length="MAX_URL",
        required=True,
        metadata={
            "description": "The address to call. It can contain a secret, so no response shows it.",
            "example": "https://hooks.example/blog",
        },
    )
    preset = ma.fields.String(
        validate=validate.OneOf([*PRESETS]), load_default=lambda: STANDARD_PRESET, metadata=_PRESET_METADATA
    )
    mode = ma.fields.String(
        validate=validate.OneOf([*CallMode]),
        metadata=_MODE_METADATA,
    )
    events = BoundedList(
        ma.fields.String(validate=validate.OneOf(EVENT_PATTERNS)),
        max_items=len(EVENT_PATTERNS),
        attribute="event_patterns",
        validate=validate.Length(min=1),
        load_default=lambda: [ALL_TYPES_PATTERN],
        metadata={
            "description": "The types of changes to report. `article.*` stands for all types of a kind, and "
            "`*` for all types but `article.unlisted` and `page.unlisted`; build hooks always get these."
        },
    )
    headers = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.String(),
        attribute="custom_headers",
        validate=[validate.Length(max=MAX_HEADERS), _check_headers],
        metadata={"description": "Additional headers to send. No response shows their values."},
    )
    quiet_seconds = StrictInteger(
        minimum=0,
        maximum=MAX_QUIET_SECONDS,
        metadata={"description": "The time without changes before a combined call."},
    )
    interval_seconds = StrictInteger(
        minimum=0,
        maximum=MAX_INTERVAL_SECONDS,
        metadata={"description": "The shortest time between two combined calls."},
    )
    active = ma.fields.Boolean(truthy={True}, falsy={False})


class ReplaySchema(InputSchema):
    """The time from which changes are sent again."""

    since = Timestamp(required=True, metadata={"example": "2026-11-20T00:00:00Z"})


class PresetSchema(OutputSchema):
    """A kind of receiver."""

    name = ma.fields.String(metadata={"enum": [*PRESETS]})
    label = ma.fields.String(metadata={"example": "Netlify"})
    help = ma.fields.String()


class SampleInputSchema(InputSchema):
    """The preset and the mode of the sample call."""

    preset = ma.fields.String(
        validate=validate.OneOf([*PRESETS]), load_default=lambda: STANDARD_PRESET, metadata=_PRESET_METADATA
    )
    mode = ma.fields.String(validate=validate.OneOf([*CallMode]), metadata=_MODE_METADATA)


class SampleSchema(OutputSchema):
    """A request of a webhook: the query that is added to its address, its headers and its body."""

    query = ma.fields.String(metadata={"example": "trigger_title=3+changes"})
    headers = ma.fields.Dict(keys=ma.fields.String(), values=ma.fields.String())
    body = ma.fields.String()


class ShownDeliverySchema(DeliverySchema):
    """A call with its request."""

    sent = ma.fields.Nested(
        SampleSchema,
        metadata={"description": "The request that the webhook would send now, without secrets."},
    )
