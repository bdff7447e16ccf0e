"""A thread that sends e-mails for requests that must not wait for the mail server."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from flask import Flask, current_app

from blogapi.accounts.mail.smtp import NotSent
from blogapi.web.errors import Unavailable

MAX_WAITING = 20

Job = Callable[[], None]

_KEY = "blogapi-outbox"


def init_app(app: Flask) -> None:
    """Create the outbox of the application; its thread starts with the first job."""
    app.extensions[_KEY] = _Outbox(app)


def submit(job: Job) -> None:
    """Run the job in the thread of the outbox, in an application context.

    Jobs that wait when the process ends are lost. Raises Unavailable if too many jobs wait.
    """
    outbox: _Outbox = current_app.extensions[_KEY]
    outbox.submit(job)


class _Outbox:
    def __init__(self, app: Flask) -> None:
        self.jobs: queue.Queue[Job] = queue.Queue(MAX_WAITING)
        self._app, self._lock = app, threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, job: Job) -> None:
        try:
            self.jobs.put_nowait(job)
        except queue.Full as error:
            raise Unavailable("Too many e-mails wait to be sent; try again in a minute.") from error
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            job = self.jobs.get()
            try:
                with self._app.app_context():
                    job()
            except NotSent as problem:
                self._app.logger.warning("an e-mail was not sent: %s", problem)
            except Exception:
                self._app.logger.exception("an e-mail was not sent")
            finally:
                self.jobs.task_done()
