"""Fill a blog through the API and the commands of the checked-out version, and write it as SQL.

    PYTHONPATH=CHECKOUT python tests/migrations/record_blog.py

writes `blogs/NNNN.sql`, the database with NNNN as its last migration, and `blogs/NNNN.json`, the values of
the API keys and the responses to reads with two of them. Each migration has such a blog, written by the
version that introduced the migration. 0038, 0039 and 0040 landed together: the blogs of 0038 and 0039 are the
blog of 0037 after these migrations. 0043 to 0047 landed together, too: the blogs of 0043 to 0046 are that of
0042 after them.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from blogapi.web import key_format

BLOGS = Path(__file__).parent / "blogs"
API = "/api/v1/blog/"
KEYS = "/api/v1/auth/api-key/"
PASSWORD = "a password of the test"
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
LATER = BEGINNING + timedelta(hours=12)

POST = """---
title: Taken in
date: 2020-05-06 07:08:09
tags: [rye, oat]
redirect_from: /2019/elsewhere/
---
Words that came from *elsewhere*.
"""

ARTICLES: dict[str, dict[str, Any]] = {
    "html": {"content": "<p>Rye &amp; <b>bread</b></p>\n<script>alert(1)</script>", "content_type": "html"},
    "markdown": {"content": "# Rye\n\n- it's *bread*\n\n```\ncode\n```", "content_type": "markdown"},
    "text": {"content": "Rye bread;\n\n 'quoted' -- not SQL", "content_type": "text"},
    "draft": {"content": "Rye unseen", "status": "draft"},
    "archived": {"content": "Rye put away", "status": "archived"},
    "scheduled": {"content": "Rye ahead", "published_at": "2999-01-01T00:00:00Z"},
    "東京 Ünïcode": {
        "subtitle": "Ωmega café",
        "content": "<p>Rye 東京</p>",
        "cover_image": "https://x.test/c.png",
    },
}


def main() -> None:
    """Write both files."""
    with tempfile.TemporaryDirectory() as folder:
        instance = Path(folder, "instance")
        os.environ["BLOGAPI_INSTANCE_PATH"] = str(instance)
        recorded = fill(Path(folder))
        with closing(sqlite3.connect(instance / "blog.db")) as connection:
            (last,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            written = "".join(f"{statement}\n" for statement in dump(connection))
    (BLOGS / f"{last}.sql").write_text(written, encoding="utf-8", newline="\n")
    (BLOGS / f"{last}.json").write_text(_write_json(recorded), encoding="utf-8", newline="\n")


def fill(folder: Path) -> dict[str, Any]:
    """Fill the blog; return the keys by name and the responses by key and path."""
    from blogapi import clock, create_app
    from blogapi.storage.database import db

    ticks, numbers = count(), count(1)
    # The clock advances by a millisecond per call, so that no two rows have the same time.
    clock.now = lambda: BEGINNING + timedelta(milliseconds=next(ticks))

    def new_value() -> str:
        digits = f"{next(numbers):032}"
        return f"{key_format.KEY_PREFIX}{digits}{key_format._compute_checksum(digits)}"

    key_format.generate_key = new_value
    app = create_app({"SECRET_KEY": "x" * 32, "TESTING": True})
    client, keys = app.test_client(), {}

    def send(method: str, path: str, body: Any = None, key: str = "write", **headers: str) -> Any:
        all_headers = headers | ({"X-API-KEY": keys[key]} if key else {})
        response = client.open(path, method=method, json=body, headers=all_headers)
        assert response.status_code < 300, (method, path, response.status_code, response.text)
        return response.json

    def run(*words: str, stdin: str | None = None) -> str:
        result = app.test_cli_runner().invoke(args=list(words), input=stdin)
        assert result.exit_code == 0, result.output
        return result.stdout.split()[-1]

    for name, options in (("ada", ["--admin"]), ("grace", ["--admin"]), ("mel", [])):
        run("user", "create", name, "--password-stdin", *options, stdin=f"{PASSWORD}\n")
    keys["write"] = run("key", "create", "--user", "ada", "--scope", "write", "--name", "desk")
    keys["read"] = run("key", "create", "--user", "ada", "--scope", "read")
    keys["member"] = run("key", "create", "--user", "mel", "--scope", "read", "--name", "Mél's")
    keys["anonymous"] = send("POST", KEYS, key="")["public_state"]
    keys["kiosk"] = run("key", "create", "--name", "kiosk")
    keys["rotated"] = send(
        "POST", f"{KEYS}{_uuid(send('GET', KEYS), 'desk')}/rotate/", {"overlap_seconds": 86_400}
    )["public_state"]
    keys["expired"] = send("POST", KEYS, {"name": "brief", "expires": "2026-01-01T01:00:00Z"})["public_state"]

    categories = [
        send("POST", f"{API}categories/", {"name": name, "description": description})
        for name, description in (("Kitchen", "What's cooked"), ("Garden", None), ("Empty", ""))
    ]
    tags = [send("POST", f"{API}tags/", {"name": name}) for name in ("rye", "oat", "c'est")]
    created = {}
    for number, (title, fields) in enumerate(ARTICLES.items()):
        body = {"title": title, "status": "published", "category": {"uuid": categories[number % 2]["uuid"]}}
        body |= {"tags": [{"uuid": tag["uuid"]} for tag in tags[: number % 4]]} | fields
        created[title] = send("POST", f"{API}articles/", body, **{"Idempotency-Key": f"post-{number}"})
    html, markdown = (f"{API}articles/{created[title]['uuid']}/" for title in ("html", "markdown"))
    send("PATCH", html, {"slug": "html-again", "seo": {"description": "Told to robots"}})
    send("PATCH", html, {"subtitle": "Second"})
    send("PATCH", markdown, {"title": "Markdown, later"}, key="rotated")
    send("POST", f"{html}revisions/1/restore/")
    gone = send("POST", f"{API}articles/", {"title": "gone", "category": {"uuid": categories[0]["uuid"]}})
    send("DELETE", f"{API}articles/{gone['uuid']}/")
    send("DELETE", f"{API}tags/{tags[2]['uuid']}/")
    preview = send("POST", f"{API}articles/{created['draft']['uuid']}/preview/", {"expires_in": 86_400})[
        "url"
    ]
    send("POST", "/api/v1/auth/login/", {"username": "mel", "password": PASSWORD}, key="")
    client = app.test_client()
    posts = folder / "site" / "_posts"
    posts.mkdir(parents=True)
    (posts / "2020-05-06-taken-in.md").write_text(POST, encoding="utf-8")
    run("import", str(folder / "site"), "--author", "ada")

    # The clock is now half a day later, so the key with the short lifetime has expired.
    clock.now = lambda: LATER
    paths = [f"{API}{name}/" for name in ("articles", "categories", "tags", "redirects")]
    paths += [f"{API}categories/{categories[0]['uuid']}/", f"{API}tags/{tags[0]['uuid']}/"]
    paths += [html, markdown, f"{API}articles/?slug={created['html']['slug']}", preview]
    responses = {"anonymous": {path: send("GET", path, key="anonymous") for path in paths}}
    hidden = [f"{API}articles/{created[title]['uuid']}/" for title in ("draft", "archived", "scheduled")]
    responses["read"] = {path: send("GET", path, key="read") for path in hidden}
    with app.app_context():
        db.session.remove()
        with db.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        db.engine.dispose()
    return {"keys": keys} | responses


def _write_json(recorded: dict[str, dict[str, Any]]) -> str:
    """Return the keys and the responses as JSON with a line for each."""
    objects = []
    for name, values in recorded.items():
        members = [f"  {json.dumps(one)}: {json.dumps(values[one], ensure_ascii=False)}" for one in values]
        objects.append(f" {json.dumps(name)}: {{\n" + ",\n".join(members) + "\n }")
    return "{\n" + ",\n".join(objects) + "\n}\n"


def _uuid(keys: list[dict[str, Any]], name: str) -> str:
    return next(key["uuid"] for key in keys if key["name"] == name)


def dump(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the SQL statements that create the database again.

    The search index is filled again instead of being copied, since its own tables hold binary data.
    """
    internal = re.compile(r"(CREATE TABLE|INSERT INTO) ['\"]?(search_index|sqlite_master)|PRAGMA writable")
    for statement in connection.iterdump():
        if statement == "COMMIT;":
            yield from _dump_index(connection)
        if not internal.match(statement):
            yield statement


def _dump_index(connection: sqlite3.Connection) -> Iterator[str]:
    for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE name = 'search_index'"):
        yield f"{sql};"
        names = [row[1] for row in connection.execute("PRAGMA table_info(search_index)")]
        columns = ", ".join(("rowid", *names))
        quoted = f"printf('(%d{', %Q' * len(names)})', {columns})"
        for (row,) in connection.execute(f"SELECT {quoted} FROM search_index ORDER BY rowid"):  # noqa: S608
            yield f"INSERT INTO search_index ({columns}) VALUES {row};"  # noqa: S608


if __name__ == "__main__":
    main()
