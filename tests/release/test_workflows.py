"""The workflows of GitHub: pinned actions, few rights, and all supported versions."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.distributions import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
OIDC = {"attest", "publish"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_each_action_is_pinned_by_a_digest_with_its_version(path):
    lines = re.findall(r"uses: (.+)$", path.read_text(encoding="utf-8"), re.M)
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []


def test_an_action_has_the_same_pin_everywhere():
    pins = {}
    for path in WORKFLOWS:
        for name, pin in re.findall(r"uses: ([^@]+)@(.+)$", path.read_text(encoding="utf-8"), re.M):
            assert pins.setdefault(name, pin) == pin, name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_each_job_has_a_time_limit_and_only_the_rights_that_it_names(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {} and workflow["concurrency"]
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 60
        assert ("id-token" in job["permissions"]) == (name in OIDC)
        checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_the_matrix_has_each_system_and_each_python_of_the_classifiers():
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    matrix = workflow["jobs"]["matrix"]["strategy"]["matrix"]
    settings = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    assert matrix["python"] == re.findall(r"Python :: (3\.\d+)$", settings, re.M)
    assert [system.partition("-")[0] for system in matrix["os"]] == ["ubuntu", "macos", "windows"]
