"""Compares the dependencies in setup.cfg with the imports, the installed packages and the pins."""

from __future__ import annotations

import ast
import re
import sys
from configparser import ConfigParser
from functools import cache
from importlib.metadata import packages_distributions, requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import blogapi

ROOT = Path(__file__).parent.parent.parent
PIN = re.compile(r"^([a-z0-9-]+==[^\\\n]+)", re.MULTILINE)
# The libraries of these extras are imported only if a setting contains the URL of a server that needs them.
EXTRAS = ("postgresql", "redis")


def read_setup():
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    return setup


def parse(lines):
    """Return the requirements in the lines by canonical name, except those for other Pythons or systems."""
    found = (Requirement(line) for line in lines if line.strip())
    return {
        canonicalize_name(requirement.name): requirement
        for requirement in found
        if requirement.marker is None or requirement.marker.evaluate()
    }


REQUIRED = parse(read_setup()["options"]["install_requires"].splitlines())
OPTIONAL = {
    name: requirement
    for extra in EXTRAS
    for name, requirement in parse(read_setup()["options.extras_require"][extra].splitlines()).items()
}


def read_pins(path):
    """Return the pinned versions of a requirements file that apply to this Python and system."""
    pins = parse(PIN.findall((ROOT / path).read_text(encoding="utf-8")))
    return {name: str(pin.specifier).removeprefix("==") for name, pin in pins.items()}


def list_imported_modules():
    """Return the top-level names that the modules of blogapi import, also inside functions."""
    modules = set()
    for path in Path(blogapi.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module.partition(".")[0])
    # `_typeshed` exists only for type checkers. The image worker loads modules beside it without the package.
    beside_worker = {path.stem for path in Path(blogapi.__file__).parent.glob("content/media/*.py")}
    return modules - sys.stdlib_module_names - {"blogapi", "_typeshed"} - beside_worker


@cache
def list_imported_distributions():
    distributions = packages_distributions()
    return {canonicalize_name(distributions[module][0]) for module in list_imported_modules()}


def resolve(requirements):
    """Return the names of the requirements and of their direct and indirect dependencies."""
    found, waiting = {}, [(name, requirement.extras) for name, requirement in requirements.items()]
    while waiting:
        name, extras = waiting.pop()
        if extras <= found.get(name, {""}) and name in found:
            continue
        found[name] = found.get(name, {""}) | extras
        for requirement in map(Requirement, requires(name) or ()):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in found[name]):
                waiting.append((canonicalize_name(requirement.name), requirement.extras))
    return set(found)


def test_every_imported_library_is_required():
    assert list_imported_distributions() <= REQUIRED.keys() | OPTIONAL.keys()


def test_every_required_library_is_imported():
    assert REQUIRED.keys() <= list_imported_distributions()


def test_exactly_the_required_packages_are_pinned():
    assert read_pins("requirements.txt").keys() == resolve(REQUIRED)


@pytest.mark.parametrize(("name", "pin"), read_pins("requirements.txt").items())
def test_the_pinned_version_is_installed(name, pin):
    assert version(name) == pin, "Install the pinned versions: pip install -r tests/requirements.txt"


@pytest.mark.parametrize("path", ["requirements.txt", "tests/requirements.txt"])
def test_the_pins_satisfy_the_requirements(path):
    pins = read_pins(path)
    assert {name for name in REQUIRED if not REQUIRED[name].specifier.contains(pins[name])} == set()


def test_the_test_environment_has_the_same_pins():
    assert read_pins("requirements.txt").items() <= read_pins("tests/requirements.txt").items()


def test_every_requirement_of_the_tests_is_pinned():
    required = parse(read_setup()["options.extras_require"]["test"].splitlines())
    assert required.keys() <= read_pins("tests/requirements.txt").keys()


def test_waitress_is_limited_to_the_minor_version_whose_internals_the_server_extends():
    installed = Version(version("waitress"))
    following = f"{installed.major}.{installed.minor + 1}.0"
    assert not REQUIRED["waitress"].specifier.contains(following)
