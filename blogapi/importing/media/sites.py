"""Find the folders of the site to which an article belongs: its root and its folders for static files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from blogapi.importing.format_api.source_files import MAX_OUTER_FOLDERS, SITE_FILE

# Folders of a site whose files are at the root of its addresses, or that authors name in front of a path.
_STATIC_FOLDERS = ("static", "assets", "public", "source", "src", "content", "files")
# Folders that belong to a site whose configuration file was not found.
_SIBLINGS = (*_STATIC_FOLDERS, "images", "img", "uploads", "media", "wp-content")
# The name of a folder with the pages of one language.
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")
_PROJECT_FILE = re.compile(r"\.git|package\.json|Gemfile|netlify\.toml|go\.mod|pyproject\.toml")
_MAX_SIBLING_LEVELS = 3

#: Returns the names of the files and folders in a folder.
ListNames = Callable[[Path], set[str]]


@dataclass(frozen=True, slots=True)
class SiteFolders:
    """The folders in which paths are looked up, and the folders that may be read, with links resolved."""

    bases: tuple[Path, ...]
    allowed: tuple[Path, ...]


def find_site(folder: Path, root: Path, list_names: ListNames) -> SiteFolders:
    """Return the site of the files in `folder`, which is in the imported folder `root`."""
    outer = root.parents[:MAX_OUTER_FOLDERS]
    home = _get_home()
    inner = (path for path in (folder, *folder.parents) if path.is_relative_to(root))
    candidates = [path for path in (*inner, *outer) if path != home and path != path.parent]
    for pattern in (SITE_FILE, _PROJECT_FILE):
        found = (path for path in candidates if any(map(pattern.fullmatch, list_names(path))))
        site_folder = next(found, None)
        if site_folder:
            bases = [site_folder / name for name in _STATIC_FOLDERS if (site_folder / name).is_dir()]
            content = site_folder / "content"
            if content in bases and folder.is_relative_to(content) and folder != content:
                # Hugo can have one folder of pages and pictures for each language.
                language, _ = split_language(folder.relative_to(content) / "x")
                bases += [content / language] if language else []
            return SiteFolders((*bases, site_folder, root), (site_folder.resolve(), root))
    levels = [path for path in (root, *root.parents[:_MAX_SIBLING_LEVELS]) if path in candidates]
    siblings = [level / name for level in levels for name in _SIBLINGS if (level / name).is_dir()]
    return SiteFolders((*siblings, *levels), (root, *(path.resolve() for path in siblings)))


def list_page_folders(source: Path, site: SiteFolders, list_names: ListNames) -> Iterator[Path]:
    """Yield the folders to which a relative path on the page of `source` can refer, besides its own folder.

    A browser resolves it against the address of the page. Below `content`, the address is the file's path:
    `content/blog/a.md` and `content/blog/a/index.md` have files in `static/blog/a/`. With one folder for each
    language, the translations of a page share its files.
    """
    content = next(
        (base for base in site.bases if base.name == "content" and source.is_relative_to(base)), None
    )
    if content is None:
        return
    language, rest = split_language(source.relative_to(content))
    name = re.sub(r"^\d{4}-\d\d-\d\d[-_]", "", rest.name.partition(".")[0])
    page = rest.parent if name in ("index", "_index") else rest.parent / name
    statics = [base for base in site.bases if base != content]
    yield from (static / language / path for static in statics for path in (page, rest.with_suffix("")))
    yield from (static / page for static in statics if language)
    others = filter(_LANGUAGE.fullmatch, sorted(list_names(content))) if language else ()
    yield from (content / other / rest.parent for other in others if other != language)


def split_language(page: Path) -> tuple[str, Path]:
    """Return the folder of a language with which a path below `content` begins, or "", and the rest."""
    first, *rest = page.parts
    return (first, Path(*rest)) if rest and _LANGUAGE.fullmatch(first) else ("", page)


def _get_home() -> Path | None:
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return None
