"""The command `service`: what it prints about a blog, and that it changes nothing."""

from __future__ import annotations

import plistlib
import re
import sys
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from click.testing import CliRunner

from blogapi import blog_folder
from blogapi.__main__ import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other paths")

KINDS = ["systemd", "launchd", "windows", "winsw"]


@pytest.fixture
def blog(monkeypatch, tmp_path) -> Path:
    """The folder of a blog without a database."""
    # The variable is set first, so that the end of the test deletes the value that a command sets.
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", "x")
    monkeypatch.delenv("BLOGAPI_INSTANCE_PATH")
    monkeypatch.delenv("BLOGAPI_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "my blog"
    (folder / "instance").mkdir(parents=True)
    (folder / "instance" / "config.toml").touch()
    return folder


@pytest.fixture
def run(blog):
    """Runs `service` with some options."""

    def invoke(*options: str):
        return CliRunner().invoke(main, ["service", *options, "--blog", str(blog)])

    return invoke


def get_setting(unit: str, name: str) -> str:
    return re.search(rf"^{name}=(.*)$", unit, re.M)[1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_is_the_output_and_nothing_is_created(run, blog, kind):
    before = sorted(blog.rglob("*"))
    result = run(kind)
    assert result.exit_code == 0, result.output
    assert str(blog) in result.stdout and "health" not in result.stdout
    assert (
        result.stderr
        == f"To ask the service for its state: {blog_folder.get_command()} health --url http://127.0.0.1:8000\n"
    )
    assert sorted(blog.rglob("*")) == before


@pytest.mark.parametrize(
    ("host", "url"),
    [
        (str(IPv4Address(0)), "http://127.0.0.1:81"),
        ("::", "http://[::1]:81"),
        ("::1", "http://[::1]:81"),
        ("10.0.0.2", "http://10.0.0.2:81"),
        ("blog.example.org", "http://blog.example.org:81"),
    ],
)
def test_the_address_is_that_of_the_service_and_of_its_state(run, host, url):
    result = run("launchd", "--host", host, "--port", "81")
    arguments = plistlib.loads(result.stdout.encode("utf-8"))["ProgramArguments"]
    assert arguments[-4:] == ["--host", host, "--port", "81"]
    assert f"health --url {url}\n" in result.stderr


def test_the_user_is_blogapi_unless_another_is_named(run):
    for options, user in ((), "blogapi"), (("--user", "ada"), "ada"):
        assert get_setting(run("systemd", *options).stdout, "User") == user
        assert plistlib.loads(run("launchd", *options).stdout.encode("utf-8"))["UserName"] == user


def test_the_service_may_write_where_the_settings_place_the_media_and_the_database(run, blog, tmp_path):
    home = blog / "instance"
    assert get_setting(run("systemd").stdout, "ReadWritePaths") == f"'-{home}'"
    (home / "config.toml").write_text(
        f"MEDIA_PATH = '../files'\nDATABASE_URL = 'sqlite:///{tmp_path}/data/blog.db'\n", encoding="utf-8"
    )
    expected = f"'-{home}' -{tmp_path}/data '-{blog}/files'"
    assert get_setting(run("systemd").stdout, "ReadWritePaths") == expected
    (home / "config.toml").write_text(
        "MEDIA_PATH = 'pictures'\nDATABASE_URL = 'postgresql+psycopg://u:secret@db/blog'\n", encoding="utf-8"
    )
    result = run("systemd")
    assert get_setting(result.stdout, "ReadWritePaths") == f"'-{home}'" and "secret" not in result.output


def test_settings_of_the_environment_are_named_without_their_values(run, monkeypatch, blog):
    monkeypatch.setenv("BLOGAPI_SMTP_PASSWORD", "hidden")
    result = run("systemd")
    assert result.exit_code == 0 and "hidden" not in result.output
    assert f"The service does not get BLOGAPI_SMTP_PASSWORD; set them in {blog}" in result.stderr


def test_a_folder_without_a_blog_is_refused(run, blog):
    (blog / "instance" / "config.toml").unlink()
    result = run("systemd")
    assert result.exit_code == 1 and "There is no blog in" in result.stderr and result.stdout == ""


def test_an_instance_folder_of_another_name_is_refused(run, blog, monkeypatch):
    (blog / "instance").rename(blog / "data")
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(blog / "data"))
    result = CliRunner().invoke(main, ["service", "windows"])
    assert result.exit_code == 1 and "must be called `instance`" in result.stderr


@pytest.mark.parametrize("options", [["systemd", "--port", "0"], ["upstart"], []])
def test_wrong_usage_exits_with_status_2(options):
    assert CliRunner().invoke(main, ["service", *options]).exit_code == 2


def test_the_program_is_named_with_absolute_paths(monkeypatch, tmp_path):
    assert blog_folder.make_serve_command() == [sys.executable, str(blog_folder.CHECKOUT / "wsgi.py")]
    monkeypatch.setattr(blog_folder, "CHECKOUT", None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    module = [str(tmp_path / "python"), "-P", "-m", "blogapi", "serve"]
    assert blog_folder.make_serve_command() == module
    (tmp_path / "blogapi").touch()
    assert blog_folder.make_serve_command() == [str(tmp_path / "blogapi"), "serve"]
