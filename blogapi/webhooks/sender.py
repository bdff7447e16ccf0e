"""The threads of a server that make the calls of webhooks."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from uuid import UUID

import click
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from blogapi.storage.database import BUSY_ERRORS
from blogapi.storage.version_check import NewerSchema
from blogapi.webhooks import delivery, queries
from blogapi.webhooks.delivery import Pass
from blogapi.webhooks.http_call import CALL_SECONDS
from blogapi.webhooks.service import MAX_WEBHOOKS

CHECK_SECONDS = 0.5


def start(app: Flask) -> Callable[[], None]:
    """Start the thread that looks for due calls; return the function that ends it after the running calls."""
    sender = _Sender(app)
    sender.thread.start()
    app.extensions[queries.SENDER_KEY] = sender
    return sender.end


def init_app(app: Flask) -> None:
    """Log that this process makes no calls, if there are active webhooks and the process is not `serve`."""
    context = click.get_current_context(silent=True)
    command = context.info_name if context is not None else "run"
    # A damaged database is reported by the requests.
    with suppress(SQLAlchemyError):
        if command != "serve" and (number := queries.count_active()):
            level = logging.WARNING if command == "run" else logging.INFO
            app.logger.log(level, "This process calls none of the %d active webhooks; `serve` does.", number)


class _Sender:
    def __init__(self, app: Flask) -> None:
        self.thread = threading.Thread(target=self._run, name="webhooks", daemon=True)
        self._app, self._stop = app, threading.Event()
        self._server = secrets.token_hex(8)
        # One thread for each webhook, so that a slow receiver delays only its own calls.
        self._pool = ThreadPoolExecutor(MAX_WEBHOOKS, thread_name_prefix="webhook")
        self._calls: dict[UUID, Future[Pass]] = {}

    def end(self) -> None:
        """End the threads; a call that takes too long is repeated by the next server."""
        self._stop.set()
        self.thread.join(CALL_SECONDS)
        self._pool.shutdown(wait=True)
        with suppress(SQLAlchemyError, NewerSchema), self._app.app_context():
            self._store_finished()
        del self._app.extensions[queries.SENDER_KEY]

    def _run(self) -> None:
        while not self._stop.wait(CHECK_SECONDS):
            try:
                self._work()
            except (SQLAlchemyError, NewerSchema) as error:
                # The database may be unreachable for a while, or another version may have taken it over.
                self._app.logger.warning("the webhooks wait for the database: %s", error)
            except Exception:
                self._app.logger.exception("the webhooks failed")

    def _work(self) -> None:
        """Store the outcomes of finished calls, and begin those that are due."""
        with self._app.app_context():
            self._store_finished()
            for one in delivery.plan(self._server, self._calls):
                self._calls[one.webhook.uuid] = self._pool.submit(self._make_calls, one)

    def _make_calls(self, one: Pass) -> Pass:
        with self._app.app_context():
            try:
                delivery.make_calls(one, is_stopping=self._stop.is_set)
            except Exception as error:
                delivery.log_failure(error)
                one.fail()
        return one

    def _store_finished(self) -> None:
        """Store the outcomes of each finished pass; what cannot be stored stays for the next time."""
        for uuid, call in [*self._calls.items()]:
            if not call.done():
                continue
            try:
                delivery.store(self._server, call.result())
            except (*BUSY_ERRORS, NewerSchema) as error:
                self._app.logger.warning("the webhooks wait for the database: %s", error)
            except Exception as error:
                delivery.log_failure(error)
                call.result().fail()
            else:
                del self._calls[uuid]
