"""The load: activities of readers, writers and admins, each a generator that pauses at each `yield`."""

from __future__ import annotations

import io
import subprocess
import sys
import time
import zipfile
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from tests.benchmarks.blogs import Blog
from tests.benchmarks.pictures import make_photo
from tests.benchmarks.plan import ARTICLES, CATEGORIES, TAGS
from tests.benchmarks.prose import Writer, make_searches
from tests.benchmarks.servers import ROOT, make_environment
from tests.durability.soak.client import Client, Record

MEDIA, IMPORTS, BACKUPS = "/api/v1/blog/media/", "/api/v1/imports/", "/api/v1/backups/"
LOGIN, DOCTOR, EXPORT = "/api/v1/auth/login/", "/api/v1/doctor/", "/api/v1/export/"
USER, PASSWORD = "soak", "a long password"
READS = (
    *(f"{ARTICLES}?page={page}&page_size=20" for page in range(1, 6)),
    *(f"{ARTICLES}?page=1&page_size=20&fields={fields}" for fields in ("title,slug", "html,excerpt")),
    *(f"{ARTICLES}?page=1&page_size=10&ordering={ordering}" for ordering in ("title", "-last_updated")),
    *(f"{ARTICLES}?page=1&page_size=10&q={quote(search)}" for search in make_searches().values()),
    *("/feeds/rss.xml", "/feeds/atom.xml", "/feeds/feed.json", "/sitemap.xml", "/sitemap-1.xml"),
    *(TAGS, CATEGORIES, "/api/v1/blog/authors/", "/api/v1/blog/archive/", "/api/v1/blog/changes/"),
    *("/health/", "/openapi.json", "/robots.txt"),
)
ADMIN_READS = (
    *("/metrics", "/api/v1/blog/articles/own/", "/api/v1/blog/article-counts/"),
    *(f"{ARTICLES}?status=draft", f"{TAGS}?page=1&page_size=20", f"{MEDIA}?page=1&page_size=20"),
)
# What clients do wrong, and the status of each.
MISTAKES = (
    ("GET", f"{ARTICLES}{uuid4()}/", None, 404),
    ("GET", "/unknown/", None, 404),
    ("GET", f"{ARTICLES}?page=none", None, 400),
    ("POST", ARTICLES, {"title": 5}, 422),
    ("POST", LOGIN, {"username": USER}, 422),
)
PHOTO_SIZE = (1200, 900)
KEPT_PHOTOS = 5
IMPORTED_FILES = 30
POLL_SECONDS = 0.2
COMMAND_SECONDS = 300


@dataclass
class Target:
    """What the activities share: the blog, the record, and the paths of media files that were uploaded."""

    blog: Blog
    record: Record
    temporary: Path
    articles: list[str]
    can_back_up: bool
    media: deque[str] = field(default_factory=lambda: deque(maxlen=2 * KEPT_PHOTOS))

    @property
    def reader(self) -> Mapping[str, str]:
        """The headers of a reader with a key."""
        return {"X-API-KEY": self.blog.key}

    @property
    def admin(self) -> Mapping[str, str]:
        """The headers of an admin with a key."""
        return {"X-API-KEY": self.blog.admin_key}

    def run_command(self, *arguments: str) -> None:
        """Run a command of blogapi on the blog, and record a problem if it fails."""
        completed = subprocess.run(
            [sys.executable, "-m", "blogapi", *arguments],
            cwd=ROOT,
            env=make_environment(self.blog.folder) | make_variables(self.temporary),
            capture_output=True,
            encoding="utf-8",
            timeout=COMMAND_SECONDS,
        )
        self.record.count(f"command {arguments[0]}", 0)
        if completed.returncode:
            end = f"{completed.stdout}{completed.stderr}"[-500:]
            self.record.add_problem(f"{arguments[0]} exited with {completed.returncode}: {end}")


def make_variables(temporary: Path) -> dict[str, str]:
    """Return the environment variables that select the folder of temporary files."""
    return dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))


def read(client: Client, target: Target, random: Random) -> Iterator[None]:
    """Read lists, articles, searches, feeds and media, half of them conditionally; make mistakes too."""
    etags: dict[tuple[str, bool], str] = {}
    for number in count():
        with_key = random.random() < 0.5
        headers = dict(target.reader) if with_key else {}
        if number % 50 == 0:
            method, path, body, status = random.choice(MISTAKES)
            client.send(method, path, body, headers=target.admin, expected=(status,))
        elif number % 200 == 1:
            client.abandon(ARTICLES, headers=headers)
        elif number % 20 == 2:
            client.send("GET", random.choice(ADMIN_READS), headers=target.admin)
        elif number % 20 == 3 and target.media:
            # The file may have been deleted.
            client.send("GET", random.choice(list(target.media)), headers={}, expected=(200, 404))
        else:
            path = random.choice([*READS, f"{ARTICLES}{random.choice(target.articles)}/"])
            etag = etags.get((path, with_key))
            if etag and random.random() < 0.5:
                headers["If-None-Match"] = etag
            response = client.send("GET", path, headers=headers, expected=(200, 304))
            if response.headers["ETag"]:
                etags[path, with_key] = response.headers["ETag"]
        yield


def write(client: Client, target: Target, random: Random) -> Iterator[None]:
    """Create, edit, publish, preview and delete articles; change existing ones and a tag."""
    writer, admin = Writer(seed=random.randrange(1000)), target.admin
    while True:
        fields = {"title": writer.phrase(5), "content": writer.markdown(3000), "content_type": "markdown"}
        created = client.send("POST", ARTICLES, fields, headers=admin, expected=(201,))
        path = f"{ARTICLES}{created.json['uuid']}/"
        yield
        precondition = {**admin, "If-Match": created.headers["ETag"]}
        client.send("PATCH", path, {"subtitle": writer.phrase(8)}, headers=precondition)
        yield
        preview = client.send("POST", f"{path}preview/", {}, headers=admin, expected=(201,)).json
        client.send("DELETE", f"{path}preview/{preview['uuid']}/", headers=admin, expected=(204,))
        yield
        client.send("PATCH", path, {"status": "published"}, headers=admin)
        yield
        copy = client.send("GET", path, headers=admin).json | {"content": writer.markdown(3000)}
        client.send("PUT", f"{path}working-copy/", copy, headers=admin, expected=(200, 201))
        yield
        client.send("POST", f"{path}working-copy/publish/", headers=admin)
        client.send("GET", f"{path}revisions/", headers=admin)
        yield
        changes = [{"uuid": uuid, "subtitle": writer.phrase(6)} for uuid in random.sample(target.articles, 5)]
        client.send("PATCH", ARTICLES, changes, headers=admin)
        yield
        client.send("PATCH", f"{TAGS}{target.blog.tag}/", {"name": f"Tag {uuid4().hex[:8]}"}, headers=admin)
        yield
        client.send("DELETE", path, headers=admin, expected=(204,))
        yield


def upload(client: Client, target: Target, random: Random) -> Iterator[None]:
    """Upload photos and read a width of each; delete older photos."""
    kept: deque[str] = deque()
    for number in count():
        photo = make_photo(random.randrange(2**32), PHOTO_SIZE)
        path = f"{MEDIA}?name=photo-{number}.jpg"
        media = client.send("POST", path, photo, headers=target.admin, expected=(201,)).json
        rendition = min(media["renditions"], key=lambda one: one["width"])["url"]
        client.send("GET", rendition, headers={})
        target.media.extend((media["url"], rendition))
        kept.append(media["uuid"])
        if len(kept) > KEPT_PHOTOS:
            path = f"{MEDIA}{kept.popleft()}/"
            client.send("DELETE", path, headers=target.admin, expected=(204,))
        yield


def import_over_http(client: Client, target: Target, random: Random) -> Iterator[None]:
    """Import an archive again and again; each time, the texts of the same files have changed."""
    login = _log_in(client)
    while True:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            for name, text in _write_posts("archive", random):
                file.writestr(f"site/{name}", text)
        path = f"{IMPORTS}?name=blog.zip"
        job = client.send("POST", path, archive.getvalue(), headers=login, expected=(201,)).json
        path = f"{IMPORTS}{job['uuid']}/"
        _wait_for(client, target, path, login, "tried")
        client.send("POST", f"{path}start/", headers=login)
        _wait_for(client, target, path, login, "finished")
        client.send("GET", f"{path}report/", headers=login)
        client.send("DELETE", path, headers=login, expected=(204,))
        yield


def import_with_command(client: Client, target: Target, random: Random) -> Iterator[None]:
    """Import a folder with `blogapi import` again and again; each time, its texts have changed."""
    folder = target.temporary.parent / "posts"
    folder.mkdir(exist_ok=True)
    while True:
        for name, text in _write_posts("folder", random):
            (folder / name).write_text(text, encoding="utf-8")
        target.run_command("import", str(folder), "--author", USER)
        yield


def administer(client: Client, target: Target, random: Random) -> Iterator[None]:
    """Make, verify, download and delete a backup; export the blog; run the quick checks."""
    login = _log_in(client)
    while True:
        if target.can_back_up:
            name = client.send("POST", BACKUPS, headers=login, expected=(201,)).json["name"]
            path = f"{BACKUPS}{name}/"
            verified = client.send("POST", f"{path}verify/", headers=login).json
            if not verified["ok"]:
                target.record.add_problem(f"The backup cannot be restored: {verified['detail']}")
            client.send("GET", path, headers=login)
            client.send("DELETE", path, headers=login, expected=(204,))
        yield
        client.send("GET", EXPORT, headers=login)
        client.abandon(EXPORT, headers=login)
        yield
        client.send("POST", DOCTOR, headers=login)
        client.send("GET", "/api/v1/webhooks/", headers=login)
        yield


def back_up_with_command(client: Client, target: Target, random: Random) -> Iterator[None]:
    """Make backups with `blogapi backup`."""
    file = target.temporary.parent / "backup.zip"
    while target.can_back_up:
        target.run_command("backup", str(file))
        file.unlink(missing_ok=True)
        yield


def _log_in(client: Client) -> dict[str, str]:
    response = client.send("POST", LOGIN, {"username": USER, "password": PASSWORD}, headers={})
    return {"Cookie": response.headers["Set-Cookie"].partition(";")[0]}


def _wait_for(client: Client, target: Target, path: str, login: Mapping[str, str], status: str) -> None:
    job: dict[str, Any] = {"status": ""}
    while job["status"] in ("", "trying", "importing"):
        time.sleep(POLL_SECONDS)
        job = client.send("GET", path, headers=login).json
    if job["status"] != status:
        target.record.add_problem(f"An import is {job['status']} instead of {status}: {job['error']}")


def _write_posts(word: str, random: Random) -> Iterator[tuple[str, str]]:
    writer = Writer(seed=random.randrange(2**32))
    for number in range(IMPORTED_FILES):
        head = f"---\ntitle: Post {word} {number}\ndate: 2020-05-01\ntags: [Imported]\n---\n"
        yield f"{word}-{number}.md", f"{head}{writer.markdown(2000)}\n"
