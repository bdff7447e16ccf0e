"""Compares what readers get from two databases, or from two versions that answer the same requests."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from itertools import groupby
from operator import itemgetter
from typing import Any

from flask import Flask
from sqlalchemy import Connection, column, inspect, select, table

from blogapi.operations.health.commands import fetch_path
from blogapi.web.errors import Conflict

_FORMER_TABLE = "article_json"
_RENDERED_FIELDS = ("html", "toc", "cover", "word_count", "reading_minutes")
_UNREADABLE = object()
_TIMEOUT_SECONDS = 10
_MAX_ANSWER_BYTES = 64 * 2**20

_ARTICLES_PATH = "/api/v1/blog/articles/"
# The articles in this answer are also compared one by one.
_SAMPLE_PATH = f"{_ARTICLES_PATH}?fields=*&page=1&page_size=5"
# The check requests these documented paths from both versions, and compares the answers.
_COMPARED_PATHS = (
    *(_ARTICLES_PATH, _SAMPLE_PATH, "/api/v1/blog/pages/"),
    *("/api/v1/blog/categories/", "/api/v1/blog/tags/", "/api/v1/blog/authors/", "/api/v1/blog/site/"),
    *("/feeds/atom.xml", "/feeds/feed.json", "/sitemap.xml"),
)


def compare_stored_articles(before: Connection, after: Connection) -> dict[str, int] | None:
    """Return, for each rendered field, the number of articles in which it differs.

    The name `article` stands for articles that only one of the databases has. Returns None if a version
    before the first release stored the articles in a format that cannot be compared.
    """
    if not _stores_rendered_fields(before):
        return None
    differing = Counter[str]()
    # The rows of both databases are in the order of the uuids of the articles.
    get_uuid = itemgetter(0)
    rows = heapq.merge(_read_rendered_fields(before), _read_rendered_fields(after), key=get_uuid)
    for _, versions in groupby(rows, key=get_uuid):
        (_, fields), *others = versions
        for _, other in others:
            differing.update(name for name in fields.keys() & other.keys() if fields[name] != other[name])
        if not others:
            differing["article"] += 1
    # `dataclasses.asdict` cannot copy a Counter.
    return dict(differing)


def _stores_rendered_fields(connection: Connection) -> bool:
    inspector = inspect(connection)
    if inspector.has_table(_FORMER_TABLE):
        return True
    columns = inspector.get_columns("article") if inspector.has_table("article") else ()
    return "html" in {column["name"] for column in columns}


def _read_rendered_fields(connection: Connection) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the uuid of each article and its rendered fields; a field that cannot be read is absent.

    Version 1.0.0 stored the JSON of all fields in a separate table.
    """
    is_former = inspect(connection).has_table(_FORMER_TABLE)
    name = _FORMER_TABLE if is_former else "article"
    key = "article_id" if is_former else "uuid"
    stored = {field: f"{field}_json" if is_former else field for field in _RENDERED_FIELDS}
    excerpt = "excerpt_json" if is_former else "generated_excerpt"
    columns = {key, *stored.values(), excerpt, *(() if is_former else ("excerpt",))}
    existing = [item["name"] for item in inspect(connection).get_columns(name)]
    rows = table(name, *(column(field) for field in existing if field in columns))
    result = connection.execution_options(yield_per=200).execute(select(rows).order_by(key))
    for row in result.mappings():
        fields = {field: row[stored[field]] for field in stored if stored[field] in row}
        fields["excerpt"] = row[excerpt] if is_former else row["excerpt"] or row["generated_excerpt"]
        parse = _parse_former_value if is_former else _parse_value
        parsed = {field: parse(field, value) for field, value in fields.items()}
        yield row[key], {field: value for field, value in parsed.items() if value is not _UNREADABLE}


def _parse_former_value(_: str, value: Any) -> Any:
    try:
        return json.loads(bytes(value))
    except ValueError:
        # Versions before the first release compressed some of the values.
        return _UNREADABLE


def _parse_value(field: str, value: Any) -> Any:
    return json.loads(value) if field in ("cover", "toc") else value


def compare_answers(app: Flask, url: str, key: str) -> Iterator[str]:
    """Yield a line for each documented path for which the application and the service send different answers.

    Raises Conflict if the service at the URL does not answer, or refuses the key.
    """
    headers = {"Accept": "application/json"} | ({"X-API-KEY": key} if key else {})
    client = app.test_client()
    paths = list(_COMPARED_PATHS)
    for path in paths:
        status, body = _fetch_response(url, path, headers)
        if status == HTTPStatus.UNAUTHORIZED:
            raise Conflict(f"{url} needs a valid API key to compare its answers; name one with --key.")
        answer = client.get(path, headers=headers)
        # A longer answer is cut off; then the same part of both answers is compared.
        new_body = _parse_body(answer.data[:_MAX_ANSWER_BYTES])
        if path == _SAMPLE_PATH and isinstance(new_body, list):
            paths += [f"{_ARTICLES_PATH}{article['uuid']}/" for article in new_body]
        if status != answer.status_code:
            yield f"{path}: status {status} -> {answer.status_code}"
        elif fields := sorted(set(_find_differences(_parse_body(body), new_body))):
            yield f"{path}: {', '.join(fields)}"


def _fetch_response(url: str, path: str, headers: dict[str, str]) -> tuple[int, bytes]:
    try:
        return fetch_path(url, path, headers, seconds=_TIMEOUT_SECONDS, max_bytes=_MAX_ANSWER_BYTES)
    except ConnectionError as error:
        raise Conflict(str(error)) from error


def _parse_body(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")


def _find_differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield the path of each field that differs; all items of a list have the same path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {*old, *new}:
            inner = f"{path}.{name}" if path else name
            if name not in old or name not in new:
                yield f"{inner} ({'new' if name not in old else 'gone'})"
            else:
                yield from _find_differences(old[name], new[name], inner)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for old_item, new_item in zip(old, new, strict=True):
            yield from _find_differences(old_item, new_item, path)
    elif old != new:
        yield path or "the body"
