"""Idempotency keys: a repeated POST is answered with the stored response."""

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
    """The answer to a POST with an Idempotency-Key, kept for 24 hours for the user who sent it."""

    __tablename__ = "idempotent_answer"

    user_id: Mapped[UUID] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(MAX_KEY_LENGTH), primary_key=True)
    request_digest: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    headers: Mapped[str]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    created: Mapped[datetime] = mapped_column(index=True)


def run_once(write: Callable[[], Response]) -> Response:
    """Return the response of `write`, or the stored one where the request was sent before under its key.

    Raises Malformed for a malformed key, Conflict for a key that another request used.
    """
    key, user, now = _key(), current_user_id(), clock.now()
    db.session.execute(
        delete(IdempotentResponse).where(IdempotentResponse.created <= now - IDEMPOTENCY_LIFETIME)
    )
    digest = _digest()
    known = db.session.get(IdempotentResponse, (user, key))
    if known is not None:
        if known.request_digest != digest:
            raise Conflict("This Idempotency-Key was used for another request.", code="idempotency_mismatch")
        return Response(known.body, known.status, json.loads(known.headers))
    answer = write()
    db.session.add(
        IdempotentResponse(
            user_id=user,
            key=key,
            request_digest=digest,
            status=answer.status_code,
            headers=json.dumps(list(answer.headers)),
            body=answer.get_data(),
            created=now,
        )
    )
    return answer


def _key() -> str:
    key = request.headers["Idempotency-Key"]
    if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isascii() or not key.isprintable():
        raise Malformed(f"An Idempotency-Key has 1 to {MAX_KEY_LENGTH} printable ASCII characters.")
    return key


def _digest() -> str:
    told = f"{request.method} {request.path.rstrip('/')}\n".encode() + request.get_data()
    return hashlib.sha256(told).hexdigest()
