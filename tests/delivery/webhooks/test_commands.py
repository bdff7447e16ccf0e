"""The `webhook` commands."""

from __future__ import annotations

import json

import click
import pytest

from blogapi.__main__ import main
from tests.delivery.webhooks.rows import add_webhook

pytestmark = pytest.mark.no_database


@pytest.fixture
def run(app):
    """Return a function that runs a command and returns its result."""

    def run(*arguments, input=None):
        return app.test_cli_runner().invoke(args=["webhook", *arguments], input=input)

    return run


def test_add_asks_for_the_address_and_prints_the_secret_last(app, run):
    app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)
    added = run(
        "add", "index", "--event", "article.*", "--header", "X-A: b", input="http://127.0.0.1/secret\n"
    )
    assert added.exit_code == 0, added.output
    assert added.output.splitlines()[-1].startswith("whsec_")
    assert "/secret" not in added.output
    (row,) = json.loads(run("list", "--json").output)
    assert (row["events"], row["header_names"]) == (["article.*"], ["X-A"])
    assert "active  0 waiting  http://127.0.0.1/•••  index" in run("list").output


def test_the_list_names_the_reason_of_a_pause(app, run):
    add_webhook(app, paused="failures")
    assert "standard  paused (failures)  0 waiting  https://192.0.2.1/•••  hook" in run("list").output


def test_add_refuses_bad_input(run):
    refused = run("add", "index", "--url", "https://10.0.0.7/")
    assert refused.exit_code == 1
    assert "10.0.0.7 is in a private network" in refused.output


def test_a_build_hook_has_no_secret(run):
    added = run("add", "site", "--url", "https://hooks.example/x", "--preset", "vercel", "--mode", "combined")
    assert added.exit_code == 0, added.output
    assert "whsec_" not in added.output
    (row,) = json.loads(run("list", "--json").output)
    assert (row["preset"], row["mode"]) == ("vercel", "combined")


@pytest.mark.parametrize("mode", ["each", "combined"])
def test_add_takes_the_mode(run, mode):
    added = run("add", "index", "--url", "https://hooks.example/x", "--mode", mode)
    assert added.exit_code == 0, added.output
    assert [row["mode"] for row in json.loads(run("list", "--json").output)] == [mode]


def test_no_choice_of_a_command_is_a_member_of_an_enumeration():
    """Click would take its name in place of its value."""

    def list_choices(command):
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                yield from list_choices(command.get_command(context, name))
        yield from (
            parameter.type for parameter in command.params if isinstance(parameter.type, click.Choice)
        )

    choices = [choice for one in list_choices(main) for choice in one.choices]
    assert "combined" in choices
    assert [choice for choice in choices if type(choice) is not str] == []


def test_test_and_log_show_the_outcome(app, run):
    uuid = str(add_webhook(app)[0])
    failed = run("test", uuid)
    assert (failed.exit_code, "192.0.2.1 is in a private network" in failed.output) == (1, True)
    assert len(run("log", uuid).output.splitlines()) == 2
    assert len(json.loads(run("log", uuid, "--json").output)) == 2


def test_replay_names_the_number_of_changes(app, run, make_tag):
    uuid = str(add_webhook(app)[0])
    make_tag()
    assert "Waiting changes: 1;" in run("replay", uuid, "2020-01-01").output
    assert run("replay", uuid, "soon").exit_code == 2


@pytest.mark.parametrize("command", ["test", "log"])
def test_unknown_webhooks_are_refused(run, command):
    assert run(command, "soon").exit_code == 2
    assert run(command, "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d").exit_code == 1
