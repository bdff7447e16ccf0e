"""Run the commands of the README word for word: `python .ci/readme.py CHECKOUT DIST`.

Each block of commands for a shell runs as it stands, in the order of the README, in a new home folder. The
blocks after a `cd` run in that folder. A block that starts the service stays until the next one does.
`blogapi_…` is replaced by the key that the README created last. The test command is left out, because .ci/run
runs it.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

ADDRESS = ("127.0.0.1", 8000)
START_SECONDS = 300
STOP_SECONDS = 60
PASSWORD = "a long password of the README"
POST = "---\ntitle: An older post\ndate: 2020-05-06\n---\nWords from *elsewhere*.\n"
# An answer with an error status is a failure. The environment is active, as the README says in a sentence.
PRELUDE = """set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body "$@"; }
PATH={checkout}/.venv/bin:$PATH
"""

_BLOCK = re.compile(r"(<!-- test -->\n)?^```sh\n(.*?)^```$", re.M | re.S)
_KEY = re.compile(r'"public_state": ?"(blogapi_\w+)"')


@dataclass(frozen=True)
class Block:
    """A block of commands; `serves` if its last command runs until it is stopped."""

    text: str
    serves: bool


def list_blocks(readme: str) -> list[Block]:
    """Return the blocks in their order, without the test command."""
    return [
        Block(text, bool(re.search(r"\bwsgi\.py|blogapi serve\b", text.splitlines()[-1])))
        for is_test, text in _BLOCK.findall(readme)
        if not is_test
    ]


def fill_key(text: str, output: str) -> str:
    """Return the commands with the last key in the output instead of `blogapi_…`."""
    keys = _KEY.findall(output)
    return text.replace("blogapi_…", keys[-1]) if keys else text


def follow(text: str, folder: Path) -> Path:
    """Return the folder in which the commands end."""
    for name in re.findall(r"^cd (\S+)$", text, re.M):
        folder /= name
    return folder


def main(checkout: Path, dist: Path) -> None:
    """Run all blocks; exits with the first one that fails."""
    blocks = list_blocks((checkout / "README.md").read_text(encoding="utf-8"))
    if not any(block.serves for block in blocks):
        sys.exit("The README has no command that starts the service.")
    with TemporaryDirectory() as home:
        old_blog = Path(home, "my-old-blog")
        old_blog.mkdir()
        (old_blog / "post.md").write_text(POST, encoding="utf-8")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BLOGAPI_")}
        environment.pop("PYTHONPATH", None)
        # If the README installs the package by its name, pip finds the new one here.
        environment |= {"HOME": home, "PIP_FIND_LINKS": str(dist.resolve())}
        _run_blocks(blocks, checkout, environment)


def _run_blocks(blocks: list[Block], checkout: Path, environment: dict[str, str]) -> None:
    server, output, folder = None, "", checkout
    prelude = PRELUDE.replace("{checkout}", shlex.quote(str(checkout)))
    try:
        for block in blocks:
            print(f"$ {block.text.strip()}", flush=True)
            command = ["bash", "-c", prelude + fill_key(block.text, output)]
            if block.serves:
                _stop(server)
                server = _start(command, folder, environment)
                folder = follow(block.text, folder)
                continue
            # Without a terminal, the prompts for a password read the standard input.
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                input=f"{PASSWORD}\n" * 2,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                start_new_session=True,
            )
            print(done.stdout, flush=True)
            if done.returncode:
                sys.exit(f"The README's block failed with the status {done.returncode}.")
            output += done.stdout
            folder = follow(block.text, folder)
    finally:
        _stop(server)


def _start(command: list[str], folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    with socket.socket() as probe:
        if probe.connect_ex(ADDRESS) == 0:
            sys.exit("Another program uses port 8000, which the README names.")
    server = subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urlopen("http://{}:{}/health".format(*ADDRESS), timeout=5):
                return server
        except (URLError, OSError):
            time.sleep(0.2)
    _stop(server)
    sys.exit("The README's command did not start the service.")


def _stop(server: subprocess.Popen[bytes] | None) -> None:
    if server is None or server.poll() is not None:
        return
    os.killpg(server.pid, signal.SIGINT)
    server.wait(STOP_SECONDS)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
