"""A PostgreSQL server of the test's own, which the test can restart."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
PG_CTL = shutil.which("pg_ctl") or shutil.which("pg_ctl", path=str(_FOLDERS[-1]) if _FOLDERS else "")
# PostgreSQL refuses to run as root.
_AS_USER = ["runuser", "-u", "postgres", "--"] if hasattr(os, "getuid") and os.getuid() == 0 else []


@dataclass(frozen=True)
class Cluster:
    """A server that listens on a socket in its folder."""

    folder: Path

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@/postgres?host={self.folder}"

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self._run(PG_CTL, "start", "--wait", f"--log={self.folder / 'log'}", f"--options={options}")

    def stop(self) -> None:
        self._run(PG_CTL, "stop", "--wait", "--mode=fast")

    def _run(self, program: str | None, *arguments: str) -> None:
        command = [*_AS_USER, str(program), *arguments, f"--pgdata={self.folder / 'data'}"]
        subprocess.run(command, cwd="/", check=True, stdout=subprocess.DEVNULL, timeout=60)


@contextmanager
def run_cluster() -> Iterator[Cluster]:
    """Create a server and start it; delete it at the end."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        cluster = Cluster(Path(name))
        if _AS_USER:
            shutil.chown(name, "postgres")
        initdb = str(Path(str(PG_CTL)).with_name("initdb"))
        cluster._run(initdb, "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync")
        cluster.start()
        try:
            yield cluster
        finally:
            # A test that has failed can have stopped it.
            with suppress(subprocess.CalledProcessError):
                cluster.stop()
