"""The image is built, and runs without root and with a read-only root file system."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests import distributions
from tests.deploy import deploy_files
from tests.deploy.images import CAN_BUILD, Container, build_image

pytestmark = [
    pytest.mark.slow,
    distributions.needs_setuptools,
    pytest.mark.skipif(
        not CAN_BUILD, reason="no image can be built: needs root, buildah, debootstrap and crun"
    ),
]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The image. Its files have 2 GB, so they are not in the folder of the tests, which may be in memory."""
    (wheel,) = distributions.get_folder(tmp_path_factory).glob("*.whl")
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    try:
        with build_image(folder, wheel) as image:
            yield image
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def container(image, tmp_path):
    """A container with an empty folder of the blog, as an engine makes it for a new volume."""
    data, made = tmp_path / "data", image.root / "data"
    data.mkdir(mode=0o700)
    os.chown(data, made.stat().st_uid, made.stat().st_gid)
    return Container(image, tmp_path, data)


@pytest.fixture
def served(container):
    """The container after `init`, while it serves the blog, and its process."""
    assert container.run("init") == (0, "Created a blog in /data.\n")
    process = container.start()
    container.wait_until_healthy()
    yield container, process
    if process.poll() is None:
        container.stop()
        process.communicate(timeout=60)


def test_an_empty_volume_is_refused_with_the_command_line_of_init(container):
    status, output = container.run()
    assert status == 1
    assert "`docker run --rm --interactive --tty --volume blogapi:/data localhost/blogapi init`" in output
    assert list(container.data.iterdir()) == []


def test_the_blog_is_served_without_root_and_writes_only_into_its_volume(served):
    container, _ = served
    assert json.loads(container.wait_until_healthy()) == {"status": "ok"}
    rights = dict(
        line.split(":\t", 1) for line in container.execute("cat", "/proc/1/status").stdout.splitlines()
    )
    assert rights["Uid"].split() == ["10001"] * 4 and int(rights["CapEff"], 16) == 0
    refused = container.execute("touch", "/opt/blogapi/file")
    assert refused.returncode and "Read-only file system" in refused.stderr
    assert container.execute("touch", "/tmp/file").returncode == 0  # noqa: S108
    files = list(container.data.rglob("*"))
    assert container.data / "instance" / "blog.db" in files
    assert {path.stat().st_uid for path in files} == {10001}
    assert {path.stat().st_mode & 0o077 for path in files} == {0}


def test_sigterm_ends_the_blog_with_status_0_within_the_time_of_compose(served):
    container, process = served
    seconds = deploy_files.merge_compose()["services"]["blogapi"]["stop_grace_period"].removesuffix("s")
    container.stop()
    process.communicate(timeout=int(seconds))
    assert process.returncode == 0


def test_the_image_has_the_wheel_with_the_tested_versions(container):
    status, output = container.run("version", "--json")
    assert (status, json.loads(output)["commit"]) == (0, distributions.COMMIT)
    (packages,) = container.image.root.glob("opt/blogapi/lib/python3.*/site-packages")
    pins = (packages / "blogapi" / "constraints.txt").read_text(encoding="ascii").splitlines()
    for name in ("flask", "sqlalchemy", "psycopg", "redis"):
        (version,) = (line.partition("==")[2] for line in pins if line.startswith(f"{name}=="))
        assert (packages / f"{name}-{version}.dist-info").is_dir()
    assert not (packages / "pip").exists()


def test_the_image_tells_an_engine_how_to_check_and_stop_it(image):
    assert image.settings["Healthcheck"]["Test"] == ["CMD", "blogapi", "health"]
    assert list(image.settings["Volumes"]) == ["/data"]
    assert list(image.settings["ExposedPorts"]) == ["8000/tcp"]
