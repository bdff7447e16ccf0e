"""The settings: sources, validation, and the secret key."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from blogapi import blog_folder, config, create_app
from blogapi.config import CannotStart
from blogapi.settings import REMOVED_SETTINGS, SETTINGS
from blogapi.version import __version__
from tests.conftest import close_connections

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")


def make_app_without_settings() -> Flask:
    return Flask("blog", instance_path=str(blog_folder.find_instance()))


def load_settings(given: dict[str, Any] | None = None) -> Flask:
    app = make_app_without_settings()
    config.load_settings(app, given)
    load_key(app)
    return app


def create_closed_app() -> Flask:
    """Create an application, and close its connections to the database."""
    app = create_app()
    close_connections(app)
    return app


def load_key(app: Flask) -> None:
    app.config["SECRET_KEY"] = app.config["SECRET_KEY"] or config.load_secret_key(app.instance_path)


def write_settings(instance: Path, text: str) -> None:
    instance.mkdir(exist_ok=True)
    (instance / "config.toml").write_text(text, encoding="utf-8")


def get_start_error(given: dict[str, Any] | None = None) -> str:
    with pytest.raises(CannotStart) as raised:
        load_settings(given)
    assert raised.value.exit_code == 1
    assert raised.value.message.endswith(".") and "\n" not in raised.value.message
    return raised.value.message


def test_the_defaults_apply_if_no_source_sets_a_value(monkeypatch):
    monkeypatch.delenv("BLOGAPI_DATABASE_URL", raising=False)
    app = load_settings()
    for setting in SETTINGS:
        if setting.name != "SECRET_KEY":
            assert app.config[setting.name] == setting.default
            # A default must be a valid value.
            assert setting.parse(setting.default) == setting.default
        assert setting.description.endswith(".") and setting.parse.__doc__


def test_each_source_overrides_the_previous_source(instance, monkeypatch):
    assert load_settings().config["SESSION_DAYS"] == 14
    write_settings(instance, "SESSION_DAYS = 1")
    assert load_settings().config["SESSION_DAYS"] == 1
    monkeypatch.setenv("BLOGAPI_SESSION_DAYS", "2")
    assert load_settings().config["SESSION_DAYS"] == 2
    assert load_settings({"SESSION_DAYS": 3}).config["SESSION_DAYS"] == 3


def test_a_list_is_an_array_in_the_file_and_comma_separated_in_the_environment(instance, monkeypatch):
    write_settings(instance, 'CORS_ORIGINS = ["https://a.example", "https://b.example"]')
    assert load_settings().config["CORS_ORIGINS"] == ("https://a.example", "https://b.example")
    monkeypatch.setenv("BLOGAPI_CORS_ORIGINS", " https://c.example , ,https://d.example")
    assert load_settings().config["CORS_ORIGINS"] == ("https://c.example", "https://d.example")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("SESION_DAYS", "SESSION_DAYS"),
        ("DATABASE_URI", "DATABASE_URL"),
        ("session_days", "SESSION_DAYS"),
        ("X", ""),
    ],
)
def test_an_unknown_setting_is_refused_with_a_hint(instance, monkeypatch, name, hint):
    expected = f" is unknown. Did you mean {hint}?" if hint else " is unknown."
    write_settings(instance, f"{name} = 1")
    with pytest.raises(CannotStart) as raised:
        load_settings()
    assert raised.value.message == f"The setting {name} in config.toml{expected}"
    write_settings(instance, "")
    monkeypatch.setenv(f"BLOGAPI_{name}", "1")
    with pytest.raises(CannotStart) as raised:
        load_settings()
    # Windows has environment variables in upper case only.
    assert raised.value.message.casefold().endswith(f"in the environment{expected}".casefold())


def test_flask_settings_are_accepted_as_an_argument():
    assert load_settings({"TESTING": True}).testing


def test_variables_of_the_test_suite_are_not_settings(monkeypatch):
    monkeypatch.setenv("BLOGAPI_TEST_ANYTHING", "1")
    load_settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", 1),
        ("SECRET_KEY", 1),
        ("SECRET_KEY", ["x"]),
        ("KEY_CREATION", "everybody"),
        ("KEY_CREATION", "Open"),
        ("KEY_CREATION", ["open"]),
        ("KEY_LIMIT", "often"),
        ("KEY_LIMIT", ""),
        ("KEY_LIMIT", 20),
        ("LOGIN_ADDRESS_LIMIT", "-1 per minute"),
        ("LOGIN_ACCOUNT_LIMIT", "1 per fortnight"),
        ("SESSION_DAYS", 0),
        ("SESSION_DAYS", -1),
        ("SESSION_DAYS", True),
        ("SESSION_DAYS", 1.5),
        ("SESSION_DAYS", ""),
        ("SESSION_DAYS", "1_000"),
        ("SESSION_DAYS", "١٤"),
        ("SESSION_DAYS", " 14"),
        ("SESSION_DAYS", "9" * 5000),
        ("SESSION_DAYS", 10**12),
        ("SESSION_DAYS", [14]),
        ("MAX_CONTENT_LENGTH", "16 MB"),
        ("MAX_CONTENT_LENGTH", {"bytes": 1}),
        ("CORS_ORIGINS", 1),
        ("CORS_ORIGINS", [1]),
        ("TRUSTED_PROXY", "localhost"),
        ("TRUSTED_PROXY", "10.0.0.1, 10.0.0.2"),
        ("TRUSTED_PROXY", "*"),
        ("TRUSTED_PROXY", 1),
    ],
)
def test_an_invalid_value_is_refused(name, value):
    assert get_start_error({name: value}).startswith(f"The setting {name} in create_app must be ")


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("http://a http://b", "http://a, http://b"),
        ("http://a\nhttp://b/", "http://a, http://b"),
        ("localhost:3000", "http://localhost:3000"),
        ("127.0.0.1:3000", "http://127.0.0.1:3000"),
        ("[::1]:3000", "http://[::1]:3000"),
        ("blog.example", "https://blog.example"),
        ("//blog.example", "https://blog.example"),
        ("https://blog.example/", "https://blog.example"),
        ("https://blog.example/path?query#fragment", "https://blog.example"),
        ("HTTPS://Blog.Example", "https://blog.example"),
        ("https://blog.example:443", "https://blog.example"),
        ("http://blog.example:80", "http://blog.example"),
        ("https://blog.example:08443", "https://blog.example:8443"),
        ("https://ada:secret@blog.example", "https://blog.example"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://faß.example", "https://xn--fa-hia.example"),
        ("https://例え。テスト", "https://xn--r8jz45g.xn--zckzah"),
        ("http://[0:0::0:1]:3000", "http://[::1]:3000"),
        ("'https://blog.example'", "https://blog.example"),
    ],
)
def test_a_misspelt_origin_is_refused_with_the_right_spelling(written, spelled):
    reason = f"must list origins as browsers send them: write {spelled!r} instead of {written!r}."
    assert get_start_error({"CORS_ORIGINS": [written]}) == f"The setting CORS_ORIGINS in create_app {reason}"
    # The spelling that the message gives is accepted.
    assert load_settings({"CORS_ORIGINS": spelled}).config["CORS_ORIGINS"] == tuple(spelled.split(", "))


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("null", "must not contain 'null', which any site can make a browser send; name each origin."),
        ("*", "must not contain patterns such as '*'; name each origin."),
        (
            "https://*.blog.example",
            "must not contain patterns such as 'https://*.blog.example'; name each origin.",
        ),
    ],
)
def test_null_and_patterns_are_refused_as_origins(written, reason):
    given = {"CORS_ORIGINS": f"https://blog.example, {written}"}
    assert get_start_error(given) == f"The setting CORS_ORIGINS in create_app {reason}"


@pytest.mark.parametrize(
    "written",
    [
        *(
            "ftp://a",
            "file:///a",
            "javascript:alert(1)",
            "https:a",
            "https://",
            "https:///a",
            "://a",
            "/",
            "@",
        ),
        *(
            "https://a:99999",
            "https://a:-1",
            "https://a:b",
            "https://a:٨",
            "https://a:",
            "https://a;b",
            "a\\b",
        ),
        *("https://a..b", "https://-a", "https://a%62", "https://(a|b)", "https://a$", "https://a^"),
        *("http://127.1", "http://1.2.3.4.5", "http://1.2.3.999", "http://[1.2.3.4", "http://[::g]", "['a'"),
    ],
)
def test_a_text_that_is_not_a_valid_origin_is_refused(written):
    assert get_start_error({"CORS_ORIGINS": [written]}).startswith(
        "The setting CORS_ORIGINS in create_app must "
    )


@pytest.mark.parametrize(
    "origin",
    [
        *("https://blog.example", "http://localhost:3000", "https://blog.example:8443", "http://a:443"),
        *(
            "https://xn--bcher-kva.example",
            "http://192.0.2.1:8080",
            "http://[::1]:3000",
            "https://a_b.example",
        ),
    ],
)
def test_an_origin_is_accepted_in_the_form_that_browsers_send(origin):
    assert load_settings({"CORS_ORIGINS": [origin]}).config["CORS_ORIGINS"] == (origin,)


@pytest.mark.parametrize(
    ("given", "stored"),
    [("", ""), ("10.0.0.1", "10.0.0.1/32"), ("172.16.0.9/12", "172.16.0.0/12"), ("::1", "::1/128")],
)
def test_a_proxy_is_an_address_or_a_network(given, stored):
    assert load_settings({"TRUSTED_PROXY": given}).config["TRUSTED_PROXY"] == stored


def test_a_limit_may_consist_of_several_rates():
    assert load_settings({"KEY_LIMIT": "20 per minute; 100 per day"}).config["KEY_LIMIT"].startswith("20")


@pytest.mark.parametrize("written", [b"SESSION_DAYS =", b"\xff\xfe", b"SESSION_DAYS = 1\nSESSION_DAYS = 2"])
def test_a_config_file_that_is_not_toml_is_refused(instance, written):
    instance.mkdir()
    (instance / "config.toml").write_bytes(written)
    assert get_start_error().startswith(f"{instance / 'config.toml'} cannot be read: ")


def test_a_folder_instead_of_the_config_file_is_refused(instance):
    (instance / "config.toml").mkdir(parents=True)
    assert get_start_error().startswith(f"{instance / 'config.toml'} cannot be read: ")


def test_the_instance_folder_is_created_with_its_parents(tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "a" / "b" / "c"))
    load_settings()
    assert (tmp_path / "a" / "b" / "c" / "secret_key").is_file()


@POSIX
def test_only_the_owner_can_read_the_instance_folder(instance):
    load_settings()
    assert stat.S_IMODE(instance.stat().st_mode) == 0o700


@pytest.mark.parametrize("below", ["", "deeper"])
def test_an_instance_folder_that_cannot_be_created_is_refused(tmp_path, monkeypatch, below):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / below
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(folder))
    assert get_start_error().startswith(f"The instance folder {folder.resolve()} cannot be created: ")


def test_a_relative_instance_folder_is_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", "here")
    assert str(blog_folder.find_instance()) == str(tmp_path.resolve() / "here")


def test_the_secret_key_is_created_once(instance):
    first = load_settings().config["SECRET_KEY"]
    assert len(first) == 64
    assert load_settings().config["SECRET_KEY"] == first
    assert sorted(path.name for path in instance.iterdir()) == ["secret_key"]


@POSIX
def test_only_the_owner_can_read_the_secret_key(instance):
    load_settings()
    assert stat.S_IMODE((instance / "secret_key").stat().st_mode) == 0o600


def test_a_given_secret_key_is_not_stored(instance):
    assert load_settings({"SECRET_KEY": "given"}).config["SECRET_KEY"] == "given"
    assert not (instance / "secret_key").exists()


def test_threads_that_start_at_the_same_time_share_one_secret_key(instance):
    # The applications are created first: Python 3.11 cannot compile routes in concurrent threads.
    apps = [make_app_without_settings() for _ in range(64)]
    for app in apps:
        config.load_settings(app, None)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(load_key, apps))
    assert len({app.config["SECRET_KEY"] for app in apps}) == 1
    assert [path.name for path in instance.iterdir()] == ["secret_key"]


@pytest.mark.slow
@pytest.mark.once
def test_processes_that_start_at_the_same_time_share_one_secret_key(instance):
    instance.mkdir()
    code = (
        "from blogapi import blog_folder, config; print('ready', flush=True); input(); "
        f"print(config.load_secret_key({str(instance)!r}))"
    )
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(6)]
    # They import for seconds, and then all look for the key at once.
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 6
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    keys = {process.communicate()[0] for process in processes}
    assert len(keys) == 1 and len(keys.pop().strip()) == 64


@pytest.mark.parametrize("damage", [b"", b"short", b"\xff" * 64])
def test_a_damaged_secret_key_is_refused(instance, damage):
    instance.mkdir()
    (instance / "secret_key").write_bytes(damage)
    assert "is damaged; delete it" in get_start_error()


@pytest.mark.sqlite("its file")
def test_the_first_start_makes_the_database_before_the_key(instance, monkeypatch):
    monkeypatch.setattr(config.secrets, "token_hex", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        create_app()
    assert [path.name for path in instance.iterdir() if not path.name.startswith("blog.db-")] == ["blog.db"]


def test_a_folder_instead_of_the_secret_key_is_refused(instance):
    (instance / "secret_key").mkdir(parents=True)
    assert "secret_key cannot be created or read: " in get_start_error()


def test_a_secret_key_that_cannot_be_written_is_refused(instance, monkeypatch):
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(config.os, "open", full)
    assert get_start_error().endswith("secret_key cannot be created or read: No space left on device.")
    assert list(instance.iterdir()) == []


def test_the_secret_key_is_stored_without_hard_links(instance, monkeypatch):
    def unknown(*_: Any) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(config.os, "link", unknown)
    first = create_closed_app().config["SECRET_KEY"]
    assert create_closed_app().config["SECRET_KEY"] == first
    assert [path.name for path in instance.glob("secret_key*")] == ["secret_key"]


def test_an_unknown_variable_that_begins_with_instance_path_is_refused(monkeypatch):
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATHX", "1")
    assert "INSTANCE_PATHX" in get_start_error()


def test_the_command_of_a_container_is_not_a_setting(monkeypatch):
    monkeypatch.setenv("BLOGAPI_COMMAND", "docker run blogapi")
    assert "COMMAND" not in create_closed_app().config


@pytest.mark.parametrize("sender", ["blog@example.org", "My blog <blog@example.org>", ""])
def test_the_sender_of_emails_is_an_address(sender):
    assert load_settings({"SMTP_SENDER": sender}).config["SMTP_SENDER"] == sender


@pytest.mark.parametrize("sender", ["blog", "My blog", "a@b\nBcc: c@d", 5, "@", "a@b, c@d"])
def test_another_sender_is_refused(sender):
    assert "SMTP_SENDER" in get_start_error({"SMTP_SENDER": sender})


@pytest.mark.parametrize("value", ["256", "many"])
def test_a_removed_setting_is_ignored_and_named(instance, monkeypatch, value):
    write_settings(instance, f'UNREAD_MEGABYTES = "{value}"\nSESSION_DAYS = 1')
    monkeypatch.setenv("BLOGAPI_UNREAD_MEGABYTES", value)
    app = load_settings()
    assert app.config["SESSION_DAYS"] == 1 and "UNREAD_MEGABYTES" not in app.config
    reason = REMOVED_SETTINGS["UNREAD_MEGABYTES"].reason
    assert config.describe_removed_settings(instance) == [
        f"The setting UNREAD_MEGABYTES in {source} has no effect any more. {reason}"
        for source in ("config.toml", "the environment")
    ]


def test_settings_that_are_not_removed_are_not_in_the_log(instance, caplog):
    write_settings(instance, "SESSION_DAYS = 1")
    load_settings()
    assert not caplog.messages


def test_a_removed_setting_has_a_reason_and_leaves_with_the_next_minor_version():
    version = tuple(map(int, __version__.split(".")[:2]))
    names = {setting.name for setting in SETTINGS}
    for name, removed in REMOVED_SETTINGS.items():
        assert name not in names and removed.reason.endswith(".") and removed.since == version


def test_a_table_in_the_file_is_refused_with_a_hint(instance):
    write_settings(instance, "[blogapi]\nSESSION_DAYS = 3")
    with pytest.raises(
        CannotStart, match=r"Settings do not belong in a table; delete the line \[blogapi\]\.$"
    ):
        load_settings()


def test_another_kind_of_database_is_refused_with_the_right_beginning(monkeypatch):
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", "postgres://user:secret@host/blog")
    with pytest.raises(CannotStart) as raised:
        create_app()
    error = raised.value.message
    assert "it must begin with sqlite:/// or postgresql+psycopg://" in error and "secret" not in error
