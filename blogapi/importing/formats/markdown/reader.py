"""Read the files of other blogs (Jekyll, Hugo, Hexo, Zola, Pelican, Nikola, …) into article records."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from blogapi.importing.format_api import privacy, privacy_signs
from blogapi.importing.format_api.article_record import ArticleRecord, Guess
from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.format_api.source import DEFINE_NONE, ImportOptions
from blogapi.importing.format_api.source_files import MAX_OUTER_FOLDERS, Entry, read_bytes, read_head
from blogapi.importing.formats.markdown import (
    article_fields,
    front_matter,
    generators,
    paths,
    permalinks,
    site_rules,
    unbuilt_files,
)
from blogapi.importing.formats.markdown.article_fields import decide_publication
from blogapi.importing.formats.markdown.front_matter import UNREPORTED_KEYS, FrontMatter
from blogapi.importing.formats.markdown.generators import GeneratorSite
from blogapi.importing.formats.markdown.site_rules import SiteRules
from blogapi.importing.formats.markdown.terms import read_authors, read_terms
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.templates import mdx
from blogapi.importing.texts import lines, titles
from blogapi.importing.texts.messages import join_names
from blogapi.rendering.renderer import list_headings
from blogapi.rendering.sanitizer import to_safe_html

_NO_RULES = SiteRules()
# The number of characters of a text in which its heading is looked for.
_MAX_HEADING_OFFSET = 10_000
# The mappings in front matter that contain custom fields: of Zola, of Hugo, and of exports of blogapi.
_CUSTOM_FIELD_MAPPINGS = ("extra", "params", "custom")
_TEXT_FIELD_TYPES = {"text", "long_text", "url"}
# The fields that name the folder of the media of an article, in the Jekyll theme Chirpy.
_MEDIA_FOLDER_FIELDS = ("mediasubpath", "imgpath")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContext:
    """The context of a file: its site, and the rules and reasons that follow from its folders."""

    path: Path = Path()
    site: GeneratorSite | None = None
    reasons: Sequence[DraftReason] = ()  #: why the folders make the article a draft
    rules: SiteRules = _NO_RULES  #: the rules by which the generator of the site hides texts
    imported: Path = Path()  #: the folder that is imported
    is_note: bool = False  #: whether the file is a note of Obsidian or Logseq; see `site_rules`


_NO_CONTEXT = FileContext()


def read_article(entry: Entry, options: ImportOptions, folders: Sequence[str] | None = None) -> ArticleRecord:
    """Return the record of a file found by `walk_paths`; see `parse_article`.

    Names and section pages of the folders can make the article a draft. Only files of articles are opened.
    """
    if entry.problem:
        raise entry.problem
    if entry.key.casefold().endswith(".asc") and read_head(entry.path, 64).startswith(b"-----BEGIN PGP"):
        raise NotAnArticle("It is a key or a signature of OpenPGP.")
    paths.get_content_type(entry.key)
    if os.path.lexists(entry.path.with_suffix(".meta")):
        # The `.meta` file can say that the article is private.
        raise RefusedFile("Its fields are in a `.meta` file of Nikola; write them at the start of the text.")
    data = read_bytes(entry.path)
    depth = entry.key.count("/")
    # The imported folder can itself be in a folder of drafts.
    outer = entry.path.parents[depth:][:1]
    levels = depth + MAX_OUTER_FOLDERS
    site = find_site(entry)
    paths.refuse_unsupported_path(entry.path, entry.key, levels)
    context = FileContext(
        path=entry.path,
        imported=entry.path.parents[depth - 1] if depth else entry.path.parent,
        site=site,
        reasons=[
            *site_rules.find_folder_page_reasons(entry, site.generator if site else ""),
            *privacy.find_draft_reasons_in_folders(folder.name for folder in outer),
        ],
        rules=site_rules.read_site_rules(entry.key, entry.path.parent, site),
        is_note=site_rules.is_in_vault(entry.path.parent, levels),
    )
    return replace(parse_article(entry.key, data, options, context, folders), path=entry.path)


def find_site(entry: Entry) -> GeneratorSite | None:
    """Return the site of a file: the nearest folder with the configuration of a generator, or None."""
    return generators.find_site(entry.path.parent, entry.key.count("/") + MAX_OUTER_FOLDERS)


def parse_article(
    key: str,
    data: bytes,
    options: ImportOptions,
    context: FileContext = _NO_CONTEXT,
    folders: Sequence[str] | None = None,
) -> ArticleRecord:
    """Return the record of a file with the content `data`.

    `key` is the path with `/` as separator, which can contain a date and a slug. `folders` are the folders
    whose names can be terms; None = those in the key. Raises RefusedFile if the file cannot be imported, and
    NotAnArticle if it is not an article; no other exception is raised.
    """
    content_type = paths.get_content_type(key)
    text, notes = lines.decode_text(data)
    generator = context.site.generator if context.site else ""
    if content_type == "text":
        paths.refuse_unsupported_text(key, text, generator)
    parsed = front_matter.parse_file(text)
    fields = FrontMatter(parsed.entries, [*notes, *parsed.notes])
    is_repository_file = paths.is_repository_file(key) and not _is_page_of_folder(key, fields, context)
    skipped: list[DraftReason] = []
    try:
        _refuse_other_files(key, content_type, parsed, fields, is_repo_file=is_repository_file)
    except NotAnArticle as problem:
        if key not in options.imported_keys:
            raise
        skipped.append(DraftReason(str(problem)))
    path = paths.parse_path(key, keeps_date=generators.has_dates_in_addresses(context.site))
    categories, tags = read_terms(
        fields,
        options,
        split_spaces=path.has_date_prefix,
        folders=paths.list_term_folders(key) if folders is None else folders,
        is_hexo="hexo" in (generator, parsed.format) or "/source/_posts/" in f"/{key}",
    )
    authors = read_authors(fields)
    system = generator if generator == "jekyll" else parsed.format
    reasons = [*context.reasons, *skipped, *([DraftReason(parsed.problem)] if parsed.problem else [])]
    is_zola = generator == "zola"
    reasons += privacy.find_draft_reasons(parsed.entries, key, tags, system, builds_underscores=is_zola)
    reasons += [] if fields.all_entries else privacy.find_draft_reasons_in_text(parsed.body)
    if is_repository_file:
        note = "It has the name of a repository file (like README or LICENSE); the article became a draft."
        reasons.append(DraftReason(note))
    if site := context.site:
        reasons += unbuilt_files.find_unbuilt_reasons(context.path, site, parsed.entries, context.imported)
    reasons += unbuilt_files.find_summary_reasons(context.path, key.count("/"))
    reasons += site_rules.find_rule_reasons(parsed.body, content_type, context.rules, parsed.entries, tags)
    body, left_out = site_rules.remove_generator_comments(parsed.body, content_type, context.rules, fields)
    if context.is_note and not options.publish_undated:
        reasons += site_rules.find_vault_reasons(fields.all_entries)
    if site:
        reasons = [generators.to_guess_if_draft_is_shown(site, it) for it in reasons]
    guesses = {it.guess.casefold(): Guess(it.guess, it.note, it.is_new) for it in reasons if it.guess}
    reasons = [it for it in reasons if not it.guess]
    zones = generators.get_zones(context.site, options.time_zone)
    status, published_at = decide_publication(fields, path, reasons, options, zones)
    is_early = status == "published" and published_at and published_at > options.now
    if is_early and site and generators.shows_future_posts(site):
        fields.add_note(generators.SHOWN_EARLY_NOTE)
    texts = _read_texts(fields, body if content_type == "markdown" else "", path.name)
    slugs = (titles.extract_slug(fields.take_line(name)) for name in permalinks.ADDRESS_FIELDS)
    # Pelican derives addresses from titles; the other generators derive them from file names.
    derived = paths.make_pelican_slug(texts["title"]) if parsed.format == "pelican" else path.slug
    slug = next(filter(None, slugs), "") or derived
    former_slugs = permalinks.read_former_slugs(fields, slug)
    addresses = permalinks.read_addresses(fields)
    computed: tuple[str, ...] = ()
    if site and not any(fields.find_value(name) for name in ("permalink", "url")):
        # Some addresses contain all categories of the article.
        named = fields.find_value("categories") or fields.find_value("category")
        names = named if isinstance(named, list) else lines.to_line(named).split()
        parts = permalinks.AddressParts(
            name=path.name,
            slug=lines.to_line(fields.find_value("slug")),
            title=texts["title"],
            categories=[*filter(None, map(lines.to_line, names))],
            time=published_at and generators.get_local_time(site, published_at, options.time_zone),
        )
        computed = permalinks.compute_addresses(site, context.path, parts)
    language, translation_key = article_fields.read_language_and_translation_key(fields)
    # As in Jekyll, Hexo and Hugo, the front matter can say that the article is a page.
    kinds = (lines.to_line(fields.find_value(name)).casefold() for name in ("layout", "type"))
    is_page = paths.is_page_by_folder(key, is_dated=published_at is not None) or "page" in kinds
    is_page = is_page and not paths.is_in_post_folder(key)
    position = fields.take_line("weight", "navorder", "menuorder") if is_page else ""
    is_mdx = key.casefold().endswith(".mdx") or (generator == "docusaurus" and content_type == "markdown")
    return ArticleRecord(
        key=key,
        content=mdx.remove_code(body) if is_mdx else body,
        content_type=content_type,
        status=status,
        guesses=tuple(guesses.values()),
        published_at=published_at,
        category=next(iter(categories[-1:]), ""),
        categories_above=categories[:-1],
        tags=tags,
        authors=authors,
        **texts,
        featured=article_fields.read_featured(fields),
        robots=article_fields.read_robots(fields),
        language=language,
        translation_key=translation_key,
        is_page=is_page,
        position=int(position[:9]) if position.isdecimal() else 0,
        slug=slug,
        former_slugs=former_slugs,
        former_paths=addresses if is_page else tuple(dict.fromkeys((*addresses, *computed))),
        addresses=addresses,
        names=permalinks.read_aliases(fields),
        has_templates=True,
        left_out=tuple(left_out),
        is_mdx=is_mdx,
        generator=generator,
        media_folder=fields.take_line(*_MEDIA_FOLDER_FIELDS),
        # Custom fields are read last, because only unused fields become custom fields.
        **_read_custom_fields(fields, options),
        is_undated=not (published_at or fields.all_entries or reasons),
        notes=tuple(fields.notes),
    )


def _is_page_of_folder(key: str, fields: FrontMatter, context: FileContext) -> bool:
    if context.site and context.site.generator == "vuepress" and context.site.folder != context.path.parent:
        return paths.is_readme(key)
    is_dated = bool(fields.find_value("title") and fields.find_value("date"))
    # `posts/001-hello/README.md`
    is_in_posts = any(folder.casefold() in paths.POST_FOLDERS for folder in key.split("/")[:-2])
    return is_dated and paths.is_readme(key) and is_in_posts


def _refuse_other_files(
    key: str, content_type: str, parsed: front_matter.ParsedFile, fields: FrontMatter, *, is_repo_file: bool
) -> None:
    # A repository file with a title and a date can be a page of a wiki; it becomes a draft.
    if is_repo_file and not (fields.take_line("title") and fields.take_value("date")):
        raise NotAnArticle(paths.REPOSITORY_FILE_NOTE)
    if not fields.all_entries and not parsed.body.strip():
        raise RefusedFile("The file is empty; add a text or delete the file.")
    if content_type == "html" and parsed.format == "none" and not fields.all_entries:
        raise NotAnArticle("It is an HTML page without a head (front matter).")
    if lines.to_bool(fields.take_value("headless")):
        raise NotAnArticle("It is a headless bundle of Hugo, which has no page of its own.")
    if key.casefold().endswith(".excalidraw.md") or fields.find_value("excalidrawplugin"):
        raise NotAnArticle("It is a drawing of Excalidraw.")
    has_date = fields.find_value("date") or paths.parse_path(key).day
    is_page = not fields.take_line("title") or fields.find_value("layout") or fields.find_value("type")
    if not parsed.body.strip() and not has_date and is_page:
        raise NotAnArticle("It has no text and no date, like a page that only lists articles.")


def _read_texts(fields: FrontMatter, markdown: str, name: str) -> dict[str, Any]:
    cover, cover_alt = article_fields.read_cover(fields)
    title = lines.to_title(fields.take_line("title"))
    if not title:
        headings = list_headings(to_safe_html(markdown[:_MAX_HEADING_OFFSET], "markdown"))
        heading = next((lines.to_line(heading.text) for heading in headings if heading.level == 1), "")
        # A heading with a template tag is not used, because the value of the tag is unknown.
        title = "" if "{{" in heading or "{%" in heading else heading
        heading = "taken from the first heading, which stays in the text"
        fields.add_note(f"The title was {heading if title else 'made from the file name'}.")
        title = title or titles.make_title(name)
    url = fields.take_line("canonicalurl", "canonical", "seo.canonical", "seo.canonicalurl")
    if url and not lines.to_http_url(url):
        fields.add_note(
            f"The canonical URL “{url[:100]}” was ignored: it is not an http(s) URL "
            f"of at most {lines.MAX_URL_LENGTH:,} characters."
        )
    return {
        "title": title,
        "subtitle": lines.to_title(fields.take_line("subtitle")),
        "excerpt": lines.markdown_to_line(fields.take_line("excerpt", "summary", "description")),
        "cover_image": cover,
        "cover_alt": cover_alt,
        "seo_title": lines.to_title(fields.take_line("seotitle", "seo.title")),
        "seo_description": lines.to_plain_line(
            fields.take_line("seodescription", "seo.description", "description", "excerpt", "summary")
        ),
        "canonical_url": url if lines.to_http_url(url) else "",
    }


def _read_custom_fields(fields: FrontMatter, options: ImportOptions) -> dict[str, Any]:
    """Return the values of custom fields, and the entries for which fields could be defined."""
    custom_fields = options.custom_fields
    taken, others, ignored = dict[str, Any](), dict[str, Any](), []
    for outer, key, value in fields.list_unused_entries(_CUSTOM_FIELD_MAPPINGS):
        name = lines.normalize_key(key)
        rule = privacy_signs.FIELD_RULES.get(name)
        if custom_fields.find(key):
            taken.setdefault(key, value)
        elif (rule and not rule.others_are_public) or name in UNREPORTED_KEYS:
            continue
        else:
            types = custom_fields.guess_types(value)
            is_definable = types and not (types <= _TEXT_FIELD_TYPES and fields.repeats_used_value(value))
            if is_definable:
                others.setdefault(key, value)
            if not is_definable or options.define_fields == DEFINE_NONE:
                ignored.append((outer, key, value))
    left = ((outer, key) for outer, key, value in ignored if not fields.repeats_used_value(value))
    if names := [lines.to_line(f"{outer}.{key}" if outer else key)[:40] for outer, key in left]:
        sentence = "The field {} is left out." if len(names) == 1 else "The fields {} are left out."
        fields.add_note(sentence.format(join_names(names)))
    return {"custom": custom_fields.convert_entries(taken), "other_fields": others}
