"""Convert the items of a WordPress blog to article records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any
from urllib.parse import quote, unquote

from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord, TermRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.wordpress import item_fields
from blogapi.importing.formats.wordpress.blog import (
    Blog,
    get_blog_address,
    is_mail_address,
    make_author_name,
    split_url,
    to_id,
)
from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.item_fields import count_comments, count_name
from blogapi.importing.formats.wordpress.post_text import convert_text
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.texts import languages, lines
from blogapi.importing.texts.media_references import MAX_ALT_LENGTH
from blogapi.importing.texts.messages import IMPORT_TIME_NOTE, join_counts
from blogapi.importing.texts.titles import choose_title, extract_slug
from blogapi.importing.texts.xml_elements import Element
from blogapi.rendering.slugs import MAX_SLUG_LENGTH, make_slug

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

_MAX_FORMER_SLUGS = 100
# Titles and excerpts are truncated at this length, because cleaning them takes time.
_MAX_LINE_LENGTH = 20_000


def list_terms(blogs: Iterable[Blog]) -> Iterator[TermRecord]:
    for blog in blogs:
        for (taxonomy, _), term in blog.terms.items():
            fields = {"description": term.description} if term.description else {}
            kind = "category" if taxonomy == "category" else "tag"
            parent = blog.terms.get((taxonomy, term.parent.casefold())) if kind == "category" else None
            above = _localize_name(parent.name, blog) if parent else ""
            yield TermRecord(kind=kind, name=_localize_name(term.name, blog), fields=fields, parent=above)


def read_terms(
    item: Element, blog: Blog, metas: Mapping[str, str], left_behind: Counter[str]
) -> tuple[str, tuple[str, ...]]:
    """Return the category and the tags of an item, and count its other terms as left behind.

    The category is the primary category, or else the first non-default one. Other categories become tags.
    """
    by_domain = _group_by_domain(item, blog, left_behind)
    categories, tags = by_domain["category"], by_domain["post_tag"]
    known = {term: blog.terms.get(("category", term[0].casefold())) for term in categories}
    marked = [to_id(metas.get(name, "").strip()) for name in _PRIMARY_CATEGORIES]
    chosen = (term for id_ in marked for term in categories if id_ and (it := known[term]) and it.id == id_)
    ordinary = [term for term in categories if (term[0] or term[1]).casefold() not in _DEFAULT_NICENAMES]
    primary = next(chain(chosen, ordinary, categories), None)
    dropped = [term for term in categories if term is not primary and term not in ordinary]
    if dropped:
        left_behind["default categories of posts with another category"] += len(dropped)
    names = [term[1] for term in (*ordinary, *tags) if term is not primary]
    return primary[1] if primary else "", lines.drop_duplicates(names)


def read_item_language(item: Element, metas: Mapping[str, str]) -> tuple[str, str]:
    """Return the language of an item and its translation key in Polylang or WPML; "" for a missing value.

    WPML writes the language and the key into its export of posts.
    """
    terms = {
        child.attributes.get("domain", ""): lines.to_line(unquote(child.attributes.get("nicename", "")))
        for child in item.list_children("category")
    }
    language, key = (terms.get(name, "") for name in _POLYLANG_DOMAINS)
    language = languages.read_language(language or metas.get("_wpml_import_language_code", ""))
    return language, (key or metas.get("_wpml_import_translation_group", ""))[:255] if language else ""


def read_authors(item: Element, blog: Blog) -> tuple[AuthorRecord, ...]:
    """Return the authors of an item: the authors in the plugin Co-Authors Plus, or else the creator."""
    terms, authors = item.list_children("category"), []
    elements = [term for term in terms if term.attributes.get("domain") == "author"]
    for element in elements:
        nicename = lines.to_line(unquote(element.attributes.get("nicename", ""))).removeprefix("cap-")
        name = lines.to_plain_line(element.text)
        known = blog.authors.get(name.casefold()) or blog.authors.get(nicename.casefold())
        name = name if name and not is_mail_address(name) else make_author_name(nicename)
        authors.append(known or (AuthorRecord(name=name) if name else None))
    if not elements:
        # Files that were edited by hand can contain texts such as `>ada`.
        login = lines.to_plain_line(lines.to_line(item.get_text("dc:creator"))).strip("<> ")
        known = blog.authors.get(login.casefold())
        authors.append(known or (AuthorRecord(name=make_author_name(login)) if login else None))
    distinct = {author.name.casefold(): author for author in reversed(authors) if author}
    return tuple(reversed(distinct.values()))


def _group_by_domain(item: Element, blog: Blog, left_behind: Counter[str]) -> dict[str, list[ItemTerm]]:
    found: dict[str, dict[str, ItemTerm]] = {"category": {}, "post_tag": {}}
    without_domain: dict[str, ItemTerm] = {}
    for element in item.list_children("category"):
        domain = element.attributes.get("domain", "")
        nicename = lines.to_line(unquote(element.attributes.get("nicename", "")))
        term = (nicename, _localize_name(lines.to_plain_line(element.text), blog) or nicename)
        if not term[1]:
            continue
        # WXR 1.0 repeats each tag and category without its nicename, or without its domain.
        if not domain:
            without_domain.setdefault(term[1], term)
        elif domain in ("post_tag", "tag", "category"):
            found["category" if domain == "category" else "post_tag"].setdefault(term[1], term)
        elif domain not in ("author", *_POLYLANG_DOMAINS):
            count_name(left_behind, "terms of the taxonomy", lines.to_line(domain))
    if not any(found.values()):
        found["category"] = without_domain
    return {taxonomy: list(terms.values()) for taxonomy, terms in found.items()}


def _localize_name(name: str, blog: Blog) -> str:
    return lines.to_line(blog.select_language(name)[0])


@dataclass(slots=True)
class RecordMaker:
    """Makes records from the items of one blog, and counts the items that are not imported."""

    blog: Blog
    address: str  #: host and path of the blog; "" = unknown
    options: ImportOptions
    left_behind: Counter[str]  #: the numbers of items that are not imported, by their name in the report
    language: str = ""  #: the language of the texts that are read; "" = the language of the blog
    author_names: set[str] = field(default_factory=set)  #: the names of authors in the records so far

    def make_key(self, item: Element, id_name: str = "wp:post_id") -> str:
        """Return the key of an item, or of the item whose id its element `id_name` contains."""
        id_ = to_id(item.get_text(id_name))
        name = str(id_) if id_ else f"{item.get_text('link')} {item.get_text('title')}"[:500]
        return f"wordpress:{quote(self.address, safe='')}:{quote(name, safe='', errors='replace')}"

    def make_records(self, item: Element, entry: Entry) -> Iterator[ArticleRecord]:
        """Yield the record of an item, and one for each further language of its text; see `make_record`."""
        yield self.make_record(item, entry)
        for language in self._list_languages(item)[1:]:
            # This maker gets its own counter, because the first record has already counted the item.
            maker = RecordMaker(self.blog, self.address, self.options, Counter(), language)
            record, root = maker.make_record(item, entry), self.address.partition("/")[2]
            root = f"/{root}" if root else ""
            paths = [path.removeprefix(root) for path in record.addresses if "?" not in path]
            # In the plugin qTranslate, an address begins with the language.
            addresses = tuple(f"{root}/{language}{path}" for path in paths)
            yield replace(
                record,
                key=f"{record.key}:{language}",
                slug=languages.add_language(record.slug, language) if record.slug else "",
                former_slugs=(),
                former_paths=addresses if record.former_paths else (),
                addresses=addresses,
            )

    def _list_languages(self, item: Element) -> list[str]:
        """Return the languages of an item whose texts become articles, the language of the blog first."""
        codes = self.blog.list_languages(item.get_text("content:encoded"))
        known = [code for code in codes if languages.read_language(code)]
        return known if known[:1] == codes[:1] else []

    def make_record(self, item: Element, entry: Entry) -> ArticleRecord:
        """Return the record of an item.

        Counts an item that is not imported, and raises NotAnArticle; raises RefusedFile for a broken item.
        """
        post_type = item.get_text("wp:post_type") or "post"
        count_comments(item, self.left_behind)
        self._check_can_be_imported(item, post_type)
        # The first value of a repeated field is used.
        metas = dict(reversed(item_fields.list_custom_fields(item)))
        own = item_fields.read_custom_fields(item, self.options.custom_fields, self.left_behind)
        notes: list[str] = []
        texts = self._read_texts(item, metas, notes)
        date = item_fields.find_date(item, self.blog.offset, self.options.zones)
        status, reason = item_fields.decide_status(item, metas, date, self.options.now, texts.pop("hidden"))
        if status == "published" and date is None:
            notes.append(IMPORT_TIME_NOTE)
        language, translation_key = read_item_language(item, metas)
        found = self._list_languages(item)
        if len(found) > 1:
            language, translation_key = self.language or found[0], self.make_key(item)[:255]
        category, tags = read_terms(item, self.blog, metas, self.left_behind)
        is_tagged = post_type in ("post", "page") or post_type.casefold() in map(str.casefold, tags)
        authors = read_authors(item, self.blog)
        self.author_names.update(author.name for author in authors)
        addresses = tuple(dict.fromkeys(self._list_addresses(item, post_type)))
        has_parent, order = to_id(item.get_text("wp:post_parent")), item.get_text("wp:menu_order").strip()
        former_slugs = () if status == "draft" else _read_former_slugs(item, texts["slug"], notes)
        is_page, cover_id = post_type == "page", to_id(metas.get("_thumbnail_id", ""))
        cover = self.blog.attachments.get(cover_id)
        if cover and not lines.to_http_url(cover.url):
            notes.append(f"Its cover “{cover.url[:100]}” was left out: it is not an http(s) URL.")
            cover = None
        elif cover_id and not cover:
            notes.append(f"Its cover (the media file {cover_id}) is not in the export; export “All content”.")
        variables = {"title": texts["title"], "excerpt": texts["excerpt"], "category": category}
        variables["sitename"] = lines.to_plain_line(self.blog.channel_texts.get("title", ""))
        seo, omitted = item_fields.read_seo_fields(metas, variables, item.get_text("link"))
        return ArticleRecord(
            key=self.make_key(item),
            source=entry.key,
            **own,
            path=entry.path,
            content_type="html",
            status=status,
            published_at=date,
            category=category,
            tags=tags if is_tagged else (*tags, post_type),
            is_page=is_page,
            parent_key=self.make_key(item, "wp:post_parent") if is_page and has_parent else "",
            position=int(order[:9]) if is_page and order.isdecimal() else 0,
            authors=authors,
            featured=item.get_text("wp:is_sticky") == "1",
            robots=item_fields.read_robots(metas),
            language=language,
            translation_key=translation_key,
            former_slugs=former_slugs,
            former_paths=() if status == "draft" else addresses,
            addresses=addresses,
            **texts,
            cover_image=cover.url if cover else "",
            cover_alt=cover.alt[:MAX_ALT_LENGTH] if cover else "",
            **seo,
            notes=tuple(dict.fromkeys([*filter(None, [reason]), *notes, *omitted])),
        )

    def _check_can_be_imported(self, item: Element, post_type: str) -> None:
        if post_type == "attachment":
            raise NotAnArticle("It is a media file.")
        reason = item_fields.LEFT_BEHIND_STATUSES.get(item.get_text("wp:status"), "")
        if reason and self.make_key(item) in self.options.imported_keys:
            reason = ""
        reason = "revisions" if post_type == "revision" else reason
        if not reason and post_type not in ("post", "page", *self.options.post_types):
            count_name(self.left_behind, "items of the type", lines.to_line(post_type))
            raise NotAnArticle("Its type is not imported.")
        if reason:
            self.left_behind[reason] += 1
            raise NotAnArticle(f"Not imported: {reason}.")
        if item.is_too_large:
            raise RefusedFile("The item is longer than 32,000,000 characters; shorten it in WordPress.")

    def _read_texts(self, item: Element, metas: dict[str, str], notes: list[str]) -> dict[str, Any]:
        """Return the texts of an item; `hidden` is the reason for a draft in the text, or ""."""
        sources = [item.get_text("content:encoded")]
        sources += (item.get_text(name)[:_MAX_LINE_LENGTH] for name in ("excerpt:encoded", "title"))
        selected = [self.blog.select_language(text, self.language) for text in sources]
        content, excerpt, title = (text for text, _ in selected)
        others = dict.fromkeys(code for _, codes in selected for code in codes)
        other_languages = [code for code in others if code not in self._list_languages(item)]
        conversion = Conversion(
            get_attachment=self.blog.attachments.get,
            uploads=self.blog.list_uploads(to_id(item.get_text("wp:post_id"))),
            get_pattern=lambda id_: self.blog.patterns.get(id_, ""),
            footnotes=metas.get("footnotes", ""),
        )
        converted = convert_text(content, conversion, excerpt)
        title, slug = lines.to_title(title), _read_slug(item)
        if not title:
            title = choose_title(lines.html_to_line(converted.html), slug)
            notes.append(f"It has no title; it got the title “{title}”.")
        if other_languages:
            notes.append(f"Its text in other languages ({', '.join(other_languages)}) was left out.")
        notes += converted.notes
        if converted.unconverted:
            names = join_counts(converted.unconverted)
            notes.append(f"Its text has shortcodes or blocks that could not be converted: {names}.")
        guesses = {guess.name.casefold(): guess for guess in item_fields.find_guesses_in_fields(item)}
        return {
            "title": title,
            "excerpt": lines.to_plain_line(excerpt) or converted.excerpt,
            "slug": slug,
            "content": converted.html,
            "left_out": tuple(converted.left_out),
            "hidden": converted.hidden,
            "guesses": tuple((guesses | converted.guesses).values()),
        }

    def _list_addresses(self, item: Element, post_type: str) -> Iterator[str]:
        texts = (self.blog.channel_texts.get(name, "") for name in ("link", "wp:base_blog_url"))
        own = {self.address, *map(get_blog_address, texts)}
        # Exports of Squarespace have links without a host.
        hosts = {"", *(address.partition("/")[0].removeprefix("www.") for address in own)}
        for url in (item.get_text("link"), item.get_text("guid")):
            host, path, query = split_url(url)
            # `?p=3` leads to the item 3, even if it is the guid of another item.
            if host.removeprefix("www.") in hosts and path.startswith("/") and path != "/" and not query:
                yield path
        id_ = to_id(item.get_text("wp:post_id"))
        root = self.address.partition("/")[2]
        if id_:
            yield f"/{f'{root}/' if root else ''}?{'page_id' if post_type == 'page' else 'p'}={id_}"


def _read_slug(item: Element) -> str:
    slug = lines.to_line(unquote(item.get_text("wp:post_name"), errors="replace"))
    if item.get_text("wp:status") == "trash":
        slug = slug.removesuffix("__trashed")
    # Squarespace writes the path of the post: `2023/04/my-post.html`.
    return extract_slug(slug) if "/" in slug or "." in slug else slug


def _read_former_slugs(item: Element, slug: str, notes: list[str]) -> tuple[str, ...]:
    old = [value for name, value in item_fields.list_custom_fields(item) if name == "_wp_old_slug"]
    former = dict.fromkeys(lines.to_line(unquote(value, errors="replace")) for value in old)
    # Making a slug is slow, and few posts have former slugs.
    current = make_slug(slug) if slug and former else slug
    others = [other for other in former if other not in ("", current)][:_MAX_FORMER_SLUGS]
    usable = [other for other in others if make_slug(other, max_length=MAX_SLUG_LENGTH, default="-") == other]
    for other in [other for other in others if other not in usable][:1]:
        notes.append(f"There is no redirect from “{other[:100]}”, because it is not a slug.")
    return tuple(usable)
