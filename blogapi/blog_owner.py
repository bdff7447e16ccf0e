"""Runs the commands that root starts as the owner of the blog, so that this user owns all new files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import chain
from pathlib import Path
from typing import Any

import click

from blogapi import blog_folder
from blogapi.config import INSTANCE_PATH_VARIABLE
from blogapi.storage.files import read_file_statuses

# The commands that always run as the user who starts them, and the commands that may write to any target.
_UNSWITCHED_COMMANDS = frozenset({"serve", "service", "health", "version", "completion"})
_COMMANDS_WITH_ANY_TARGET = frozenset({"backup", "export"})
#: The names of the files that blogapi reads but does not change, so they need not be writable.
READ_ONLY_FILES = frozenset({"config.toml", "secret_key", ".gitignore", "theme"})

#: whether the command has already printed a warning that it runs as root
WARNING_SHOWN: ContextVar[bool] = ContextVar("warning_shown", default=False)


def find_owner(path: Path) -> Any:
    """Return the owner of a path as an entry of `pwd` (only on POSIX); an unknown user has its id as name."""
    import pwd

    status = path.lstat()
    try:
        return pwd.getpwuid(status.st_uid)
    except KeyError:
        return pwd.struct_passwd((str(status.st_uid), "x", status.st_uid, status.st_gid, "", "/", ""))


def list_owner_files(instance: Path) -> list[Path]:
    """Return the files of the blog that its owner must be able to use."""
    return [path for pattern in ("*", "media/*", "backups/*") for path in instance.glob(pattern)]


def find_non_root_owner(instance: Path) -> Any:
    """Return the owner of the instance folder (if it is missing, of its parent) in the form of `find_owner`.

    Return None unless root runs this process and the owner is another user.
    """
    folder = next((folder for folder in (instance, instance.parent) if folder.exists()), None)
    if os.name == "nt" or os.geteuid() != 0 or folder is None:
        return None
    return user if (user := find_owner(folder)).pw_uid else None


def make_owner_process_options(instance: Path) -> dict[str, Any]:
    """Return options of `subprocess.Popen` for a program that the owner of the blog has chosen.

    If root runs this process for another owner, the program runs as the owner, without the rights of root.
    """
    user = find_non_root_owner(instance)
    if user is None:
        return {"env": dict(os.environ)}
    groups = os.getgrouplist(user.pw_name, user.pw_gid)
    ids = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": groups}
    return {"env": os.environ | _make_user_environment(user), **ids}


@contextmanager
def act_as_owner(program: type[click.Group]) -> Iterator[None]:
    """If root has started a command of this program, run it as the owner of the blog, and print a notice.

    If the owner cannot use the program or a file of the blog, the command runs as root and names the file.
    Raises ClickException if the owner cannot use a path in the arguments; the commands `backup` and `export`
    run as root instead. New files in the instance folder then become files of the owner.
    """
    context = click.get_current_context()
    instance, name = blog_folder.find_instance(), context.info_name
    # The command `flask`, which is another program, has already opened the blog.
    is_switched = isinstance(context.find_root().command, program) and name not in _UNSWITCHED_COMMANDS
    user = find_non_root_owner(instance) if is_switched else None
    if user is None:
        yield
        return
    groups, group = os.getgroups(), os.getegid()
    os.setgroups(os.getgrouplist(user.pw_name, user.pw_gid))
    os.setegid(user.pw_gid)
    os.seteuid(user.pw_uid)
    try:
        unusable = next(_list_unusable_files(instance), None)
        problem = next(_describe_problems(context, user.pw_name), None)
    finally:
        os.seteuid(0)
    os.environ[INSTANCE_PATH_VARIABLE] = str(instance)
    if not unusable and not problem:
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
        os.environ.update(_make_user_environment(user))
        click.echo(f"Runs as the user {user.pw_name}, to whom {instance} belongs.", err=True)
        yield
        return
    if not unusable and name not in _COMMANDS_WITH_ANY_TARGET:
        raise click.ClickException(f"This command runs as {user.pw_name}, who owns {instance}. {problem}")
    os.setegid(group)
    os.setgroups(groups)
    reason = problem or f"{user.pw_name} cannot use {unusable}."
    click.echo(f"Runs as root, although {instance} belongs to {user.pw_name}: {reason}", err=True)
    WARNING_SHOWN.set(True)
    before = _find_root_owned_files(instance)
    try:
        yield
    finally:
        for path in _find_root_owned_files(instance) - before:
            with suppress(FileNotFoundError):
                os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)


def _make_user_environment(user: Any) -> dict[str, str]:
    # libpq and BACKUP_COMMAND read files in the home folder.
    return {"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name}


def _is_usable(path: Path, mode: int) -> bool:
    """Return whether the effective user can use the path; a path that does not exist counts as usable."""
    # `is_dir` raises an error if the parent folder cannot be opened.
    is_usable = os.access(path, mode, effective_ids=True)
    if is_usable and (not path.is_dir() or os.access(path, os.X_OK, effective_ids=True)):
        return True
    try:
        path.lstat()
    except OSError as error:
        # A running server can delete a file after it was listed.
        return isinstance(error, FileNotFoundError)
    return False


def _list_unusable_files(instance: Path) -> Iterator[Path]:
    """Yield the files of the program and of the blog that the effective user cannot use."""
    files = [instance if instance.exists() else instance.parent, *list_owner_files(instance)]
    program = map(Path, (sys.prefix, sys.executable, __file__, os.__file__))
    yield from (path for path in (*program, *files) if not _is_usable(path, os.R_OK))
    yield from (path for path in files if path.name not in READ_ONLY_FILES and not _is_usable(path, os.W_OK))


def _describe_problems(context: click.Context, name: str) -> Iterator[str]:
    """Yield a sentence about each path in the arguments that the effective user cannot use."""
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if not isinstance(parameter.type, click.Path) or value is None:
            continue
        is_source = parameter.type.exists or context.params.get("verify")
        for path in map(Path, value if isinstance(value, tuple) else (value,)):
            around = (path, *path.absolute().parents)
            nearest = next(parent for parent in around if os.access(parent, os.F_OK))
            if is_source and not _is_usable(path, os.R_OK):
                copy_command = f"cp -r {path} COPY && chown -R {name} COPY"
                yield f"{name} cannot read {path}. Name a copy that this user can read (`{copy_command}`)."
            elif not is_source and "://" not in str(value) and not _is_usable(nearest, os.W_OK):
                advice = f"Name a folder that this user may write (`install -d -o {name} FOLDER`)"
                yield f"{name} cannot write {path}. {advice}."


def _find_root_owned_files(instance: Path) -> frozenset[Path]:
    # Unlike `rglob`, `os.walk` continues if a running server deletes a folder meanwhile.
    walked = os.walk(instance)
    paths = [instance, *(Path(folder, name) for folder, *names in walked for name in chain(*names))]
    statuses = read_file_statuses(paths, follow_symlinks=False)
    return frozenset(path for path, status in statuses if status.st_uid == 0)
