"""Two processes on one blog lose no update and agree on the time of a scheduled article."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ARTICLES = "/api/v1/blog/articles/"
ROOT = Path(__file__).parent.parent.parent

# Adds 1 to the number in the subtitle 75 times, and reads the article again after a 412.
WRITER = """
import sys
from blogapi import create_app
from blogapi.storage import connections
connections.WRITE_WAIT_SECONDS = 50
client, path = create_app().test_client(), sys.argv[1]
headers = {"X-API-KEY": sys.argv[2]}
written = 0
while written < 75:
    read = client.get(path, headers=headers)
    body = {"subtitle": str(int(read.json["subtitle"]) + 1)}
    response = client.patch(path, json=body, headers=headers | {"If-Match": read.headers["ETag"]})
    assert response.status_code in (200, 412), response.json
    written += response.status_code == 200
"""

# Requests the scheduled article until it is public; prints its publication time and the current time.
READER = """
import sys, time
from blogapi import create_app
client, end = create_app().test_client(), time.monotonic() + 90
while time.monotonic() < end:
    response = client.get(sys.argv[1], headers={"X-API-KEY": sys.argv[2]})
    if response.status_code == 200:
        print(response.json["published_at"], time.time())
        break
"""


@pytest.fixture
def run(instance):
    """Starts a program with the given arguments on the blog of the test."""
    started = []

    def run(program, *words):
        command = [sys.executable, "-c", program, *words]
        started.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8"))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate()


def test_two_writers_lose_no_update(run, people, as_admin, make_article):
    path = f"{ARTICLES}{make_article(subtitle='0').uuid}/"
    writers = [run(WRITER, path, people.key(people.admin, "write")) for _ in range(2)]
    assert [writer.wait(timeout=300) for writer in writers] == [0, 0]
    assert as_admin.get(path).json["subtitle"] == "150"
    assert as_admin.get(f"{path}revisions/?page_size=1").headers["X-Total-Count"] == "150"


def test_an_article_becomes_public_on_time_in_another_process(run, people, as_admin, make_article):
    path = f"{ARTICLES}{make_article(status='draft').uuid}/"
    reader = run(READER, f"{path}?fields=published_at", people.key(None))
    # On a busy machine, the time can have passed when the request arrives.
    for seconds in (2, 10, 30):
        due = datetime.now(UTC) + timedelta(seconds=seconds)
        body = {"status": "scheduled", "published_at": due.isoformat()}
        response = as_admin.patch(path, json=body)
        if response.status_code == 200:
            break
    assert response.json["status"] == "scheduled"
    published_at, seen = reader.communicate(timeout=100)[0].split()
    assert published_at == due.isoformat(timespec="microseconds")
    assert due.timestamp() <= float(seen)
