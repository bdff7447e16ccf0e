"""Idempotency keys: a POST that is repeated with the same key gets the stored response."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from flask import Response, request
from sqlalchemy import LargeBinary, String, delete
from sqlalchemy.orm import Mapped, mapped_column

from blogapi import clock
from blogapi.storage.database import Base, db
from blogapi.web.access import current_user_id
from blogapi.web.errors import Conflict, Malformed

IDEMPOTENCY_LIFETIME = timedelta(hours=24)
MAX_KEY_LENGTH = 255


class IdempotentResponse(Base):
    """The response to a POST with an Idempotency-Key, stored for 24 hours for the user who sent the POST."""

    __tablename__ = "idempotent_answer"

    user_id: Mapped[UUID] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(MAX_KEY_LENGTH), primary_key=True)
    request_digest: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    headers: Mapped[str]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    created: Mapped[datetime] = mapped_column(index=True)


def run_once(write: Callable[[], Response]) -> Response:
    """Return the stored response to the same request with the same key; if there is none, call `write`.

    Raises Malformed if the key is invalid, and Conflict if the key was sent before with another request.
    """
    key, user, now = _read_key(), current_user_id(), clock.now()
    db.session.execute(
        delete(IdempotentResponse).where(IdempotentResponse.created <= now - IDEMPOTENCY_LIFETIME)
    )
    digest = _request_digest()
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


def _read_key() -> str:
    key = request.headers["Idempotency-Key"]
    if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isascii() or not key.isprintable():
        raise Malformed(f"An Idempotency-Key must have 1 to {MAX_KEY_LENGTH} printable ASCII characters.")
    return key


def _request_digest() -> str:
    query = b"?" + request.query_string if request.query_string else b""
    start = f"{request.method} {request.path.rstrip('/')}".encode() + query
    return hashlib.sha256(start + b"\n" + request.get_data()).hexdigest()
