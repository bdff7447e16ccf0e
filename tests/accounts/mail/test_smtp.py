"""E-mails over an SMTP server."""

from __future__ import annotations

import re
import smtplib
import ssl

import pytest

from blogapi.accounts import mail
from tests.mail_server import PASSWORD, USER, run_mail_server
from tests.serving.sockets import wait_until

ADDRESS = "henrik@blog.example"


@pytest.fixture
def mail_server():
    """A mail server."""
    with run_mail_server() as server:
        yield server


@pytest.fixture
def send(app, mail_server):
    """Return a function that sends an e-mail with the settings of the server and others."""

    def run(**settings):
        app.config.update(mail_server.settings(**settings))
        with app.app_context():
            mail.send_email(ADDRESS, "Grüße", "One line\n.\nöäü\n")

    return run


def test_a_message_arrives_as_it_was_written(send, mail_server):
    send()
    (message,) = mail_server.messages
    assert mail_server.recipients == [[ADDRESS]]
    assert (message["Subject"], message["To"]) == ("Grüße", ADDRESS)
    assert message["From"] == "The harbour <blog@harbour.example>"
    assert re.fullmatch(r"<.+@harbour\.example>", message["Message-ID"])
    assert message["Auto-Submitted"] == "auto-generated"
    assert message.get_content().replace("\r\n", "\n") == "One line\n.\nöäü\n"


def test_a_login_at_the_server(send, mail_server):
    mail_server.requires_login = True
    send(SMTP_USER=USER, SMTP_PASSWORD=PASSWORD)
    assert (len(mail_server.messages), mail_server.logins) == (1, [True])


def refuse_recipient(server):
    server.recipient_answer = "550 no such user here: secret"


def require_login(server):
    server.requires_login = True


def be_silent(server):
    server.is_silent = True


@pytest.mark.parametrize(
    ("prepare", "settings", "says"),
    [
        (refuse_recipient, {}, "The mail server refuses this address."),
        (require_login, {"SMTP_USER": USER, "SMTP_PASSWORD": "x"}, "refuses SMTP_USER and SMTP_PASSWORD"),
        (require_login, {}, "The mail server refuses SMTP_SENDER."),
        (None, {"SMTP_TLS": "starttls"}, "does not support what SMTP_TLS"),
        (None, {"SMTP_TLS": "tls"}, "does not speak TLS at SMTP_PORT"),
        (be_silent, {}, "does not answer in time"),
        (None, {"SMTP_HOST": ""}, "sends no e-mail"),
        (None, {"SMTP_SENDER": ""}, "sends no e-mail"),
        (None, {"SMTP_HOST": "nowhere.invalid"}, "cannot be reached"),
    ],
)
def test_a_failure_says_what_to_check(send, mail_server, monkeypatch, prepare, settings, says):
    if prepare:
        prepare(mail_server)
    # A server that answers has time to do so, even on a busy machine.
    monkeypatch.setattr(mail, "STEP_TIMEOUT_SECONDS", 0.5 if prepare is be_silent else 90.0)
    monkeypatch.setattr(mail, "TOTAL_TIMEOUT_SECONDS", 90.0)
    with pytest.raises(mail.EmailNotSent, match=says) as refused:
        send(**settings)
    assert "secret" not in str(refused.value)
    assert mail_server.messages == []


def test_all_steps_together_have_a_limit(send, mail_server, monkeypatch):
    monkeypatch.setattr(mail, "STEP_TIMEOUT_SECONDS", 90.0)
    monkeypatch.setattr(mail, "TOTAL_TIMEOUT_SECONDS", 0.1)
    # The server would take the message, after a time that no step may take here.
    mail_server.answers_after = 30.0
    with pytest.raises(mail.EmailNotSent, match=r"does not answer in time|cannot be reached"):
        send()


def test_the_limit_of_all_steps_includes_the_greeting(send, mail_server, monkeypatch):
    monkeypatch.setattr(mail, "STEP_TIMEOUT_SECONDS", 20.0)
    monkeypatch.setattr(mail, "TOTAL_TIMEOUT_SECONDS", 0.1)
    mail_server.is_silent = True
    with pytest.raises(mail.EmailNotSent) as refused:
        send()
    assert "timed out" not in str(refused.value.__cause__), "a step reached its own limit"


def test_the_limit_of_all_steps_can_pass_before_there_is_a_connection(send, mail_server, monkeypatch):
    monkeypatch.setattr(mail, "STEP_TIMEOUT_SECONDS", 20.0)
    monkeypatch.setattr(mail, "TOTAL_TIMEOUT_SECONDS", 0.1)
    mail_server.is_silent, connect = True, smtplib.SMTP._get_socket

    def connect_slowly(connection, *address):
        connection._timer.join()
        sock = connect(connection, *address)
        # A connection that ends before the server has accepted it stays open in the server.
        wait_until(lambda: any(hasattr(protocol, "transport") for protocol in mail_server.protocols))
        return sock

    monkeypatch.setattr(smtplib.SMTP, "_get_socket", connect_slowly)
    with pytest.raises(mail.EmailNotSent, match="does not answer in time") as refused:
        send()
    assert "timed out" not in str(refused.value.__cause__), "a step reached its own limit"


def test_an_invalid_certificate_is_named():
    error = ssl.SSLCertVerificationError()
    error.verify_message = "self-signed certificate"
    assert "not valid: self-signed certificate." in mail._describe_error(error)
