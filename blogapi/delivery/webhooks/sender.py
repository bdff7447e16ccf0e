"""The threads of `serve` that make the calls of webhooks."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from uuid import UUID

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from blogapi.delivery.webhooks import delivery, queries
from blogapi.delivery.webhooks.delivery import DueCalls
from blogapi.delivery.webhooks.service import MAX_WEBHOOKS
from blogapi.storage.database import BUSY_ERRORS
from blogapi.storage.version_check import NewerSchema
from blogapi.web.outgoing import CALL_TIMEOUT_SECONDS

# The time between two checks whether calls are due.
CHECK_SECONDS = 0.5


def start_sender(app: Flask) -> Callable[[], None]:
    """Start the thread that makes the calls that are due; return a function that stops it."""
    sender = _Sender(app)
    sender.thread.start()
    app.extensions[queries.SENDER_KEY] = sender
    return sender.stop_threads


class _Sender:
    """Makes the calls of all webhooks, in one thread for each webhook, until it is stopped."""

    def __init__(self, app: Flask) -> None:
        self.thread = threading.Thread(target=self._run_until_stopped, name="webhooks", daemon=True)
        self._app, self._stop = app, threading.Event()
        self._server = secrets.token_hex(8)
        # There is a thread for each webhook, so that a slow receiver does not delay other webhooks.
        self._pool = ThreadPoolExecutor(MAX_WEBHOOKS, thread_name_prefix="webhook")
        self._calls: dict[UUID, Future[DueCalls]] = {}

    def stop_threads(self) -> None:
        """Stop the threads; another server or the next start repeats calls without a stored outcome."""
        self._stop.set()
        self.thread.join(CALL_TIMEOUT_SECONDS)
        self._pool.shutdown(wait=True)
        with self._app.app_context():
            self._store_finished_calls()
        del self._app.extensions[queries.SENDER_KEY]

    def _run_until_stopped(self) -> None:
        while not self._stop.wait(CHECK_SECONDS):
            try:
                self._process_calls()
            except (SQLAlchemyError, NewerSchema) as error:
                # The database may be unreachable for a while, or another version may have upgraded it.
                self._app.logger.warning("the webhooks wait for the database: %s", error)
            except Exception:
                self._app.logger.exception("the sender of webhooks failed")

    def _process_calls(self) -> None:
        """Store the outcomes of finished calls, and start the calls that are due."""
        with self._app.app_context():
            self._store_finished_calls()
            for due in delivery.lease_due_calls(self._server, self._calls):
                self._calls[due.webhook.uuid] = self._pool.submit(self._make_calls, due)

    def _make_calls(self, due: DueCalls) -> DueCalls:
        with self._app.app_context():
            try:
                delivery.make_calls(due, is_stopping=self._stop.is_set)
            except Exception as error:
                delivery.log_failure(error)
                due.replace_outcomes_with_failure()
        return due

    def _store_finished_calls(self) -> None:
        """Store the outcomes of finished calls; if this fails, the outcomes are kept and stored later."""
        for uuid, call in [*self._calls.items()]:
            if not call.done():
                continue
            try:
                delivery.store_outcomes(self._server, call.result())
            except (*BUSY_ERRORS, NewerSchema) as error:
                self._app.logger.warning("the webhooks wait for the database: %s", error)
            except Exception as error:
                delivery.log_failure(error)
                call.result().replace_outcomes_with_failure()
            else:
                del self._calls[uuid]
