"""Finds the folder of the current blog, and checks whether a folder contains a blog.

The instance folder, `instance` in the folder of a blog, contains the whole state of the blog.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
import sys
from pathlib import Path

from blogapi import config
from blogapi.config import INSTANCE_PATH_VARIABLE, CannotStart
from blogapi.storage.migration_names import list_migrations
from blogapi.version import __version__

_PACKAGE_FOLDER = Path(__file__).parent

# The folder of the checkout that contains the running program, or None for an installed package.
CHECKOUT = _PACKAGE_FOLDER.parent if (_PACKAGE_FOLDER.parent / "wsgi.py").is_file() else None


def get_command() -> str:
    """Return the start of a command line of this program, such as `python -m blogapi`, for messages."""
    if in_container := os.environ.get(config.COMMAND_VARIABLE):
        return in_container
    started = Path(sys.argv[0]).stem
    if started == "blogapi":
        return "blogapi"
    return "flask --app wsgi" if started == "flask" else "python -m blogapi"


def make_serve_command() -> list[str]:
    """Return the command line with which a service starts `serve`, as a list with absolute paths."""
    if CHECKOUT is not None:
        return [sys.executable, str(CHECKOUT / "wsgi.py")]
    script = Path(sys.executable).with_name("blogapi.exe" if os.name == "nt" else "blogapi")
    return [str(script), "serve"] if script.is_file() else [sys.executable, "-P", "-m", "blogapi", "serve"]


def list_serve_commands(folder: str) -> list[str]:
    """Return the command lines that serve the blog in the folder; a checkout runs only in its own folder."""
    serve = f"{get_command()} serve"
    return [f"cd {folder}", serve] if CHECKOUT is None else [f"{serve} --blog {folder}"]


def get_versions() -> dict[str, str | None]:
    """Return the versions of blogapi, Python and SQLite, the commit, and the newest migration as `schema`."""
    return {
        "version": __version__,
        "commit": _read_commit(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "schema": list_migrations()[-1],
    }


def _read_commit() -> str | None:
    """Return the commit from which the package was built, or the commit of the checkout, or None."""
    built = _PACKAGE_FOLDER / "commit.txt"
    if built.is_file():
        return built.read_text(encoding="ascii").strip()
    if CHECKOUT is None:
        return None
    try:
        command = ["git", "-C", str(CHECKOUT), "rev-parse", "HEAD"]
        result = subprocess.run(command, capture_output=True, check=True, timeout=5, text=True)  # noqa: S603, our own command
        return result.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


# An instance folder with one of these files belongs to a blog.
_BLOG_FILES = ("blog.db", "config.toml", "secret_key")


def select_blog(folder: Path) -> None:
    """Use the blog in this folder, in this process and in processes that it starts."""
    os.environ[INSTANCE_PATH_VARIABLE] = str(folder.absolute() / "instance")


def find_instance() -> Path:
    """Return the absolute path of the instance folder, which may be missing.

    BLOGAPI_INSTANCE_PATH can name the folder. Otherwise, the path is the instance folder of the blog that
    contains the current folder. Without such a blog, the path is `instance` in the checkout (for a package:
    in the current folder).
    """
    if configured := os.environ.get(INSTANCE_PATH_VARIABLE):
        return Path(configured).resolve()
    here = Path.cwd()
    candidates = (folder / "instance" for folder in (here, *here.parents))
    existing = next((path for path in candidates if is_blog(path) and _is_trusted_folder(path, here)), None)
    return existing or (CHECKOUT or here) / "instance"


def is_blog(instance: Path) -> bool:
    """Return whether the instance folder belongs to a blog, even if the blog has no database yet."""
    return any((instance / name).exists() for name in _BLOG_FILES)


def find_instance_at(target: Path) -> Path | None:
    """Return the instance folder that is `target`, is inside it or contains it, or None.

    Only the instance folder of the current blog and folders with the name `instance` are found. `target` is
    searched up to two levels deep.
    """
    current, target = find_instance(), target.resolve()
    if target.is_relative_to(current) or current.is_relative_to(target):
        return current
    existing = (target, *target.parents, *target.glob("instance"), *target.glob("*/instance"))
    return next((folder for folder in existing if _is_instance_folder(folder)), None)


def _is_instance_folder(folder: Path) -> bool:
    try:
        has_files = any((folder / name).exists() for name in ("blog.db", "secret_key"))
        return folder.name == "instance" and (has_files or config.has_settings(folder))
    except PermissionError:
        return False


def require_blog_with_database() -> Path:
    """Return the instance folder of a blog with a database; raises CannotStart if there is none."""
    instance = require_blog()
    if lacks_database(instance):
        refuse_lost_database(instance)
        raise CannotStart(
            f"The blog in {instance.parent} has no database yet; `{get_command()} serve` creates it."
        )
    return instance


def require_blog() -> Path:
    """Return the instance folder of the blog, even if the blog has no database yet.

    Raises CannotStart if there is no blog. If the environment sets DATABASE_URL, the folder need not exist.
    """
    instance = find_instance()
    if is_blog(instance) or config.read_settings(instance)["DATABASE_URL"]:
        return instance
    raise CannotStart(
        f"There is no blog in {instance.parent} (its data would be in {instance}). Create one with "
        f"`{get_command()} init`, or name the folder of a blog with --blog."
    )


def lacks_database(instance: Path) -> bool:
    """Return whether the blog uses the default database `blog.db` in the folder, but the file is missing."""
    return not (instance / "blog.db").exists() and not config.read_settings(instance)["DATABASE_URL"]


def refuse_lost_database(instance: Path) -> None:
    """Raise CannotStart if the SQLite file is missing, but the blog has media files or backups."""
    has_files = any(instance.glob("media/*")) or any(instance.glob("backups/*"))
    if has_files and not (instance / "blog.db").exists():
        raise CannotStart(
            f"{instance / 'blog.db'} is missing, but the blog has files: restore a backup "
            f"(`{get_command()} restore FILE`), or move the folders `media` and `backups` away to "
            "begin an empty blog."
        )


def _is_trusted_folder(instance: Path, here: Path) -> bool:
    # In a shared folder such as /tmp, another user could create a blog with settings of their own.
    owner = getattr(os, "getuid", None)
    return instance.parent == here or owner is None or instance.stat().st_uid == owner()
