"""Small disks that tests fill; only root on Linux can mount them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_BLOCK = b"x" * 4096


@contextmanager
def mount_small_disk(folder: Path) -> Iterator[None]:
    """Mount a disk of 12 MB with 500 inodes on the folder; skips the test if that is impossible."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m,nr_inodes=500,mode=700", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root on Linux can mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_disk(folder: Path) -> Path:
    """Fill the disk of the folder; return the file that takes the space."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(_BLOCK):
            pass
    return filler
