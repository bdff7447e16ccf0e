"""The bundles are what the build script makes, and those of packages have the named digests."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import blogapi
from blogapi.admin import assets
from tests.admin.blogs import SOURCE

BUILD = Path(blogapi.__file__).parent / "admin" / "build"
VENDOR = assets.STATIC_FOLDER / "vendor"
DESCRIPTIONS = ("VENDOR.toml", "licences.txt")
UNREACHABLE = re.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT")


def list_files(folder):
    """Return the files of the folder, without the declarations of types, which are written by hand."""
    return [path for path in folder.iterdir() if path.suffix != ".ts"]


def read_description():
    return tomllib.loads((VENDOR / "VENDOR.toml").read_text(encoding="utf-8"))


def test_every_bundle_has_its_digest_and_packages_with_versions_and_licences():
    described = read_description()
    packages = described.pop("packages")
    names = {path.name for path in list_files(VENDOR) if path.name not in DESCRIPTIONS}
    assert described.keys() == names
    for name, bundle in described.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == bundle["sha256"], name
        assert bundle["packages"] and packages.keys() >= set(bundle["packages"])
    licences = (VENDOR / "licences.txt").read_text(encoding="utf-8")
    for name, package in packages.items():
        assert package["licence"] in ("MIT", "ISC", "BSD-3-Clause")
        assert f"{name} {package['version']}\n" in licences


def test_every_icon_that_a_module_names_is_in_the_bundle():
    icons = set(re.findall(r'<symbol id="([^"]+)"', (VENDOR / "icons.svg").read_text(encoding="utf-8")))
    modules = SOURCE.rglob("*.js")
    named = {
        name
        for path in modules
        for name in re.findall(r'\bicon(?:\(|: )"([a-z0-9-]+)"', path.read_text(encoding="utf-8"))
    }
    assert named <= icons


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="Node.js is not installed")
def test_the_build_script_makes_the_same_bundles(tmp_path):
    build, static = tmp_path / "build", tmp_path / "static"
    vendor = static / "vendor"
    shutil.copytree(SOURCE, tmp_path / "source")
    shutil.copytree(BUILD, build, ignore=shutil.ignore_patterns("node_modules"))
    vendor.mkdir(parents=True)
    # On Windows, npm is a script with a suffix.
    npm = [str(shutil.which("npm")), "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"]
    installed = subprocess.run(npm, cwd=build, capture_output=True, text=True, encoding="utf-8")
    if installed.returncode and UNREACHABLE.search(installed.stderr):
        pytest.skip("the package registry cannot be reached")
    assert installed.returncode == 0, installed.stderr
    subprocess.run(["node", "build.mjs"], cwd=build, check=True)
    assert {path.name for path in vendor.iterdir()} == {path.name for path in list_files(VENDOR)}
    assert {path.name for path in static.glob("*.js")} == {
        path.name for path in assets.STATIC_FOLDER.glob("*.js")
    }
    for path in (*vendor.iterdir(), *static.glob("*.js")):
        made = assets.STATIC_FOLDER / path.relative_to(static)
        assert path.read_bytes() == made.read_bytes(), path.name
