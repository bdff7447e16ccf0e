"""The formats that an import can read: the formats of blogapi and of other packages.

Another package declares a `Format` and names it in an entry point of the group `blogapi.formats`. Only an
import loads the formats; a server does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import EntryPoint, distributions
from itertools import chain

from blogapi.importing.format_api.source import CONTRACT_VERSION, Format
from blogapi.importing.formats import foreign_code
from blogapi.importing.formats.foreign_code import guard_format
from blogapi.importing.refusals import RefusedFile

ENTRY_POINT_GROUP = "blogapi.formats"
# The format of the files that no other format recognises.
_LAST_FORMAT = "markdown"
# The formats of blogapi, in the order in which a file is checked for them.
BUILT_IN_FORMATS = ("blogapi", "wordpress", "ghost", "blogger", "medium", "substack", "notion", _LAST_FORMAT)


def list_format_names(entry_points: Iterable[EntryPoint] | None = None) -> list[str]:
    """Return the names of all formats, in the order in which an import checks a file for them."""
    entry_points = _find_entry_points([]) if entry_points is None else entry_points
    others = sorted({point.name for point in entry_points} - {*BUILT_IN_FORMATS})
    return [*(name for name in BUILT_IN_FORMATS if name != _LAST_FORMAT), *others, _LAST_FORMAT]


def load_formats(notes: list[str]) -> dict[str, Format]:
    """Return the formats by name, in the order in which an import checks a file for them.

    Adds a note for each format of another package that cannot be used now, or that fails later.
    """
    formats, entry_points = {}, _find_entry_points(notes)
    packages: dict[str, str] = dict.fromkeys(BUILT_IN_FORMATS, "blogapi")
    for point in entry_points:
        package = _get_package_name(point)
        if (owner := packages.setdefault(point.name, package)) != package:
            notes.append(
                f"The format “{point.name}” of the package “{package}” is ignored, because {owner} has a "
                "format of this name; uninstall the package, or ask its author to rename the format."
            )
    for name in list_format_names(entry_points):
        try:
            formats[name] = get_format(name, notes, entry_points)
        except RefusedFile as error:
            notes.append(str(error))
    return formats


def get_format(name: str, notes: list[str], entry_points: Iterable[EntryPoint] | None = None) -> Format:
    """Return a format by one of the names of `list_format_names`.

    A format of another package adds a note to `notes` if it fails later. Raises RefusedFile if the format
    cannot be used.
    """
    if name in BUILT_IN_FORMATS:
        package = "blogapi_export" if name == "blogapi" else f"formats.{name}"
        format_: Format = import_module(f"blogapi.importing.{package}.source").FORMAT
        return format_
    entry_points = _find_entry_points([]) if entry_points is None else entry_points
    point = next(point for point in entry_points if point.name == name)
    return guard_format(_load_format(point), notes, _get_package_name(point))


def _find_entry_points(notes: list[str]) -> list[EntryPoint]:
    """Return the entry points of the formats; add a note for each package whose metadata is broken."""
    entry_points: dict[str, Iterable[EntryPoint]] = {}
    for package in distributions():
        try:
            if found := package.entry_points.select(group=ENTRY_POINT_GROUP):
                # If a package is found twice, Python imports the first one.
                entry_points.setdefault(package.name, found)
        # The metadata of another package can have any content.
        except Exception as error:
            name, reason = package.name or "?", f"{type(error).__name__}: {error}"
            note = f"The formats of the package “{name}” cannot be listed ({reason}); install it again."
            notes.append(note)
    return [*chain.from_iterable(entry_points.values())]


def _load_format(point: EntryPoint) -> Format:
    subject = f"The format “{point.name}” of the package “{_get_package_name(point)}”"
    try:
        with foreign_code.announce_format(subject):
            found = foreign_code.call_foreign_function(point.load)
    except foreign_code.ForeignError as error:
        raise RefusedFile(
            f"{subject} cannot be loaded ({error}); update the package or uninstall it."
        ) from error
    if not isinstance(found, Format):
        raise RefusedFile(f"{subject} is not a `Format`; the entry point must name one.")
    if found.name != point.name:
        raise RefusedFile(f"{subject} has the name “{found.name}”; its entry point must have the same name.")
    if found.contract != CONTRACT_VERSION:
        raise RefusedFile(
            f"{subject} was written for version {found.contract} of the contract, but this blogapi has "
            f"version {CONTRACT_VERSION}; install another version of the package."
        )
    return found


def _get_package_name(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.module
