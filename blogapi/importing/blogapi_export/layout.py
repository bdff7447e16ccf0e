"""Find the folder of an export, and the paths of its files in each layout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from uuid import UUID, uuid5

from blogapi.exporting.export_files import DATA_LISTS, DESCRIPTION_FILE, GIT_ATTRIBUTES_FILE
from blogapi.exporting.layouts import FORMAT, LAYOUTS, VERSION, Layout
from blogapi.importing.blogapi_export import values
from blogapi.importing.blogapi_export.values import Values
from blogapi.importing.format_api.source_files import MAX_OUTER_FOLDERS, escape_file_name, read_bytes
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.lines import to_line
from blogapi.importing.texts.parsers import parse_yaml
from blogapi.site.theme_files import THEME_FOLDER

ARTICLE_SUFFIXES = (".md", ".html", ".txt")
#: The files and folders in the folder of an export that contain no articles. Imports skip the folder `_data`.
_NON_ARTICLES = (DESCRIPTION_FILE, GIT_ATTRIBUTES_FILE, "_data", *(it.manifest for it in LAYOUTS.values()))
_MAX_DESCRIPTION_BYTES = 64 * 1024
# The namespace of derived uuids; it differs from the namespaces with which scripts derive uuids of articles.
_UUID_NAMESPACE = UUID("94290312-b869-4d58-a6ae-a14a46ffe24c")


@dataclass(frozen=True)
class ExportFolder:
    root: Path

    @cached_property
    def _description(self) -> Values:
        text = read_bytes(self.root / DESCRIPTION_FILE, _MAX_DESCRIPTION_BYTES).decode("utf-8", "replace")
        described, _ = parse_yaml(text, 1)
        if described.get("format") != FORMAT:
            raise RefusedFile(f"{DESCRIPTION_FILE} needs the line `format: {FORMAT}`; add it.")
        return described

    @cached_property
    def layout(self) -> Layout:
        """The layout that `blogapi.yaml` names; raises RefusedFile for an unknown version or layout."""
        version, name = self._description.get("version"), self._description.get("layout")
        if not version:
            raise RefusedFile(f"{DESCRIPTION_FILE} needs the line `version: {VERSION}`; add it.")
        if version != str(VERSION):
            raise RefusedFile(
                f"{DESCRIPTION_FILE} has an unknown version; "
                "import the folder with a newer version of blogapi."
            )
        if not isinstance(name, str) or name not in LAYOUTS:
            raise RefusedFile(
                f"The `layout` in {DESCRIPTION_FILE} is not one of {', '.join(LAYOUTS)}; "
                "write `layout: default`."
            )
        return LAYOUTS[name]

    @cached_property
    def source(self) -> str:
        """The name of the old blog in a folder that another program has written; "" in an export."""
        return to_line(self._description.get("source"))

    def get_or_derive_uuid(self, item: Values, path: str) -> UUID:
        """Return the uuid of an item; if the item has none, derive it from the source and `path`.

        Raises RefusedFile if the uuid and the source are missing, because two blogs can have the same path.
        """
        if item.get("uuid"):
            return values.get_uuid(item, "uuid")
        if not self.source:
            raise RefusedFile(
                f"It has no `uuid`; add it, or add `source: https://old.example` to {DESCRIPTION_FILE}."
            )
        return uuid5(uuid5(_UUID_NAMESPACE, self.source), escape_file_name(path))

    def is_in_article_folder(self, path: Path) -> bool:
        """Return whether a text file without the field `blogapi` is an article because of its folder."""
        try:
            layouts = LAYOUTS.values() if self.source else ()
        except RefusedFile:
            return False
        places = {place for layout in layouts for place in (layout.posts, layout.drafts, layout.pages)}
        return any(self.root / place in path.parents for place in places)

    def get_data_path(self, kind: str) -> Path:
        return self.root / self.layout.get_data_path(kind)

    def get_media_path(self, name: str) -> Path:
        """Return the path of a media file; raises RefusedFile if `name` is not the name of a file."""
        if not name or name.startswith(".") or any(letter in "/\\:\0" for letter in name) or len(name) > 255:
            raise RefusedFile(
                "`file` is not the name of a file in the media folder; write for example `file: cat.jpg`."
            )
        return self.root / self.layout.media / name


def find_export_folder(path: Path) -> ExportFolder | None:
    """Return the innermost export folder that contains a file, or None."""
    for parent in list(path.parents)[:MAX_OUTER_FOLDERS]:
        if (parent / DESCRIPTION_FILE).is_file():
            return ExportFolder(parent)
    return None


def is_data_file(export: ExportFolder, path: Path) -> bool:
    """Return whether the file or folder is part of an export and contains no articles."""
    if path.parent == export.root and path.name in _NON_ARTICLES:
        return True
    if export.root / THEME_FOLDER in (path, *path.parents):
        return True
    places = {layout.get_data_path(kind) for layout in LAYOUTS.values() for kind in DATA_LISTS}
    places |= {path for it in LAYOUTS.values() for path in (it.working_copies, it.host_redirects)}
    relative = path.relative_to(export.root)
    # The pages of terms are not imported, because the data files contain the same data.
    patterns = [layout.term_pages.replace("*", "*/*") for layout in LAYOUTS.values() if layout.term_pages]
    return relative.as_posix() in places or any(relative.match(pattern) for pattern in patterns)
