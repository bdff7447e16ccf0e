"""A server that is killed repeatedly during writes keeps every write that it acknowledged."""

from __future__ import annotations

import json
import secrets
import threading
import time
from http.client import HTTPException
from uuid import uuid4

import pytest

from tests.conftest import ARTICLES
from tests.durability.conftest import PATIENT_SERVER, TIMEOUT, Client, get_repetitions, is_intact
from tests.durability.test_processes import run_command

pytestmark = [pytest.mark.slow, pytest.mark.once, pytest.mark.sqlite("its file and its log")]

KILLS = get_repetitions("KILLS", 2)
WRITERS = 4


class Writer:
    """Creates, changes and deletes articles, and remembers which writes were acknowledged."""

    def __init__(self, category: str) -> None:
        self.category = category
        # The last acknowledged subtitle of each article, by uuid; None for a deleted article.
        self.acknowledged: dict[str, str | None] = {}
        # The uuid and the subtitle of the write that has no response yet.
        self.in_flight: dict[str, str | None] = {}
        self.responses = 0

    def write(self, client: Client) -> None:
        """Write until the server stops responding."""
        try:
            while True:
                uuid = str(uuid4())
                for subtitle in ("created", "changed", "changed again", None)[: 2 + secrets.randbelow(3)]:
                    self.in_flight = {uuid: subtitle}
                    self._send(client, uuid, subtitle)
                    self.acknowledged |= self.in_flight
                    self.responses += 1
        except (OSError, HTTPException):
            return

    def _send(self, client: Client, uuid: str, subtitle: str | None) -> None:
        path = f"{ARTICLES}{uuid}/"
        if subtitle is None:
            assert client("DELETE", path).status == 204
        elif subtitle == "created":
            body = {"title": "Bread", "subtitle": subtitle, "category": {"uuid": self.category}}
            assert client("PUT", path, body).status == 201
        else:
            assert client("PATCH", path, {"subtitle": subtitle}).status == 200

    def find_lost_writes(self, found: dict[str, str]) -> list[str]:
        """Return a sentence for each acknowledged write that was lost; `found` becomes the expected state."""
        lost = []
        for uuid in self.acknowledged | self.in_flight:
            possible = {self.acknowledged.get(uuid), self.in_flight.get(uuid, self.acknowledged.get(uuid))}
            if found.get(uuid) not in possible:
                lost.append(f"{uuid}: {possible}, but {found.get(uuid)}")
            self.acknowledged[uuid] = found.get(uuid)
        self.in_flight = {}
        return lost


@pytest.fixture
def writers(make_category):
    """Writers of articles in one category."""
    category = str(make_category().uuid)
    return [Writer(category) for _ in range(WRITERS)]


def kill_during_writes(client, server_process, writers) -> None:
    """Kill the server at a random time while all writers write."""
    threads = [threading.Thread(target=writer.write, args=(client,)) for writer in writers]
    last_response = sum(writer.responses for writer in writers) + 1 + secrets.randbelow(60)
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + TIMEOUT
    while sum(writer.responses for writer in writers) < last_response and time.monotonic() < deadline:
        time.sleep(secrets.randbelow(10) / 1000)
    server_process.process.kill()
    for thread in threads:
        thread.join(TIMEOUT)


def test_no_acknowledged_write_is_lost_when_the_server_is_killed(serve, writers, instance, tmp_path):
    for number in range(KILLS + 1):
        with serve(command=PATIENT_SERVER) as (client, server_process):
            assert client("GET", "/health/").status == 200
            found = client("GET", f"{ARTICLES}author/me/?fields=uuid,subtitle").json
            lost = [
                sentence
                for writer in writers
                for sentence in writer.find_lost_writes({row["uuid"]: row["subtitle"] for row in found})
            ]
            assert lost == []
            assert is_intact(instance / "blog.db")
            if number < KILLS:
                kill_during_writes(client, server_process, writers)
    result = run_command("doctor", "--full", "--json", cwd=tmp_path)
    assert (result.returncode, json.loads(result.stdout)["ok"]) == (0, True), result.stdout
