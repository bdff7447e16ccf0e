"""The sdist and the wheel: their bytes, their files and what they say about themselves."""

from __future__ import annotations

import re
import sys
import tarfile
from email import message_from_bytes
from zipfile import ZipFile

import pytest

from tests import distributions
from tests.distributions import ROOT

SOURCE_URL = re.compile(r"^    Source = (\S+)$", re.M)
VENDOR = "blogapi/admin/static/vendor/licences.txt"
LICENCES = {"LICENSE", VENDOR, "blogapi/docs/static/scalar-license.txt"}

pytestmark = [pytest.mark.slow, distributions.needs_setuptools]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder with both files."""
    return distributions.get_folder(tmp_path_factory)


@pytest.fixture(scope="module")
def wheel(folder):
    """The files of the wheel by name; the names of the metadata begin with `dist-info`."""
    (path,) = folder.glob("*.whl")
    with ZipFile(path) as archive:
        return {
            re.sub(r"^blogapi-[^/]+\.dist-info", "dist-info", n): archive.read(n) for n in archive.namelist()
        }


@pytest.fixture(scope="module")
def metadata(wheel):
    """The metadata of the wheel."""
    return message_from_bytes(wheel["dist-info/METADATA"])


@pytest.fixture(scope="module")
def sdist(folder):
    """The members of the sdist."""
    (path,) = folder.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        return archive.getmembers()


def test_two_builds_have_the_same_bytes(tmp_path):
    first, second = (distributions.build(tmp_path / name) for name in ("first", "second"))
    names = {path.name for path in first.iterdir()}
    assert len(names) == 3 and names == {path.name for path in second.iterdir()}
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_the_sdist_names_no_user_and_one_time(sdist):
    assert {(member.uid, member.gid, member.uname, member.gname) for member in sdist} == {(0, 0, "", "")}
    assert len({member.mtime for member in sdist}) == 1
    assert {member.mode for member in sdist} <= {0o644, 0o755}
    assert [member.name for member in sdist] == sorted(member.name for member in sdist)


def test_neither_has_tests_or_build_tools(sdist, wheel):
    names = [member.name.partition("/")[2] for member in sdist if member.isfile()]
    assert {"setup.cfg", "pyproject.toml", "README.md", "blogapi/CHANGELOG.md", "LICENSE"} < set(names)
    for files in (names, wheel):
        assert "blogapi/py.typed" in files
        assert [name for name in files if re.search(r"^tests/|/build/|__pycache__|\.d\.ts$", name)] == []


def test_the_wheel_contains_only_the_package_and_its_metadata(wheel):
    assert {name.partition("/")[0] for name in wheel} == {"blogapi", "dist-info"}
    parts = (
        "admin/templates/admin/",
        "admin/styles/",
        "admin/static/pages.js",
        "docs/guide/",
        "docs/deploy/",
        "operations/demo/articles/",
        "operations/demo/pictures/",
    )
    for part in parts:
        assert any(name.startswith(f"blogapi/{part}") for name in wheel), part
    migrations = {f"blogapi/migrations/versions/{path.name}" for path in list_migrations()}
    assert migrations and migrations <= wheel.keys()
    assert re.fullmatch(rb"[0-9a-f]{40}\n", wheel["blogapi/commit.txt"])
    assert wheel["blogapi/CHANGELOG.md"] == (ROOT / "CHANGELOG.md").read_bytes()


def list_migrations():
    return (ROOT / "blogapi" / "migrations" / "versions").glob("*.py")


def test_the_constraints_are_the_tested_versions(folder, wheel):
    pins = read_pins((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    tested = read_pins((ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8"))
    pins |= {name: tested[name] for name in ("psycopg", "psycopg-binary", "redis")}
    text = wheel["blogapi/constraints.txt"].decode("ascii")
    assert read_pins(text) == pins and len(pins) > 20
    assert len(text.splitlines()) == len(pins) + 1
    assert (folder / "constraints.txt").read_text(encoding="ascii") == text


def read_pins(text):
    return dict(re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.M))


def test_pip_accepts_the_constraints(folder):
    pip = (*distributions.PIP, "install", "--dry-run", "--no-index", "--no-deps")
    output = distributions.run(*pip, "--constraint", folder / "constraints.txt", "pip")
    assert "Requirement already satisfied" in output


def test_the_metadata_names_the_project(metadata):
    assert metadata["Author"] == "The blogapi founders"
    assert metadata["License-Expression"] == "MIT AND BSD-3-Clause AND ISC"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Keywords"] and metadata["Summary"]
    for minor in range(11, 15):
        assert f"Programming Language :: Python :: 3.{minor}" in metadata.get_all("Classifier")
    assert not any(classifier.startswith("License ::") for classifier in metadata.get_all("Classifier"))


def test_each_licence_of_a_vendored_file_is_in_the_metadata(metadata, wheel):
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "blogapi").rglob("*")
        if re.search(r"licen[cs]e", path.name, re.I) and "node_modules" not in path.parts
    }
    assert found | {"LICENSE"} == LICENCES == set(metadata.get_all("License-File"))
    for name in LICENCES:
        assert wheel[f"dist-info/licenses/{name}"].splitlines() == (ROOT / name).read_bytes().splitlines()
    expression = set(metadata["License-Expression"].split(" AND "))
    licences = re.findall(
        r'^licence = "(.+)"$', wheel[VENDOR.replace("licences.txt", "VENDOR.toml")].decode(), re.M
    )
    assert expression == {"MIT", *licences}


def test_each_address_of_the_project_begins_with_the_one_in_the_settings(metadata):
    (source,) = SOURCE_URL.findall((ROOT / "setup.cfg").read_text(encoding="utf-8"))
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL"))
    assert urls.keys() == {"Source", "Documentation", "Changelog", "Releases", "Issues"}
    assert urls["Source"] == source
    assert all(url.startswith(source) for url in urls.values())


def test_the_description_has_absolute_links_to_files_of_this_version(metadata):
    (source,) = SOURCE_URL.findall((ROOT / "setup.cfg").read_text(encoding="utf-8"))
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", metadata.get_payload())
    assert len(links) > 20
    assert [link for _, link in links if not link.startswith(("https://", "http://", "#"))] == []
    for is_picture, link in links:
        if link.startswith(source):
            folder = "raw" if is_picture else "blob"
            path = link.removeprefix(f"{source}/{folder}/v{metadata['Version']}/")
            assert (ROOT / path.partition("#")[0]).is_file(), link


def test_the_sdist_can_be_installed(folder, tmp_path):
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    words = ("install", "--no-deps", "--no-index", "--no-build-isolation", "--target", tmp_path, sdist)
    distributions.run(*distributions.PIP, *words)
    with ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("blogapi/")}
    installed = {
        path.relative_to(tmp_path).as_posix() for path in (tmp_path / "blogapi").rglob("*") if path.is_file()
    }
    assert {name for name in installed if "__pycache__" not in name} == packed
    program = "import sys; sys.path.insert(0, sys.argv[1]); import blogapi; print(blogapi.__file__)"
    assert str(tmp_path) in distributions.run(sys.executable, "-c", program, str(tmp_path))
