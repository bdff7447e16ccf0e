"""Users, passwords and login sessions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import queries, service
from blogapi.accounts.users.models import WebSession
from blogapi.storage.database import db
from blogapi.web import key_format
from blogapi.web.access import Role
from blogapi.web.errors import Conflict, Invalid, NotFound
from tests.conftest import TAGS

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
PASSWORD = "correct horse battery"


@pytest.fixture
def context(app):
    """An application context."""
    with app.app_context():
        yield app


def test_a_user_is_found_by_any_spelling_of_the_name(context):
    created = service.create_user("Ada", PASSWORD, role=Role.ADMIN)
    assert queries.get_user_by_name("ADA").uuid == created.uuid
    assert queries.find_user(created.uuid).username == "ada"


@pytest.mark.parametrize("name", ["ada", "ADA", "ａｄａ"])  # noqa: RUF001
def test_a_taken_name_is_refused_in_any_spelling(context, name):
    service.create_user("ada", None, role=Role.ADMIN)
    with pytest.raises(Conflict, match="taken"):
        service.create_user(name, None, role=Role.READER)
    assert [account.role for account in queries.list_users()] == ["admin"]


@pytest.mark.parametrize(("name", "password"), [("a b", PASSWORD), ("ada", "short")])
def test_an_invalid_user_is_not_stored(context, name, password):
    with pytest.raises(Invalid):
        service.create_user(name, password, role=Role.READER)
    assert queries.list_users() == []


def test_users_and_admins_are_listed_by_name(context):
    for name, role in (("mel", Role.READER), ("grace", Role.ADMIN), ("ada", Role.ADMIN)):
        service.create_user(name, None, role=role)
    assert [account.username for account in queries.list_users()] == ["ada", "grace", "mel"]
    assert [account.username for account in queries.list_admins()] == ["ada", "grace"]


def test_a_user_is_authenticated_by_name_and_password(context):
    created = service.create_user("ada", PASSWORD, role=Role.ADMIN)
    assert service.find_user_with_password("Ada", PASSWORD).uuid == created.uuid


@pytest.mark.parametrize(
    ("name", "password"),
    [("ada", "another password"), ("nobody", PASSWORD), ("a b", PASSWORD), ("mel", PASSWORD), ("mel", "")],
)
def test_wrong_credentials_are_not_authenticated(context, name, password):
    service.create_user("ada", PASSWORD, role=Role.ADMIN)
    service.create_user("mel", None, role=Role.READER)
    assert service.find_user_with_password(name, password) is None


def test_a_login_session_lasts_for_the_given_time(context, set_clock):
    account = service.create_user("ada", None, role=Role.ADMIN)
    set_clock(NOON)
    token = service.start_login(account, lifetime=DAY)
    set_clock(NOON + DAY - timedelta(microseconds=1))
    assert queries.find_login_by_token(token).account.username == "ada"
    set_clock(NOON + DAY)
    assert queries.find_login_by_token(token) is None


def test_only_the_digest_of_a_token_is_stored(context):
    token = service.start_login(service.create_user("ada", None, role=Role.ADMIN), lifetime=DAY)
    assert db.session.scalars(select(WebSession.digest)).all() == [key_format.digest_token(token)]


def test_a_login_deletes_expired_sessions(context, set_clock):
    account = service.create_user("ada", None, role=Role.ADMIN)
    for days in range(3):
        set_clock(NOON + days * DAY)
        service.start_login(account, lifetime=DAY)
    assert db.session.scalar(select(func.count()).select_from(WebSession)) == 1


def test_logging_out_ends_only_the_current_session(context):
    account = service.create_user("ada", None, role=Role.ADMIN)
    here, there = (service.start_login(account, lifetime=DAY) for _ in range(2))
    assert queries.find_login_by_token(here) is not None
    service.end_login_by_token(here)
    assert queries.find_login_by_token(here) is None
    assert queries.find_login_by_token(there) is not None


def test_a_new_password_ends_all_sessions_of_its_user_but_no_other_session(context):
    ada, mel = (service.create_user(name, PASSWORD, role=Role.READER) for name in ("ada", "mel"))
    hers = [service.start_login(ada, lifetime=DAY) for _ in range(2)]
    other = service.start_login(mel, lifetime=DAY)
    service.set_password("ada", "another password")
    assert [queries.find_login_by_token(token) for token in hers] == [None, None]
    assert queries.find_login_by_token(other) is not None
    assert service.find_user_with_password("ada", PASSWORD) is None
    assert service.find_user_with_password("ada", "another password") is not None


def test_an_invalid_new_password_changes_nothing(context):
    token = service.start_login(service.create_user("ada", PASSWORD, role=Role.ADMIN), lifetime=DAY)
    with pytest.raises(Invalid):
        service.set_password("ada", "short")
    assert queries.find_login_by_token(token) is not None
    assert service.find_user_with_password("ada", PASSWORD) is not None


@pytest.mark.parametrize(
    "act", [service.delete_user_by_name, lambda name: service.set_password(name, PASSWORD)]
)
def test_an_operation_on_an_unknown_user_raises_not_found(context, act):
    with pytest.raises(NotFound, match="nobody"):
        act("nobody")


def test_deleting_a_user_deletes_their_keys_and_sessions(app, people, as_stranger):
    key = people.key(people.member)
    with app.app_context():
        token = service.start_login(people.member, lifetime=DAY)
        service.delete_user_by_name("mel")
        assert queries.find_login_by_token(token) is None
    assert as_stranger.get(TAGS, headers={"X-API-KEY": key}).status_code == 401


@pytest.mark.parametrize("content", ["make_category", "make_tag", "make_article"])
def test_a_user_with_content_cannot_be_deleted(app, people, request, as_stranger, content):
    key = people.key(people.admin)
    request.getfixturevalue(content)()
    with app.app_context(), pytest.raises(Conflict, match="user reassign"):
        service.delete_user_by_name("ada")
    me = as_stranger.get("/api/v1/auth/me/", headers={"X-API-KEY": key}).json
    assert me["username"] == "ada"


def test_deleting_a_user_does_not_delete_anonymous_keys(app, people, as_stranger):
    with app.app_context():
        value = api_keys.issue_key(None).value
        service.delete_user_by_name("mel")
    assert as_stranger.get(TAGS, headers={"X-API-KEY": value}).json == []


def test_a_member_can_be_deleted_while_there_is_no_admin(context):
    service.create_user("mel", None, role=Role.READER)
    service.delete_user_by_name("mel")
    assert queries.list_users() == []
