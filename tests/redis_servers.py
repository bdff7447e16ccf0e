"""Redis servers for tests, if `redis-server` is installed."""

from __future__ import annotations

import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

REDIS_SERVER = shutil.which("redis-server")
TIMEOUT_SECONDS = 60


class RedisServer:
    """A server that stores nothing on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.port = folder, _free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = Redis.from_url(
            self.url, decode_responses=True, socket_timeout=TIMEOUT_SECONDS, retry=Retry(NoBackoff(), 0)
        )
        self.start()

    def start(self) -> None:
        """Start an empty server and wait until it responds."""
        options = {"port": str(self.port), "bind": "127.0.0.1", "save": "", "appendonly": "no"}
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        with (self._folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(REDIS_SERVER), *words], cwd=self._folder, stdout=log, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not self._responds():
            assert self._process.poll() is None, "redis-server ended; see its redis.log"
            assert time.monotonic() < deadline, "redis-server does not respond"
            time.sleep(0.01)

    def stop(self) -> None:
        """Kill the server."""
        self._process.kill()
        self._process.wait(TIMEOUT_SECONDS)

    def _responds(self) -> bool:
        try:
            return bool(self.client.ping())
        except RedisError:
            return False


def _free_port() -> int:
    # The port is not ephemeral, since an outgoing connection could take such a port after stop().
    while True:
        port = 20_000 + secrets.randbelow(10_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextmanager
def run_redis_server(folder: Path) -> Iterator[RedisServer]:
    """Yield an empty server."""
    server = RedisServer(folder)
    try:
        yield server
    finally:
        server.client.close()
        server.stop()
