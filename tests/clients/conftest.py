"""A served blog for programs that use generated clients, and the folders in which they run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import blogapi
from tests.live_server import serve

GUIDE = Path(blogapi.__file__).parent / "docs" / "guide" / "client.md"
# The address in the guide.
ADDRESS = "http://127.0.0.1:8000"

UNREACHABLE = re.compile(
    "ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|Failed to establish a new connection"
    "|Temporary failure in name resolution|Name or service not known|Connection timed out"
    "|Could not resolve host"
)

Run = Callable[..., str]


@pytest.fixture
def blog_address(app, people, make_article, make_category) -> Iterator[str]:
    """The address of a server whose blog has two articles."""
    kitchen = make_category(name="Kitchen")
    make_article(kitchen, title="The bread that waits", published_at="2026-01-02")
    make_article(kitchen, title="Beans", published_at="2026-01-01")
    with serve(app) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def define_fields(as_login) -> Callable[[], None]:
    """Return a function that defines a custom field of each type, one of them for admins only."""

    def define() -> None:
        for name, type, more in (
            ("rating", "number", {}),
            ("level", "choice", {"choices": ["easy", "hard"]}),
            ("steps", "text", {"list": True}),
            ("story", "long_text", {}),
            ("vegan", "boolean", {}),
            ("cooked", "date", {}),
            ("link", "url", {}),
            ("photo", "picture", {}),
            ("sequel", "article", {}),
            ("note", "text", {"read_by": "admins"}),
            ("street", "text", {"kinds": ["page"], "required": True}),
        ):
            field = {"name": name, "label": name, "type": type, "kinds": ["article"], **more}
            answer = as_login.post("/api/v1/blog/fields/", json=field)
            assert answer.status_code == 201, answer.json

    return define


@pytest.fixture
def run(people, blog_address, tmp_path) -> Run:
    """Return a function that runs a command in the test's folder and returns its output.

    The command finds the address of the blog, an admin's key and an anonymous key in its environment.
    """
    keys = {"BLOG_KEY": people.key(people.admin, "write"), "READER_KEY": people.key(None)}
    environment = {"BLOG_URL": blog_address} | keys

    def run_command(command: Sequence[str | Path], *, programs: Path | None = None) -> str:
        path = os.pathsep.join(filter(None, (str(programs or ""), os.environ["PATH"])))
        result = subprocess.run(
            [shutil.which(str(command[0]), path=path) or command[0], *command[1:]],
            cwd=tmp_path,
            env=os.environ | environment | {"PATH": path, "PYTHONPATH": ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    return run_command


@pytest.fixture
def install(run) -> Callable[[Sequence[str | Path]], None]:
    """Return a function that runs an install command; it skips the test if the registry is unreachable."""

    def run_install(command: Sequence[str | Path]) -> None:
        try:
            run(command)
        except AssertionError as error:
            if UNREACHABLE.search(str(error)):
                pytest.skip("the package registry cannot be reached")
            raise

    return run_install


def read_guide_command(name: str, address: str) -> list[str]:
    """Return the command of the guide that begins with this name, with the address of the served blog."""
    (line,) = re.findall(rf"^{name} .+$", GUIDE.read_text(encoding="utf-8"), re.M)
    return shlex.split(line.replace(ADDRESS, address))


def check_examples(language: str, program: Path) -> None:
    """Raise AssertionError unless the program contains each example of the guide in this language."""
    section = GUIDE.read_text(encoding="utf-8").partition("\n## Typed clients\n")[2]
    examples = re.findall(rf"^```{language}\n(.*?)^```$", section, re.M | re.S)
    text = program.read_text(encoding="utf-8")
    assert examples
    for example in examples:
        assert example in text, f"{program.name} does not contain:\n{example}"
