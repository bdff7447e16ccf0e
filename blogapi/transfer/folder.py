"""Walking a folder to import; nothing of the names on disk is trusted."""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from blogapi.transfer.article_record import NotAnArticle, RefusedFile

#: Bytes; a longer file is refused before it is read.
MAX_FILE_BYTES = 16 * 1024 * 1024

# Folders that hold no articles, in lower case.
_SOFTWARE = {"node_modules", "bower_components", "vendor", "_vendor", "__macosx", "__pycache__"}
_TEMPLATES = {
    *("_layouts", "_includes", "_templates", "_data", "_plugins", "_sass", "_site"),
    *("archetypes", "layouts", "scaffolds", "templates", "themes"),
}
# Undecodable bytes of a name arrive as lone surrogates.
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# A link is not followed and a pipe must not hang the import; each system knows some of these flags.
_FLAGS = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
# Windows' link to a folder, which `S_ISLNK` does not tell (IO_REPARSE_TAG_MOUNT_POINT).
_JUNCTION = 0xA0000003


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to import, or a file or folder that is not read, with the reason."""

    key: str  #: posix path that begins with the name of the imported folder
    path: Path
    problem: RefusedFile | NotAnArticle | None = None


def all_files(paths: Iterable[Path]) -> Iterator[Entry]:
    """Yield the entries of several files and folders, each path once.

    Of two paths with one key (`a/posts` and `b/posts`, or two forms of Unicode) the second is refused: it
    would overwrite the article of the first. Raises Refused as `files` does.
    """
    seen: dict[str, Path] = {}
    for entry in (entry for path in paths for entry in walk_files(path)):
        first = seen.get(entry.key)
        if first is None:
            seen[entry.key] = entry.path
            yield entry
        elif first != entry.path:
            yield replace(
                entry, problem=RefusedFile(f"“{_clean(str(first))}” has the same name; rename one.")
            )


def walk_files(path: Path) -> Iterator[Entry]:
    """Yield each file in a folder and below, sorted by name, or the one file `path`.

    The key begins with the folder's name; it is NFC, with `\\uXXXX` for controls and undecodable bytes.
    Hidden names and folders of templates and software are one entry each, with a problem; so is what the
    system does not let us look at. Links are not followed: they are yielded, and `read_bytes` refuses them.
    Raises Refused for a `path` that cannot be opened.
    """
    try:
        whole = path.resolve(strict=True)
        is_folder = _is_folder(whole)
    except (OSError, RuntimeError, ValueError) as error:
        raise RefusedFile(
            f"“{_clean(str(path))}” cannot be opened ({_reason(error)}); check the path."
        ) from error
    if not is_folder:
        yield Entry(f"{_clean(whole.parent.name)}/{_clean(whole.name)}", whole)
        return
    for found, problem in _walk(whole):
        yield Entry(_clean("/".join([whole.name, *found.relative_to(whole).parts])), found, problem)


def _walk(top: Path) -> Iterator[tuple[Path, RefusedFile | NotAnArticle | None]]:
    """Yield files in order; a stack, for folders may be nested deeper than Python recurses."""
    waiting = _inside(top)
    while waiting:
        found = waiting.pop()
        try:
            if not _is_folder(found):
                yield found, _skipped(found.name)
                continue
            _check_folder(found.name)
            waiting.extend(_inside(found))
        except (RefusedFile, NotAnArticle) as problem:
            # Told like a file that cannot be read: one closed folder does not stop the rest.
            yield found, problem
        except (OSError, ValueError) as error:
            yield found, _unreadable(error)


def _is_folder(path: Path) -> bool:
    found = path.lstat()
    return stat.S_ISDIR(found.st_mode) and not _is_link(found)


def _is_link(found: os.stat_result) -> bool:
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == _JUNCTION


def _skipped(name: str) -> NotAnArticle | None:
    return NotAnArticle("It is hidden: its name begins with a dot.") if name.startswith(".") else None


def _check_folder(name: str) -> None:
    hidden = _skipped(name)
    if hidden:
        raise hidden
    if name.casefold() in _SOFTWARE:
        raise NotAnArticle("It is a folder of software.")
    if name.casefold() in _TEMPLATES:
        raise NotAnArticle("It is a folder of templates; import it by its own path if it holds articles.")


def _inside(folder: Path) -> list[Path]:
    """Return what lies in a folder, last name first."""
    try:
        return sorted(folder.iterdir(), key=lambda child: child.name, reverse=True)
    except OSError as error:
        sentence = (
            f"The folder “{_clean(str(folder))}” cannot be listed ({_reason(error)}); make it readable."
        )
        raise RefusedFile(sentence) from error


def _clean(name: str) -> str:
    fit = _UNFIT.sub(lambda found: f"\\u{ord(found[0]):04x}", name)
    return unicodedata.normalize("NFC", fit)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or type(error).__name__).lower()


def _unreadable(error: Exception) -> RefusedFile:
    if getattr(error, "errno", None) == errno.ENAMETOOLONG:
        return RefusedFile(
            "Its path is too long for this system; move it or shorten the names of its folders."
        )
    return RefusedFile(f"The file cannot be read ({_reason(error)}); make it readable.")


def exists(path: Path) -> bool:
    """Return whether the system shows something at a path."""
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


def read_bytes(path: Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of a regular file of at most `limit` bytes.

    Raises Refused for a longer one (before reading it), for a link, a pipe or a device, and for one that
    the system does not let us read.
    """
    try:
        _check(path.lstat(), limit)
        with os.fdopen(os.open(path, _FLAGS), "rb") as file:
            # Once more, for it may have been exchanged between the two calls.
            _check(os.fstat(file.fileno()), limit)
            # One byte more than allowed: a file that grows meanwhile must not arrive cut off.
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(error) from error
    _check_size(len(data), limit)
    return data


def _check(found: os.stat_result, limit: int) -> None:
    if _is_link(found):
        raise RefusedFile("It is a symbolic link, which is not followed; put the file itself here.")
    if not stat.S_ISREG(found.st_mode):
        raise RefusedFile("It is no regular file; put the file itself here.")
    _check_size(found.st_size, limit)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise RefusedFile(f"The file has {size:,} bytes, more than {limit:,}; make it smaller.")
