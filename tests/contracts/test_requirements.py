"""The required versions of dependencies: none with a known vulnerability."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent.parent
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)


def requirements() -> dict[str, Requirement]:
    """Return the requirements of setup.cfg by name."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = setup["options"]["install_requires"].split()
    return {requirement.name: requirement for requirement in map(Requirement, lines)}


@pytest.mark.parametrize(
    ("name", "vulnerable"),
    [
        # GHSA-68rp-wp8r-4726: Vary lacked Cookie if only the keys of the session were read.
        ("flask", "3.1.2"),
        # GHSA-29vq-49wr-vm6x: safe_join accepted names of Windows devices.
        ("werkzeug", "3.1.5"),
        # Untrusted forwarding headers reached the application.
        ("waitress", "3.0.1"),
    ],
)
def test_no_vulnerable_version_is_allowed(name, vulnerable):
    assert not requirements()[name].specifier.contains(vulnerable)


@pytest.mark.parametrize("path", ["requirements.txt", "tests/requirements.txt"])
def test_the_pinned_versions_meet_the_requirements(path):
    pins = dict(PIN.findall((ROOT / path).read_text(encoding="utf-8")))
    for name, requirement in requirements().items():
        assert requirement.specifier.contains(pins[name]), name
