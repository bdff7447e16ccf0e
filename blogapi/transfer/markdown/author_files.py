"""Read the files in which blogs describe the authors whom their articles name by an id.

Jekyll has `_data/authors.yml`, Hugo `data/authors.yaml`, Docusaurus `blog/authors.yml`, and Material for
MkDocs `.authors.yml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path

from blogapi.transfer import folder
from blogapi.transfer.article_record import AuthorRecord, RefusedFile
from blogapi.transfer.markdown import parsers
from blogapi.transfer.markdown.authors import read_mapping
from blogapi.transfer.markdown.fields import normalize_key
from blogapi.transfer.markdown.text import decode, to_line

_FOLDERS = (".", "_data", "data", "src/_data", "source/_data")
_STEMS = ("authors", ".authors")
_PARSERS: dict[str, Callable[[str], object]] = {
    ".yml": lambda text: parsers.parse_yaml(text, 1)[0],
    ".yaml": lambda text: parsers.parse_yaml(text, 1)[0],
    ".toml": lambda text: parsers.parse_toml(text, 1)[0],
    ".json": lambda text: parsers.parse_json(text, 1)[0],
}
_MAX_BYTES = 1024 * 1024
_MAX_AUTHORS = 10_000
# The number of folders above the imported folder that can be the folder of the site.
_MAX_OUTER = 3


def complete(authors: Iterable[AuthorRecord], path: Path, levels: int) -> tuple[AuthorRecord, ...]:
    """Return the authors, with the descriptions of those whose name is an id in the nearest file of authors.

    `levels` is the number of folders from the article `path` up to the imported folder.
    """
    described = (_describe(author, path, levels) for author in authors)
    unique: dict[str, AuthorRecord] = {}
    for author in described:
        unique.setdefault(author.name.casefold(), author)
    return tuple(unique.values())


def _describe(author: AuthorRecord, path: Path, levels: int) -> AuthorRecord:
    if author != AuthorRecord(name=author.name):
        return author
    known = (_read_folder(outer) for outer in path.parents[: levels + _MAX_OUTER])
    return next((found[author.name] for found in known if author.name in found), author)


# The files are read once, not once for each article.
@lru_cache(maxsize=1024)
def _read_folder(outer: Path) -> Mapping[str, AuthorRecord]:
    for name in _FOLDERS:
        for stem in _STEMS:
            for suffix, parse in _PARSERS.items():
                file = outer / name / f"{stem}{suffix}"
                if file.is_file():
                    return _read_file(file, parse)
    return {}


def _read_file(file: Path, parse: Callable[[str], object]) -> Mapping[str, AuthorRecord]:
    try:
        content = parse(decode(folder.read_bytes(file, _MAX_BYTES))[0])
    except RefusedFile:
        return {}
    return dict(islice(_list_authors(content), _MAX_AUTHORS))


def _list_authors(content: object) -> Iterator[tuple[str, AuthorRecord]]:
    """Yield the id and the description of each author in `{id: {name: …}}`, also below `authors`."""
    for key, value in content.items() if isinstance(content, dict) else ():
        if key == "authors":
            yield from _list_authors(value)
        elif isinstance(value, dict) and any(normalize_key(inner) == "name" for inner in value):
            yield from ((to_line(key), author) for author in read_mapping(value))
