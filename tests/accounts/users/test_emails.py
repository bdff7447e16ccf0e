"""Links that are sent by e-mail."""

from __future__ import annotations

import re
import threading

import pytest

from blogapi.accounts import mail
from blogapi.accounts.users import emails, service
from blogapi.storage.database import WRITE_LOCK
from tests.accounts.users.conftest import PASSWORD, SLOWED
from tests.accounts.users.test_invitations import INVITATIONS, JOIN
from tests.contracts.client import outcome
from tests.mail_server import run_mail_server

FORGOT, RESET = "/api/v1/auth/forgot-password/", "/api/v1/auth/reset-password/"
EMAIL, ACCOUNT = "/api/v1/auth/me/email/", "/api/v1/auth/me/account/"
SERVICE = "https://api.harbour.example"
HENRIK = {"name": "Henrik", "role": "author", "email": "henrik@blog.example"}


@pytest.fixture
def mail_server(app, as_login):
    """A mail server that the blog uses. The site has a title and the address of the service."""
    as_login.patch("/api/v1/blog/site/", json={"title": "The harbour", "service_url": SERVICE})
    with run_mail_server() as server:
        app.config.update(server.settings())
        yield server


@pytest.fixture
def with_address(app, people):
    """Mel, who has an e-mail address."""
    with app.app_context():
        return service.change_user(people.member.uuid, {"email": "mel@blog.example"})


def wait_for_outbox(app):
    app.extensions["blogapi-outbox"].jobs.join()


def read_token(message):
    return re.search(rf"^{SERVICE}/admin/(?:join|reset)/#(\S+)\r?$", message.get_content(), re.MULTILINE)[1]


def test_an_invitation_is_sent(as_login, as_stranger, mail_server):
    created = as_login.post(INVITATIONS, json=HENRIK)
    assert (created.status_code, created.json["sent"], created.json["problem"]) == (201, True, "")
    (message,) = mail_server.messages
    assert mail_server.recipients == [["henrik@blog.example"]]
    assert message["Subject"] == "Invitation to The harbour"
    assert "you are invited to The harbour as an author." in message.get_content()
    body = {"token": read_token(message), "username": "henrik", "password": PASSWORD}
    assert as_stranger.post(JOIN, json=body).status_code == 201
    assert as_stranger.get(ACCOUNT).json["email"] == "henrik@blog.example"


def test_an_invitation_without_an_address_is_not_sent(as_login, mail_server):
    created = as_login.post(INVITATIONS, json=HENRIK | {"email": ""}).json
    assert (created["sent"], created["problem"], mail_server.messages) == (False, "", [])


def test_an_invitation_that_is_not_sent_shows_its_link_and_the_reason(as_login, mail_server):
    mail_server.recipient_answer = "550 unknown"
    created = as_login.post(INVITATIONS, json=HENRIK).json
    assert (created["sent"], created["problem"]) == (False, "The mail server refuses this address.")
    assert created["url"].startswith(SERVICE)


def test_a_reset_link_is_sent_if_the_admin_asks_for_it(
    as_login, as_stranger, people, mail_server, with_address
):
    path = f"/api/v1/users/{people.member.uuid}/reset-link/"
    assert as_login.post(path).json["sent"] is False
    assert as_login.post(path, json={"send": True}).json["sent"] is True
    (message,) = mail_server.messages
    assert (message["To"], message["Subject"]) == ("mel@blog.example", "New password for The harbour")
    body = {"token": read_token(message), "password": "another password"}
    assert as_stranger.post(RESET, json=body).json["username"] == "mel"


@pytest.mark.parametrize("missing", ["mail server", "service_url", "address"])
def test_a_reset_link_says_why_it_was_not_sent(app, as_login, people, mail_server, missing):
    if missing == "mail server":
        app.config["SMTP_HOST"] = ""
    elif missing == "service_url":
        as_login.patch("/api/v1/blog/site/", json={"service_url": ""})
    answer = as_login.post(f"/api/v1/users/{people.member.uuid}/reset-link/", json={"send": True}).json
    assert (answer["sent"], missing in answer["problem"]) == (False, missing != "mail server")
    assert answer["problem"] and answer["path"]


def test_requests_send_a_limited_number_of_emails_at_a_time(as_login, mail_server, monkeypatch):
    monkeypatch.setattr(emails, "_sending_slots", threading.BoundedSemaphore(1))
    with emails._sending_slots:
        answer = as_login.post(INVITATIONS, json=HENRIK).json
    assert (answer["sent"], "try again" in answer["problem"]) == (False, True)


def test_no_write_waits_for_the_mail_server(app, as_login, mail_server, monkeypatch):
    held = []
    monkeypatch.setattr(mail, "send_email", lambda *_: held.append(WRITE_LOCK.get(app)._lock.locked()))
    as_login.post(INVITATIONS, json=HENRIK)
    assert held == [False]


@pytest.mark.parametrize("name", ["Mel", "ada", "nobody", "a b"])
def test_a_forgotten_password_has_the_same_answer_for_all_names(
    app, as_stranger, mail_server, with_address, name
):
    response = as_stranger.post(FORGOT, json={"username": name})
    assert (response.status_code, response.data) == (204, b"")
    wait_for_outbox(app)
    assert [message["To"] for message in mail_server.messages] == ["mel@blog.example"] * (name == "Mel")
    if name == "Mel":
        body = {"token": read_token(mail_server.messages[0]), "password": "another password"}
        assert as_stranger.post(RESET, json=body).json["username"] == "mel"


def test_the_answer_does_not_wait_for_the_mail_server(
    app, as_stranger, mail_server, with_address, monkeypatch
):
    answered, sent = threading.Event(), []
    monkeypatch.setattr(mail, "send_email", lambda *_: sent.append(answered.wait(30)))
    assert as_stranger.post(FORGOT, json={"username": "mel"}).status_code == 204
    answered.set()
    wait_for_outbox(app)
    assert sent == [True]


def test_a_disabled_user_gets_no_email(app, people, as_stranger, mail_server, with_address):
    with app.app_context():
        service.change_user(people.member.uuid, {"disabled": True})
    assert as_stranger.post(FORGOT, json={"username": "mel"}).status_code == 204
    wait_for_outbox(app)
    assert mail_server.messages == []


def test_requests_for_a_link_are_throttled(app, as_stranger, mail_server, make_client):
    app.config["EMAIL_LIMIT"] = "2 per hour"

    def ask(name, address):
        environ = {"REMOTE_ADDR": address}
        return outcome(as_stranger.post(FORGOT, json={"username": name}, environ_base=environ))[0]

    # Unknown names count too.
    assert [ask("nobody", f"192.0.2.{number}") for number in range(3)] == [204, 204, 429]
    assert [ask(name, "192.0.2.9") for name in ("ada", "mel", "grace")] == [204, 204, 429]
    wait_for_outbox(app)
    assert SLOWED[0] == 429


def test_a_failure_is_logged_without_the_link(app, as_stranger, mail_server, with_address, caplog):
    mail_server.recipient_answer = "550 unknown"
    assert as_stranger.post(FORGOT, json={"username": "mel"}).status_code == 204
    wait_for_outbox(app)
    assert "an e-mail was not sent: The mail server refuses this address." in caplog.text
    assert "/reset/" not in caplog.text


def test_a_fault_does_not_end_the_outbox(app, as_stranger, mail_server, with_address, monkeypatch, caplog):
    with monkeypatch.context() as patch:
        patch.setattr(emails, "_send_link", lambda *_: 1 / 0)
        as_stranger.post(FORGOT, json={"username": "mel"})
        wait_for_outbox(app)
    as_stranger.post(FORGOT, json={"username": "mel"})
    wait_for_outbox(app)
    assert "ZeroDivisionError" in caplog.text and len(mail_server.messages) == 1


def test_a_full_outbox_refuses_a_request(app, as_stranger, mail_server, with_address, monkeypatch):
    app.config["EMAIL_LIMIT"] = "1000 per hour"
    full, go_on = threading.Event(), threading.Event()

    def wait(*_):
        full.set()
        go_on.wait(300)

    monkeypatch.setattr(mail, "send_email", wait)
    as_stranger.post(FORGOT, json={"username": "mel"})
    assert full.wait(60)
    statuses = [as_stranger.post(FORGOT, json={"username": "nobody"}).status_code for _ in range(22)]
    go_on.set()
    wait_for_outbox(app)
    assert statuses == [204] * mail.MAX_WAITING_JOBS + [503] * 2


def test_without_a_mail_server_nobody_can_ask_for_a_link(as_stranger, passwords):
    assert as_stranger.get("/api/v1/auth/login-options/").json["sends_email"] is False
    for name in ("ada", "nobody"):
        assert outcome(as_stranger.post(FORGOT, json={"username": name})) == (409, "conflict")


def test_another_site_cannot_ask_for_a_link(as_stranger):
    response = as_stranger.post(FORGOT, json={}, headers={"Origin": "https://evil.example"})
    assert outcome(response) == (403, "cross_origin")


def test_a_user_changes_the_own_address_with_the_password(as_ada):
    body = {"email": "ada@blog.example", "current_password": PASSWORD}
    wrong = as_ada.put(EMAIL, json=body | {"current_password": "not this one"})
    assert list(wrong.json["errors"]) == ["current_password"]
    assert as_ada.put(EMAIL, json=body).status_code == 204
    assert as_ada.get(ACCOUNT).json["email"] == "ada@blog.example"
    assert as_ada.put(EMAIL, json=body | {"email": ""}).status_code == 204
    assert as_ada.get(ACCOUNT).json["email"] == ""


def test_a_link_that_was_sent_to_a_former_address_ends(app, as_stranger, mail_server, with_address, people):
    as_stranger.post(FORGOT, json={"username": "mel"})
    wait_for_outbox(app)
    with app.app_context():
        service.change_user(people.member.uuid, {"email": "mel@other.example"})
    body = {"token": read_token(mail_server.messages[0]), "password": "another password"}
    assert outcome(as_stranger.post(RESET, json=body)) == (401, "link_invalid")


def test_an_admin_changes_the_address_of_a_user(as_login, people):
    path = f"/api/v1/users/{people.member.uuid}/"
    assert as_login.patch(path, json={"email": "mel@blog.example"}).json["email"] == "mel@blog.example"
    assert outcome(as_login.patch(path, json={"email": "mel"})) == (422, "invalid_fields")
