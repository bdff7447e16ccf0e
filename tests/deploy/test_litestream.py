"""Litestream copies the database of a blog that is written to, as the guide describes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ARTICLES
from tests.distributions import ROOT
from tests.shared_caches.recipes import read_recipe, replace_each

LITESTREAM = shutil.which("litestream")
BLOG = "/srv/my-blog/instance/blog.db"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sqlite("Litestream replicates SQLite files"),
    pytest.mark.skipif(LITESTREAM is None, reason="Litestream is not installed"),
]


@pytest.fixture
def settings(tmp_path, instance):
    """The configuration of the guide, with the paths of the test."""
    paths = {BLOG: str(instance / "blog.db"), "/mnt/replica": str(tmp_path / "replica")}
    path = tmp_path / "litestream.yml"
    path.write_text(replace_each(read_recipe("litestream", "backups.md"), paths), encoding="utf-8")
    return path


def test_a_blog_that_litestream_has_copied_is_restored(settings, instance, as_admin, tmp_path):
    command = [LITESTREAM, "replicate", "-config", settings]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    try:
        started = next((line for line in process.stdout if "snapshot complete" in line), None)
        assert started is not None
        for number in range(20):
            body = {"title": f"Article {number}", "content": "Text", "status": "published"}
            assert as_admin.post(ARTICLES, json=body).status_code == 201
    finally:
        # It copies the last changes before it ends.
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0
    recipe = read_recipe("litestream-restore", "backups.md")
    script = replace_each(
        recipe, {BLOG: str(instance / "blog.db"), "blogapi doctor": "$PYTHON -m blogapi doctor"}
    )
    environment = os.environ | {"PYTHON": sys.executable}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])
    done = subprocess.run(
        ["sh", "-e", "-c", script], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wrong " not in done.stdout and "schema: The database has the latest migration" in done.stdout
    command = [sys.executable, "-m", "blogapi", "export", "exported", "--blog", "my-blog"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert len(list((tmp_path / "exported").rglob("article-*.*"))) == 20
