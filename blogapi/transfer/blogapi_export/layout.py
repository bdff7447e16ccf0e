"""Where the files of an export are: the folder of the export, and the places in each layout."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from blogapi.transfer import folder
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.markdown.parsers import parse_yaml

FORMAT, VERSION = "blogapi-export", "1"
DESCRIPTION = "blogapi.yaml"
DATA_KINDS = ("categories", "tags", "authors", "media", "redirects", "site")
#: The files of an export that contain neither articles nor data.
_OTHER_FILES = (DESCRIPTION, "SHA256SUMS", ".gitattributes")
ARTICLE_SUFFIXES = (".md", ".html", ".txt")
# How many folders above an article the folder of the export is searched for.
_MAX_LEVELS = 6
_MAX_DESCRIPTION_BYTES = 64 * 1024
# Addresses in the content of an article can end with the number of the reference.
_NUMBER = re.compile(r"#[0-9]+\Z")


@dataclass(frozen=True)
class Layout:
    """The places of the data and the media files below the folder of an export.

    `article_media` and `data_media` are the addresses of the media folder in articles and in data files.
    """

    data: str
    suffix: str
    media: str
    article_media: str = "/media/"
    data_media: str = "/media/"


LAYOUTS = {
    "default": Layout("", ".yaml", "media", "../media/", "media/"),
    "hugo": Layout("data", ".yaml", "static/media"),
    "jekyll": Layout("_data", ".yml", "media"),
}


@dataclass(frozen=True)
class ExportFolder:
    """The folder of an export."""

    root: Path

    @cached_property
    def layout(self) -> Layout:
        """The layout that `blogapi.yaml` names; raises RefusedFile if the folder cannot be read."""
        text = folder.read_bytes(self.root / DESCRIPTION, _MAX_DESCRIPTION_BYTES).decode("utf-8", "replace")
        described, _ = parse_yaml(text, 1)
        if described.get("format") != FORMAT:
            raise RefusedFile(f"The `format` in {DESCRIPTION} is not {FORMAT}; correct it.")
        if described.get("version") != VERSION:
            raise RefusedFile(
                f"{DESCRIPTION} has an unknown version; import the folder with a newer version of blogapi."
            )
        name = described.get("layout")
        if not isinstance(name, str) or name not in LAYOUTS:
            raise RefusedFile(
                f"The `layout` in {DESCRIPTION} is not one of {', '.join(LAYOUTS)}; correct it."
            )
        return LAYOUTS[name]

    def get_data_path(self, kind: str) -> Path:
        """Return the path of a data file."""
        return self.root / self.layout.data / f"{kind}{self.layout.suffix}"

    def get_media_path(self, name: str) -> Path:
        """Return the path of a media file; raises RefusedFile if `name` is not the name of a file."""
        if not name or name.startswith(".") or any(letter in "/\\:\0" for letter in name) or len(name) > 255:
            raise RefusedFile("It is not the name of a file in the media folder; correct `file`.")
        return self.root / self.layout.media / name


def find_export(path: Path) -> ExportFolder | None:
    """Return the export to which a file belongs, or None."""
    for parent in list(path.parents)[:_MAX_LEVELS]:
        if (parent / DESCRIPTION).is_file():
            return ExportFolder(parent)
    return None


def is_data_file(export: ExportFolder, path: Path) -> bool:
    """Return whether the file or folder is a part of every export, but not an article."""
    if path.parent == export.root and path.name in (*_OTHER_FILES, LAYOUTS["jekyll"].data):
        return True
    places = {(one.data, one.suffix) for one in LAYOUTS.values()}
    return any(
        path.parent == export.root / data and path.suffix == suffix and path.stem in DATA_KINDS
        for data, suffix in places
    )


def get_file_name(address: str, folder: str) -> str:
    """Return the name of the media file at an address in an export, or ""; `folder` is that of the media."""
    return _NUMBER.sub("", address.removeprefix(folder)) if address.startswith(folder) else ""
