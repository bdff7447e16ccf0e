"""Walking a folder to import; nothing of the names on disk is trusted."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from blogapi.transfer.records import Refused

#: Bytes; a longer file is refused before it is read.
LARGEST = 16 * 1024 * 1024

# Neither is written by the owner of a blog.
_FOREIGN = {"node_modules", "__MACOSX"}
# Undecodable bytes of a name arrive as lone surrogates.
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# A link is not followed and a pipe must not hang the import; each system knows some of these flags.
_FLAGS = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


def files(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield key and path of each file in a folder and below, sorted by name, or of the one file `path`.

    The key begins with the folder's name; it is NFC, with `\\uXXXX` for controls and undecodable bytes.
    Hidden names are left out. Links are not followed: they are yielded, and `read_bytes` refuses them.
    Raises Refused for a folder that cannot be listed.
    """
    try:
        whole = path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise Refused(
            f"“{_clean(str(path))}” cannot be opened ({_reason(error)}); check the path."
        ) from error
    if not whole.is_dir():
        yield f"{_clean(whole.parent.name)}/{_clean(whole.name)}", whole
        return
    for found in _walk(whole):
        yield _clean("/".join([whole.name, *found.relative_to(whole).parts])), found


def _walk(top: Path) -> Iterator[Path]:
    """Yield files in order; a stack, for folders may be nested deeper than Python recurses."""
    waiting = _inside(top)
    while waiting:
        found = waiting.pop()
        if not found.is_dir() or found.is_symlink():
            yield found
            continue
        try:
            waiting.extend(_inside(found))
        except Refused:
            # Told like a file that cannot be read: one closed folder does not stop the rest.
            yield found


def _inside(folder: Path) -> list[Path]:
    """Return what lies in a folder, last name first."""
    try:
        inside = list(folder.iterdir())
    except OSError as error:
        sentence = (
            f"The folder “{_clean(str(folder))}” cannot be listed ({_reason(error)}); make it readable."
        )
        raise Refused(sentence) from error
    wanted = [child for child in inside if not child.name.startswith(".") and child.name not in _FOREIGN]
    return sorted(wanted, key=lambda child: child.name, reverse=True)


def _clean(name: str) -> str:
    fit = _UNFIT.sub(lambda found: f"\\u{ord(found[0]):04x}", name)
    return unicodedata.normalize("NFC", fit)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or type(error).__name__).lower()


def read_bytes(path: Path, limit: int = LARGEST) -> bytes:
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
        raise Refused(f"The file cannot be read ({_reason(error)}); make it readable.") from error
    _check_size(len(data), limit)
    return data


def _check(found: os.stat_result, limit: int) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise Refused("It is a symbolic link, which is not followed; put the file itself here.")
    if not stat.S_ISREG(found.st_mode):
        raise Refused("It is no regular file; put the file itself here.")
    _check_size(found.st_size, limit)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise Refused(f"The file has {size:,} bytes, more than {limit:,}; make it smaller.")
