"""Find the files on the disk to which the articles of another blog refer.

References come from files of other systems and are not trusted: only regular files in the folder of the site,
in the imported folder and in the folders that the user names are found.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from urllib.parse import unquote

from blogapi.importing.format_api.source_files import MAX_OUTER_FOLDERS, SITE_FILE
from blogapi.importing.refusals import RefusedFile

# Folders whose files are served at the root of the site, or whose names authors write before a path.
_STATIC_FOLDERS = ("static", "assets", "public", "source", "src", "content", "files")
# Folders that belong to a site whose configuration file was not found.
_SIBLING_FOLDERS = (*_STATIC_FOLDERS, "images", "img", "uploads", "media", "wp-content")
# Matches the name of a folder with the pages of one language.
_LANGUAGE_FOLDER = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")
_PROJECT_FILE = re.compile(r"\.git|package\.json|Gemfile|netlify\.toml|go\.mod|pyproject\.toml")
_MAX_SIBLING_LEVELS = 3

#: Returns the names of the files and folders in a folder.
NameLister = Callable[[Path], set[str]]
# Only this number of parts at the end of a longer path is looked up.
_MAX_TAIL_PARTS = 8
# Folders for uploads; the rest of an address is the path in the folder.
UPLOAD_FOLDERS = {"uploads", "images", "files", "media", "assets", "img"}
_UPLOAD_FOLDER_IN_PATH = re.compile(
    r"(?:^|/)(?:wp-content/)?(?:uploads|files|blogs\.dir|content/images)/", re.IGNORECASE
)
# `x-300x200.jpg`: a smaller copy in WordPress.
_SIZE_SUFFIX = re.compile(r"-[0-9]{1,5}x[0-9]{1,5}(?=\.[A-Za-z0-9]{2,5}$)")
# `x-e1577836800.jpg`: an edited picture. `x-scaled.jpg`, `x-rotated.jpg`: the picture that WordPress shows in
# place of a large upload.
_EDIT_SUFFIX = re.compile(r"-(?:e[0-9]{9,14}|scaled|rotated)(?=\.[A-Za-z0-9]{2,5}$)")
_GHOST_SIZE = re.compile(r"(?:^|(?<=/))size/w[0-9]{1,5}(?:h[0-9]{1,5})?/(?:format/[a-z]{1,5}/)?")
_UPLOAD_PATHS = re.compile(r"(?:^|/)((?:wp-content|content)/((?:uploads|images|media|files)/.+))$", re.DOTALL)
_MAX_CACHED_FOLDERS = 4_096
_MAX_TREE_FILES = 200_000
# `{{ site.baseurl }}/x.png` and `{{ "/x.png" | relative_url }}`, and the prefixes of Pelican and of bundlers.
_QUOTED_TEMPLATE = re.compile(r"\{\{-?\s*[\"']([^\"'{}]+)[\"'][^{}]*\}\}")
_PATH_PREFIX = re.compile(
    r"^(?:\{\{[^{}]*\}\}|\{(?:static|filename|attach|photo)\}|\|(?:static|filename)\||@site(?=/)|[@~](?=/))"
)


def list_site_folders(folder: Path, root: Path, list_names: NameLister) -> tuple[list[Path], list[Path]]:
    """Return the folders in which paths in files of `folder` are looked up, and the folders that may be read.

    `folder` is in the imported folder `root`. The folders that may be read are paths without symbolic links.
    """
    outer = root.parents[:MAX_OUTER_FOLDERS]
    home: Path | None = None
    with suppress(OSError, RuntimeError):
        home = Path.home().resolve()
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
            return [*bases, site_folder, root], [site_folder.resolve(), root]
    levels = [path for path in (root, *root.parents[:_MAX_SIBLING_LEVELS]) if path in candidates]
    siblings = [level / name for level in levels for name in _SIBLING_FOLDERS if (level / name).is_dir()]
    return [*siblings, *levels], [root, *(path.resolve() for path in siblings)]


def list_page_folders(source: Path, bases: Sequence[Path], list_names: NameLister) -> Iterator[Path]:
    """Yield the folders to which a relative path on the page of `source` can refer, besides its own folder.

    A browser resolves the path against the page's address. Below `content`, this is the path of the file:
    `content/blog/a.md` and `content/blog/a/index.md` have files in `static/blog/a/`. With one folder for each
    language, the translations of a page share its files.
    """
    contents = [base for base in bases if base.name == "content" and source.is_relative_to(base)]
    if not contents:
        return
    content = contents[0]
    language, rest = split_language(source.relative_to(content))
    name = re.sub(r"^\d{4}-\d\d-\d\d[-_]", "", rest.name.partition(".")[0])
    page = rest.parent if name in ("index", "_index") else rest.parent / name
    statics = [base for base in bases if base != content]
    yield from (static / language / path for static in statics for path in (page, rest.with_suffix("")))
    yield from (static / page for static in statics if language)
    others = filter(_LANGUAGE_FOLDER.fullmatch, sorted(list_names(content))) if language else ()
    yield from (content / other / rest.parent for other in others if other != language)


def split_language(page: Path) -> tuple[str, Path]:
    """Split a path below `content` into the folder of its language ("" if there is none) and the rest."""
    first, *rest = page.parts
    return (first, Path(*rest)) if rest and _LANGUAGE_FOLDER.fullmatch(first) else ("", page)


def list_file_versions(path: str) -> list[str]:
    """Return the paths of the versions of a file, the preferred version first.

    In folders for uploads, `x-300x200.jpg` is a copy: `x-scaled.jpg` and `x.jpg` come first; elsewhere, the
    exact name comes first. For an edited picture such as `x-e1577836800.jpg`, its original comes last.
    """
    plain = _GHOST_SIZE.sub("", path, count=1)
    full = _SIZE_SUFFIX.sub("", plain)
    larger = [_add_suffix(full, "-scaled"), full] if full != plain else [plain]
    versions = [*larger, path] if _UPLOAD_FOLDER_IN_PATH.search(path) else [path, *larger]
    # Programs that save pictures replace characters that addresses contain.
    saved = [path.replace("+", " "), path.replace("*", "_")]
    return list(dict.fromkeys([*versions, plain, _EDIT_SUFFIX.sub("", full), *saved]))


def _add_suffix(path: str, suffix: str) -> str:
    stem, dot, extension = path.rpartition(".")
    return f"{stem}{suffix}{dot}{extension}"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that was found, with its links resolved."""

    path: Path
    #: whether the reference and the path differ in upper and lower case
    differs_in_case: bool = False
    #: whether only the file name matches the reference, and not the folder
    is_elsewhere: bool = False


class MediaFileFinder:
    """Finds the files to which imported texts refer; `assets` are further folders that the user has named."""

    def __init__(self, assets: Sequence[Path] = ()) -> None:
        self._assets: tuple[Path, ...] = ()
        self._list_names = lru_cache(_MAX_CACHED_FOLDERS)(_list_names)
        list_folders = partial(list_site_folders, list_names=self._list_names_with_site_file)
        self._list_site_folders = lru_cache(_MAX_CACHED_FOLDERS)(list_folders)
        self._get_tree = lru_cache(1)(_list_files_by_name)
        #: The folders in `assets` that contain no folders.
        self._flat_folders: set[Path] = set()
        self.add_folders(assets)

    def add_folders(self, folders: Iterable[Path]) -> None:
        """Look up files also in these folders, after the folders that were added before."""
        new = dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir())
        self._assets = tuple(dict.fromkeys((*self._assets, *new)))
        self._flat_folders.update(filter(_has_no_subfolders, new))

    def find_file(self, reference: str, source: Path, root: Path) -> FoundFile | None:
        """Return the file to which `source`, a file in the imported folder `root`, refers; None if missing.

        A relative path is looked up beside `source` and in the folder with its name, then like other paths:
        in the folders `assets`, in the folders for static files of the site, and in the site's folder. In
        `assets`, the end of the path is enough, because the folder can be any part of the former blog. The
        original of a picture is preferred to its smaller copies. Finally, a name without a folder is looked
        up in all of `root`, because Obsidian names files that way. Raises RefusedFile for a link out of these
        folders, and for a path that is not a regular file.
        """
        bases, own = self._list_site_folders(source.parent, root)
        allowed = (*self._assets, *own)
        for path in _list_reference_variants(reference):
            for target in self._list_candidate_paths(path, source, bases):
                # The path is checked before it is opened, so that nothing outside these folders is accessed.
                if any(target.is_relative_to(folder) for folder in allowed):
                    file = self._resolve_file(target, allowed)
                    if file:
                        return file
        for name in _list_reference_variants(reference):
            named = None if "/" in name else self._get_tree(root).get(_fold_case(name))
            file = self._resolve_file(named, (root,)) if named else None
            if file:
                return replace(file, is_elsewhere=True)
        return None

    def _list_candidate_paths(self, path: str, source: Path, bases: Sequence[Path]) -> Iterator[Path]:
        # A browser resolves `../x.png` against the page's address, which differs from the path of `source`.
        versions = list_file_versions(path)
        below = [re.sub(r"^(?:\.{1,2}/)+", "", version.lstrip("/")) for version in versions]
        for version, relative in zip(versions, below, strict=True):
            if not version.startswith("/"):
                folders = list_page_folders(source, bases, self._list_names_with_site_file)
                yield from self._join_folders((source.parent, source.with_suffix(""), *folders), version)
            yield from self._join_folders((*self._assets, *bases), relative)
        for relative in below:
            yield from self._list_path_ends(relative)
            # Beside an export, `b/wp-content/uploads/x.jpg` can be in `wp-content/uploads` or in `uploads`.
            inner_paths = _UPLOAD_PATHS.search(relative)
            for inner in inner_paths.groups() if inner_paths else ():
                yield from self._join_folders(bases, inner)

    def _join_folders(self, folders: Iterable[Path], path: str) -> Iterator[Path]:
        """Yield `path` below each of the folders that contains the first part of `path`."""
        # Without this check, each of up to 100,000 missing pictures would need 50 look-ups on the disk.
        first = _fold_case(path.partition("/")[0])
        for folder in folders:
            if first in (".", "..") or first in self._list_names(folder):
                yield Path(os.path.normpath(folder / path))

    def _list_path_ends(self, path: str) -> Iterator[Path]:
        parts = path.split("/")
        # The ends of the path, longest first, each with the name of the folder before it.
        for start in range(max(1, len(parts) - _MAX_TAIL_PARTS), len(parts)):
            tail, outer = "/".join(parts[start:]), parts[start - 1]
            for folder in self._assets:
                # Many pictures differ only in their folders; Google Takeout then numbers the file names.
                roots = {folder.name.casefold(), *UPLOAD_FOLDERS}
                is_upload_root = folder in self._flat_folders or outer.casefold() in roots
                is_unique = _fold_case(_add_suffix(tail, "(1)")) not in self._list_names(folder)
                if "/" in tail or (is_upload_root and is_unique):
                    yield from self._join_folders((folder,), tail)

    def _resolve_file(self, target: Path, allowed: Sequence[Path]) -> FoundFile | None:
        differs_in_case = False
        # Unlike `Path.exists`, this is False for a path that is too long.
        if not os.path.exists(target):  # noqa: PTH110
            similar = self._find_similar_path(target, allowed)
            if similar is None:
                return None
            differs_in_case = _normalize_name(str(similar)) != _normalize_name(str(target))
            target = similar
        try:
            resolved = target.resolve(strict=True)
            status = resolved.stat()
        except (OSError, RuntimeError, ValueError):
            return None
        if stat.S_ISDIR(status.st_mode):
            return None
        if not any(resolved.is_relative_to(folder) for folder in allowed):
            raise RefusedFile(
                "It is a link to a file outside of the site; name the folder of that file with --assets."
            )
        if not stat.S_ISREG(status.st_mode):
            raise RefusedFile("It is not a regular file; replace it with one.")
        return FoundFile(resolved, differs_in_case)

    def _find_similar_path(self, target: Path, allowed: Sequence[Path]) -> Path | None:
        """Return the path that differs only in case or Unicode form, as macOS and Windows allow, or None."""
        top = next(folder for folder in allowed if target.is_relative_to(folder))
        path = top
        for part in target.relative_to(top).parts:
            names = self._list_names(path).get(_fold_case(part))
            if not names:
                return None
            same_case = (name for name in names if _normalize_name(name) == _normalize_name(part))
            path /= next(same_case, names[0])
        return path

    def _list_names_with_site_file(self, folder: Path) -> set[str]:
        # A site of Hugo whose settings are in `config/_default` has no `hugo.toml`, which marks its folder.
        names = {name for group in self._list_names(folder).values() for name in group}
        return names | ({"hugo.toml"} if (folder / "config" / "_default").is_dir() else set())


def _list_names(folder: Path) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    with suppress(OSError):
        for name in sorted(os.listdir(folder)):  # noqa: PTH208 (only the names)
            names.setdefault(_fold_case(name), []).append(name)
    return names


def _list_files_by_name(root: Path) -> dict[str, Path | None]:
    """Return the files in a folder and its subfolders by folded name; None stands for several files."""
    tree: dict[str, Path | None] = {}
    number = 0
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".") and name != "node_modules"]
        for file in files[: _MAX_TREE_FILES - number]:
            tree[_fold_case(file)] = None if _fold_case(file) in tree else Path(folder, file)
        number += len(files)
        if number >= _MAX_TREE_FILES:
            break
    return tree


def _has_no_subfolders(folder: Path) -> bool:
    with suppress(OSError):
        return not any(child.is_dir() for child in folder.iterdir())
    return False


def _list_reference_variants(reference: str) -> list[str]:
    """Return the paths that a reference can mean, most probable first."""
    decoded = unquote(reference)
    if quoted := _QUOTED_TEMPLATE.match(decoded):
        decoded = reference = quoted[1] + decoded[quoted.end() :]
    bare = re.split(r"[?#]", reference, maxsplit=1)[0]
    variants = (unquote(bare), bare, decoded)
    cleaned = (_PATH_PREFIX.sub("", path.replace("\\", "/")) for path in variants)
    return list(dict.fromkeys(path for path in cleaned if _is_usable_path(path)))


def _is_usable_path(path: str) -> bool:
    if os.name == "nt" and ":" in path:
        # On Windows, a colon marks a drive or an alternate data stream.
        return False
    return bool(path.strip("/.")) and not path.startswith("//") and not re.search(r"[\x00-\x1f{}]", path)


def _normalize_name(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _fold_case(name: str) -> str:
    return _normalize_name(_normalize_name(name).casefold())
