"""Read the data files of an exported folder: terms, media files and the site."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from blogapi.importing.blogapi_export import blog_data, values
from blogapi.importing.blogapi_export.blog_data import PICTURE_FIELDS, BlogData, ExportedMedia
from blogapi.importing.blogapi_export.layout import ExportFolder
from blogapi.importing.blogapi_export.values import Values
from blogapi.importing.format_api.report import FileReport, report_problem
from blogapi.importing.format_api.source_files import read_bytes
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.storing.exported_terms import ExportedTerm
from blogapi.importing.texts.data import parse_yaml

_MAX_BYTES = 64 * 1024 * 1024
# The maximum length of the groups in which lists are parsed; the fast parser does not accept longer texts.
_MAX_GROUP = 8_000
_ITEM = re.compile(r"^(?=- )", re.MULTILINE)

Item = TypeVar("Item")


def read_data(export: ExportFolder) -> BlogData:
    """Return the data of the export; unreadable data becomes a report."""
    data = BlogData()
    data.media = [*_read_list(export, "media", data, partial(blog_data.read_media, export))]
    by_file = {item.file: item for item in data.media}
    for name, kind in blog_data.TERM_KINDS.items():

        def read(given: Values, kind: str = kind) -> ExportedTerm:
            return blog_data.read_term(export, kind, given, _read_pictures(export, given, by_file))

        for term in _read_list(export, name, data, read):
            data.terms[kind, term.slug] = term
    data.redirects = [*_read_list(export, "redirects", data, lambda given: given)]
    data.fields = [*_read_list(export, "fields", data, lambda given: given)]
    try:
        text = _read_text(export, "site")
        if text is not None:
            given, _ = parse_yaml(text, 1)
            data.site = blog_data.read_site(given, _read_pictures(export, given, by_file))
            data.showed_itself = given.get("built_in") in (True, "true")
    except RefusedFile as error:
        data.reports.append(_report_refusal(export, "site", error))
    return data


def _read_list(
    export: ExportFolder, kind: str, data: BlogData, read: Callable[[Values], Item]
) -> Iterator[Item]:
    """Yield the items of a data file; each item that cannot be read becomes a report."""
    try:
        text = _read_text(export, kind) or ""
        for group in _split_list(text):
            start = f"{kind}:\n" if group.startswith("- ") else f"{kind}: "
            for item in values.get_mappings(parse_yaml(f"{start}{group}", 0)[0], kind):
                try:
                    yield read(item)
                except RefusedFile as error:
                    label = next((item[name] for name in ("file", "slug", "name") if item.get(name)), "")
                    reason = RefusedFile(f"“{str(label)[:100]}”: {error}")
                    data.reports.append(_report_refusal(export, kind, reason))
    except RefusedFile as error:
        data.reports.append(_report_refusal(export, kind, error))


def _split_list(text: str) -> Iterator[str]:
    """Yield the text of a list in groups of items; a text that is not a list in block style is one group."""
    text = text.removeprefix("\ufeff").removeprefix("---\n")
    items = _ITEM.split(text)
    if items[0].strip():
        yield text
        return
    group = ""
    for item in items:
        if group and len(group) + len(item) > _MAX_GROUP:
            yield group
            group = ""
        group += item
    if group.strip():
        yield group


def _read_text(export: ExportFolder, kind: str) -> str | None:
    path = export.get_data_path(kind)
    if not path.is_file():
        return None
    try:
        return read_bytes(path, _MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedFile("It is not UTF-8; save it again as UTF-8.") from error


def _read_pictures(
    export: ExportFolder, fields: Values, by_file: Mapping[str, ExportedMedia]
) -> dict[str, str]:
    originals, folder = values.get_mapping(fields, "originals"), export.layout.data_media
    addresses = {name: values.get_text(originals, name) for name in PICTURE_FIELDS & originals.keys()}
    for name in PICTURE_FIELDS & fields.keys() - addresses.keys():
        address = values.get_text(fields, name)
        file = by_file.get(address.removeprefix(folder)) if address.startswith(folder) else None
        addresses[name] = file.address if file else address
    return addresses


def _report_refusal(export: ExportFolder, kind: str, error: RefusedFile) -> FileReport:
    path = export.get_data_path(kind)
    return report_problem("/".join((export.root.name, *path.relative_to(export.root).parts)), error)
