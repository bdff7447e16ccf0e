"""Categories and tags in all the shapes that blogs write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from blogapi.transfer.markdown.fields import Fields
from blogapi.transfer.markdown.text import line


def terms(fields: Fields, *, jekyll: bool) -> tuple[str, tuple[str, ...]]:
    """Return the category ("" for none) and the tags of an article.

    Of several categories the first is taken and the others become tags. With `jekyll`, `tags: a b` is
    two names; elsewhere it is one. Singular `tag` and `category` are never split at spaces.
    """
    singular = _names(fields.take("category", "taxonomies.category"))
    categories = _unique([*singular, *_plural(fields, jekyll, "categories", "taxonomies.categories")])
    if len(categories) > 1:
        kept = ", ".join(f"“{name}”" for name in categories[1:])
        fields.note(f"An article has one category: “{categories[0]}” was taken, and {kept} became tags.")
    return next(iter(categories), ""), tuple(_unique([*_tags(fields, jekyll), *categories[1:]]))


def _tags(fields: Fields, jekyll: bool) -> list[str]:
    written = _unique([*_plural(fields, jekyll, "tags", "taxonomies.tags"), *_names(fields.take("tag"))])
    if written:
        return written
    keywords = _unique(_plural(fields, False, "keywords"))
    if keywords:
        fields.note("The keywords were taken as tags, as there were no tags.")
    return keywords


def _plural(fields: Fields, jekyll: bool, *keys: str) -> list[str]:
    return [name for key in keys for name in _names(fields.take(key), jekyll)]


def _names(value: object, spaced: bool = False) -> list[str]:
    if not isinstance(value, str):
        return list(_flat(value))
    return value.split(",") if "," in value else value.split() if spaced else [value]


def _flat(value: object) -> Iterator[str]:
    """Yield the names of nested lists, and of mappings their `name` or else their keys."""
    if isinstance(value, dict):
        yield from [line(value["name"])] if line(value.get("name")) else map(str, value)
    elif isinstance(value, list):
        for child in value:
            yield from _flat(child)
    else:
        yield line(value)


def _unique(names: Iterable[str]) -> list[str]:
    kept: dict[str, str] = {}
    for name in filter(None, map(line, names)):
        kept.setdefault(name.casefold(), name)
    return list(kept.values())
