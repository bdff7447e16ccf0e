"""Find the folders of the site to which an article belongs: its top and its folders for static files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from blogapi.transfer.folder import MAX_OUTER_FOLDERS

# Folders of a site whose files are at the root of its addresses, or that authors name in front of a path.
_STATIC_FOLDERS = ("static", "assets", "public", "source", "src", "content", "files")
# Folders that belong to a site whose configuration file was not found.
_SIBLINGS = (*_STATIC_FOLDERS, "images", "img", "uploads", "media", "wp-content")
#: The names of the configuration files of generators.
SITE_FILE = re.compile(
    r"(?:hugo|config)\.(?:toml|ya?ml|json)|_config\.(?:ya?ml|toml)|\.eleventy\.[cm]?js"
    r"|(?:eleventy|astro|next|nuxt|docusaurus|svelte|vite|quartz)\.config\.[cm]?[jt]s|gatsby-config\.[cm]?[jt]s"
    r"|pelicanconf\.py|conf\.py|mkdocs\.ya?ml"
)
_PROJECT_FILES = {".git", "package.json", "Gemfile", "netlify.toml", "go.mod", "pyproject.toml"}
_MAX_SIBLING_LEVELS = 3

#: Returns the names of the files and folders in a folder.
ListNames = Callable[[Path], set[str]]


@dataclass(frozen=True, slots=True)
class Site:
    """The folders in which paths are looked up, and the folders that may be read, with links resolved."""

    bases: tuple[Path, ...]
    allowed: tuple[Path, ...]


def find_site(folder: Path, root: Path, list_names: ListNames) -> Site:
    """Return the site of the files in `folder`, which is in the imported folder `root`."""
    outer = root.parents[:MAX_OUTER_FOLDERS]
    home = _get_home()
    inner = (path for path in (folder, *folder.parents) if path.is_relative_to(root))
    candidates = [path for path in (*inner, *outer) if path != home and path != path.parent]
    for is_top in (is_site, _is_project):
        top = next((path for path in candidates if is_top(list_names(path))), None)
        if top:
            bases = [top / name for name in _STATIC_FOLDERS if (top / name).is_dir()]
            return Site((*bases, top, root), (top.resolve(), root))
    levels = [path for path in (root, *root.parents[:_MAX_SIBLING_LEVELS]) if path in candidates]
    siblings = [level / name for level in levels for name in _SIBLINGS if (level / name).is_dir()]
    return Site((*siblings, *levels), (root, *(path.resolve() for path in siblings)))


def is_site(names: Iterable[str]) -> bool:
    """Return whether a folder with files of these names has the configuration of a generator."""
    return any(map(SITE_FILE.fullmatch, names))


def _is_project(names: set[str]) -> bool:
    return not names.isdisjoint(_PROJECT_FILES)


def _get_home() -> Path | None:
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return None
