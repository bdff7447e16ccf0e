"""Read the tables of a Ghost export, in any order and in all forms that Ghost and other tools write.

The tables are in `{"db": [{"data": {…}}]}` (most versions), in `{"data": {…}}` (some exports of 0.x and of
migration tools), or at the top (`{"posts": […]}`, as Ghost's API answers).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from blogapi.importing.format_api.article_record import AuthorRecord
from blogapi.importing.format_api.source_files import read_bytes
from blogapi.importing.formats.ghost.bodies import clean_addresses
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.lines import (
    MAX_URL_LENGTH,
    find_codec,
    split_words,
    to_bool,
    to_http_url,
    to_line,
)
from blogapi.parsing import is_web_address

#: The name of a table, and one of its rows.
TableRow = tuple[str, object]

# The objects of a file take about six times the size of the file in memory.
_MAX_FILE_BYTES = 1024**3
_WRAPPER_KEYS = ("db", "data")
# A pair of surrogates, a lone surrogate (group 1), or another escape. A text that was truncated inside an
# emoji ends with a lone surrogate.
_SURROGATE_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(?:(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)

# The tables that join posts with tags and authors, and the column with the id of the tag or author.
_JOINED_ID_COLUMNS = {"posts_tags": "tag_id", "posts_authors": "author_id"}
_READ_TABLES = ("tags", "users", *_JOINED_ID_COLUMNS, "posts_meta", "settings")
# The report does not count the rows of these tables, because they describe Ghost itself and not the blog.
_TECHNICAL_TABLES = split_words("""actions api_keys brute invites jobs migrations migrations_lock outbox
    permissions permissions_apps permissions_roles permissions_users roles roles_users sessions
    app_fields app_settings apps tokens images post_revisions mobiledoc_revisions settings""")
_REDIRECT_FILES = ("redirects.json", "redirects.yaml", "redirects.yml")
# Reading 256 kB of YAML takes up to two seconds.
_MAX_REDIRECT_BYTES = 256 * 1024
# `from` is a regular expression. Only patterns that match a single path are used: `^/old-name/?$`.
_REDIRECT_SOURCE = re.compile(r"\^?\\?/((?:[\w.%-]|\\?/|\\[.-])*?)(?:\\?/|\(?\[?\\?/\]?\)?\?)?\$?")
_REDIRECT_TARGET = re.compile(r"(?:https?://[^/\s]+)?/([^/?#\s]+)/?")


def read_rows(path: Path) -> tuple[list[TableRow], bool]:
    """Return all rows of all tables, and whether invalid bytes were replaced.

    Raises RefusedFile if the file cannot be read.
    """
    data, has_invalid_bytes = read_bytes(path, _MAX_FILE_BYTES), False
    try:
        text = data.decode(find_codec(data))
    except UnicodeDecodeError:
        text, has_invalid_bytes = data.decode(find_codec(data), "replace"), True
    if "\\ud" in text or "\\uD" in text:
        text = _SURROGATE_ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)
    try:
        return [*_list_rows(json.loads(text))], has_invalid_bytes
    except json.JSONDecodeError as error:
        place = f"line {error.lineno:,}, column {error.colno:,}"
        raise RefusedFile(f"The JSON is damaged or incomplete ({place}); export the blog again.") from error
    # The file has a number that Python cannot represent, or values that are nested too deeply.
    except (ValueError, RecursionError) as error:
        raise RefusedFile("The JSON is damaged; export the blog again.") from error


def _list_rows(value: object) -> Iterator[TableRow]:
    for outer in value if isinstance(value, list) else [value]:
        for name, rows in outer.items() if isinstance(outer, dict) else ():
            if name in _WRAPPER_KEYS:
                yield from _list_rows(rows)
            elif isinstance(rows, list):
                yield from ((name, row) for row in rows)


@dataclass(frozen=True, slots=True)
class GhostTag:
    name: str
    is_internal: bool
    fields: Mapping[str, str] = field(default_factory=dict)  #: by their names in the API


@dataclass(slots=True)
class GhostTables:
    """The tables of one export; ids are converted to texts, because old versions have numbers."""

    tags: dict[str, GhostTag] = field(default_factory=dict)
    users: dict[str, AuthorRecord] = field(default_factory=dict)
    #: The positions and ids of the tags and authors of each post, by the table and the id of the post.
    joins: dict[tuple[str, str], list[tuple[int, str]]] = field(default_factory=dict)
    #: The non-empty fields in the table `posts_meta` (since Ghost 3.1), by the id of the post.
    post_meta: dict[str, dict[str, object]] = field(default_factory=dict)
    permalinks: str = ""
    timezone: str = ""
    is_private: bool = False  #: whether the whole blog has a password
    #: The numbers of rows that are not imported, by the name of their table.
    unimported: Counter[str] = field(default_factory=Counter)
    posts: list[object] = field(default_factory=list)  #: the rows of posts

    def add_rows(self, rows: Iterable[TableRow]) -> None:
        for table, row in rows:
            if table == "posts":
                self.posts.append(row)
            elif table not in _READ_TABLES:
                self.unimported[table] += table not in _TECHNICAL_TABLES
            elif isinstance(row, Mapping):
                self._add_row(table, row)

    def _add_row(self, table: str, row: Mapping[str, object]) -> None:
        id_, post_id = to_line(row.get("id")), to_line(row.get("post_id"))
        if table == "tags":
            if (tag := read_tag(row)) is not None:
                self.tags[id_] = tag
                self.unimported["internal tags"] += tag.is_internal
                pictures = [to_line(row.get(name)) for name in ("feature_image", "image", "og_image")]
                is_taken = {"cover_image", "og_image"} & tag.fields.keys()
                self.unimported["pictures of tags"] += any(pictures) and not is_taken
        elif table == "users":
            if (author := read_author(row)) and id_:
                self.users[id_] = author
        elif table in _JOINED_ID_COLUMNS:
            order, joined = row.get("sort_order"), to_line(row.get(_JOINED_ID_COLUMNS[table]))
            place = (order if isinstance(order, int) else 0, joined)
            self.joins.setdefault((table, post_id), []).append(place)
        elif table == "posts_meta":
            skipped = ("id", "post_id")
            self.post_meta[post_id] = {key: row[key] for key in row if row[key] and key not in skipped}
        elif row.get("key") == "permalinks":
            self.permalinks = to_line(row.get("value"))
        elif row.get("key") in ("is_private", "isPrivate"):
            self.is_private = to_bool(row.get("value")) is True
        elif row.get("key") in ("timezone", "active_timezone", "activeTimezone"):
            self.timezone = to_line(row.get("value"))

    def list_joined_ids(self, table: str, post: Mapping[str, object]) -> list[str]:
        """Return the ids of the tags or the authors of a post, in their order."""
        places = self.joins.get((table, to_line(post.get("id"))), [])
        return [id_ for _, id_ in sorted(places, key=lambda place: place[0])]


def read_tag(row: Mapping[str, object]) -> GhostTag | None:
    """Return the tag in a row, or None if it has no name. Ghost shows internal tags only to themes."""
    name = to_line(row.get("name"))
    is_internal = row.get("visibility") == "internal" or name.startswith("#")
    # A picture is left out if the export contains only its path, without the host.
    fields = {
        "description": to_line(row.get("description")),
        "cover_image": to_http_url(read_url(row.get("feature_image") or row.get("image"))),
        "seo_title": to_line(row.get("meta_title")),
        "seo_description": to_line(row.get("meta_description")),
        "og_image": to_http_url(read_url(row.get("og_image"))),
        "canonical_url": to_http_url(read_url(row.get("canonical_url"))),
    }
    filled = {field: text for field, text in fields.items() if text}
    return GhostTag(name, is_internal, filled) if name else None


def read_author(row: Mapping[str, object]) -> AuthorRecord | None:
    """Return the author in a row of users, or None if it has neither a name nor a slug."""
    name = to_line(row.get("name")) or to_line(row.get("slug"))
    if not name:
        return None
    avatar = row.get("profile_image") or row.get("image")
    return AuthorRecord(
        name=name, bio=to_line(row.get("bio")), url=read_url(row.get("website")), avatar=read_url(avatar)
    )


def read_url(value: object) -> str:
    """Return an http(s) or relative URL without Ghost's placeholders; "" for any other value."""
    url = clean_addresses(to_line(value))
    # Gravatar's addresses have no scheme in Ghost.
    url = f"https:{url}" if url.startswith("//") else url
    return url if len(url) <= MAX_URL_LENGTH and is_web_address(url) else ""


def read_redirects(parent: Path) -> tuple[dict[str, list[str]], int]:
    """Return former paths by slug from the redirect files in a folder, and the number of other redirects.

    A file that cannot be read counts as one other redirect.
    """
    paths, others = dict[str, list[str]](), 0
    files = [parent / name for name in _REDIRECT_FILES if (parent / name).is_file()]
    for source, target in (pair for file in files for pair in _list_redirects(file)):
        slug, path = _REDIRECT_TARGET.fullmatch(target), _REDIRECT_SOURCE.fullmatch(source[:1_000])
        former_path = f"/{path[1]}/".replace("\\", "") if path else ""
        if slug and former_path.strip("/") not in ("", slug[1]):
            paths.setdefault(slug[1], []).append(former_path)
        else:
            others += 1
    return paths, others


def _list_redirects(path: Path) -> Iterator[tuple[str, str]]:
    try:
        text = read_bytes(path, _MAX_REDIRECT_BYTES).decode("utf-8-sig")
        data = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (RefusedFile, ValueError, RecursionError, yaml.YAMLError):
        data = [{}]
    if isinstance(data, list):
        yield from ((str(row.get("from")), str(row.get("to"))) for row in data if isinstance(row, Mapping))
    elif isinstance(data, Mapping):
        # In YAML the redirects are below the status code: `301: {/old-name: /new-name}`.
        groups = (group for group in data.values() if isinstance(group, Mapping))
        yield from ((str(source), str(target)) for group in groups for source, target in group.items())
