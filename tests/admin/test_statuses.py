"""What the pages know of the statuses of an article is what the API does."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from blogapi.publication.visibility import API_STATUSES, SCHEDULED, VISIBILITY_RULES, Status
from tests.admin.blogs import SOURCE

pytestmark = [
    pytest.mark.sqlite("no database"),
    pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed"),
]


def read_module():
    address = json.dumps((SOURCE / "statuses.js").as_uri())
    program = f"import({address}).then((module) => console.log(JSON.stringify(module)))"
    return json.loads(subprocess.run(["node", "-e", program], capture_output=True, check=True).stdout)


def get_stored(status):
    return Status.PUBLISHED if status == SCHEDULED else Status(status)


@pytest.fixture(scope="module")
def module():
    return read_module()


def test_the_pages_name_the_statuses_of_the_api(module):
    assert module["STATUSES"].keys() == set(API_STATUSES)


def test_the_pages_know_which_articles_readers_see(module):
    readable = {name: status["readable"] for name, status in module["STATUSES"].items()}
    assert readable == {name: VISIBILITY_RULES[get_stored(name)].readable for name in API_STATUSES}
