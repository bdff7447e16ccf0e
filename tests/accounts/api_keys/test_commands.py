"""The `key` commands."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner
from flask.cli import ScriptInfo

from blogapi import create_app
from blogapi.__main__ import main

ME = "/api/v1/auth/me/"


@pytest.fixture
def run(app):
    """Runs a `key` command."""
    runner = app.test_cli_runner()
    return lambda *args: runner.invoke(args=["key", *args])


@pytest.mark.parametrize(
    ("args", "user", "scopes"),
    [
        ((), "", ["published"]),
        (("--scope", "published"), "", ["published"]),
        (("--user", "mel"), "mel", ["published"]),
        (("--user", "ada", "--scope", "read"), "ada", ["published", "read"]),
        (("--user", "mel", "--scope", "drafts"), "mel", ["published", "read", "drafts"]),
        (("--user", "ADA", "--scope", "write"), "ada", ["published", "read", "drafts", "write"]),
    ],
)
def test_create_prints_only_the_key_to_standard_output(run, people, as_stranger, args, user, scopes):
    result = run("create", *args)
    assert result.exit_code == 0
    assert re.fullmatch(r"blogapi_[0-9A-Za-z]{38}\n", result.stdout)
    value = result.stdout.strip()
    me = as_stranger.get(ME, headers={"X-API-KEY": value}).json
    assert (me["username"], me["scopes"]) == (user, scopes)
    assert f"{people.uuid(value)} ({scopes[-1]})" in result.stderr


def test_create_sets_the_name(run):
    run("create", "--name", "front end")
    assert [key["name"] for key in json.loads(run("list", "--json").stdout)] == ["front end"]


def test_the_help_of_create_lists_the_scopes_and_the_default_scope(run):
    help_text = " ".join(run("create", "--help").stdout.split())
    assert "[published|read|drafts|write]" in help_text and "only published content, for example" in help_text
    assert "[default: published]" in help_text


@pytest.mark.parametrize(
    "args",
    [
        ("create", "--scope", "read"),
        ("create", "--scope", "write"),
        ("create", "--scope", "admin"),
        ("create", "x"),
        ("delete",),
        (),
        ("rotate",),
    ],
)
def test_a_usage_error_exits_with_2(run, args):
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--user", "nobody"), "No user is named 'nobody'"),
        (("--user", "a b"), "not valid"),
        (("--name", "x" * 101), "name: "),
        (("--name", "bell\x07"), "name: "),
    ],
)
def test_create_reports_an_error_on_one_line(run, args, says):
    result = run("create", *args)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("Error: ") and says in result.stderr
    listed = run("list")
    assert (listed.exit_code, listed.stdout) == (0, "")


def test_list_shows_every_key_without_its_value(run, people):
    values = [people.key(None), people.key(people.member), people.key(people.admin, "write")]
    shown = json.loads(run("list", "--json").stdout)
    assert {one["user"] for one in shown} == {None, str(people.member.uuid), str(people.admin.uuid)}
    assert {one["prefix"] for one in shown} == {value[:14] for value in values}
    assert list(shown[0]) == ["uuid", "name", "prefix", "scopes", "user", "created", "expires", "last_used"]
    for args in ((), ("--json",)):
        listed = run("list", *args)
        assert (listed.exit_code, [value for value in values if value in listed.output]) == (0, [])


def test_list_prints_one_line_per_key(run, people):
    value = people.key(people.admin, "write", was_used=False)
    (line,) = run("list").stdout.splitlines()
    assert value[:14] in line and "published,read,drafts,write" in line and "never used" in line


def test_list_without_keys_prints_an_empty_array(run):
    assert run("list", "--json").stdout == "[]\n"


def test_delete_deletes_the_key(run, people, as_stranger):
    header = {"X-API-KEY": people.key(people.admin, "write")}
    uuid = as_stranger.get(ME, headers=header).json["key"]
    result = run("delete", uuid)
    assert (result.exit_code, result.stdout) == (0, f"Deleted the key {uuid}.\n")
    assert as_stranger.get(ME, headers=header).status_code == 401
    assert run("delete", uuid).exit_code == 1


@pytest.mark.parametrize(
    "uuid", ["3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d", "x", "", "{3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d}"]
)
def test_delete_of_an_unknown_key_is_refused(run, uuid):
    result = run("delete", uuid)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("Error: ")


def test_the_installed_program_runs_key_create(app, as_stranger):
    # A new process creates its own application.
    fresh = ScriptInfo(create_app=create_app)
    result = CliRunner().invoke(main, ["key", "create"], obj=fresh)
    assert result.exit_code == 0, result.output
    assert as_stranger.get(ME, headers={"X-API-KEY": result.stdout.strip()}).json["role"] == "reader"


def test_a_key_can_expire(run, as_login):
    assert run("create", "--name", "short", "--expires", "2999-01-31").exit_code == 0
    (key,) = [key for key in as_login.get("/api/v1/auth/api-key/").json if key["name"] == "short"]
    assert key["expires"] == "2999-01-31T00:00:00.000000+00:00"
    for text in ("2001-01-01", "soon"):
        result = run("create", "--expires", text)
        assert (result.exit_code, "not a time in the future" in result.output) == (2, True)
