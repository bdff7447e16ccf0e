"""A server that is killed in the middle of its writes, again and again: what it acknowledged is there."""

from __future__ import annotations

import json
import secrets
import statistics
import threading
import time
from http.client import HTTPException
from uuid import uuid4

import pytest

from tests.conftest import ARTICLES
from tests.durability.conftest import PATIENCE, Client, is_whole, times
from tests.durability.test_processes import run

pytestmark = pytest.mark.sqlite("its file and its log")

FEW = 3
KILLS = times("KILLS", FEW)
WRITERS = 4

# How soon a server that was killed is ready again.
READY_SECONDS = 2


class Writer:
    """Creates, changes and deletes articles, and remembers what it was told of each."""

    def __init__(self, category: str) -> None:
        self.category = category
        # By uuid the subtitle that was acknowledged last, None where it was that the article is gone.
        self.told: dict[str, str | None] = {}
        self.asked: dict[str, str | None] = {}
        self.answers = 0

    def write(self, ask: Client) -> None:
        """Write until nobody answers any more."""
        try:
            while True:
                uuid = str(uuid4())
                for step in ("created", "changed", "changed again", None)[: 2 + secrets.randbelow(3)]:
                    self.asked = {uuid: step}
                    self._ask(ask, uuid, step)
                    self.told |= self.asked
                    self.answers += 1
        except (OSError, HTTPException):
            return

    def _ask(self, ask: Client, uuid: str, step: str | None) -> None:
        path = f"{ARTICLES}{uuid}/"
        if step is None:
            assert ask("DELETE", path).status == 204
        elif step == "created":
            body = {"title": "Bread", "subtitle": step, "category": {"uuid": self.category}}
            assert ask("PUT", path, body).status == 201
        else:
            assert ask("PATCH", path, {"subtitle": step}).status == 200

    def lost(self, found: dict[str, str]) -> list[str]:
        """Return which acknowledged writes are not to be found; whatever is found is what comes next."""
        lost = []
        for uuid in self.told | self.asked:
            possible = {self.told.get(uuid), self.asked.get(uuid, self.told.get(uuid))}
            if found.get(uuid) not in possible:
                lost.append(f"{uuid}: {possible}, but {found.get(uuid)}")
            self.told[uuid] = found.get(uuid)
        self.asked = {}
        return lost


@pytest.fixture
def writers(make_category):
    """Those who write."""
    category = str(make_category().uuid)
    return [Writer(category) for _ in range(WRITERS)]


def killed_amid(ask, running, writers) -> None:
    """Kill the server at some moment while all write."""
    threads = [threading.Thread(target=writer.write, args=(ask,)) for writer in writers]
    enough = sum(writer.answers for writer in writers) + 1 + secrets.randbelow(60)
    for thread in threads:
        thread.start()
    end = time.monotonic() + PATIENCE
    while sum(writer.answers for writer in writers) < enough and time.monotonic() < end:
        time.sleep(secrets.randbelow(10) / 1000)
    running.process.kill()
    for thread in threads:
        thread.join(PATIENCE)


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(serve, writers, instance, tmp_path):
    starts = []
    for number in range(KILLS + 1):
        began = time.monotonic()
        with serve() as (ask, running):
            assert ask("GET", "/health/").status == 200
            starts.append(time.monotonic() - began)
            found = ask("GET", f"{ARTICLES}author/me/?fields=uuid,subtitle").json
            lost = [
                one
                for writer in writers
                for one in writer.lost({row["uuid"]: row["subtitle"] for row in found})
            ]
            assert lost == []
            assert is_whole(instance / "blog.db")
            if number < KILLS:
                killed_amid(ask, running, writers)
    # A busy machine is no error, except to who wants to know it well.
    assert KILLS == FEW or statistics.median(starts) < READY_SECONDS
    told = run("doctor", "--json", cwd=tmp_path)
    assert (told.returncode, json.loads(told.stdout)["ok"]) == (0, True), told.stdout
