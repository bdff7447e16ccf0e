"""Build the sdist and the wheel of this checkout, with the same bytes each time.

`SOURCE_DATE_EPOCH=SECONDS python .ci/build.py FOLDER COMMIT` writes both files, and `constraints.txt`, into
the folder. It needs the setuptools that .ci/requirements.txt pins; another version can write other bytes.
"""

from __future__ import annotations

import configparser
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
FILES = ("setup.cfg", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE")
IGNORED = shutil.ignore_patterns("__pycache__", "node_modules")

# The packages of the extras for a blog, whose versions are in tests/requirements.txt.
EXTRA_PACKAGES = ("psycopg", "psycopg-binary", "redis")
_PIN = re.compile(r"^([\w.-]+)==[^\s;]+(?: ; [^\\\n]*[^\\\s])?", re.M)
_RELATIVE_LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)]+\))")


def build(dist: Path, commit: str, epoch: int) -> None:
    """Write the sdist, the wheel that is built from it, and the constraints."""
    dist.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        source, unpacked = Path(folder, "source"), Path(folder, "unpacked")
        shutil.copytree(ROOT / "blogapi", source / "blogapi", ignore=IGNORED)
        for name in FILES:
            shutil.copy(ROOT / name, source)
        complete(source, commit)
        shutil.copy(source / "blogapi" / "constraints.txt", dist)
        sdist = _run_backend("build_sdist", source, dist, epoch)
        normalize(sdist, epoch)
        with tarfile.open(sdist) as archive:
            archive.extractall(unpacked, filter="data")
        (folder_of_sdist,) = unpacked.iterdir()
        _run_backend("build_wheel", folder_of_sdist, dist, epoch)


def complete(source: Path, commit: str) -> None:
    """Write into a copy of the sources what is known only when a release is built."""
    settings = configparser.RawConfigParser()
    settings.read(source / "setup.cfg", encoding="utf-8")
    url = settings["metadata"]["project_urls"].split("=")[1].strip()
    version = (source / "blogapi" / "version.py").read_text(encoding="utf-8").split('"')[-2]
    (source / "blogapi" / "commit.txt").write_text(f"{commit}\n", encoding="ascii", newline="\n")
    (source / "blogapi" / "constraints.txt").write_text(make_constraints(), encoding="ascii", newline="\n")
    # `upgrade` shows the release notes.
    shutil.copy(source / "CHANGELOG.md", source / "blogapi")
    _rewrite(source / "README.md", lambda text: make_links_absolute(text, url, version))
    _rewrite(source / "setup.cfg", lambda text: text.replace(f"Source = {url}\n", _list_urls(url, version)))


def make_constraints() -> str:
    """Return the tested versions as a constraints file for pip."""
    pins, tested = _read_pins(ROOT / "requirements.txt"), _read_pins(ROOT / "tests" / "requirements.txt")
    pins |= {name: tested[name] for name in EXTRA_PACKAGES}
    first = "# The versions with which blogapi was tested: pip install -c constraints.txt blogapi"
    return "".join(f"{line}\n" for line in (first, *(pins[name] for name in sorted(pins))))


def _read_pins(file: Path) -> dict[str, str]:
    return {found[1]: found[0] for found in _PIN.finditer(file.read_text(encoding="utf-8"))}


def make_links_absolute(text: str, url: str, version: str) -> str:
    """Return the Markdown with links to the files of this version on the project's server."""

    def replace(found: re.Match[str]) -> str:
        folder = "raw" if found[1] else "blob"
        return f"{found[1]}{found[2]}{url}/{folder}/v{version}/{found[3]}"

    return _RELATIVE_LINK.sub(replace, text)


def normalize(sdist: Path, epoch: int) -> None:
    """Write the archive again with sorted names, one time, and neither users nor their rights."""
    with TemporaryDirectory() as folder:
        copy = Path(folder, sdist.name)
        with (
            tarfile.open(sdist) as former,
            copy.open("wb") as file,
            gzip.GzipFile("", "wb", 9, file, mtime=epoch) as compressed,
            tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for member in sorted(former.getmembers(), key=lambda member: member.name):
                is_executable = member.isdir() or bool(member.mode & 0o100)
                new = member.replace(
                    mtime=epoch, mode=0o755 if is_executable else 0o644, uid=0, gid=0, uname="", gname=""
                )
                new.pax_headers = {}
                archive.addfile(new, former.extractfile(member) if member.isfile() else None)
        shutil.move(copy, sdist)


def _list_urls(url: str, version: str) -> str:
    urls = {
        "Source": url,
        "Documentation": f"{url}/blob/v{version}/blogapi/docs/guide/index.md",
        "Changelog": f"{url}/blob/v{version}/CHANGELOG.md",
        "Releases": f"{url}/releases",
        "Issues": f"{url}/issues",
    }
    return "\n    ".join(f"{name} = {address}" for name, address in urls.items()) + "\n"


def _rewrite(file: Path, change: Callable[[str], str]) -> None:
    text = file.read_text(encoding="utf-8")
    changed = change(text)
    assert changed != text, f"{file.name} has nothing to change"
    file.write_text(changed, encoding="utf-8", newline="\n")


def _run_backend(hook: str, source: Path, dist: Path, epoch: int) -> Path:
    """Return the file that setuptools builds without isolation."""
    program = (
        f"import os, sys; os.umask(0o022)\nfrom setuptools.build_meta import {hook}\n{hook}(sys.argv[1])"
    )
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch)}
    environment.pop("PYTHONPATH", None)
    before = set(dist.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", program, dist.resolve()],
        cwd=source,
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    (built,) = set(dist.iterdir()) - before
    return built


if __name__ == "__main__":
    build(Path(sys.argv[1]), sys.argv[2], int(os.environ["SOURCE_DATE_EPOCH"]))
