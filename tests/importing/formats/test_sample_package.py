"""A package with a format is installed by pip into an environment of its own and imports a blog."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import blogapi
from tests.conftest import ARTICLES
from tests.pictures import make_picture

SAMPLE = Path(__file__).with_name("sample_package")
POSTS = [
    {
        "id": 1,
        "title": "Hello",
        "date": "2020-01-02",
        "path": "/2020/hello.html",
        "tags": ["bread"],
        "html": '<p><a href="https://ada.example/2020/second.html">Next</a> <img src="cat.png" alt=""></p>',
    },
    {"id": 2, "title": "Second", "date": "2020-01-03", "path": "/2020/second.html", "html": "<p>Two</p>"},
    {"id": 3, "title": "Secret", "date": "2020-01-04", "private": True, "html": "<p>Three</p>"},
]


@pytest.mark.parametrize("name", ["pyproject.toml", "blogapi_json_posts.py"])
def test_the_guide_shows_the_package(name):
    page = (Path(blogapi.__file__).parent / "docs" / "guide" / "write-an-importer.md").read_text("utf-8")
    assert f"\n{(SAMPLE / name).read_text('utf-8')}```\n" in page


@pytest.fixture
def run_installed(tmp_path, instance):
    """Runs a command of blogapi in an environment in which pip has installed the package."""
    # pip writes into the folder of the package.
    (tmp_path / "build").mkdir()
    package, packages = tmp_path / "build" / "sample", tmp_path / "packages"
    shutil.copytree(SAMPLE, package, ignore=shutil.ignore_patterns("__pycache__"))
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target")
    subprocess.run([sys.executable, "-m", "pip", "install", *options, packages, package], check=True)
    environment = {
        **os.environ,
        "BLOGAPI_INSTANCE_PATH": str(instance),
        "PYTHONPATH": os.pathsep.join((str(packages), str(Path(blogapi.__file__).parent.parent))),
    }

    def run(*arguments):
        command = [sys.executable, "-m", "blogapi", *map(str, arguments)]
        return subprocess.run(command, env=environment, check=False, capture_output=True, encoding="utf-8")

    return run


@pytest.mark.release
@pytest.mark.slow
def test_an_installed_format_imports_a_blog_and_a_second_import_changes_nothing(
    tmp_path, people, as_reader, run_installed
):
    blog = tmp_path / "blog"
    blog.mkdir()
    (blog / "cat.png").write_bytes(make_picture("red"))
    export = {"posts_of": "ada.example", "posts": POSTS}
    (blog / "posts.json").write_text(json.dumps(export), encoding="utf-8")
    for expected in ("created", "unchanged"):
        result = run_installed(
            "import", blog, "--author", "ada", "--base-url", "https://ada.example", "--json"
        )
        assert result.returncode == 0, result.stderr
        reports = [one for one in json.loads(result.stdout)["files"] if one["title"]]
        assert [(one["title"], one["result"], one["status"]) for one in reports] == [
            ("Hello", expected, "published"),
            ("Second", expected, "published"),
            ("Secret", expected, "draft"),
        ]
    second, hello = as_reader.get(f"{ARTICLES}?fields=title,html").json
    assert (second["title"], hello["title"]) == ("Second", "Hello")
    assert 'href="/second/"' in hello["html"] and 'src="/media/' in hello["html"]
    redirects = as_reader.get("/api/v1/blog/redirects/").json
    assert {one["old"] for one in redirects} >= {"/2020/hello.html", "/2020/second.html"}


@pytest.mark.release
@pytest.mark.slow
def test_a_damaged_file_of_an_installed_format_is_refused_with_its_sentence(tmp_path, people, run_installed):
    posts = tmp_path / "posts.json"
    posts.write_text('{"posts_of": "ada.example", "posts": [', encoding="utf-8")
    result = run_installed("import", posts, "--author", "ada", "--format", "json-posts")
    assert result.returncode == 1
    assert "It is not a JSON file of posts (" in result.stdout
