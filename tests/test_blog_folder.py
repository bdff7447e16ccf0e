"""The folder of the blog: which one a command uses, and which commands may create it."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask

from blogapi import __main__ as program_module
from blogapi import blog_folder, commands, create_app
from blogapi.__main__ import main
from blogapi.config import CannotStart
from blogapi.serving import commands as serving_commands
from blogapi.serving import server
from tests.databases import close_connections


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path) -> Path:
    """The current folder of the test, which contains no blog and belongs to no checkout."""
    # The variable is set first, so that the end of the test deletes the value that a command sets.
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", "x")
    monkeypatch.delenv("BLOGAPI_INSTANCE_PATH")
    monkeypatch.delenv("BLOGAPI_DATABASE_URL", raising=False)
    monkeypatch.setattr(blog_folder, "CHECKOUT", None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def apps(monkeypatch) -> Iterator[list[Flask]]:
    """The applications that commands create, whose connections are closed after the test."""
    created: list[Flask] = []

    def create() -> Flask:
        created.append(create_app())
        return created[-1]

    for module in (commands, program_module):
        monkeypatch.setattr(module, "create_app", create)
    yield created
    for app in created:
        close_connections(app)


def make_blog(folder: Path, name: str = "blog.db") -> Path:
    home = folder / "instance"
    home.mkdir(parents=True)
    (home / name).touch()
    return home


def test_a_folder_without_files_is_a_blog_if_the_environment_names_its_database(folder, monkeypatch):
    with pytest.raises(CannotStart):
        blog_folder.require_blog_with_database()
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", "postgresql+psycopg://db.example.org/blog")
    assert blog_folder.require_blog_with_database() == folder / "instance"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


@pytest.mark.parametrize("mark", ["blog.db", "config.toml", "secret_key"])
def test_a_folder_is_a_blog_if_it_has_one_of_three_files(folder, mark):
    assert not blog_folder.is_blog(folder / "instance")
    assert blog_folder.is_blog(make_blog(folder, mark))


def test_the_blog_is_found_from_inside_it(folder, monkeypatch):
    home = make_blog(folder / "blog")
    inner = home / "media" / "ab"
    inner.mkdir(parents=True)
    for place in (folder / "blog", home, inner):
        monkeypatch.chdir(place)
        assert blog_folder.find_instance() == home
    monkeypatch.chdir(folder)
    assert blog_folder.find_instance() == folder / "instance"


def test_the_variable_comes_before_the_current_folder_and_the_option_before_both(folder, monkeypatch):
    make_blog(folder)
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(folder / "other"))
    assert blog_folder.find_instance() == folder / "other"
    blog_folder.select_blog(folder / "third")
    assert blog_folder.find_instance() == folder / "third" / "instance"


def test_a_blog_of_another_user_is_not_found_from_below(folder, monkeypatch):
    make_blog(folder)
    (folder / "below").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1, raising=False)
    assert blog_folder.find_instance() == folder / "instance"
    monkeypatch.chdir(folder / "below")
    assert blog_folder.find_instance() == folder / "below" / "instance"


def test_in_a_checkout_the_blog_of_the_checkout_is_the_last_choice(folder, monkeypatch):
    monkeypatch.setattr(blog_folder, "CHECKOUT", folder / "checkout")
    assert blog_folder.find_instance() == folder / "checkout" / "instance"
    home = make_blog(folder)
    assert blog_folder.find_instance() == home


OTHER_COMMANDS = [
    *(("user", "list"), ("key", "list"), ("site", "show"), ("webhook", "list"), ("serve",), ("doctor",)),
    *(("backup", "blog.zip"), ("export", "out"), ("import", ".")),
]


@pytest.mark.parametrize("command", OTHER_COMMANDS)
def test_other_commands_name_the_folder_and_create_no_blog(folder, command):
    status, output = run(*command)
    assert (status, f"There is no blog in {folder} (" in output) == (1, True), output
    assert "init`, or name the folder of a blog with --blog." in output
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("command", [("user", "list"), ("export", "out")])
def test_only_serve_finishes_a_blog_without_a_database(folder, command):
    home = make_blog(folder, "config.toml")
    status, output = run(*command)
    assert (status, "has no database yet" in output, "serve` creates it." in output) == (1, True, True)
    assert [path.name for path in home.iterdir()] == ["config.toml"]


@pytest.fixture
def stop_at_once(monkeypatch) -> Iterator[None]:
    """Servers end as soon as they are started."""

    def close(self: server.Server) -> None:
        self.task_dispatcher.shutdown()
        self.close()

    monkeypatch.setattr(server.Server, "run", close)
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in former.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("option", ["--demo", None])
def test_serve_creates_a_demo_and_in_a_checkout_any_blog(folder, monkeypatch, stop_at_once, option):
    if option is None:
        monkeypatch.setattr(blog_folder, "CHECKOUT", folder)
    status, output = run("serve", "--port", "0", *filter(None, [option]))
    assert (status, "Serving " in output) == (0, True), output
    assert (folder / "instance" / "blog.db").is_file()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
@pytest.mark.parametrize(
    ("is_checkout", "name", "mode"),
    [(True, None, 0o700), (True, "secret_key", 0o755), (False, "config.toml", 0o755)],
    ids=["new checkout", "a blog in a checkout", "another blog"],
)
def test_serve_closes_the_folder_of_a_new_checkout_to_other_users(
    folder, monkeypatch, stop_at_once, is_checkout, name, mode
):
    home = folder / "instance"
    home.mkdir()
    home.chmod(0o755)
    if name:
        (home / name).write_text("x" * 64 if name == "secret_key" else "", encoding="utf-8")
    if is_checkout:
        monkeypatch.setattr(blog_folder, "CHECKOUT", folder)
    status, output = run("serve", "--port", "0")
    assert (status, "Serving " in output) == (0, True), output
    assert stat.S_IMODE(home.stat().st_mode) == mode


def test_serve_finishes_a_blog_without_a_database(folder, stop_at_once):
    home = make_blog(folder, "config.toml")
    assert run("serve", "--port", "0")[0] == 0
    assert (home / "blog.db").is_file()


@pytest.mark.parametrize("name", ["media", "backups"])
@pytest.mark.parametrize("command", [("user", "list"), ("serve", "--port", "0"), ("init",)])
def test_a_lost_database_is_not_replaced(folder, name, command):
    home = make_blog(folder, "secret_key")
    (home / name / "file").mkdir(parents=True)
    status, output = run(*command)
    assert status == 1 and "blog.db is missing, but the blog has files: restore a backup" in output
    assert not (home / "blog.db").exists()


def test_init_creates_a_blog_once_and_the_option_selects_it(folder, monkeypatch):
    status, output = run("init", "my-blog")
    assert (status, output.splitlines()) == (
        0,
        [
            f"Created a blog in {folder / 'my-blog'}.",
            "Next:",
            "  cd my-blog",
            f"  {blog_folder.get_command()} serve",
        ],
    )
    ignored = (folder / "my-blog/instance/.gitignore").read_text(encoding="utf-8")
    assert ignored == "*\n!/theme/\n!/theme/**\n"
    assert {"blog.db", "secret_key"} <= {path.name for path in (folder / "my-blog/instance").iterdir()}
    monkeypatch.delenv("BLOGAPI_INSTANCE_PATH")
    assert run("init", "my-blog") == (1, f"Error: {folder / 'my-blog'} already contains a blog.\n")
    for arguments in (("--blog", "my-blog", "user", "list"), ("user", "list", "--blog", "my-blog")):
        monkeypatch.delenv("BLOGAPI_INSTANCE_PATH", raising=False)
        assert run(*arguments)[0] == 0


def test_a_blog_with_its_database_and_key_in_the_environment_is_found(folder, monkeypatch):
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", f"sqlite:///{folder / 'other.db'}")
    monkeypatch.setenv("BLOGAPI_SECRET_KEY", "x" * 64)
    assert run("init", "my-blog")[0] == 0
    assert run("user", "list", "--blog", "my-blog") == (0, "")


def test_init_in_a_checkout_says_how_to_serve_another_folder(folder, monkeypatch):
    monkeypatch.setattr(blog_folder, "CHECKOUT", folder)
    status, output = run("init", "my-blog")
    assert (status, output.splitlines()[1:]) == (
        0,
        ["Next:", f"  {blog_folder.get_command()} serve --blog my-blog"],
    )


def test_in_a_container_messages_name_the_command_line_of_its_host(folder, monkeypatch):
    monkeypatch.setenv("BLOGAPI_COMMAND", "docker compose run --rm blogapi")
    status, output = run("serve")
    assert (status, "Create one with `docker compose run --rm blogapi init`" in output) == (1, True), output
    assert run("init") == (0, f"Created a blog in {folder}.\n")


def test_init_without_a_folder_creates_the_blog_in_the_current_folder(folder):
    make_blog(folder, "config.toml")
    assert run("init")[0] == 0
    assert (folder / "instance" / "blog.db").exists()


def test_an_absent_instance_folder_is_also_created_by_restore(folder, monkeypatch):
    assert run("init", "old")[0] == 0
    monkeypatch.chdir(folder / "old")
    assert run("backup", "../blog.zip")[0] == 0
    monkeypatch.chdir(folder)
    blog_folder.select_blog(folder / "new")
    assert run("restore", "blog.zip")[0] == 0
    with pytest.raises(CannotStart):
        blog_folder.select_blog(folder / "missing")
        blog_folder.require_blog()
    assert blog_folder.is_blog(folder / "new" / "instance")


@pytest.fixture
def close_at_once(monkeypatch):
    """Servers close instead of serving."""

    def run(self: server.Server) -> None:
        self.task_dispatcher.shutdown()
        self.close()

    monkeypatch.setattr(server.Server, "run", run)
    monkeypatch.setattr(serving_commands, "_stop_on_signals", lambda *_: None)


@pytest.mark.parametrize("place", ["with --demo", "unfinished", "in the checkout"])
def test_serve_creates_the_database(folder, monkeypatch, close_at_once, place):
    if place == "unfinished":
        make_blog(folder, "config.toml")
    if place == "in the checkout":
        monkeypatch.setattr(blog_folder, "CHECKOUT", folder)
    status, output = run("serve", "--port", "0", *(["--demo"] if place == "with --demo" else []))
    assert status == 0, output
    assert (folder / "instance" / "blog.db").exists()
    assert run("user", "list")[0] == 0
