"""The category, the tags and the authors of an item, and the terms of a blog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from blogapi.importing.format_api.article_record import AuthorRecord, TermRecord
from blogapi.importing.formats.wordpress.blog import Blog, is_mail_address, make_name, to_id
from blogapi.importing.formats.wordpress.custom_fields import count_name
from blogapi.importing.texts import languages
from blogapi.importing.texts.lines import list_distinct, to_line, to_plain_line
from blogapi.importing.texts.xml_elements import Element

_POLYLANG_DOMAINS = ("language", "post_translations")
_PRIMARY_CATEGORIES = ("_yoast_wpseo_primary_category", "rank_math_primary_category")
# The nicenames of the category that WordPress gives to posts without a category, in several languages.
_DEFAULT_CATEGORIES = (
    "uncategorized uncategorised unkategorisiert nicht-kategorisiert ohne-kategorie non-classe sin-categoria "
    "sem-categoria senza-categoria geen-categorie niet-gecategoriseerd okategoriserade ukategorisert "
    "ikke-kategoriseret luokittelematon bez-kategorii 未分类 未分類 без-рубрики без-категорії"
)
_DEFAULT_NICENAMES = frozenset(_DEFAULT_CATEGORIES.split())

ItemTerm = tuple[str, str]  # nicename and name


def list_terms(blogs: Iterable[Blog]) -> Iterator[TermRecord]:
    """Yield the categories and tags of blogs."""
    for blog in blogs:
        for (taxonomy, _), term in blog.terms.items():
            fields = {"description": term.description} if term.description else {}
            kind = "category" if taxonomy == "category" else "tag"
            parent = blog.terms.get((taxonomy, term.parent.casefold())) if kind == "category" else None
            above = _choose(parent.name, blog) if parent else ""
            yield TermRecord(kind=kind, name=_choose(term.name, blog), fields=fields, parent=above)


def read_terms(
    item: Element, blog: Blog, metas: Mapping[str, str], left_behind: Counter[str]
) -> tuple[str, tuple[str, ...]]:
    """Return the category and the tags of an item, and count its other terms as left behind.

    The category is the primary category, or else the first one that is not the default category. Other
    categories become tags.
    """
    by_domain = _group_by_domain(item, blog, left_behind)
    categories, tags = by_domain["category"], by_domain["post_tag"]
    primary = _find_primary(categories, blog, metas)
    others = [term for term in categories if term is not primary and not _is_default(term)]
    dropped = [term for term in categories if term is not primary and _is_default(term)]
    if dropped:
        left_behind["default categories of posts with another category"] += len(dropped)
    names = [name for _, name in (*others, *tags)]
    return primary[1] if primary else "", list_distinct(names)


def read_language(item: Element, metas: Mapping[str, str]) -> tuple[str, str]:
    """Return the language of an item and its translation key in Polylang or WPML; "" for a missing value.

    WPML writes both into its export of posts.
    """
    terms = {
        child.attributes.get("domain", ""): to_line(unquote(child.attributes.get("nicename", "")))
        for child in item.list_children("category")
    }
    language, key = (terms.get(name, "") for name in _POLYLANG_DOMAINS)
    language = languages.read_language(language or metas.get("_wpml_import_language_code", ""))
    return language, (key or metas.get("_wpml_import_translation_group", ""))[:255] if language else ""


def read_authors(item: Element, blog: Blog) -> tuple[AuthorRecord, ...]:
    """Return the authors of an item: those of Co-Authors Plus, or else its creator."""
    elements = [
        child for child in item.list_children("category") if child.attributes.get("domain") == "author"
    ]
    authors = [_get_co_author(element, blog) for element in elements]
    authors = authors or [_get_author(to_line(item.get_text("dc:creator")), blog)]
    distinct = {author.name.casefold(): author for author in reversed(authors) if author}
    return tuple(reversed(distinct.values()))


def _get_author(creator: str, blog: Blog) -> AuthorRecord | None:
    # Texts such as `>ada` occur in files that were edited by hand.
    login = to_plain_line(creator).strip("<> ")
    known = blog.authors.get(login.casefold())
    return known or (AuthorRecord(name=make_name(login)) if login else None)


def _get_co_author(element: Element, blog: Blog) -> AuthorRecord | None:
    nicename = to_line(unquote(element.attributes.get("nicename", ""))).removeprefix("cap-")
    name = to_plain_line(element.text)
    known = blog.authors.get(name.casefold()) or blog.authors.get(nicename.casefold())
    name = name if name and not is_mail_address(name) else make_name(nicename)
    return known or (AuthorRecord(name=name) if name else None)


def _group_by_domain(item: Element, blog: Blog, left_behind: Counter[str]) -> dict[str, list[ItemTerm]]:
    found: dict[str, dict[str, ItemTerm]] = {"category": {}, "post_tag": {}}
    without_domain: dict[str, ItemTerm] = {}
    for element in item.list_children("category"):
        domain = element.attributes.get("domain", "")
        nicename = to_line(unquote(element.attributes.get("nicename", "")))
        term = (nicename, _choose(to_plain_line(element.text), blog) or nicename)
        if not term[1]:
            continue
        # WXR 1.0 repeats each tag and category without its nicename, or without its domain.
        if not domain:
            without_domain.setdefault(term[1], term)
        elif domain in ("post_tag", "tag", "category"):
            found["category" if domain == "category" else "post_tag"].setdefault(term[1], term)
        elif domain not in ("author", *_POLYLANG_DOMAINS):
            count_name(left_behind, "terms of the taxonomy", to_line(domain))
    if not any(found.values()):
        found["category"] = without_domain
    return {taxonomy: list(terms.values()) for taxonomy, terms in found.items()}


def _find_primary(categories: list[ItemTerm], blog: Blog, metas: Mapping[str, str]) -> ItemTerm | None:
    for name in _PRIMARY_CATEGORIES:
        marked = to_id(metas.get(name, "").strip())
        for term in categories:
            known = blog.terms.get(("category", term[0].casefold()))
            if marked and known and known.id == marked:
                return term
    others = (term for term in categories if not _is_default(term))
    return next(others, categories[0] if categories else None)


def _is_default(term: ItemTerm) -> bool:
    return (term[0] or term[1]).casefold() in _DEFAULT_NICENAMES


def _choose(name: str, blog: Blog) -> str:
    return to_line(blog.select_language(name)[0])
