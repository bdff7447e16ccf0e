"""Sends mail to users over SMTP, either immediately or in a background thread."""

from __future__ import annotations

import queue
import smtplib
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr
from typing import Any

from flask import Flask, current_app

from blogapi import clock
from blogapi.web.errors import Unavailable
from blogapi.web.metrics import EventCounter

# The time limits of each step of sending a message, and of all steps together.
STEP_TIMEOUT_SECONDS, TOTAL_TIMEOUT_SECONDS = 5.0, 15.0

_failures = EventCounter("mail_failures", "E-mails that could not be sent.")


class EmailNotSent(Exception):
    """An e-mail was not sent; the message is a sentence that says why."""


def is_mail_configured() -> bool:
    """Return whether the settings name an SMTP server and a sender."""
    return bool(current_app.config["SMTP_HOST"] and current_app.config["SMTP_SENDER"])


def send_email(address: str, subject: str, text: str) -> None:
    """Send a plain text to an e-mail address. Do not call this in a transaction.

    Raises EmailNotSent if the settings name no server, or if the server does not accept the message in time.
    """
    config = current_app.config
    if not is_mail_configured():
        raise EmailNotSent("This blog sends no e-mail; set SMTP_HOST and SMTP_SENDER.")
    message = _make_message(config["SMTP_SENDER"], address, subject, text)
    try:
        with _open_connection() as connection:
            _send_message(connection, message, address)
    except (OSError, smtplib.SMTPException, ValueError) as error:
        _failures.count_event()
        raise EmailNotSent(_describe_error(error)) from error


def _make_message(sender: str, address: str, subject: str, text: str) -> EmailMessage:
    # Imported here because few processes need this module, which takes 1 MB of memory.
    from email.headerregistry import Address

    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, Address(addr_spec=address), subject
    message["Date"] = format_datetime(clock.now())
    message["Message-ID"] = make_msgid(domain=parseaddr(sender)[1].rpartition("@")[2])
    # This header prevents automatic replies, such as out-of-office messages.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message


class _LimitedConnection(smtplib.SMTP):
    """A connection that ends TOTAL_TIMEOUT_SECONDS after its start, even before the server's greeting."""

    def connect(self, *args: Any, **options: Any) -> tuple[int, bytes]:
        self._timer = threading.Timer(TOTAL_TIMEOUT_SECONDS, _abort_connection, [self])
        self._timer.daemon = True
        self._timer.start()
        return super().connect(*args, **options)

    def getreply(self) -> tuple[int, bytes]:
        # The timer may have ended without a socket to shut down: while connecting, or in a TLS handshake.
        if self._timer.finished.is_set():
            self.close()
            raise smtplib.SMTPServerDisconnected("The time for all steps is over.")
        return super().getreply()

    def close(self) -> None:
        self._timer.cancel()
        super().close()


class _LimitedTLSConnection(_LimitedConnection, smtplib.SMTP_SSL):
    pass


def _open_connection() -> smtplib.SMTP:
    config = current_app.config
    host, port = config["SMTP_HOST"], config["SMTP_PORT"]
    if config["SMTP_TLS"] == "tls":
        context = ssl.create_default_context()
        return _LimitedTLSConnection(host, port, timeout=STEP_TIMEOUT_SECONDS, context=context)
    return _LimitedConnection(host, port, timeout=STEP_TIMEOUT_SECONDS)


def _send_message(connection: smtplib.SMTP, message: EmailMessage, address: str) -> None:
    config = current_app.config
    if config["SMTP_TLS"] == "starttls":
        connection.starttls(context=ssl.create_default_context())
    if config["SMTP_USER"]:
        connection.login(config["SMTP_USER"], config["SMTP_PASSWORD"])
    connection.send_message(message, to_addrs=[address])


def _abort_connection(connection: smtplib.SMTP) -> None:
    # The timeout of the socket applies to each read, so a server could send a byte every few seconds.
    sock = connection.sock
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _describe_error(error: Exception) -> str:
    # Do not show the replies of the server, because they can contain what was sent, such as the password.
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return "The mail server refuses SMTP_USER and SMTP_PASSWORD."
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "The mail server refuses this address."
    if isinstance(error, smtplib.SMTPSenderRefused):
        return "The mail server refuses SMTP_SENDER."
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "The mail server does not support what SMTP_TLS, SMTP_USER or the address requires."
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The certificate of the mail server is not valid: {error.verify_message}."
    if isinstance(error, ssl.SSLError):
        return "The mail server does not speak TLS at SMTP_PORT."
    if isinstance(error, TimeoutError | smtplib.SMTPServerDisconnected):
        return "The mail server does not answer in time."
    if isinstance(error, smtplib.SMTPException):
        return "The mail server refuses the message."
    return "The mail server cannot be reached."


# The maximum number of jobs that wait for the thread; further jobs are refused.
MAX_WAITING_JOBS = 20

MailJob = Callable[[], None]

_OUTBOX_KEY = "blogapi-outbox"


def init_app(app: Flask) -> None:
    """Create the outbox, a queue of jobs that a thread runs; the thread starts with the first job."""
    app.extensions[_OUTBOX_KEY] = _Outbox(app)


def submit_mail_job(job: MailJob) -> None:
    """Run the job in the thread of the outbox, in an application context.

    When the process ends, waiting jobs are lost. Raises Unavailable if too many jobs are waiting.
    """
    outbox: _Outbox = current_app.extensions[_OUTBOX_KEY]
    outbox.submit_mail_job(job)


class _Outbox:
    def __init__(self, app: Flask) -> None:
        self.jobs: queue.Queue[MailJob] = queue.Queue(MAX_WAITING_JOBS)
        self._app, self._lock = app, threading.Lock()
        self._thread: threading.Thread | None = None

    def submit_mail_job(self, job: MailJob) -> None:
        try:
            self.jobs.put_nowait(job)
        except queue.Full as error:
            raise Unavailable("Too many e-mails are waiting to be sent; try again in a minute.") from error
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run_jobs, name="outbox", daemon=True)
                self._thread.start()

    def _run_jobs(self) -> None:
        while True:
            job = self.jobs.get()
            try:
                with self._app.app_context():
                    job()
            except EmailNotSent as problem:
                self._app.logger.warning("an e-mail was not sent: %s", problem)
            except Exception:
                self._app.logger.exception("an e-mail was not sent")
            finally:
                self.jobs.task_done()
