"""Writing over HTTP without harm: nothing overwritten unseen, and a retry does nothing twice."""

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

from blogapi.core import clock
from blogapi.core.access import writer
from blogapi.core.database import Base, db, transaction
from blogapi.core.errors import Conflict, Invalid, Malformed, PreconditionRequired, Problem, Stale

Item = TypeVar("Item")
Result = TypeVar("Result")

REMEMBERED = timedelta(hours=24)
LONGEST_KEY = 255


class IdempotentAnswer(Base):
    """The answer to a POST with an Idempotency-Key, kept for 24 hours for the user who sent it."""

    __tablename__ = "idempotent_answer"

    user_id: Mapped[UUID] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(LONGEST_KEY), primary_key=True)
    request_digest: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    headers: Mapped[str]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    created: Mapped[datetime] = mapped_column(index=True)


def each(items: Sequence[Item], write: Callable[[Item], Result]) -> list[Result]:
    """Write all items in one transaction and return the results; an error names the item's index.

    Raises Invalid where one uuid stands twice: which of the two would count, nobody could tell.
    """
    results: list[Result] = []
    seen: set[Any] = set()
    with transaction():
        for index, item in enumerate(items):
            uuid = item["uuid"] if isinstance(item, dict) else item
            try:
                if uuid in seen:
                    raise Invalid("An item stands twice.", errors={"uuid": ["Stands twice."]})
                seen.add(uuid)
                results.append(write(item))
            except Problem as error:
                raise error.at(str(index)) from error
    return results


def guarded(write: Callable[[], Response], etag: Callable[[], str | None]) -> Response:
    """Return the answer of `write`, done in one transaction with the check that it may be done.

    `etag` tells the validator of what is there now, None where there is nothing. Raises Stale for an
    `If-Match` that does not fit (or an `If-None-Match: *` where there is something), and
    PreconditionRequired where the blog demands one.
    """
    with transaction():
        if request.method == "POST" and "Idempotency-Key" in request.headers:
            return _once(write, etag)
        _check(etag)
        return write()


def _check(etag: Callable[[], str | None]) -> None:
    demands = "If-Match" in request.headers
    if demands or request.headers.get("If-None-Match") == "*":
        now = etag()
        fits = now is not None and (request.if_match.star_tag or request.if_match.contains(now))
        if demands and not fits:
            raise Stale("It was changed since you read it; read it again.", etag=now and f'"{now}"')
        if not demands and now is not None:
            raise Stale("It exists already; read it first.", etag=f'"{now}"')
    elif current_app.config["REQUIRE_IF_MATCH"] and _changes() and etag() is not None:
        raise PreconditionRequired("Send the ETag of what you read as If-Match.")


def _changes() -> bool:
    """Tell whether the request changes what is there; a POST does so only under an item's path."""
    return request.method != "POST" or "id" in (request.view_args or {})


def _once(write: Callable[[], Response], etag: Callable[[], str | None]) -> Response:
    key, user, now = _key(), writer(), clock.now()
    db.session.execute(delete(IdempotentAnswer).where(IdempotentAnswer.created <= now - REMEMBERED))
    digest = _digest()
    known = db.session.get(IdempotentAnswer, (user, key))
    if known is not None:
        if known.request_digest != digest:
            raise Conflict("This Idempotency-Key was used for another request.", code="idempotency_mismatch")
        return Response(known.body, known.status, json.loads(known.headers))
    _check(etag)
    answer = write()
    db.session.add(
        IdempotentAnswer(
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
    if not 1 <= len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise Malformed(f"An Idempotency-Key has 1 to {LONGEST_KEY} printable ASCII characters.")
    return key


def _digest() -> str:
    told = f"{request.method} {request.path.rstrip('/')}\n".encode() + request.get_data()
    return hashlib.sha256(told).hexdigest()
