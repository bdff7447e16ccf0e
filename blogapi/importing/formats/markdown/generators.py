"""Read from the configuration of a site which dates its addresses contain, and what it hides in texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from blogapi.importing.format_api import files as folder
from blogapi.importing.format_api.files import SITE_FILE
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.data import parse_yaml
from blogapi.importing.texts.lines import to_line

_MAX_CONFIGURATION = 200_000
# These generators remove the date (Pelican derives the address from the title).
_REMOVING = re.compile(r"(?:\.eleventy|(?:eleventy|docusaurus)\.config|pelicanconf)\.[a-z]+")
_HEXO = re.compile(rb"^new_post_name\s*:(.*)", re.MULTILINE)
_ENCRYPT = re.compile(rb"^encrypt\s*:", re.MULTILINE)
# Jekyll, Hexo and Eleventy.
_LIQUID = ("_config.", ".eleventy", "eleventy.")
_ZOLA = re.compile(rb"^base_url\s*=", re.MULTILINE)
_ZOLA_KEEPS = re.compile(rb"^(?:slugify\.)?paths_keep_dates\s*=\s*true", re.MULTILINE)


# A folder is checked only once, and not again for each of its files.
@lru_cache(maxsize=1024)
def keeps_dates(posts: Path, levels: int) -> bool:
    """Return whether `2006-05-26-a.md` in this folder has the address `/2006-05-26-a/`, as in Hugo.

    The nearest of `levels` folders with the configuration of a generator decides. Without one, the date is
    not part of the address, as in Jekyll.
    """
    for outer in (posts, *posts.parents[: levels - 1]):
        files = [*list_configuration(outer), *list_configuration(outer / "config" / "_default")]
        if files:
            return not any(map(_removes_dates, files))
    return False


@lru_cache(maxsize=1024)
def has_liquid(posts: Path, levels: int) -> bool | None:
    """Return whether the texts in this folder are templates of Liquid or Nunjucks; None = unknown."""
    for outer in (posts, *posts.parents[: levels - 1]):
        files = list_configuration(outer)
        if files:
            return any(path.name.startswith(_LIQUID) for path in files)
    return None


@lru_cache(maxsize=1024)
def list_encrypted_tags(posts: Path, levels: int) -> frozenset[str]:
    """Return the tags whose articles hexo-blog-encrypt encrypts (`encrypt.tags`), in lower case."""
    for outer in (posts, *posts.parents[: levels - 1]):
        for file in list_configuration(outer):
            text = _read_configuration(file)
            if file.name.startswith("_config.y") and _ENCRYPT.search(text):
                return frozenset(_read_encrypted_tags(text.decode("utf-8", "replace")))
    return frozenset()


def _read_encrypted_tags(configuration: str) -> Iterator[str]:
    with suppress(RefusedFile):
        entries, _ = parse_yaml(configuration, 1)
        encrypt = entries.get("encrypt")
        tags = encrypt.get("tags") if isinstance(encrypt, dict) else None
        for tag in tags if isinstance(tags, list) else ():
            yield to_line(tag.get("name") if isinstance(tag, dict) else tag).casefold()


@lru_cache(maxsize=1024)
def is_hexo(posts: Path, levels: int) -> bool:
    """Return whether the nearest of `levels` folders with the configuration of a generator is one of Hexo."""
    for outer in (posts, *posts.parents[: levels - 1]):
        files = list_configuration(outer)
        if files:
            return any(_HEXO.search(_read_configuration(file)) for file in files)
    return False


def list_configuration(site: Path) -> list[Path]:
    """Return the configuration files of generators in a folder."""
    try:
        return [path for path in site.iterdir() if SITE_FILE.fullmatch(path.name)]
    except OSError:
        return []


def _removes_dates(configuration: Path) -> bool:
    if _REMOVING.fullmatch(configuration.name):
        return True
    text = _read_configuration(configuration)
    if configuration.name.startswith("_config."):
        hexo = _HEXO.search(text)
        return b":day" in hexo[1] if hexo else True
    if _ZOLA.search(text):
        return not _ZOLA_KEEPS.search(text)
    # Hugo removes the date if the configuration says that dates are taken from file names.
    return b":filename" in text


def _read_configuration(configuration: Path) -> bytes:
    try:
        return folder.read_head(configuration, _MAX_CONFIGURATION)
    except RefusedFile:
        return b""
