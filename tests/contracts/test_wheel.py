"""The wheel is complete and can serve a blog from an empty folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sysconfig
import venv
from pathlib import Path
from urllib.request import Request, urlopen
from zipfile import ZipFile

import pytest

from tests import distributions

ROOT = Path(__file__).parent.parent.parent
API = "/api/v1/"
SERVING = re.compile(r" at (http://127\.0\.0\.1:\d+)/")

# What the bundles of the admin pages are built from; only developers need it.
BUILD = ("blogapi/admin/build/", "blogapi/admin/source/")
GENERATED = {"blogapi/CHANGELOG.md", "blogapi/commit.txt", "blogapi/constraints.txt"}


# The wheel is built without isolation and installed without dependencies, so that no network is needed.
pytestmark = [pytest.mark.slow, pytest.mark.once, distributions.needs_setuptools]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of the checkout."""
    (path,) = distributions.get_folder(tmp_path_factory).glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The `bin` folder of a virtual environment with the wheel and the dependencies of this environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    paths = sysconfig.get_paths("venv", {"base": str(folder), "platbase": str(folder)})
    dependencies = "\n".join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    (Path(paths["purelib"]) / "dependencies.pth").write_text(dependencies, encoding="utf-8")
    distributions.run(
        *distributions.PIP, "--python", folder, "install", "--no-deps", "--no-index", "--no-compile", wheel
    )
    return Path(paths["scripts"])


def list_files(folder):
    return {path.relative_to(folder.parent).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_wheel_has_every_file_of_the_package(wheel):
    files = {name for name in list_files(ROOT / "blogapi") if "__pycache__" not in name}
    # Declarations are for the type checker alone.
    expected = {name for name in files if not name.startswith(BUILD) and not name.endswith(".d.ts")}
    assert expected < files
    assert any(name.startswith("blogapi/docs/guide/") for name in expected)
    assert any("/static/" in name for name in expected)
    with ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("blogapi/")}
    assert packed == expected | GENERATED


def test_the_installed_package_serves_the_demo_from_an_empty_folder(installed, tmp_path):
    script = installed / ("blogapi.exe" if os.name == "nt" else "blogapi")
    process = subprocess.Popen(
        [script, "serve", "--demo", "--port", "0"],
        cwd=tmp_path,
        env=distributions.clean_environment() | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if found := SERVING.search(line):
                break
        else:
            pytest.fail("".join(lines))
        key = fetch(Request(f"{found[1]}{API}auth/api-key/", method="POST"))["public_state"]
        request = Request(f"{found[1]}{API}blog/articles/?page=1&page_size=1", headers={"X-API-KEY": key})
        (article,) = fetch(request)
        request = Request(f"{found[1]}{API}blog/articles/{article['uuid']}/", headers={"X-API-KEY": key})
        assert fetch(request) == article
        with urlopen(f"{found[1]}/docs/blogapi.js") as response:
            assert b"export function createClient(" in response.read()
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
    assert (tmp_path / "instance" / "blog.db").is_file()


def fetch(request):
    with urlopen(request, timeout=60) as response:
        return json.load(response)
