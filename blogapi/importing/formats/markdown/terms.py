"""Read authors, categories and tags in all forms that generators use, and Hugo's pages about terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from blogapi.importing.format_api import privacy
from blogapi.importing.format_api.article_record import AuthorRecord, TermRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry, read_bytes
from blogapi.importing.formats.markdown import front_matter, paths
from blogapi.importing.formats.markdown.front_matter import FrontMatter
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts import lines
from blogapi.parsing import is_web_address
from blogapi.rendering.slugs import make_term_key

# The keys of a mapping that describes an author, by the field of AuthorRecord.
_AUTHOR_KEYS = {
    "name": ("name", "displayname", "fullname", "login", "username", "nickname", "slug", "key", "id"),
    "bio": ("bio", "description", "about"),
    "url": ("url", "website", "homepage", "site", "link", "uri"),
    "avatar": ("avatar", "image", "picture", "photo", "imageurl", "avatarurl", "profileimage"),
}
_MARKDOWN_LINK = re.compile(r"\[([^\[\]]{1,1000})\]\(([^()\s]{0,2048})\)")
_MAIL_IN_BRACKETS = re.compile(r"(?<!\s)\s*+<[^<>@\s]{1,64}@[^<>@\s]{1,255}>")
_MAIL_ADDRESS = re.compile(r"([^<>@\s]{1,64})@[^<>@\s]{1,255}")
# Values that switch the byline of a theme off or on.
_NOBODY_VALUES = {"true", "false", "none", "null"}
_MAX_BIO_LENGTH = _MAX_DESCRIPTION_LENGTH = 10_000
_MAX_TITLE_LENGTH = 200
# The folders of the pages of terms in Hugo, with the kinds of the terms.
_TERM_FOLDERS = {"tags": "tag", "tag": "tag", "categories": "category", "category": "category"}


def read_authors(fields: FrontMatter) -> tuple[AuthorRecord, ...]:
    """Return the authors of an article, each once, in the order of the source.

    A text in `author` is one author, unless it contains Markdown links; a text in `authors` is a list,
    separated by semicolons or commas. Mail addresses are left out.
    """
    singular = _read_author_value(fields.take_value("author", "params.author", "extra.author"), is_list=False)
    plural = _read_author_value(
        fields.take_value("authors", "params.authors", "extra.authors", "taxonomies.authors"), is_list=True
    )
    unique: dict[str, AuthorRecord] = {}
    for author in (*singular, *plural):
        unique.setdefault(author.name.casefold(), author)
    return tuple(unique.values())


def _read_author_value(value: object, *, is_list: bool) -> Iterator[AuthorRecord]:
    if isinstance(value, list):
        for child in value:
            yield from _read_author_value(child, is_list=False)
    elif isinstance(value, dict):
        yield from read_author_mapping(value)
    elif (text := lines.to_line(value)).casefold() not in _NOBODY_VALUES:
        separator = ";" if ";" in text else ","
        if _MARKDOWN_LINK.search(text):
            # `[Ada](https://…) (Company, City), [Grace](https://…)`
            is_list, separator = True, r"(?<=\)),\s|(?<=\))\s+(?:and|&)\s+"
        yield from filter(None, map(_parse_author, re.split(separator, text) if is_list else [text]))


def read_author_mapping(mapping: Mapping[object, object]) -> Iterator[AuthorRecord]:
    """Yield the author whom a mapping describes, or the authors in `{ada: {name: Ada}}`."""
    entries = {lines.normalize_key(key): value for key, value in mapping.items() if not lines.is_empty(value)}
    found = {
        field: (lines.to_plain_line(entries.get(key)) for key in keys) for field, keys in _AUTHOR_KEYS.items()
    }
    texts = {field: next(filter(None, values), "") for field, values in found.items()}
    author = _parse_author(texts.pop("name"))
    if author is None:
        # `{ada: {name: Ada}}`: the keys are the ids of the authors.
        for key, value in mapping.items():
            if isinstance(value, dict):
                yield from read_author_mapping({"id": key, **value})
        return
    yield AuthorRecord(
        name=author.name,
        bio=texts["bio"] if len(texts["bio"]) <= _MAX_BIO_LENGTH else "",
        url=_to_web_address(texts["url"]),
        avatar=_to_web_address(texts["avatar"]),
    )


def _parse_author(text: str) -> AuthorRecord | None:
    """Return the author in a text, with the address of a Markdown link; None if the text names nobody."""
    link = _MARKDOWN_LINK.search(text)
    name, address = (link[1], _to_web_address(link[2])) if link else (text, "")
    name = lines.to_plain_line(_MAIL_IN_BRACKETS.sub("", name))
    mail = _MAIL_ADDRESS.fullmatch(name)
    name = mail[1] if mail else name
    return AuthorRecord(name=name, url=address) if name else None


def _to_web_address(text: str) -> str:
    return text if len(text) <= lines.MAX_URL_LENGTH and is_web_address(text) else ""


def read_terms(
    fields: FrontMatter, options: ImportOptions, *, split_spaces: bool, folders: Sequence[str], is_hexo: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the category after its parents, outermost first (() if there is none), and the tags.

    If there are several categories, the first is kept and the others become tags. With `split_spaces`,
    `tags: a b` is two names, as in Jekyll. The fields `tag` and `category` are never split at spaces.
    `folders` are the folders of the file that can be terms, outermost first. In Hexo, a list of categories is
    one path, and a list of lists is several. `options.tags_from` and `options.category_from` name further
    sources: a field, `folder` (the innermost of `folders`) or `section` (the outermost).
    """
    used = {lines.normalize_key(name) for name in (*options.tags_from, *options.category_from)}

    def take_names(*names: str, at_spaces: bool = False) -> list[str]:
        unused = (name for name in names if name not in used)
        return [name for field in unused for name in _split_names(fields.take_value(field), at_spaces)]

    def take_source_names(sources: Sequence[str], *, at_spaces: bool = False) -> Iterator[str]:
        for source in sources:
            if source in ("folder", "section"):
                yield from folders[-1:] if source == "folder" else folders[:1]
            else:
                yield from _split_names(fields.take_value(lines.normalize_key(source)), at_spaces)

    extra_tags = [*take_source_names(options.tags_from, at_spaces=split_spaces)]
    single = [*take_source_names(options.category_from), *take_names("category", "taxonomies.category")]
    paths: list[tuple[str, ...]] = [(name,) for name in _clean_names(single)]
    if "categories" not in used:
        value = fields.take_value("categories")
        # In lists of lists, which only Hexo has, a single name is a path too.
        if isinstance(value, list) and any(isinstance(child, list) for child in value):
            paths += (tuple(_flatten_names(child)) for child in value)
        elif isinstance(value, list) and is_hexo:
            paths.append(tuple(_flatten_names(value)))
        else:
            paths += ((name,) for name in _split_names(value, split_spaces))
    paths += [(name,) for name in take_names("taxonomies.categories", at_spaces=split_spaces)]
    paths = [path for path in map(_clean_names, paths) if path]
    categories = _clean_names(path[-1] for path in paths)
    if len(categories) > 1 and not options.category_from:
        others = ", ".join(f"“{name}”" for name in categories[1:])
        fields.add_note(
            f"An article has only one category here: “{categories[0]}” was kept, and {others} became tags."
        )
    listed = take_names("tags", "taxonomies.tags", at_spaces=split_spaces)
    tags = _clean_names([*extra_tags, *listed, *take_names("tag")])
    keywords = () if tags else _clean_names(take_names("keywords"))
    if keywords:
        fields.add_note("It has no tags; its keywords became tags.")
    return next(iter(paths), ()), _clean_names([*tags, *keywords, *categories[1:]])


def _split_names(value: object, split_spaces: bool = False) -> list[str]:
    if not isinstance(value, str):
        return list(_flatten_names(value))
    return value.split(",") if "," in value else value.split() if split_spaces else [value]


def _flatten_names(value: object) -> Iterator[str]:
    """Yield the names in nested lists. A mapping yields its `name` or, without a `name`, its keys."""
    if isinstance(value, dict):
        yield from [lines.to_line(value["name"])] if lines.to_line(value.get("name")) else map(str, value)
    elif isinstance(value, list):
        for child in value:
            yield from _flatten_names(child)
    else:
        yield lines.to_line(value)


def _clean_names(names: Iterable[str]) -> tuple[str, ...]:
    # Notes of Obsidian and Logseq have tags such as `#recipe`.
    return lines.drop_duplicates(lines.to_line(name).lstrip("# ") for name in names)


def read_term_page(entry: Entry, names: Mapping[tuple[str, str], str]) -> TermRecord | None:
    """Return the description of a term; None if the file is no page of a term, or if no article has the term.

    `names` has the names of terms by kind and slug. A page that is private or cannot be read is ignored.
    """
    *_, plural, last, _ = ("", "", *entry.key.split("/"))
    kind = _TERM_FOLDERS.get(plural.casefold())
    if kind is None or entry.problem or not paths.is_section(entry.key) or paths.get_language(entry.key):
        return None
    name = names.get((kind, make_term_key(last)))
    if name is None:
        return None
    try:
        parsed = front_matter.parse_file(lines.decode_text(read_bytes(entry.path))[0])
    except RefusedFile:
        return None
    if parsed.problem or any(privacy.find_draft_reasons_in_front_matter(parsed.entries)):
        return None
    values = {lines.normalize_key(key): value for key, value in parsed.entries.items()}
    title = lines.to_line(values.get("title"))[:_MAX_TITLE_LENGTH]
    description = lines.to_line(values.get("description")) or lines.to_plain_line(parsed.body)
    fields = {
        "description": description[:_MAX_DESCRIPTION_LENGTH],
        "seo_title": title if make_term_key(title or name) != make_term_key(name) else "",
        "cover_image": lines.to_http_url(values.get("image") or values.get("cover")),
    }
    return TermRecord(kind=kind, name=name, fields={key: text for key, text in fields.items() if text})
