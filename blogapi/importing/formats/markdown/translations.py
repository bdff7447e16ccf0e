"""Finds the languages of the files of a blog, and which of them are translations of each other.

The path of a file names its language in the name (`post.fr.md`) or by a folder (`content/fr/post.md`). Many
folders have the name of a language by chance. Such a folder counts only if the same file exists in another
language, or if all files of the folder above are in such folders.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from blogapi.importing.formats.markdown import paths
from blogapi.importing.texts.languages import read_language

_MAX_KEY_LENGTH = 255


class Translations:
    """The languages of the files with these keys."""

    def __init__(self, keys: Iterable[str]) -> None:
        articles = {key for key in keys if not paths.is_section(key)}
        self._folders = _find_language_folders(articles)
        languages = defaultdict[str, set[str]](set)
        for key in articles:
            language, path = self.find(key)
            languages[path].add(language)
        self._shared = {path for path, found in languages.items() if len(found) > 1}

    def find(self, key: str) -> tuple[str, str]:
        """Return the language in the path of a file, or "", and the path without the language."""
        segments = key.split("/")
        language = read_language(paths.get_language(key))
        if language:
            stem, _, suffix = segments[-1].rpartition(".")
            segments[-1] = f"{stem.rpartition('.')[0]}.{suffix}"
        for place, folder in enumerate(segments[:-1]):
            if "/".join(segments[: place + 1]) in self._folders:
                language = language or read_language(folder)
                del segments[place]
                # Some files repeat the language of their folder: `en/blog/post-en.md`.
                segments[-1] = re.sub(rf"-{re.escape(folder)}(?=\.[^.]*$)", "", segments[-1])
                break
        return language, "/".join(segments)

    def get_key(self, path: str) -> str:
        """Return the translation key of the files whose path without the language is `path`.

        It is "" for a single file. The name of the imported folder is not part of the key, because it can
        differ in the next import.
        """
        name = path.partition("/")[2].rpartition(".")[0].removesuffix("/index")
        return name[-_MAX_KEY_LENGTH:] if path in self._shared else ""


def _find_language_folders(keys: Iterable[str]) -> set[str]:
    # The files below each folder with the name of a language, by its parent folder and its name.
    files = defaultdict[str, defaultdict[str, set[str]]](lambda: defaultdict(set))
    others = defaultdict[str, set[str]](set)
    for key in keys:
        for parent, folder, rest in _list_outer_folders(key):
            if read_language(folder):
                files[parent][folder].add(rest)
                break
        for parent, folder, rest in _list_outer_folders(key):
            others[parent].add(f"{folder}/{rest}")
    return {
        f"{parent}/{folder}"
        for parent, folders in files.items()
        if _are_languages(parent, folders.values(), others[parent])
        for folder in folders
    }


def _list_outer_folders(key: str) -> Iterator[tuple[str, str, str]]:
    """Yield (path of the parent, name, rest of the key) for each folder below the imported folder."""
    segments = key.split("/")
    for place in range(1, len(segments) - 1):
        yield "/".join(segments[:place]), segments[place], "/".join(segments[place + 1 :])


def _are_languages(parent: str, folders: Iterable[set[str]], others: set[str]) -> bool:
    seen = set[str](others)
    number, total = 0, 0
    for files in folders:
        if not seen.isdisjoint(files):
            return True
        seen |= files
        number, total = number + 1, total + len(files)
    is_content = parent.rpartition("/")[2] == "content"
    return (number > 1 or is_content) and total == len(others)
