"""User names and password hashes."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from werkzeug import security

from blogapi.accounts.users import passwords, usernames
from blogapi.web.errors import Invalid

PASSWORD = "correct horse battery"


@pytest.fixture
def hashed(monkeypatch):
    """Records the method and the password of each hash."""
    seen = []
    real = security._hash_internal

    def counting(method, salt, password):
        seen.append((method, password))
        return real(method, salt, password)

    monkeypatch.setattr(security, "_hash_internal", counting)
    return seen


@pytest.mark.parametrize(
    ("username", "stored"),
    [
        ("ada", "ada"),
        ("Ada", "ada"),
        ("ADA", "ada"),
        ("ａｄａ", "ada"),  # noqa: RUF001
        ("Straße", "strasse"),
        ("ada.l+x@example.org", "ada.l+x@example.org"),
        ("7of9", "7of9"),
        ("αδα", "αδα"),
        ("愛田", "愛田"),
        ("x" * 64, "x" * 64),
    ],
)
def test_a_user_name_is_normalized_before_it_is_stored(username, stored):
    assert usernames.normalize_username(username) == stored


@pytest.mark.parametrize(
    "username",
    [
        "",
        " ",
        "ada l",
        "ada\n",
        "-ada",
        "_ada",
        ".ada",
        "ada/l",
        "ada\x00",
        "a\u200bda",
        "\ud800",
        "x" * 65,
        "ﷺ",
    ],
)
def test_an_invalid_user_name_is_refused(username):
    with pytest.raises(Invalid) as refused:
        usernames.normalize_username(username)
    assert list(refused.value.errors) == ["username"]


@given(st.text(max_size=80))
@example("ϔ")
def test_normalizing_a_normalized_name_does_not_change_it(username):
    try:
        stored = usernames.normalize_username(username)
    except Invalid:
        return
    assert usernames.normalize_username(stored) == stored


def test_a_password_is_stored_as_salted_scrypt(costly_passwords):
    one, other = passwords.hash_password(PASSWORD), passwords.hash_password(PASSWORD)
    assert one.startswith("scrypt:32768:8:1$") and one != other
    assert PASSWORD not in one


def test_a_password_matches_only_its_own_digest():
    digest = passwords.hash_password(PASSWORD)
    assert passwords.verify_password(digest, PASSWORD)
    assert not passwords.verify_password(digest, PASSWORD + " ")
    assert not passwords.verify_password(None, PASSWORD)


@pytest.mark.parametrize("digest", [None, "own"])
def test_every_verification_hashes_once_with_the_same_method(costly_passwords, hashed, digest):
    digest = digest and passwords.hash_password("another password")
    hashed.clear()
    passwords.verify_password(digest, PASSWORD)
    assert hashed == [("scrypt:32768:8:1", PASSWORD)]


@pytest.mark.parametrize(
    "password", ["", "short", "x" * 7, "x" * 1025, " " * 10, "x" * 10 + "\x00", "\ud800" * 10]
)
def test_an_invalid_password_is_refused(password):
    with pytest.raises(Invalid) as refused:
        passwords.hash_password(password)
    assert list(refused.value.errors) == ["password"]


@pytest.mark.parametrize("password", ["x" * 10, "x" * 1024, "пароль, длинный", "🔑" * 10])
def test_a_valid_password_is_accepted(password):
    assert passwords.verify_password(passwords.hash_password(password), password)
