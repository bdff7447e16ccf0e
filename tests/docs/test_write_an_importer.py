"""The page about importers of others: its example is run as a reader runs it, and imported twice."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

import blogapi
from tests.pictures import make_picture

PAGE = (Path(blogapi.__file__).parent / "docs" / "guide" / "write-an-importer.md").read_text(encoding="utf-8")
EXAMPLE, INSTALLATION = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
IMPORT = r"^blogapi (import .*)$"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The folder that the commands of the example write; it is in the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loaf.jpg").write_bytes(make_picture("brown", "JPEG"))
    commands = re.sub(IMPORT, "", EXAMPLE, flags=re.MULTILINE)
    subprocess.run(["sh", "-e", "-c", commands], check=True, env={**os.environ, "HOME": str(tmp_path)})
    return tmp_path / "old-blog"


@pytest.fixture
def run(app, people):
    """Runs a command of the example as the user of the test; returns its exit status and its output."""

    def run_command(command: str) -> tuple[int, str]:
        words = shlex.split(
            command.partition(" > ")[0].replace("--author ada", f"--author {people.admin.username}")
        )
        result = app.test_cli_runner().invoke(args=words)
        return result.exit_code, result.output

    return run_command


def test_the_example_is_imported_once(folder, run, as_admin, as_reader):
    dry, real = re.findall(IMPORT, EXAMPLE, re.MULTILINE)
    status, report = run(dry)
    assert (status, json.loads(report)["counts"]) == (0, {**NO_COUNTS, "created": 3})
    assert as_admin.get("/api/v1/blog/articles/").json == []
    assert run(real)[0] == 0
    before = read_blog(as_admin)
    assert json.loads(run(f"{real} --json")[1])["counts"] == {**NO_COUNTS, "unchanged": 3}
    assert read_blog(as_admin) == before
    folder.rename(folder.with_name("moved"))
    moved = real.replace("old-blog", "moved")
    assert json.loads(run(f"{moved} --json")[1])["counts"] == {**NO_COUNTS, "unchanged": 3}
    assert read_blog(as_admin) == before

    (listed,) = as_reader.get("/api/v1/blog/articles/").json
    article = as_reader.get(f"/api/v1/blog/articles/{listed['uuid']}/?fields=*,html").json
    assert (article["slug"], article["category"]["name"]) == ("rye-bread", "Baking")
    assert [tag["slug"] for tag in article["tags"]] == ["bread", "c-plus-plus"]
    (media,) = before["media"]
    assert media["alt"] == "A loaf of rye bread"
    assert article["cover_image"] == media["url"] and media["url"] in article["html"]
    (page,) = as_reader.get("/api/v1/blog/pages/").json
    assert page["title"] == "Imprint"
    (redirect,) = as_reader.get("/api/v1/blog/redirects/?path=/2019/rye-bread.html").json
    assert redirect["kind"] == "article"


NO_COUNTS = dict.fromkeys(("created", "updated", "unchanged", "skipped", "refused"), 0)


def read_blog(client) -> dict[str, object]:
    """Return everything that an import can change."""
    kinds = ("articles", "pages", "categories", "tags", "authors", "media")
    return {kind: client.get(f"/api/v1/blog/{kind}/").json for kind in kinds}


def test_a_field_that_is_wrong_is_named_in_the_report(folder, run):
    draft = folder / "articles" / "draft.md"
    draft.write_text(draft.read_text().replace("title: A draft", "name: A draft"))
    status, report = run(f"{re.findall(IMPORT, EXAMPLE, re.MULTILINE)[1]} --dry-run --json")
    (refused,) = [file for file in json.loads(report)["files"] if file["result"] == "refused"]
    assert (status, refused["key"]) == (1, "old-blog/articles/draft.md")
    assert refused["notes"] == ["It has no `title`; add it, for example `title: Bread`."]


def test_the_uuid_of_the_address_is_right():
    ((address, uuid),) = re.findall(r"`(https://old.example/\S+)` gives\s+`([0-9a-f-]{36})`", PAGE)
    assert str(uuid5(NAMESPACE_URL, address)) == uuid
