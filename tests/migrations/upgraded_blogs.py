"""Recorded blogs that this version upgrades, and all answers about one of their articles."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

from flask.testing import FlaskClient
from sqlalchemy import DateTime, Table, create_engine, insert, select
from sqlalchemy import MetaData as Tables

from tests.audit_hooks.sqlite_files import allow_opening
from tests.databases import open_sqlite
from tests.migrations.record_blog import API, LATER, PASSWORD

BLOGS = Path(__file__).parent / "blogs"
#: The first migration whose tables have the columns that `insert_others` writes.
FIRST_WITH_OTHERS = "0031"
WEBHOOK = UUID("00000000-0000-4000-8000-000000000003")
EDITS = {"title": "Waiting title", "content": "<p>Waiting rye</p>"}
CUSTOM = {"rating": 4.5, "steps": ["Knead", "Wait"]}
#: The first migration that has the table of deleted items.
FIRST_WITH_DELETED = "0032"
#: The first migration after which the list of deleted items reads columns and no documents.
FIRST_WITH_COLUMNS_OF_DELETED = "0043"
#: The article that `insert_deleted` adds, and what its SEO record and its working copy contain.
DELETED = UUID("00000000-0000-4000-8000-000000000001")
DELETED_SEO = {
    "uuid": "00000000-0000-4000-8000-000000000002",
    "created": "2020-01-01T00:00:00.000001",
    "last_updated": "2020-01-02T00:00:00.000002",
    "og_image": "https://x.test/kept.png",
    "title": "Kept “title” 🍞",
    "description": "Kept & <described>",
    "canonical_url": "https://x.test/kept",
    "article": str(DELETED),
}
DELETED_EDITS = {"title": "Edited title", "content": "<p>Edited rye</p>"}


def install(migration: str, path: Path) -> dict[str, Any]:
    """Write the recorded blog of a migration as a SQLite file; return the recorded keys and responses."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    with open_sqlite(new) as connection:
        connection.executescript((BLOGS / f"{migration}.sql").read_text(encoding="utf-8"))
    with allow_opening():
        shutil.move(new, path)
    path.chmod(0o600)
    recorded: dict[str, Any] = json.loads((BLOGS / f"{migration}.json").read_text(encoding="utf-8"))
    return recorded


def insert_others(path: Path) -> None:
    """Insert a webhook, two custom fields, two redirects, and the values and the edits of the article "html".

    The file must have the tables of FIRST_WITH_OTHERS, and must not be open.
    """
    times = {"created": str(LATER), "last_updated": str(LATER)}
    field = {"label": "Label", "help": "", "choices": "[]", "is_required": False, "is_admin_only": False}
    field |= {"is_searched": False, "for_articles": True, "for_pages": False, "position": 0} | times
    webhook = {
        **{
            "uuid": WEBHOOK.hex,
            "name": "Builder",
            "url": "https://builder.x.test/hook",
            "preset": "standard",
        },
        **{
            "mode": "combined",
            "events": '["article.*"]',
            "headers": '{"X-Kept": "1"}',
            "created": str(LATER),
        },
        **{"quiet_seconds": 30, "interval_seconds": 60, "rotation": 3, "position": 20, "failures": 2},
        **{"paused": "admin", "paused_at": str(LATER)},
    }
    rows = [
        ("custom_field", field | {"uuid": UUID(int=4).hex, "name": "rating", "type": "number", "is_list": 0}),
        ("custom_field", field | {"uuid": UUID(int=5).hex, "name": "steps", "type": "text", "is_list": 1}),
        ("redirect", times | {"uuid": UUID(int=6).hex, "path": "/old", "target": "/new?a=b", "status": 302}),
        ("redirect", times | {"uuid": UUID(int=7).hex, "path": "/gone", "target": "", "status": 410}),
        ("webhook", webhook),
    ]
    with open_sqlite(path) as connection:
        uuid, author, version = connection.execute(
            "SELECT uuid, author_id, version FROM article WHERE slug = 'html-again'"
        ).fetchone()
        (content,) = connection.execute(
            "SELECT content FROM article_revision WHERE article_id = ? ORDER BY number DESC", (uuid,)
        ).fetchone()
        edits = {"article_id": uuid, "user_id": author, "version": 1, "base_version": version}
        rows.append(("working_copy", times | edits | {"content": json.dumps(json.loads(content) | EDITS)}))
        for table, row in rows:
            names = ", ".join(row)
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", [*row.values()])  # noqa: S608
        connection.execute("UPDATE article SET custom = ? WHERE uuid = ?", (json.dumps(CUSTOM), uuid))
        connection.commit()


def insert_deleted(path: Path) -> dict[str, Any]:
    """Insert a deleted article, with SEO texts and edits, as the version of this database stores them.

    It is a copy of the article "html" with the uuid DELETED and the slug `deleted`. Returns the columns of
    the article. The file must have the table of deleted items, and must not be open.
    """
    tables, engine = Tables(), create_engine(f"sqlite:///{path}")
    tables.reflect(engine, only=lambda name, _: not name.startswith("search_"))
    article = tables.tables["article"]
    with allow_opening(), engine.begin() as connection:

        def read(table: Table, condition: Any) -> list[dict[str, Any]]:
            found = connection.execute(select(table).where(condition)).mappings()
            return [dict(_format_row(table, row)) for row in found]

        (columns,) = read(article, article.c.slug == "html-again")
        source = UUID(columns["uuid"]).hex
        links = {
            name: read(tables.tables[name], tables.tables[name].c.article_id == source)
            for name in ("article_tag", "article_author")
        }
        revision = tables.tables["article_revision"]
        statement = select(revision.c.content).where(revision.c.article_id == source)
        content = json.loads(connection.scalars(statement.order_by(revision.c.number.desc())).first() or "")
        columns |= {"uuid": str(DELETED), "slug": "deleted"}
        times = {"created": str(LATER), "last_updated": str(LATER)}
        edits = {
            **{"user_id": columns["author_id"], "version": 1, "base_version": columns["version"]},
            **{"content": json.dumps(content | DELETED_EDITS | {"slug": "deleted"}), "not_live": None},
        }
        seo = {name: value for name, value in DELETED_SEO.items() if name != "article"}
        seo |= {name: f"{seo[name].replace('T', ' ')}+00:00" for name in times}
        if "seo_uuid" in article.c:
            columns |= {f"seo_{name}": value for name, value in seo.items()}
        document = {
            "article": [columns],
            **({} if "seo_uuid" in article.c else {"seo": [{"article_id": str(DELETED)} | seo]}),
            **{name: [row | {"article_id": str(DELETED)} for row in rows] for name, rows in links.items()},
            "working_copy": [{"article_id": str(DELETED)} | edits | times],
        }
        row = {
            **{"uuid": DELETED.hex, "kind": columns["type"], "author_id": UUID(columns["author_id"]).hex},
            **{"user_id": UUID(columns["author_id"]).hex, "status": columns["status"], "deleted": LATER},
            "document": json.dumps(document, ensure_ascii=False),
        }
        connection.execute(insert(tables.tables["deleted_item"]).values(row))
    engine.dispose()
    return columns


def _format_row(table: Table, row: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names and the values of a row of a SQLite file, as a document of a deleted item has them."""
    for column in table.c:
        value = row[column.name]
        if value is not None and isinstance(column.type, DateTime):
            value = f"{value}+00:00"
        elif value is not None and str(column.type) == "CHAR(32)":
            value = str(UUID(value))
        yield column.name, value


def read_answers(writer: FlaskClient, visitor: FlaskClient, uuid: str, fields: str) -> dict[str, Any]:
    """Return these fields of a published article (comma-separated) by the answer that shows them.

    `writer` has a key of the admin `ada` with scope `write`, and `visitor` no key. The answers are `list`,
    `detail`, `preview`, `working copy`, and `export`: the whole text of the exported file. The working copy
    and the preview are created, and deleted again.
    """
    path, query = f"{API}articles/{uuid}/", f"?fields={fields}"

    def send(method: str, path: str, client: FlaskClient = writer, body: Any = None) -> Any:
        response = client.open(path, method=method, json=body)
        assert response.status_code < 300, (method, path, response.status_code, response.text)
        return response.json if response.is_json else response.data

    edits = send("GET", f"{path}?fields=*,{fields}")
    answers = {
        "list": send("GET", f"{API}articles/{query}&uuid={uuid}")[0],
        "detail": send("GET", f"{path}{query}"),
    }
    names = fields.split(",")
    found = send("PUT", f"{path}working-copy/", body=edits)
    answers["working copy"] = {name: found[name] for name in names}
    preview = send("POST", f"{path}preview/", body={})
    answers["preview"] = send("GET", f"{preview['api_url']}{query}", visitor)
    send("DELETE", f"{path}working-copy/")
    send("DELETE", f"{path}preview/{preview['uuid']}/")
    send("POST", "/api/v1/auth/login/", visitor, {"username": "ada", "password": PASSWORD})
    with zipfile.ZipFile(io.BytesIO(send("GET", "/api/v1/export/", visitor))) as exported:
        texts = [exported.read(name).decode("utf-8", "replace") for name in exported.namelist()]
    send("POST", "/api/v1/auth/logout/", visitor)
    answers["export"] = next(text for text in texts if uuid in text)
    return answers


def read_names(path: Path) -> set[str]:
    """Return the names of the tables in a SQLite file."""
    with closing(sqlite3.connect(path)) as connection:
        return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
