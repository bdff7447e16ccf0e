"""Find and read the files to import.

File names and file types are not trusted, because another system has created the files.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path

from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.texts.lines import split_words

MAX_FILE_BYTES = 16 * 1024 * 1024
#: The number of folders above the imported folder in which formats look for other files of the blog.
MAX_OUTER_FOLDERS = 6

_SOFTWARE_FOLDERS = {"node_modules", "bower_components", "vendor", "_vendor", "__macosx", "__pycache__"}
_TEMPLATE_FOLDERS = split_words("""_layouts _includes _templates _data _plugins _sass _site archetypes
    layouts scaffolds templates themes""")
# Python represents undecodable bytes of a file name as lone surrogates.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# O_NOFOLLOW refuses symbolic links. O_NONBLOCK opens a pipe without waiting. Some systems lack some flags.
_OPEN_FLAGS = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
# IO_REPARSE_TAG_MOUNT_POINT marks a link to a folder on Windows. `stat.S_ISLNK` does not recognise it.
_JUNCTION_TAG = 0xA0000003

#: Patterns of configuration file names, by generator. If a folder matches several, the first is used.
SITE_FILES = {
    "eleventy": r"\.eleventy\.[cm]?js|eleventy\.config\.[cm]?[jt]s",
    "astro": r"astro\.config\.[cm]?[jt]s",
    "docusaurus": r"docusaurus\.config\.[cm]?[jt]s",
    "nuxt": r"nuxt\.config\.[cm]?[jt]s",
    "quartz": r"quartz\.config\.[cm]?[jt]s",
    "vuepress": r"\.vuepress",
    "vitepress": r"\.vitepress",
    "metalsmith": r"metalsmith\.(?:json|[cm]?js)",
    "dendron": r"dendron\.yml",
    "pelican": r"pelicanconf\.py",
    "zola": r"zola\.toml",
    "mkdocs": r"mkdocs\.ya?ml",
    "hugo": r"(?:hugo|config)\.(?:toml|ya?ml|json)",
    "jekyll": r"_config\.(?:ya?ml|toml)",
    "nikola": r"conf\.py",
    "lume": r"_config\.[jt]s",
    "other": r"(?:next|svelte|vite)\.config\.[cm]?[jt]s|gatsby-config\.[cm]?[jt]s",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to import. If `problem` is set, the file or folder is not imported; `problem` is the reason."""

    key: str  #: path with `/` as separator; begins with the name of the imported folder
    path: Path
    problem: RefusedFile | NotAnArticle | None = None


def walk_paths(paths: Iterable[Path]) -> Iterator[Entry]:
    """Yield the entries of several files and folders, each file once.

    If two paths have the same key (`a/posts` and `b/posts`, or two Unicode forms of one name), the second is
    refused, because it would overwrite the article of the first. Raises RefusedFile if one of the `paths`
    cannot be opened.
    """
    walked: set[Path] = set()
    seen: dict[str, Path] = {}
    for entry in (entry for path in paths for entry in walk_path(path)):
        # If a folder and its subfolder are imported together, a file is found under two keys.
        if entry.path in walked:
            continue
        walked.add(entry.path)
        is_first = seen.setdefault(entry.key, entry.path) == entry.path
        reason = "Another file has the same name, or another Unicode form of it; rename one of the two."
        yield entry if is_first else replace(entry, problem=RefusedFile(reason))


def walk_path(path: Path) -> Iterator[Entry]:
    """Yield the file `path`, or every file in the folder `path` and its subfolders, sorted by name.

    Each key is in Unicode form NFC, with `\\uXXXX` in place of control characters and undecodable bytes. Each
    of the following is one entry with a problem: a hidden file or folder, a folder of templates or software,
    and a file or folder that cannot be accessed. Links are yielded, and `read_bytes` refuses them.
    Raises RefusedFile if `path` itself cannot be opened.
    """
    try:
        root = path.resolve(strict=True)
        is_folder = _is_folder(root)
    except (OSError, RuntimeError, ValueError) as error:
        raise RefusedFile(
            f"“{escape_file_name(str(path))}” cannot be opened ({describe_error(error)}); check the path."
        ) from error
    if not is_folder:
        yield Entry(f"{escape_file_name(root.parent.name)}/{escape_file_name(root.name)}", root)
        return
    for child, problem in _walk_folder(root):
        yield Entry(escape_file_name("/".join([root.name, *child.relative_to(root).parts])), child, problem)


def find_root_folder(path: Path | None, key: str) -> str | None:
    """Return the folder to which `key` is relative; None if the path of the file does not end with `key`."""
    parts = key.split("/")
    if path and len(parts) > 1 and [*map(escape_file_name, path.parts[-len(parts) :])] == parts:
        return str(path.parents[len(parts) - 1])
    return None


def _walk_folder(root: Path) -> Iterator[tuple[Path, RefusedFile | NotAnArticle | None]]:
    # A stack replaces recursion, because folders can be nested deeper than Python's recursion limit.
    stack = _list_folder(root)
    while stack:
        path = stack.pop()
        try:
            is_folder = _is_folder(path)
            problem = _find_name_problem(path.name, is_folder=is_folder)
            if is_folder and problem is None:
                stack.extend(_list_folder(path))
            else:
                yield path, problem
        except RefusedFile as refusal:
            # An unreadable folder is reported like an unreadable file, and the import continues.
            yield path, refusal
        except (OSError, ValueError) as error:
            yield path, _make_unreadable_error(error)


def _is_folder(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISDIR(status.st_mode) and not _is_link(status)


def _is_link(status: os.stat_result) -> bool:
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION_TAG


def _find_name_problem(name: str, *, is_folder: bool) -> NotAnArticle | None:
    if name.startswith("."):
        return NotAnArticle("It is hidden: its name begins with a dot.")
    for names, contents in ((_SOFTWARE_FOLDERS, "software"), (_TEMPLATE_FOLDERS, "templates")):
        if is_folder and name.casefold() in names:
            return NotAnArticle(
                f"A folder with this name usually contains {contents}; "
                "if it contains articles, import it by its own path."
            )
    return None


def _list_folder(folder: Path) -> list[Path]:
    """Return the files and folders in a folder in reverse order, so that a stack pops them in order."""
    try:
        return sorted(folder.iterdir(), key=lambda child: child.name, reverse=True)
    except OSError as error:
        raise RefusedFile(
            f"The folder “{escape_file_name(str(folder))}” cannot be listed ({describe_error(error)}); "
            "make it readable."
        ) from error


def escape_file_name(name: str) -> str:
    """Return a file name as it is written in keys: in form NFC, unprintable characters as `\\uXXXX`."""
    escaped = _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", name)
    return unicodedata.normalize("NFC", escaped)


def describe_error(error: Exception) -> str:
    return (getattr(error, "strerror", None) or type(error).__name__).lower()


def _make_unreadable_error(error: Exception) -> RefusedFile:
    if getattr(error, "errno", None) == errno.ENAMETOOLONG:
        return RefusedFile("Its path is too long for this system; move it or shorten its folder names.")
    return RefusedFile(f"It cannot be read ({describe_error(error)}); check that it exists and is readable.")


def read_bytes(path: Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of a regular file of at most `limit` bytes.

    Raises RefusedFile for a larger file, which is not read, a link, pipe or device, or an unreadable file.
    """
    try:
        with open_file(path, limit) as file:
            # Read one byte more than allowed, so that a file that has grown since the check is refused.
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise _make_unreadable_error(error) from error
    _check_size(len(data), limit)
    return data


def open_file(path: Path, limit: int | None) -> BufferedReader:
    """Open a regular file of at most `limit` bytes for reading; raises RefusedFile like `read_bytes`."""
    try:
        _check_file_status(path.lstat(), limit)
        file = os.fdopen(os.open(path, _OPEN_FLAGS), "rb")
    except (OSError, ValueError) as error:
        raise _make_unreadable_error(error) from error
    try:
        # Check the status again, because another program can replace the file between the two calls.
        _check_file_status(os.fstat(file.fileno()), limit)
    except BaseException:
        file.close()
        raise
    return file


def read_head(path: Path, length: int) -> bytes:
    """Return the first `length` bytes of a regular file of any size; raises RefusedFile like `read_bytes`."""
    try:
        with open_file(path, limit=None) as file:
            return file.read(length)
    except OSError as error:
        raise _make_unreadable_error(error) from error


def _check_file_status(status: os.stat_result, limit: int | None) -> None:
    if _is_link(status):
        raise RefusedFile("It is a symbolic link, and links are not followed; replace it with the file.")
    if not stat.S_ISREG(status.st_mode):
        raise RefusedFile("It is not a regular file; replace it with one.")
    if limit is not None:
        _check_size(status.st_size, limit)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise RefusedFile(f"The file has {size:,} bytes, more than {limit:,}; shorten or split it.")


#: The names of the configuration files (or folders) of generators.
SITE_FILE = re.compile("|".join(SITE_FILES.values()))
