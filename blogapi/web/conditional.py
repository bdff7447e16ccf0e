"""Conditional writes: `If-Match` and `If-None-Match` are checked in the transaction of the write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response, current_app, g, request

from blogapi.storage.database import db, get_write, transaction
from blogapi.web.access import SAFE_METHODS
from blogapi.web.errors import Malformed, PreconditionFailed, PreconditionRequired
from blogapi.web.headers import contains_state
from blogapi.web.idempotency import run_once
from blogapi.web.operation import get_operation


def perform_write(write: Callable[[], Response], etag: Callable[[], str | None]) -> Response:
    """Check the caller and the preconditions and return the response of `write`, in one transaction.

    `etag` returns the current ETag, or None if the item does not exist. A POST with an Idempotency-Key is
    executed only once. Raises PreconditionFailed if `If-Match` does not match, or if the request has
    `If-None-Match: *` and the item exists. Raises PreconditionRequired if the setting REQUIRE_IF_MATCH is on
    and a request that changes an existing item has no `If-Match`.
    """

    def checked_write() -> Response:
        check_preconditions(etag)
        return write()

    with transaction(visible=None):
        # The key may have been deleted, or the user disabled, while the write waited for the lock.
        if g.get("caller_tag") != get_write(db.session()).counter["tag"]:
            g.check_caller()
        if request.method == "POST" and "Idempotency-Key" in request.headers:
            return run_once(checked_write)
        return checked_write()


def check_preconditions(etag: Callable[[], str | None]) -> None:
    """Raise PreconditionFailed or PreconditionRequired as `perform_write` does."""
    has_if_match = "If-Match" in request.headers
    # A POST changes an existing resource if its path contains an id.
    may_change = request.method != "POST" or "id" in (request.view_args or {})
    if has_if_match or request.headers.get("If-None-Match") == "*":
        current = etag()
        matches = current is not None and contains_state(request.if_match, current)
        if has_if_match and not matches:
            raise PreconditionFailed(
                "The item was changed since you read it; read it again.", etag=current and f'"{current}"'
            )
        if not has_if_match and current is not None:
            raise PreconditionFailed("The item exists already; read it first.", etag=f'"{current}"')
    elif current_app.config["REQUIRE_IF_MATCH"] and may_change and etag() is not None:
        raise PreconditionRequired(
            "Set the If-Match header to the ETag that you received when you read the item."
        )


def reject_conditional_headers(view: Callable[..., Any]) -> None:
    """Refuse the headers If-Match and Idempotency-Key if the view does not support them.

    A view does not support them if it changes nothing that has an ETag, or if its response contains a secret,
    which must not be stored. Raises PreconditionFailed for If-Match, and Malformed for Idempotency-Key.
    """
    if request.method in SAFE_METHODS or get_operation(view).writes:
        return
    if "If-Match" in request.headers:
        raise PreconditionFailed(
            "This operation changes nothing that has an ETag; send it without If-Match.", etag=None
        )
    if "Idempotency-Key" in request.headers:
        raise Malformed("This operation does not support an Idempotency-Key; send it without one.")
