"""Writes with `If-Match` or `Idempotency-Key`, and bulk writes that write all items or none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from flask import Response, current_app, request
from sqlalchemy import LargeBinary, String, delete
from sqlalchemy.orm import Mapped, mapped_column

from blogapi import clock
from blogapi.storage.database import Base, db, transaction
from blogapi.web.access import current_user_id
from blogapi.web.errors import Conflict, Invalid, Malformed, PreconditionFailed, PreconditionRequired, Problem
from blogapi.web.headers import matches_item_state


def check_preconditions(get_etag: Callable[[], str | None]) -> None:
    """Check the preconditions of a write; `get_etag` returns the item's current ETag, or None if it is new.

    Raises PreconditionFailed if `If-Match` does not match, or if the request has `If-None-Match: *` and the
    item exists. Raises PreconditionRequired if the setting REQUIRE_IF_MATCH is on and a request that changes
    an existing item has no `If-Match`.
    """
    has_if_match = "If-Match" in request.headers
    # A POST changes an existing resource if its path contains an id.
    may_change = request.method != "POST" or "id" in (request.view_args or {})
    if has_if_match or request.headers.get("If-None-Match") == "*":
        current = get_etag()
        matches = current is not None and matches_item_state(request.if_match, current)
        if has_if_match and not matches:
            raise PreconditionFailed(
                "The item was changed since you read it; read it again.", etag=current and f'"{current}"'
            )
        if not has_if_match and current is not None:
            raise PreconditionFailed("The item exists already; read it first.", etag=f'"{current}"')
    elif current_app.config["REQUIRE_IF_MATCH"] and may_change and get_etag() is not None:
        raise PreconditionRequired(
            "Set the If-Match header to the ETag that you received when you read the item."
        )


def refuse_unsupported_headers() -> None:
    """Refuse a request with If-Match or Idempotency-Key; call this for views that support neither header.

    Such a view changes nothing that has an ETag, or its response contains a secret, which must not be stored.
    Raises PreconditionFailed for If-Match, and Malformed for Idempotency-Key.
    """
    if "If-Match" in request.headers:
        raise PreconditionFailed(
            "This operation changes nothing that has an ETag; send it without If-Match.", etag=None
        )
    if "Idempotency-Key" in request.headers:
        raise Malformed("This operation does not support an Idempotency-Key; send it without one.")


Item = TypeVar("Item")
Result = TypeVar("Result")


def write_items(items: Sequence[Item], write: Callable[[Item], Result]) -> list[Result]:
    """Write all items in one transaction and return the results.

    The field paths in the `errors` of a raised Problem begin with the index of the item.
    Raises Invalid if a uuid occurs twice.
    """
    results: list[Result] = []
    seen: set[Any] = set()
    with transaction(visible=None):
        for index, item in enumerate(items):
            uuid = item["uuid"] if isinstance(item, dict) else getattr(item, "uuid", item)
            try:
                if uuid in seen:
                    raise Invalid(
                        "A uuid occurs twice; send each item once.", errors={"uuid": ["Occurs twice."]}
                    )
                seen.add(uuid)
                results.append(write(item))
            except Problem as error:
                raise error.prefix_errors(str(index)) from error
    return results


IDEMPOTENCY_LIFETIME = timedelta(hours=24)
MAX_IDEMPOTENCY_KEY_LENGTH = 255


class IdempotentResponse(Base):
    """The response to a POST with an Idempotency-Key, stored for 24 hours for the user who sent the POST."""

    __tablename__ = "idempotent_answer"

    user_id: Mapped[UUID] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(MAX_IDEMPOTENCY_KEY_LENGTH), primary_key=True)
    request_digest: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    headers: Mapped[str]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    created: Mapped[datetime] = mapped_column(index=True)


def run_write_once(write: Callable[[], Response]) -> Response:
    """Return the stored response to the same request with the same key; if there is none, call `write`.

    Raises Malformed if the key is invalid, and Conflict if the key was sent before with another request.
    """
    key, user, now = _read_idempotency_key(), current_user_id(), clock.now()
    db.session.execute(
        delete(IdempotentResponse).where(IdempotentResponse.created <= now - IDEMPOTENCY_LIFETIME)
    )
    digest = _compute_request_digest()
    stored = db.session.get(IdempotentResponse, (user, key))
    if stored is not None:
        if stored.request_digest != digest:
            raise Conflict(
                "This Idempotency-Key was sent with a different request; send a new key.",
                code="idempotency_mismatch",
            )
        return Response(stored.body, stored.status, json.loads(stored.headers))
    response = write()
    db.session.add(
        IdempotentResponse(
            user_id=user,
            key=key,
            request_digest=digest,
            status=response.status_code,
            headers=json.dumps(list(response.headers)),
            body=response.get_data(),
            created=now,
        )
    )
    return response


def _read_idempotency_key() -> str:
    key = request.headers["Idempotency-Key"]
    if not 1 <= len(key) <= MAX_IDEMPOTENCY_KEY_LENGTH or not key.isascii() or not key.isprintable():
        raise Malformed(
            f"An Idempotency-Key must have 1 to {MAX_IDEMPOTENCY_KEY_LENGTH} printable ASCII characters."
        )
    return key


def _compute_request_digest() -> str:
    query = b"?" + request.query_string if request.query_string else b""
    start = f"{request.method} {request.path.rstrip('/')}".encode() + query
    return hashlib.sha256(start + b"\n" + request.get_data()).hexdigest()
