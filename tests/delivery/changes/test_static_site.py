"""The program of the guide keeps the pages of a static site up to date while the blog is written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from blogapi.storage.database import db
from tests.conftest import ARTICLES, CATEGORIES, TAGS
from tests.contracts.guide import GUIDE
from tests.live_server import serve

# How long after the writes the last scheduled article becomes public.
DELAY = timedelta(seconds=2)


@pytest.fixture
def program(tmp_path):
    """The program in the guide, as a file."""
    text = (GUIDE / "changes.md").read_text(encoding="utf-8")
    (code,) = re.findall(r'^```python\n("""python follow\.py .*?)^```$', text, flags=re.DOTALL | re.MULTILINE)
    path = tmp_path / "follow.py"
    path.write_text(code, encoding="utf-8")
    return path


@pytest.fixture
def follow(app, people, program):
    """Runs the program once for a folder, as a reader of a live server."""
    key = people.key(None)
    with serve(app) as port:
        environment = os.environ | {"API": f"http://127.0.0.1:{port}/api/v1/blog", "KEY": key}

        def run(folder):
            command = [sys.executable, "-X", "utf8", str(program), str(folder)]
            finished = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
            assert finished.returncode == 0, finished.stderr
            return {
                path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
                for path in folder.rglob("*.html")
            }

        yield run


@pytest.fixture
def write_blog(as_admin):
    """Creates, renames, hides, schedules and deletes items; returns when the last article becomes public."""

    def post(path, **body):
        response = as_admin.post(path, json=body)
        assert response.status_code == 201, response.json
        return f"{path}{response.json['uuid']}/"

    def change(path, **body):
        response = as_admin.patch(path, json=body)
        assert response.status_code == 200, response.json

    def write():
        kitchen, garden = post(CATEGORIES, name="Kitchen"), post(CATEGORIES, name="Garden")
        rye, wheat = post(TAGS, name="rye"), post(TAGS, name="wheat & spelt")
        for turn in range(4):
            terms = {"category": {"uuid": kitchen.split("/")[-2]}, "tags": [{"uuid": rye.split("/")[-2]}]}
            public = {**terms, "status": "published", "content": f"<p>Turn {turn}.</p>"}
            kept, renamed, hidden, deleted, gone = (
                post(ARTICLES, title=f"{title} {turn} <b>", **public)
                for title in ("Kept", "Renamed", "Hidden", "Deleted", "面包")
            )
            draft = post(ARTICLES, title=f"Secret {turn}", **terms)
            due = datetime.now(UTC) + DELAY
            scheduled = post(ARTICLES, title=f"Soon {turn}", **public | {"published_at": due.isoformat()})
            change(kept, tags=[{"uuid": wheat.split("/")[-2]}], category={"uuid": garden.split("/")[-2]})
            change(renamed, slug=f"another-name-{turn}")
            change(hidden, status="draft")
            change(hidden, slug=f"secret-name-{turn}")
            change(rye, slug=f"rye-{turn}", name=f"Rye {turn}")
            change(kitchen, name=f"Kitchen {turn}")
            change(deleted, slug=f"before-deletion-{turn}")
            change(draft, title="Still secret")
            change(scheduled, subtitle="x")
            for path in (deleted, gone):
                assert as_admin.delete(path).status_code == 204
            post(ARTICLES, title=f"Deleted {turn} <b>", **public)
        assert as_admin.delete(rye).status_code == 204
        return due

    return write


@pytest.mark.slow
def test_the_followed_site_equals_a_new_build(app, follow, write_blog, as_admin, tmp_path):
    followed = tmp_path / "followed"
    assert follow(followed) == {}
    ends: list[datetime] = []
    writer = threading.Thread(target=lambda: ends.append(write_blog()))
    writer.start()
    states = [follow(followed)]
    while writer.is_alive():
        states.append(follow(followed))
    writer.join()
    (due,) = ends
    states.append(follow(followed))
    time.sleep(max(0, (due - datetime.now(UTC)).total_seconds()) + 0.1)
    pages, new = follow(followed), follow(tmp_path / "new")
    assert pages == new
    assert len(new) == 1 + 2 + 1 + 4 * 4
    assert {f"articles/soon-{turn}.html" for turn in range(4)} < pages.keys()
    assert not any("ecret" in text for state in states for text in (*state, *state.values()))
    assert follow(followed) == pages


def test_a_site_whose_cursor_is_unknown_is_built_again(app, follow, make_article, tmp_path):
    make_article(slug="first")
    followed = tmp_path / "followed"
    follow(followed)
    with app.app_context():
        db.session.execute(db.text("UPDATE event SET tag = '00000000'"))
        db.session.commit()
    make_article(slug="second")
    assert {"articles/first.html", "articles/second.html"} < follow(followed).keys()
