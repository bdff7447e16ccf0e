"""Read categories and tags in all forms that static site generators use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from blogapi.transfer.markdown.fields import Fields
from blogapi.transfer.markdown.text import to_line


def read_terms(fields: Fields, *, split_at_spaces: bool) -> tuple[str, tuple[str, ...]]:
    """Return the category ("" if there is none) and the tags of an article.

    If there are several categories, the first is kept and the others become tags. With `split_at_spaces`,
    `tags: a b` is two names, as in Jekyll. The fields `tag` and `category` are never split at spaces.
    """
    singular = _to_names(fields.take("category", "taxonomies.category"))
    plural = _take_plural(fields, split_at_spaces, "categories", "taxonomies.categories")
    categories = _unique([*singular, *plural])
    if len(categories) > 1:
        others = ", ".join(f"“{name}”" for name in categories[1:])
        fields.add_note(
            f"An article has only one category here: “{categories[0]}” was kept, and {others} became tags."
        )
    tags = _unique([*_take_tags(fields, split_at_spaces), *categories[1:]])
    return next(iter(categories), ""), tuple(tags)


def _take_tags(fields: Fields, split_at_spaces: bool) -> list[str]:
    plural = _take_plural(fields, split_at_spaces, "tags", "taxonomies.tags")
    tags = _unique([*plural, *_to_names(fields.take("tag"))])
    if tags:
        return tags
    keywords = _unique(_take_plural(fields, False, "keywords"))
    if keywords:
        fields.add_note("It has no tags; its keywords became tags.")
    return keywords


def _take_plural(fields: Fields, split_at_spaces: bool, *keys: str) -> list[str]:
    return [name for key in keys for name in _to_names(fields.take(key), split_at_spaces)]


def _to_names(value: object, split_at_spaces: bool = False) -> list[str]:
    if not isinstance(value, str):
        return list(_flatten(value))
    return value.split(",") if "," in value else value.split() if split_at_spaces else [value]


def _flatten(value: object) -> Iterator[str]:
    """Yield the names in nested lists. A mapping yields its `name` or, without a `name`, its keys."""
    if isinstance(value, dict):
        yield from [to_line(value["name"])] if to_line(value.get("name")) else map(str, value)
    elif isinstance(value, list):
        for child in value:
            yield from _flatten(child)
    else:
        yield to_line(value)


def _unique(names: Iterable[str]) -> list[str]:
    unique: dict[str, str] = {}
    for name in filter(None, map(to_line, names)):
        unique.setdefault(name.casefold(), name)
    return list(unique.values())
