"""The `user` commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner
from flask.cli import ScriptInfo

from blogapi import config, create_app
from blogapi.__main__ import main
from blogapi.accounts.users import queries, service

PASSWORD = "correct horse battery"


@pytest.fixture
def run(app):
    """Runs a `user` command with input."""
    runner = app.test_cli_runner()
    return lambda *args, typed="": runner.invoke(args=["user", *args], input=typed)


@pytest.fixture
def can_log_in(app):
    """Returns whether a user can log in with a password."""

    def check(name, password):
        with app.app_context():
            return service.find_user_with_password(name, password) is not None

    return check


def test_create_prompts_for_the_password_twice(run, can_log_in, monkeypatch):
    # A terminal does not show what is typed.
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True, raising=False)
    result = run("create", "Ada", "--admin", typed=f"{PASSWORD}\n{PASSWORD}\n")
    assert result.exit_code == 0
    assert re.fullmatch(r"Created the admin ada \([0-9a-f-]{36}\)\.", result.output.splitlines()[-1])
    assert PASSWORD not in result.output
    assert can_log_in("ada", PASSWORD)


def test_create_prompts_again_if_the_passwords_differ(run, can_log_in):
    result = run("create", "ada", typed=f"{PASSWORD}\nanother password\n{PASSWORD}\n{PASSWORD}\n")
    assert result.exit_code == 0
    assert "do not match" in result.output
    assert can_log_in("ada", PASSWORD)


@pytest.mark.parametrize("typed", [PASSWORD, f"{PASSWORD}\n", f"{PASSWORD}\r\n", f"{PASSWORD}\nmore\n"])
def test_create_reads_the_password_from_the_first_line_of_the_input(run, can_log_in, typed):
    result = run("create", "ada", "--password-stdin", typed=typed)
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1 and result.stdout.startswith("Created the reader ada (")
    assert can_log_in("ada", PASSWORD)


@pytest.mark.parametrize(
    ("options", "role", "can_publish"),
    [
        ((), "reader", False),
        (("--role", "author"), "author", False),
        (("--role", "author", "--can-publish"), "author", True),
        (("--role", "editor"), "editor", False),
        (("--admin",), "admin", False),
    ],
)
def test_create_sets_the_role(app, run, options, role, can_publish):
    assert run("create", "lin", "--password-stdin", *options, typed=PASSWORD).exit_code == 0
    with app.app_context():
        account = queries.get_user_by_name("lin")
        assert (account.role, account.can_publish) == (role, can_publish)


@pytest.mark.parametrize(
    ("words", "exit_code", "role", "can_publish"),
    [
        (("mel", "author"), 0, "author", False),
        (("mel", "author", "--can-publish"), 0, "author", True),
        (("mel", "writer"), 2, "reader", False),
        (("nobody", "author"), 1, "reader", False),
    ],
)
def test_role_changes_the_role(app, people, run, words, exit_code, role, can_publish):
    result = run("role", *words)
    assert result.exit_code == exit_code
    assert ("mel is now an author." in result.stdout) is (exit_code == 0)
    with app.app_context():
        account = queries.get_user_by_name("mel")
        assert (account.role, account.can_publish) == (role, can_publish)


@pytest.mark.parametrize(
    ("name", "typed", "says"),
    [
        ("ada", "short\n", "password"),
        ("ada", "", "password"),
        ("ada", "x" * 2000, "password"),
        ("ada", "\x07" * 12, "password"),
        ("ada l", PASSWORD, "username"),
        ("", PASSWORD, "username"),
        ("grace", PASSWORD, "'grace' is taken"),
        ("GRACE", PASSWORD, "'grace' is taken"),
    ],
)
def test_create_reports_an_error_on_one_line(app, people, run, name, typed, says):
    result = run("create", name, "--password-stdin", typed=typed)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("Error: ") and says in result.stderr
    with app.app_context():
        assert [account.username for account in queries.list_users()] == ["ada", "grace", "mel"]


@pytest.mark.parametrize(
    "args", [(), ("create",), ("create", "ada", "--root"), ("create", "a", "b"), ("rename",)]
)
def test_a_usage_error_exits_with_2(run, args):
    assert run(*args).exit_code == 2


def test_list_prints_one_line_per_user(run, people):
    result = run("list")
    assert [line.split()[::3] for line in result.stdout.splitlines()] == [
        [str(people.admin.uuid), "ada"],
        [str(people.other_admin.uuid), "grace"],
        [str(people.member.uuid), "mel"],
    ]


def test_list_prints_json(run, people):
    shown = json.loads(run("list", "--json").stdout)
    assert [(one["uuid"], one["username"], one["role"]) for one in shown] == [
        (str(people.admin.uuid), "ada", "admin"),
        (str(people.other_admin.uuid), "grace", "admin"),
        (str(people.member.uuid), "mel", "reader"),
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", one["created"]) for one in shown)


def test_list_without_users_prints_an_empty_array(run):
    assert run("list", "--json").stdout == "[]\n"


def test_password_sets_a_new_password(run, people, can_log_in):
    assert run("password", "mel", "--password-stdin", typed=PASSWORD).exit_code == 0
    result = run("password", "Mel", typed="another password\nanother password\n")
    assert result.exit_code == 0 and "logged out everywhere" in result.output
    assert (can_log_in("mel", PASSWORD), can_log_in("mel", "another password")) == (False, True)


def test_password_does_not_prompt_for_an_unknown_user(run):
    result = run("password", "nobody")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No user is named 'nobody'" in result.stderr


def test_password_refuses_a_short_password(run, people, can_log_in):
    run("password", "mel", "--password-stdin", typed=PASSWORD)
    result = run("password", "mel", "--password-stdin", typed="short")
    assert (result.exit_code, result.stdout) == (1, "")
    assert can_log_in("mel", PASSWORD)


def test_delete_asks_for_confirmation(app, run, people):
    assert run("delete", "mel", typed="n\n").exit_code == 1
    with app.app_context():
        assert queries.find_user_by_name("mel") is not None
    assert run("delete", "mel", typed="y\n").exit_code == 0
    with app.app_context():
        assert queries.find_user_by_name("mel") is None


@pytest.mark.parametrize(
    ("name", "says"), [("ada", "owns content"), ("nobody", "No user"), ("a b", "not valid")]
)
def test_delete_reports_an_error_on_one_line(run, people, make_tag, name, says):
    make_tag()
    result = run("delete", name, "--yes")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1 and says in result.stderr


def test_the_installed_program_runs_user_create(app, can_log_in):
    # A new process creates its own application.
    fresh = ScriptInfo(create_app=create_app)
    result = CliRunner().invoke(
        main, ["user", "create", "ada", "--password-stdin"], input=PASSWORD, obj=fresh
    )
    assert result.exit_code == 0, result.output
    assert can_log_in("ada", PASSWORD)


@pytest.mark.parametrize(
    "args", [["--help"], ["user", "--help"], ["user", "create", "--help"], ["key", "--help"]]
)
def test_help_does_not_create_the_instance_folder(instance, args):
    result = CliRunner().invoke(main, args)
    assert (result.exit_code, "Usage:" in result.output) == (0, True)
    assert not instance.exists()


def test_an_unknown_user_is_refused_before_a_question(run):
    result = run("delete", "nobody")
    assert result.exit_code == 1 and "Delete the user" not in result.output


def test_a_password_is_read_from_a_pipe_without_a_warning(app, instance):
    result = subprocess.run(
        [sys.executable, "-m", "blogapi", "user", "create", "eve"],
        input=f"{PASSWORD}\n{PASSWORD}\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {config.INSTANCE_PATH_VARIABLE: str(instance)},
        start_new_session=True,
    )
    assert (result.returncode, "Created the reader eve" in result.stdout) == (0, True), result.stderr
    assert "echoed" not in result.stderr and PASSWORD not in result.stdout + result.stderr
