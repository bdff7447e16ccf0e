"""What is installed beside the service: never a version with a fault that we know of."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent.parent
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)


def wanted() -> dict[str, Requirement]:
    """Return what setup.cfg asks for, by name."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = setup["options"]["install_requires"].split()
    return {made.name: made for made in map(Requirement, lines)}


@pytest.mark.parametrize(
    ("name", "faulty"),
    [
        # GHSA-68rp-wp8r-4726: Vary did not name the cookie where a session's keys alone were looked at.
        ("flask", "3.1.2"),
        # GHSA-29vq-49wr-vm6x: names of Windows devices were taken for files.
        ("werkzeug", "3.1.5"),
        # The application was told forwarding headers that its trusted proxy had not vouched for.
        ("waitress", "3.0.1"),
    ],
)
def test_no_faulty_version_is_enough(name, faulty):
    assert not wanted()[name].specifier.contains(faulty)


@pytest.mark.parametrize("path", ["requirements.txt", "tests/requirements.txt"])
def test_the_pins_are_what_is_asked_for(path):
    pins = dict(PIN.findall((ROOT / path).read_text(encoding="utf-8")))
    for name, requirement in wanted().items():
        assert requirement.specifier.contains(pins[name]), name
