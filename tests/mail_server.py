"""A mail server on a free port that keeps the messages, or refuses them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

USER, PASSWORD = "blog", "mail pass phrase"


class MailServer:
    """The server: its port, the received messages with their recipients, and how it answers."""

    def __init__(self) -> None:
        self.port = 0
        self.messages: list[EmailMessage] = []
        self.recipients: list[list[str]] = []
        self.logins: list[bool] = []
        self.protocols: list[Any] = []
        # The answer to a recipient, such as "550 unknown".
        self.recipient_answer = "250 OK"
        self.requires_login = False
        self.is_silent = False
        # How many seconds the server waits before it answers to a sender.
        self.answers_after = 0.0

    def settings(self, **others: Any) -> dict[str, Any]:
        """Return the settings of a blog that uses the server."""
        return {
            "SMTP_HOST": "127.0.0.1",
            "SMTP_PORT": self.port,
            "SMTP_TLS": "none",
            "SMTP_SENDER": "The harbour <blog@harbour.example>",
        } | others

    async def handle_MAIL(  # noqa: N802 (aiosmtpd chooses the name)
        self, _server: Any, session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        """Accept a sender, or ask for a login."""
        if self.requires_login and not session.authenticated:
            return "530 Authentication required"
        await asyncio.sleep(self.answers_after)
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(  # noqa: N802 (aiosmtpd chooses the name)
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        """Accept or refuse a recipient."""
        if self.recipient_answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.recipient_answer

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        """Keep a message."""
        message = BytesParser(policy=default).parsebytes(envelope.content)
        assert isinstance(message, EmailMessage)
        self.messages.append(message)
        self.recipients.append(envelope.rcpt_tos)
        return "250 OK"

    def authenticate(
        self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any
    ) -> AuthResult:
        """Check a login."""
        assert isinstance(data, LoginPassword)
        is_right = (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        self.logins.append(is_right)
        return AuthResult(success=is_right, handled=False)

    def make_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol of a connection."""
        if self.is_silent:
            protocol: Any = _Silent()
        else:
            protocol = SMTP(
                self, hostname="localhost", authenticator=self.authenticate, auth_require_tls=False
            )
        self.protocols.append(protocol)
        return protocol  # type: ignore[no-any-return]


@contextmanager
def run_mail_server() -> Iterator[MailServer]:
    """Run a mail server in a thread, which has an event loop of its own."""
    server, started = MailServer(), threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=[_serve(server, started, stop)])
    thread.start()
    started.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


async def _serve(server: MailServer, started: threading.Event, stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    async with await loop.create_server(server.make_protocol, "127.0.0.1", 0) as listening:
        server.port = listening.sockets[0].getsockname()[1]
        started.set()
        await stop.wait()
        for protocol in server.protocols:
            if protocol.transport is not None:
                protocol.transport.abort()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # A transport closes its socket in the next round of the loop.
        await asyncio.sleep(0)


class _Silent(asyncio.Protocol):
    def connection_made(self, transport: Any) -> None:
        """Keep the connection."""
        self.transport = transport
