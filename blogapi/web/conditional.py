"""Conditional writes: `If-Match` and `If-None-Match` are checked in the transaction of the write."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, current_app, request

from blogapi.storage.database import transaction
from blogapi.web.errors import PreconditionFailed, PreconditionRequired
from blogapi.web.idempotency import run_once


def perform_write(write: Callable[[], Response], etag: Callable[[], str | None]) -> Response:
    """Check the request's preconditions and return the response of `write`, in one transaction.

    `etag` returns the ETag of the present state, None where nothing exists. Raises PreconditionFailed for
    an `If-Match` that differs (or an `If-None-Match: *` where something exists), and PreconditionRequired
    where the setting REQUIRE_IF_MATCH asks for an `If-Match`.
    """

    def checked() -> Response:
        _check(etag)
        return write()

    with transaction():
        if request.method == "POST" and "Idempotency-Key" in request.headers:
            return run_once(checked)
        return checked()


def _check(etag: Callable[[], str | None]) -> None:
    demands = "If-Match" in request.headers
    if demands or request.headers.get("If-None-Match") == "*":
        now = etag()
        fits = now is not None and (request.if_match.star_tag or request.if_match.contains(now))
        if demands and not fits:
            raise PreconditionFailed(
                "It was changed since you read it; read it again.", etag=now and f'"{now}"'
            )
        if not demands and now is not None:
            raise PreconditionFailed("It exists already; read it first.", etag=f'"{now}"')
    elif current_app.config["REQUIRE_IF_MATCH"] and _changes() and etag() is not None:
        raise PreconditionRequired("Send the ETag of what you read as If-Match.")


def _changes() -> bool:
    """Tell whether the request changes what is there; a POST does so only under an item's path."""
    return request.method != "POST" or "id" in (request.view_args or {})
