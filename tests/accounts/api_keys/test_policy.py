"""The format of the values of API keys, and the rules for API keys."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogapi.accounts.api_keys import permissions
from blogapi.web import key_format
from blogapi.web.access import INCLUDED_SCOPES, SCOPES, STRANGER, Caller, Role
from blogapi.web.errors import Forbidden, Invalid, Unauthorized
from blogapi.web.key_format import digest_token

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MEL, ADA = uuid4(), uuid4()
PUBLISHED, READ, DRAFTS, WRITE = map(frozenset, INCLUDED_SCOPES.values())

values = st.builds(key_format.generate_key)


def reader(scopes=READ, **fields):
    return Caller(key=uuid4(), scopes=scopes, is_authenticated=True, **fields)


def test_a_key_has_the_format_that_secret_scanners_look_for():
    assert re.fullmatch(r"blogapi_[0-9A-Za-z]{38}", key_format.generate_key())


def test_generated_keys_are_unique():
    assert len({key_format.generate_key() for _ in range(1000)}) == 1000


def test_the_checksum_is_the_crc32_of_the_random_characters():
    # The CRC-32 of 32 zeros is 2700251856, which is 2wjyrI in base 62.
    assert key_format.is_well_formed_key("blogapi_" + "0" * 32 + "2wjyrI")


@given(values)
def test_every_generated_key_is_well_formed(value):
    assert key_format.is_well_formed_key(value)


@given(values, st.integers(0, key_format.KEY_LENGTH - 1), st.sampled_from(key_format.BASE62 + "_ -é"))
def test_any_mistyped_character_is_detected(value, place, character):
    mistyped = value[:place] + character + value[place + 1 :]
    assert key_format.is_well_formed_key(mistyped) == (mistyped == value)


@given(
    values, st.integers(len(key_format.KEY_PREFIX), key_format.KEY_LENGTH - key_format.CHECKSUM_LENGTH - 2)
)
def test_swapped_characters_are_detected(value, place):
    turned = value[:place] + value[place + 1] + value[place] + value[place + 2 :]
    assert key_format.is_well_formed_key(turned) == (turned == value)


@given(st.text())
def test_arbitrary_text_is_not_a_well_formed_key(text):
    assert not key_format.is_well_formed_key(text)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda value: "", id="empty"),
        pytest.param(lambda value: value[:-1], id="cut"),
        pytest.param(lambda value: value + "0", id="longer"),
        pytest.param(lambda value: value.removeprefix("blogapi_"), id="without prefix"),
        pytest.param(str.upper, id="shouted"),
        pytest.param(lambda value: f" {value}", id="blank before"),
        pytest.param(lambda value: f"{value}\n", id="line end after"),
        pytest.param(lambda value: f'"{value}"', id="quoted"),
        pytest.param(lambda value: f"{value}, {value}", id="twice"),
        pytest.param(lambda value: f"ApiKey {value}", id="with a scheme"),
    ],
)
def test_an_incorrectly_copied_key_is_not_well_formed(spoil):
    assert not key_format.is_well_formed_key(spoil(key_format.generate_key()))


def test_a_digest_is_a_sha_256_hash():
    assert digest_token("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("owned", "requested", "granted"),
    [
        (READ, [], "read"),
        (READ, ["published"], "published"),
        (READ, ["read"], "read"),
        (WRITE, [], "read"),
        (WRITE, ["published"], "published"),
        (DRAFTS, ["drafts"], "drafts"),
        (WRITE, ["drafts"], "drafts"),
        (WRITE, ["write"], "write"),
        (WRITE, ["write", "read"], "write"),
        (WRITE, ["published", "read", "write"], "write"),
    ],
)
def test_a_new_key_gets_the_requested_scope(owned, requested, granted):
    assert (
        permissions.choose_scope(Caller(user=MEL, scopes=owned, is_authenticated=True), requested) == granted
    )


@pytest.mark.parametrize(
    ("owned", "requested"), [(PUBLISHED, []), (PUBLISHED, ["read"]), (READ, ["drafts"]), (DRAFTS, ["write"])]
)
def test_a_scope_that_the_caller_lacks_is_refused(owned, requested):
    with pytest.raises(Forbidden) as refused:
        permissions.choose_scope(reader(owned, user=MEL), requested)
    assert refused.value.code == "scope_missing"


def test_each_scope_includes_all_lower_scopes():
    assert PUBLISHED < READ < DRAFTS < WRITE == frozenset(SCOPES)


HOLDER, MEMBER, ADMIN = reader(PUBLISHED), reader(user=MEL), reader(user=ADA, role=Role.ADMIN)
PAGE = reader(PUBLISHED, user=ADA, role=Role.ADMIN)


@pytest.mark.parametrize(
    ("setting", "callers"),
    [
        ("open", (STRANGER, HOLDER, MEMBER, ADMIN)),
        ("users", (MEMBER, ADMIN)),
        ("admins", (ADMIN,)),
    ],
)
def test_the_key_creation_setting_allows_the_expected_callers(setting, callers):
    for caller in callers:
        permissions.check_key_creation(setting, caller)


@pytest.mark.parametrize(
    ("setting", "caller", "error"),
    [
        ("users", STRANGER, Unauthorized),
        ("users", HOLDER, Forbidden),
        ("admins", STRANGER, Unauthorized),
        ("admins", HOLDER, Forbidden),
        ("admins", MEMBER, Forbidden),
    ],
)
def test_the_key_creation_setting_refuses_all_other_callers(setting, caller, error):
    with pytest.raises(error):
        permissions.check_key_creation(setting, caller)


KEY = uuid4()


@pytest.mark.parametrize(
    ("caller", "owner", "sees"),
    [
        pytest.param(HOLDER, None, True, id="an anonymous key, an anonymous key"),
        pytest.param(MEMBER, None, True, id="a member, an anonymous key"),
        pytest.param(MEMBER, MEL, True, id="the owner"),
        pytest.param(ADMIN, MEL, True, id="an admin"),
        pytest.param(MEMBER, ADA, False, id="a member, another's key"),
        pytest.param(HOLDER, MEL, False, id="an anonymous key, an owned key"),
        pytest.param(PAGE, None, False, id="an admin's published key, an anonymous key"),
        pytest.param(PAGE, ADA, False, id="an admin's published key, its owner's key"),
        pytest.param(PAGE, MEL, False, id="an admin's published key, a member's key"),
    ],
)
def test_each_caller_can_see_only_certain_keys(caller, owner, sees):
    assert permissions.can_see_key(caller, owner=owner) is sees


@pytest.mark.parametrize(
    "caller",
    [
        pytest.param(Caller(user=MEL, key=KEY, scopes=READ, is_authenticated=True), id="itself"),
        pytest.param(HOLDER, id="an anonymous key"),
        pytest.param(reader(WRITE, user=MEL), id="a write key"),
        pytest.param(Caller(user=MEL, scopes=WRITE, is_authenticated=True), id="a login"),
    ],
)
def test_a_key_may_delete_itself_and_a_write_key_may_delete_other_keys(caller):
    permissions.check_can_delete_key(caller, key=KEY)


@pytest.mark.parametrize("caller", [MEMBER, ADMIN])
def test_a_read_key_cannot_delete_another_key(caller):
    with pytest.raises(Forbidden) as refused:
        permissions.check_can_delete_key(caller, key=KEY)
    assert refused.value.code == "scope_missing"


@pytest.mark.parametrize("requested", [None, NOW + timedelta(microseconds=1)])
def test_a_future_expiry_or_no_expiry_is_accepted(requested):
    assert permissions.choose_expiry(requested, NOW, STRANGER) == requested


@pytest.mark.parametrize("requested", [NOW, NOW - timedelta(days=1)])
def test_an_expiry_that_is_not_in_the_future_is_refused(requested):
    with pytest.raises(Invalid) as refused:
        permissions.choose_expiry(requested, NOW, STRANGER)
    assert list(refused.value.errors) == ["expires"]


@pytest.mark.parametrize(
    ("expires", "overlap", "end"),
    [
        (None, 0, NOW),
        (None, 60, NOW + timedelta(seconds=60)),
        (NOW + timedelta(seconds=30), 60, NOW + timedelta(seconds=30)),
        (NOW + timedelta(days=9), 60, NOW + timedelta(seconds=60)),
        (NOW - timedelta(days=9), 60, NOW - timedelta(days=9)),
    ],
)
def test_a_rotation_never_extends_the_validity_of_the_old_key(expires, overlap, end):
    assert permissions.compute_overlap_end(expires, NOW, overlap) == end


@pytest.mark.parametrize("name", ["", "front end", "x" * 100, "数", "two\nlines"])
def test_a_name_of_up_to_100_characters_is_valid(name):
    assert permissions.validate_key_name(name) == name


@pytest.mark.parametrize("name", ["x" * 101, "bell\x07", "half \ud800"])
def test_an_invalid_name_is_refused(name):
    with pytest.raises(Invalid) as refused:
        permissions.validate_key_name(name)
    assert list(refused.value.errors) == ["name"]
