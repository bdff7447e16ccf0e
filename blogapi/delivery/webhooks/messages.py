"""The messages that webhooks send, and the HTTP requests for each kind of receiver."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from flask import current_app

from blogapi.delivery.webhooks import event_types, queries
from blogapi.delivery.webhooks.models import MASK, STANDARD_PRESET, CallMode, Delivery, Webhook
from blogapi.publication import shared_caching
from blogapi.publication.events import Cursor, format_cursor
from blogapi.publication.models import FETCHED_CHANGES, ChangeType, Event
from blogapi.site.models import Site
from blogapi.version import __version__
from blogapi.web.json import to_json_bytes

SECRET_PREFIX = "whsec_"  # noqa: S105 (the prefix is public)


def make_secret(webhook: UUID, rotation: int) -> str:
    """Return the secret of a webhook after this number of rotations, in the format that receivers expect."""
    return SECRET_PREFIX + base64.b64encode(_derive_key(webhook, rotation)).decode("ascii")


def make_signature(
    webhook: UUID, rotations: list[int], *, message_id: str, timestamp: int, body: bytes
) -> str:
    """Return the value of the header `Webhook-Signature`: a signature with the secret of each rotation."""
    content = b"%s.%d.%s" % (message_id.encode("ascii"), timestamp, body)
    return " ".join(
        "v1," + base64.b64encode(_compute_hmac(_derive_key(webhook, rotation), content)).decode("ascii")
        for rotation in rotations
    )


def _derive_key(webhook: UUID, rotation: int) -> bytes:
    key: str = current_app.config["SECRET_KEY"]
    return _compute_hmac(key.encode("utf-8"), f"webhook {webhook} {rotation}".encode("ascii"))


def _compute_hmac(key: bytes, content: bytes) -> bytes:
    return hmac.new(key, content, hashlib.sha256).digest()


# The maximum number of changes in a call. The call also contains the number of all changes.
MAX_CHANGES_PER_CALL = 100


@dataclass(frozen=True, slots=True)
class Message:
    """The content of a call: its id, its type, its time and its changes. A repeated call has the same id.

    `position` is the position of the last event. `count` is the number of all changes, of which `changes` has
    only the first MAX_CHANGES_PER_CALL. A notice has a count of 0; its `changes` contain its data.
    """

    id: str
    type: str
    time: datetime
    changes: Sequence[dict[str, Any]] = ()
    count: int = 0
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """The URL, the headers and the body of a POST request."""

    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of receiver: its name and help text for admins, and functions that make its requests."""

    label: str
    help: str
    make_body: Callable[[Message], bytes]
    headers: Mapping[str, str] = field(default_factory=dict)
    make_query: Callable[[Message], Mapping[str, str]] = lambda message: {}


def _make_standard_body(message: Message) -> bytes:
    """Return the type, the time and the data of the message in the format of Standard Webhooks."""
    data: Mapping[str, Any] = {}
    if message.type == event_types.COMBINED_TYPE:
        data = {"count": message.count, "changes": message.changes}
    elif message.changes:
        data = {name: value for name, value in message.changes[0].items() if name != "type"}
    return to_json_bytes({"type": message.type, "timestamp": _format_time(message.time), "data": data})


def _make_build_title(message: Message) -> str:
    if message.count:
        return f"{message.count} change{'s' * (message.count != 1)}"
    return "Test" if message.type == event_types.TEST_TYPE else "Build"


PRESETS = {
    STANDARD_PRESET: Preset(
        "Another service",
        "The call is signed as the Standard Webhooks specification requires.",
        _make_standard_body,
    ),
    "netlify": Preset(
        "Netlify",
        "In Netlify: Project configuration, Build and deploy, Build hooks, Add build hook.",
        lambda message: b"{}",
        make_query=lambda message: {"trigger_title": _make_build_title(message)},
    ),
    "vercel": Preset("Vercel", "In Vercel: Settings, Git, Deploy Hooks, Create Hook.", lambda message: b""),
    "cloudflare": Preset(
        "Cloudflare Pages",
        "In Cloudflare: Workers and Pages, your project, Settings, Builds, Deploy hooks.",
        lambda message: b"",
    ),
    "github": Preset(
        "GitHub",
        "The address is https://api.github.com/repos/OWNER/REPOSITORY/dispatches. The token needs the "
        "permission to write the contents of the repository; send it as the header Authorization: Bearer.",
        lambda message: to_json_bytes(
            {
                "event_type": "blogapi",
                "client_payload": {"title": _make_build_title(message), "id": message.id},
            }
        ),
        headers={"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"},
    ),
    "plain": Preset("A plain call", "A POST request with an empty JSON object.", lambda message: b"{}"),
}


_SAMPLE_CHANGE = {
    "type": "article.published",
    "kind": "article",
    "uuid": "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d",
    "slug": "fish-soup",
    "url": "https://blog.example/fish-soup/",
    "former_url": None,
    "changed": [],
    "cache_tags": ["article-3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d", "articles"],
    "cursor": "5fa31c07-p42",
}


def format_change(event: Event, site: Site) -> dict[str, Any]:
    """Return one change in the format of a call, with only data that readers can or could see.

    The slug and the address of a draft are secret: when an item is no longer public, the call has its former
    slug and address; when an item becomes public, the call has only the new slug and address.
    """
    is_shown = event.is_readable if event.unlisted else event.change in FETCHED_CHANGES
    slug, path = (event.slug, event.path) if is_shown else (event.slug_before, event.path_before)
    has_moved = event.change == ChangeType.UPDATED and event.path_before != path
    if event.unlisted:
        # If an update has no `fields`, a draft has become unlisted, and its former address is secret.
        has_moved = has_moved and bool(event.fields)
    latest = event if event.public_position else queries.find_last_public_event(event.position)
    return {
        "type": event_types.get_event_type(event),
        "kind": event.kind,
        "uuid": str(event.uuid),
        "slug": slug,
        "url": _make_absolute_url(site, path),
        "former_url": _make_absolute_url(site, event.path_before) if has_moved else None,
        "changed": event.changed_fields,
        "cache_tags": shared_caching.list_purged_cache_tags(
            event.kind, event.uuid, listed=not event.unlisted
        ),
        "cursor": latest and format_cursor(Cursor(latest.public_position or 0, latest.tag), "p"),
        **({"readable": event.is_readable} if event.unlisted else {}),
    }


def make_event_message(event: Event, site: Site) -> Message:
    """Return the message of one event.

    The id contains the tag of the event: after a restore, another event at the same position has another id.
    """
    return Message(
        _make_message_id(event),
        event_types.get_event_type(event),
        event.time,
        (format_change(event, site),),
        1,
        event.position,
    )


def make_combined_message(events: Sequence[Event], last: Event, count: int, site: Site) -> Message:
    """Return the message for `count` events; `events` are the first events, and `last` is the last event."""
    changes = [format_change(event, site) for event in events]
    return Message(
        _make_message_id(last), event_types.COMBINED_TYPE, last.time, changes, count, last.position
    )


def rebuild_message(delivery: Delivery) -> Message:
    """Return the message of a call that was made earlier, so that the message can be sent again."""
    return Message(
        delivery.message_id, delivery.type, delivery.message_time, delivery.content, delivery.count
    )


def make_request(webhook: Webhook, message: Message, now: datetime) -> Request:
    """Return the request that sends the message to a webhook; the signature has the time `now`."""
    preset = PRESETS[webhook.preset]
    body = preset.make_body(message)
    headers = {"User-Agent": f"blogapi/{__version__}", **preset.headers}
    if body:
        headers["Content-Type"] = "application/json"
    if webhook.preset == STANDARD_PRESET:
        headers |= _make_signature_headers(webhook, message, body, now)
    query = urlencode(preset.make_query(message))
    separator = "&" if "?" in webhook.url else "?"
    url = f"{webhook.url}{separator}{query}" if query else webhook.url
    return Request(url, {**headers, **webhook.custom_headers}, body)


def make_sample_request(preset: str, mode: str | None = None) -> dict[str, Any]:
    """Return the query, the headers and the body of a call with sample changes."""
    sends_each_change = preset == STANDARD_PRESET and mode != CallMode.COMBINED
    changes = [_SAMPLE_CHANGE] * (1 if sends_each_change else 3)
    message = Message(
        "msg_5fa31c07_42",
        "article.published" if sends_each_change else event_types.COMBINED_TYPE,
        datetime(2026, 11, 23, 14, 32, 10, tzinfo=UTC),
        changes,
        len(changes),
    )
    webhook = Webhook(uuid=uuid4(), url="https://hooks.example/", preset=preset, rotation=1, headers="{}")
    return describe_request(webhook, message, message.time)


def describe_request(webhook: Webhook, message: Message, now: datetime) -> dict[str, Any]:
    """Return the query, the headers and the body of a request, without the secrets of the webhook."""
    request = make_request(webhook, message, now)
    masks = {"Webhook-Signature": "v1,…", **dict.fromkeys(webhook.custom_headers, MASK)}
    headers = {name: masks.get(name, value) for name, value in request.headers.items()}
    query = urlencode(PRESETS[webhook.preset].make_query(message))
    return {"query": query, "headers": headers, "body": request.body.decode()}


def _make_signature_headers(webhook: Webhook, message: Message, body: bytes, now: datetime) -> dict[str, str]:
    rotations = [webhook.rotation]
    if webhook.rotation_ends is not None and webhook.rotation_ends > now:
        rotations.append(webhook.rotation - 1)
    timestamp = int(now.timestamp())
    signature = make_signature(webhook.uuid, rotations, message_id=message.id, timestamp=timestamp, body=body)
    return {
        "Webhook-Id": message.id,
        "Webhook-Timestamp": str(timestamp),
        "Webhook-Signature": signature,
    }


def _make_message_id(event: Event) -> str:
    # The prefix `u` marks positions that are not public, because a public position can be the same number.
    return f"msg_{event.tag}_{event.public_position or f'u{event.position}'}"


def _make_absolute_url(site: Site, path: str | None) -> str | None:
    return f"{site.url}{path}" if site.url and path else None


def _format_time(time: datetime) -> str:
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")
