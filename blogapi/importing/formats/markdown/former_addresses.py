"""Read the slug of an article, its addresses in the former blog, and its other names."""

from __future__ import annotations

from collections.abc import Iterator

from blogapi.importing.formats.markdown import paths
from blogapi.importing.formats.markdown.fields import Fields
from blogapi.importing.texts.lines import to_line
from blogapi.importing.texts.titles import extract_slug
from blogapi.rendering.slugs import is_slug

# The first of these fields that gives a slug is used; the others are former addresses.
_ADDRESS_FIELDS = ("slug", "basename", "path", "url", "permalink")
_FORMER_ADDRESS_FIELDS = ("aliases", "alias", "redirectfrom")
_MAX_FORMER_ADDRESSES = 100


def read_slug(fields: Fields) -> str:
    """Return the slug in the front matter, or ""."""
    return next(filter(None, (extract_slug(fields.take_line(name)) for name in _ADDRESS_FIELDS)), "")


def derive_slug(format_: str, title: str, path: paths.PathInfo) -> str:
    """Return the slug that the generator derives, or "" if the import is to derive it from the title."""
    # Pelican derives addresses from titles; the other generators derive them from file names.
    return paths.make_pelican_slug(title) if format_ == "pelican" else path.slug


def read_former_slugs(fields: Fields, slug: str) -> tuple[str, ...]:
    """Return the former slugs of the article without `slug`; addresses are left to `read_addresses`."""
    lines = [line for name in _FORMER_ADDRESS_FIELDS for line in _to_lines(fields.take(name))]
    usable = lines[:_MAX_FORMER_ADDRESSES]
    redirected = {line for line in usable if paths.to_former_path(line).strip("/")}
    lost = [line for line in lines if paths.is_address(line) and line not in redirected]
    if lost:
        more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        fields.add_note(
            f"There is no redirect from “{lost[0][:100]}”{more}, because it is not the path of a page; each "
            f"article can have at most {_MAX_FORMER_ADDRESSES} redirects."
        )
    own_addresses = (fields.take_line(name) for name in _ADDRESS_FIELDS)
    names = (line for line in (*usable, *own_addresses) if not paths.is_address(line) and is_slug(line))
    return tuple(dict.fromkeys(name for name in names if name != slug))


def read_addresses(fields: Fields) -> tuple[str, ...]:
    """Return the paths of the article in its former blog, its own address first."""
    own_addresses = (to_line(fields.find(name)) for name in ("permalink", "url", "path"))
    aliases = [line for name in _FORMER_ADDRESS_FIELDS for line in _to_lines(fields.find(name))]
    addresses = [*own_addresses, *filter(paths.is_address, aliases[:_MAX_FORMER_ADDRESSES])]
    return tuple(dict.fromkeys(filter(None, map(paths.to_former_path, addresses))))


def read_names(fields: Fields) -> tuple[str, ...]:
    """Return the aliases of Obsidian, which are names and not addresses; a text is split at commas too."""
    values = [value for name in ("aliases", "alias") if (value := fields.find(name))]
    lines = [line for value in values for line in _to_lines(value)]
    parts = [part.strip() for value in values if isinstance(value, str) for part in value.split(",")]
    names = [line for line in (*lines, *parts) if line and not paths.is_address(line)]
    return tuple(dict.fromkeys(names))[:_MAX_FORMER_ADDRESSES]


def _to_lines(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for child in value:
            yield from _to_lines(child)
    elif line := to_line(value):
        yield line
