"""Read the slug of an article, its addresses in the former blog, and its other names."""

from __future__ import annotations

from collections.abc import Iterator

from blogapi.content.slugs import MAX_SLUG_LENGTH, make_slug
from blogapi.transfer.markdown import paths
from blogapi.transfer.markdown.fields import Fields
from blogapi.transfer.markdown.text import to_line

# The first of these fields that gives a slug is used; the others are former addresses.
_ADDRESS_FIELDS = ("slug", "basename", "path", "url", "permalink")
_FORMER_ADDRESS_FIELDS = ("aliases", "alias", "redirectfrom")
_MAX_FORMER_ADDRESSES = 100


def read_slug(fields: Fields) -> str:
    """Return the slug in the front matter, or ""."""
    return next(filter(None, (paths.extract_slug(fields.take_line(name)) for name in _ADDRESS_FIELDS)), "")


def derive_slug(format_: str, title: str, path: paths.PathInfo) -> str:
    """Return the slug that the generator derives, or "" if it is made of the title."""
    # Pelican derives addresses from titles; the other generators derive them from file names.
    return paths.make_pelican_slug(title) if format_ == "pelican" else path.slug


def read_former_slugs(fields: Fields, slug: str) -> tuple[str, ...]:
    """Return the slugs in the addresses that lead to the article, other than `slug`."""
    former = [line for name in _FORMER_ADDRESS_FIELDS for line in _to_lines(fields.take(name))]
    slugs = {address: _to_former_slug(address) for address in former[:_MAX_FORMER_ADDRESSES]}
    unusable = [address for address in former if paths.is_address(address) and not slugs.get(address)]
    if unusable:
        more = f" and {len(unusable) - 1:,} more" if len(unusable) > 1 else ""
        fields.add_note(
            f"There is no redirect from “{unusable[0][:100]}”{more}, because a redirect needs an address "
            f"that ends with a slug; each article can have at most {_MAX_FORMER_ADDRESSES} redirects."
        )
    others = (_to_former_slug(fields.take_line(name)) for name in _ADDRESS_FIELDS)
    return tuple(dict.fromkeys(other for other in [*slugs.values(), *others] if other not in ("", slug)))


def read_addresses(fields: Fields) -> tuple[str, ...]:
    """Return the paths of the article in its former blog, its own address first."""
    own = (to_line(fields.find(name)) for name in ("permalink", "url", "path"))
    former = (line for name in _FORMER_ADDRESS_FIELDS for line in _to_lines(fields.find(name)))
    given = [*own, *(line for line in former if paths.is_address(line))][:_MAX_FORMER_ADDRESSES]
    return tuple(dict.fromkeys(filter(None, map(paths.to_former_path, given))))


def read_names(fields: Fields) -> tuple[str, ...]:
    """Return the aliases of Obsidian, which are names and no addresses; a text can name several."""
    values = [value for name in ("aliases", "alias") if (value := fields.find(name))]
    lines = [line for value in values for line in _to_lines(value)]
    parts = [part.strip() for value in values if isinstance(value, str) for part in value.split(",")]
    names = [line for line in (*lines, *parts) if line and not paths.is_address(line)]
    return tuple(dict.fromkeys(names))[:_MAX_FORMER_ADDRESSES]


def _to_former_slug(address: str) -> str:
    slug = paths.extract_slug(address)
    return slug if slug and make_slug(slug, max_length=MAX_SLUG_LENGTH) == slug else ""


def _to_lines(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for child in value:
            yield from _to_lines(child)
    elif line := to_line(value):
        yield line
