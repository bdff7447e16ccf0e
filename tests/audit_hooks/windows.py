"""A test mode that takes away what Windows lacks: BLOGAPI_TEST_WITHOUT_POSIX=1, on Linux.

blogapi and its tests see `os.name == "nt"`, `sys.platform == "win32"`, and modules without the names that
only POSIX has. An audit hook refuses what Windows refuses: to delete or replace an open file, and to create a
name that Windows reserves, or that differs from another one in its folder only in letter case.

The standard library and other packages see POSIX, because their code for Windows cannot run here. So paths
still have slashes, and the file system distinguishes letter case when it reads. Processes that ignore
PYTHONPATH run without the mode. This module imports only the standard library and works outside of the
package `tests`.
"""

from __future__ import annotations

import builtins
import errno
import os
import re
import select
import shutil
import signal
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

# "1", or after the start the id of the first process: what it or a descendant has open counts as open.
WITHOUT_POSIX = "BLOGAPI_TEST_WITHOUT_POSIX"
# The error that Windows reports if a user without a special right creates a link.
NO_RIGHT_TO_LINK = 1314
INVALID_NAME = 123
IN_USE = 32
ACCESS_DENIED = 5

MISSING_MODULES = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
MISSING_NAMES: Mapping[ModuleType, str] = {
    os: (
        "chown chroot copy_file_range fchdir fchown fdatasync fork forkpty fwalk getegid geteuid getgid "
        "getgroups getloadavg getpgid getpgrp getpriority getsid getuid killpg lchown lockf major "
        "memfd_create minor mkfifo mknod nice openpty pathconf pipe2 posix_fadvise posix_fallocate "
        "posix_spawn pread preadv pwrite readv register_at_fork sched_getaffinity sched_setaffinity "
        "sched_yield sendfile setpriority setsid setuid splice statvfs sync sysconf uname wait wait3 wait4 "
        "writev WEXITSTATUS WIFEXITED WIFSIGNALED WNOHANG WTERMSIG O_CLOEXEC O_DIRECT O_DIRECTORY O_DSYNC "
        "O_NOFOLLOW O_NONBLOCK O_SYNC O_TMPFILE"
    ),
    select: "poll epoll kqueue",
    signal: (
        "SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP SIGTSTP SIGTTIN "
        "SIGTTOU SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ alarm pause pthread_kill "
        "pthread_sigmask setitimer sigpending sigwait"
    ),
    socket: "AF_UNIX SO_REUSEPORT recv_fds send_fds",
    time: "clock_gettime pthread_getcpuclockid tzset",
    sys: "",
}
_OTHER_VALUES: Mapping[ModuleType, dict[str, object]] = {
    os: {"name": "nt"},
    sys: {"platform": "win32"},
    # On Windows this signal ends a program in another console group.
    signal: {"SIGBREAK": getattr(signal, "SIGUSR1", None)},
}
_ROOT = Path(__file__).parents[2]
_RESERVED = re.compile(
    r"""[<>:"|?*\\\x00-\x1f] | [ .]$
    | ^(?:con|prn|aux|nul|conin\$|conout\$|com[1-9¹²³]|lpt[1-9¹²³])\ *(?:\.|$)""",
    re.IGNORECASE | re.VERBOSE,
)
# The files of the system, whose names are not checked.
_SYSTEM = ("/proc/", "/sys/")


def is_on() -> bool:
    """Return whether the mode is on."""
    return bool(os.environ.get(WITHOUT_POSIX))


def make_environment() -> dict[str, str]:
    """Return the environment variables for a program that runs in the mode."""
    return {WITHOUT_POSIX: "1", "PYTHONPATH": os.pathsep.join((str(Path(__file__).parent), str(_ROOT)))}


def install() -> None:
    """Take away what Windows lacks in this process, before it imports blogapi."""
    if os.environ[WITHOUT_POSIX] == "1":
        os.environ[WITHOUT_POSIX] = str(os.getpid())
    for module, missing in MISSING_NAMES.items():
        _views[module.__name__] = _View(module, frozenset(missing.split()), **_OTHER_VALUES.get(module, {}))
    _views["msvcrt"] = _make_msvcrt()
    sys.modules.update(dict.fromkeys(MISSING_MODULES))  # type: ignore[arg-type]
    builtins.__import__ = _import  # type: ignore[assignment]
    # On Windows no call accepts a directory descriptor, and a temporary file has a name.
    os.supports_dir_fd.clear()
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    tempfile.TemporaryFile = tempfile.NamedTemporaryFile  # type: ignore[misc]
    os.chmod, os.rename, os.symlink = _chmod, _rename, _symlink
    sys.addaudithook(_check)


class _View(ModuleType):
    """A module of the standard library as Windows has it. A test that patches the view patches the module."""

    def __init__(self, module: ModuleType, missing: frozenset[str], **values: object) -> None:
        super().__init__(module.__name__)
        for name, value in (("_module", module), ("_missing", missing), ("_values", values)):
            super().__setattr__(name, value)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        names = vars(self._module).keys() - self._missing | self._values.keys()
        return {name: getattr(self, name) for name in names}

    def __getattribute__(self, name: str) -> Any:
        get = super().__getattribute__
        if name in ("_module", "_missing", "_values", "__class__", "__dict__"):
            return get(name)
        if name in get("_values"):
            return get("_values")[name]
        if name in get("_missing"):
            raise AttributeError(f"Windows has no {get('_module').__name__}.{name}")
        return getattr(get("_module"), name)

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._missing or name in self._values:
            self._values[name] = value
        else:
            setattr(self._module, name, value)

    def __delattr__(self, name: str) -> None:
        if name in self._values:
            del self._values[name]
        else:
            delattr(self._module, name)


_views: dict[str, ModuleType] = {}
_builtin_import = builtins.__import__


def _import(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: tuple[str, ...] | None = (),
    level: int = 0,
) -> ModuleType:
    first = name if fromlist else name.partition(".")[0]
    if level or first not in _views or not _is_ours(globals or {}):
        return _builtin_import(name, globals, locals, fromlist or (), level)
    return _views[first]


def _is_ours(namespace: Mapping[str, Any]) -> bool:
    package = str(namespace.get("__package__") or "")
    # The image worker is a script outside of the package.
    is_script = str(namespace.get("__file__") or "").startswith(f"{_ROOT}/blogapi/")
    return (package.partition(".")[0] in ("blogapi", "tests") or is_script) and package != "tests.audit_hooks"


def _make_msvcrt() -> ModuleType:
    import fcntl

    def lock(descriptor: int, mode: int, _: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_UN if mode == 0 else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    module = ModuleType("msvcrt")
    vars(module).update(LK_UNLCK=0, LK_LOCK=1, LK_NBLCK=2, locking=lock)
    return module


_posix_chmod, _posix_rename = os.chmod, os.rename


def _chmod(path: Any, mode: int, **options: Any) -> None:
    """Set or clear only the right of all to write a file, as Windows does."""
    before = os.stat(path).st_mode  # noqa: PTH116
    if not stat.S_ISDIR(before):
        _posix_chmod(path, before | 0o222 if mode & stat.S_IWUSR else before & ~0o222, **options)


def _rename(source: Any, target: Any, **options: Any) -> None:
    """Rename unless the target exists, which only `os.replace` replaces."""
    if os.path.lexists(target) and not os.path.samefile(source, target):  # noqa: PTH121
        raise FileExistsError(errno.EEXIST, "Windows renames to no name that exists", os.fspath(target))
    _posix_rename(source, target, **options)


def _symlink(source: Any, target: Any, *_: Any, **__: Any) -> NoReturn:
    _fail(
        OSError(errno.EINVAL, "Windows lets only some users create links", os.fspath(target)),
        NO_RIGHT_TO_LINK,
    )


def _fail(error: OSError, number: int) -> NoReturn:
    error.winerror = number  # type: ignore[attr-defined]
    raise error


def _check(event: str, arguments: tuple[Any, ...]) -> None:
    # This function runs at every audit event of the process, such as an import.
    if check := _CHECKS.get(event):
        check(*arguments)


def _check_open(path: Any, mode: str | None, flags: int) -> None:
    if isinstance(path, int):
        return
    # `open` refuses folders everywhere, and `tempfile` creates files without names with O_RDWR.
    if mode is None and not flags & (os.O_WRONLY | os.O_RDWR) and os.path.isdir(path):  # noqa: PTH112
        _fail(PermissionError(errno.EACCES, "Windows opens no folder", os.fspath(path)), ACCESS_DENIED)
    _check_name(path, is_new=bool(flags & os.O_CREAT))


def _check_mkdir(path: Any, *_: object) -> None:
    _check_name(path, is_new=True)


def _check_remove(path: Any, *_: object) -> None:
    _check_closed(path)
    with suppress(FileNotFoundError):
        if not os.lstat(path).st_mode & stat.S_IWUSR:
            raise PermissionError(errno.EACCES, "Windows deletes no file that is read-only", os.fspath(path))


def _check_rename(source: Any, target: Any, *_: object) -> None:
    _check_closed(source)
    _check_closed(target)
    if os.path.isdir(target) and not os.path.samefile(source, target):  # noqa: PTH112, PTH121
        raise PermissionError(errno.EACCES, "Windows replaces no folder", os.fspath(target))
    _check_name(target, is_new=True, former=os.fsdecode(source))


def _check_name(path: Any, *, is_new: bool, former: str = "") -> None:
    full = os.path.abspath(os.fsdecode(path))  # noqa: PTH100
    folder, name = os.path.split(full)
    if _RESERVED.search(name) and not full.startswith(_SYSTEM):
        _fail(OSError(errno.EINVAL, f"Windows allows no file {name!r}", os.fspath(path)), INVALID_NAME)
    if not is_new or os.path.lexists(full):
        return
    with suppress(FileNotFoundError, NotADirectoryError):
        for other in os.listdir(folder):  # noqa: PTH208
            if other.lower() == name.lower() and os.path.abspath(former) != f"{folder}/{other}":  # noqa: PTH100
                raise FileExistsError(errno.EEXIST, f"On Windows this is the file {other!r}", os.fspath(path))


def _check_closed(path: Any) -> None:
    """Fail if a process of the tests has the file open, or any file in the folder."""
    folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))  # noqa: PTH100
    full = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
    for process in _list_processes(int(os.environ[WITHOUT_POSIX])):
        for opened in _list_open_files(process):
            if opened == full or opened.startswith(f"{full}/"):
                message = f"{opened} is open in process {process}"
                _fail(PermissionError(errno.EACCES, message, os.fspath(path)), IN_USE)


def _list_processes(process: int) -> Iterator[int]:
    yield process
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208
            with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:  # noqa: PTH123
                children = file.read().split()
            for child in children:
                yield from _list_processes(int(child))


def _list_open_files(process: int) -> Iterator[str]:
    with suppress(OSError):
        yield os.readlink(f"/proc/{process}/cwd")  # noqa: PTH115
        for descriptor in os.listdir(f"/proc/{process}/fd"):  # noqa: PTH208
            with suppress(OSError):
                yield os.readlink(f"/proc/{process}/fd/{descriptor}")  # noqa: PTH115


_CHECKS: Mapping[str, Callable[..., None]] = {
    "open": _check_open,
    "os.mkdir": _check_mkdir,
    "os.remove": _check_remove,
    "os.rename": _check_rename,
    "os.rmdir": lambda path, *_: _check_closed(path),
}
