"""Builds the image on a plain Debian, and runs it as a container engine does.

No registry of images is needed: debootstrap makes the base, buildah builds, and crun runs the result.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.deploy import deploy_files

TOOLS = ("buildah", "debootstrap", "crun", "unshare")
# Windows has no user root.
CAN_BUILD = all(map(shutil.which, TOOLS)) and getattr(os, "geteuid", lambda: 1)() == 0
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"

# crun refuses a machine that has both versions of control groups, so it sees only the second one.
_CRUN = (
    "umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup "
    '&& exec crun --cgroup-manager=disabled "$@"'
)


@dataclass(frozen=True)
class Image:
    """An image: its unpacked files, and its settings (`User`, `Env`, `Cmd` and others)."""

    root: Path
    settings: dict[str, Any]


@contextmanager
def build_image(folder: Path, wheel: Path) -> Iterator[Image]:
    """Build the image with the wheel; skips the test if Debian's packages cannot be reached."""
    base = folder / "base"
    done = _run(
        "debootstrap", "--variant=minbase", "--include=python3,python3-venv,ca-certificates", "trixie", base
    )
    if "Failed getting release file" in done.stdout + done.stderr:
        pytest.skip("the package registry cannot be reached")
    _check(done)
    context = folder / "context"
    shutil.copytree(deploy_files.FOLDER, context)
    shutil.copy(wheel, context)
    buildah = ("buildah", "--root", folder / "images", "--runroot", folder / "run", "--storage-driver", "vfs")
    container = _check(_run(*buildah, "from", "scratch"))
    _check(_run(*buildah, "add", container, base, "/"))
    _check(_run(*buildah, "commit", "--rm", container, "localhost/base"))
    _check(
        _run(
            *(*buildah, "bud", "--isolation", "chroot", "--format", "docker", *_mount_pip_settings(folder)),
            *("--build-arg", "PYTHON_IMAGE=localhost/base", "--file", context / "Containerfile"),
            *("--tag", "localhost/blogapi", context),
        )
    )
    described = json.loads(_check(_run(*buildah, "inspect", "--type", "image", "localhost/blogapi")))
    container = _check(_run(*buildah, "from", "localhost/blogapi"))
    try:
        yield Image(Path(_check(_run(*buildah, "mount", container))), described["Docker"]["config"])
    finally:
        _check(_run(*buildah, "umount", container))


def _mount_pip_settings(folder: Path) -> list[str]:
    """Return options with which pip trusts the certificates that it trusts outside of the build."""
    configured = _run(sys.executable, "-m", "pip", "config", "list").stdout
    found = re.search(r"^(?:global|:env:)\.cert='(.+)'$", configured, re.M)
    if found is None:
        return []
    settings = folder / "pip.conf"
    settings.write_text(f"[global]\ncert = {CERTIFICATES}\n", encoding="utf-8")
    return ["--volume", f"{settings}:/etc/pip.conf:ro", "--volume", f"{found[1]}:{CERTIFICATES}:ro"]


@dataclass(frozen=True)
class Container:
    """A container of the image that is not started yet: without network, root file system read-only."""

    image: Image
    folder: Path
    data: Path

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start the command, or the one of the image; standard error is part of the output."""
        bundle = self.folder / "bundle"
        bundle.mkdir(exist_ok=True)
        (bundle / "config.json").write_text(json.dumps(self._describe(command)), encoding="utf-8")
        return subprocess.Popen(
            self._crun("run", "--bundle", bundle, self.folder.name),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

    def run(self, *command: str) -> tuple[int, str]:
        """Run the command, or the one of the image; return the exit status and the output."""
        process = self.start(*command)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output

    def execute(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program in the container that is running."""
        settings = self.image.settings
        return _run(*self._crun("exec", "--user", settings["User"], self.folder.name, *command))

    def wait_until_healthy(self) -> str:
        """Return the output of the health check of the image when it succeeds."""
        kind, *check = self.image.settings["Healthcheck"]["Test"]
        assert kind == "CMD"
        path = next(text for text in self.image.settings["Env"] if text.startswith("PATH="))
        for _ in range(60):
            done = self.execute("env", path, *check)
            if done.returncode == 0:
                return done.stdout
            time.sleep(1)
        pytest.fail(done.stdout + done.stderr)

    def stop(self) -> None:
        """Send the signal with which an engine stops the container."""
        _check(_run(*self._crun("kill", self.folder.name, self.image.settings["StopSignal"])))

    def _crun(self, *words: str | Path) -> list[str | Path]:
        return ["unshare", "--mount", "sh", "-c", _CRUN, "sh", "--root", self.folder / "state", *words]

    def _describe(self, command: Sequence[str]) -> dict[str, Any]:
        settings = self.image.settings
        user, group = map(int, settings["User"].split(":"))
        in_memory = {"type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]}
        return {
            "ociVersion": "1.0.2",
            "process": {
                "user": {"uid": user, "gid": group},
                "args": [*settings["Entrypoint"], *(command or settings["Cmd"])],
                "env": settings["Env"],
                "cwd": settings["WorkingDir"],
                "capabilities": {name: [] for name in ("bounding", "effective", "permitted")},
                "noNewPrivileges": True,
            },
            "root": {"path": str(self.image.root), "readonly": True},
            "mounts": [
                {"destination": "/proc", "type": "proc", "source": "proc"},
                {"destination": "/dev", **in_memory, "options": ["nosuid", "mode=755"]},
                {"destination": "/dev/shm", **in_memory},  # noqa: S108
                {"destination": "/tmp", **in_memory},  # noqa: S108
                {
                    "destination": "/data",
                    "type": "bind",
                    "source": str(self.data),
                    "options": ["rbind", "rw"],
                },
            ],
            "linux": {"namespaces": [{"type": name} for name in ("pid", "mount", "ipc", "uts", "network")]},
        }


def _run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace")


def _check(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.strip()
