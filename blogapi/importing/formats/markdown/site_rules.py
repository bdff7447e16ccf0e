"""Find the texts that a site hides: files in private folders, and comments and encrypted texts in files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from blogapi.importing.format_api import privacy
from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.format_api.privacy_signs import VAULT_PUBLISHING_FIELDS
from blogapi.importing.format_api.source_files import Entry, read_bytes
from blogapi.importing.formats.markdown import front_matter, paths
from blogapi.importing.formats.markdown.front_matter import FrontMatter
from blogapi.importing.formats.markdown.generators import GeneratorSite, list_configuration_files
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.templates.template_tags import find_comments, find_dead_branches
from blogapi.importing.templates.wiki_links import find_open_comment
from blogapi.importing.texts import lines
from blogapi.importing.texts.lines import decode_text, is_empty, normalize_key, to_bool, to_line, to_mapping
from blogapi.importing.texts.messages import format_count
from blogapi.rendering.hidden_elements import remove_spans

_MAX_DEPTH_IN_VAULT = 12

# The fields that make an `index.md` private together with the other files of its folder. Other privacy
# fields, such as `hidden` and `eleventyExcludeFromCollections`, also occur in the home page of a public blog.
_BUNDLE_FIELDS = lines.split_words("""draft isdraft headless published status build private isprivate secret
    encrypted password""")


def find_vault_reasons(entries: Mapping[str, object]) -> list[DraftReason]:
    """Return the reason for a draft if no field of a note makes the note public."""
    values = {normalize_key(key): to_bool(value) for key, value in entries.items()}
    if values.get("draft") is False or any(values.get(name) for name in VAULT_PUBLISHING_FIELDS):
        return []
    note = (
        "It is a note of Obsidian or Logseq without `publish: true`; the article became a draft "
        "(--publish-undated publishes it)."
    )
    return [DraftReason(note)]


# A folder is checked only once, and not again for each of its files.
@lru_cache(maxsize=1024)
def is_in_vault(folder: Path, levels: int) -> bool:
    """Return whether a folder is in a vault of Obsidian or Logseq that no generator (Quartz, …) publishes.

    Only `levels` folders are searched for the configuration of a generator; others belong to other sites.
    """
    folders = (folder, *folder.parents[:_MAX_DEPTH_IN_VAULT])
    vaults = ((it / ".obsidian").is_dir() or (it / "logseq/config.edn").is_file() for it in folders)
    number = next((number for number, is_vault in enumerate(vaults) if is_vault), None)
    return number is not None and not any(map(list_configuration_files, folders[number:levels]))


def find_folder_page_reasons(entry: Entry, generator: str = "") -> list[DraftReason]:
    """Return the reasons for a draft in the section pages and index pages of the folders of an article.

    Folders above the imported folder are not read. Zola publishes no page of a draft section. Hugo applies
    the fields in `cascade` to all pages below the section page, and publishes the files beside the `index.md`
    of a bundle only as a part of the bundle; in Pelican, these files have no effect on each other. A page in
    one language has no effect on files in another language.
    """
    language, is_index = paths.get_language(entry.key), paths.is_index(entry.key)
    reasons: list[DraftReason] = []
    for number, parent in enumerate(entry.path.parents[: entry.key.count("/")]):
        for page in _list_folder_pages(parent):
            is_section = paths.is_section(page.name)
            # The index pages of a folder are translations of each other, and each is an article of its own.
            if page == entry.path or (is_index and number == 0 and not is_section):
                continue
            if language and paths.get_language(page.name) not in ("", language):
                continue
            if generator == "pelican" and not is_section:
                continue
            kind = "section page" if is_section else "index page"
            note = (
                f"The {kind} “{page.name}” of its folder or an outer folder is private "
                "or unreadable; the article became a draft."
            )
            reasons += (replace(it, note=note) for it in _read_page_reasons(page, is_section=is_section))
    return reasons


# A folder is listed once in an import, not once for each of its files.
@lru_cache(maxsize=256)
def _list_folder_pages(parent: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(it for it in parent.iterdir() if paths.is_section(it.name) or paths.is_index(it.name))
    return []


# A page is read once, not once for each file below it.
@lru_cache(maxsize=256)
def _read_page_reasons(page: Path, *, is_section: bool) -> list[DraftReason]:
    """Return the reasons for a draft in a page; an unreadable page is a reason, because it can be private."""
    try:
        parsed = front_matter.parse_file(decode_text(read_bytes(page))[0])
    except RefusedFile:
        return [DraftReason("")]
    names = ("draft", "isdraft") if is_section else _BUNDLE_FIELDS
    inherited = [{key: value for key, value in parsed.entries.items() if normalize_key(key) in names}]
    for key, value in parsed.entries.items():
        if is_section and normalize_key(key) == "cascade":
            inherited += map(to_mapping, value if isinstance(value, list) else [value])
    found = map(privacy.find_draft_reasons_in_front_matter, inherited)
    # The pages of such a section are not built, so they become drafts even if the section is only unlisted.
    reasons = [replace(it, is_unlisted=False) for group in found for it in group]
    return [DraftReason(""), *reasons] if parsed.problem else reasons


@dataclass(frozen=True, slots=True)
class SiteRules:
    """The rules by which the generator of a site hides texts."""

    has_liquid: bool | None = False  #: whether `{% comment %}` is a comment; None = the generator is unknown
    is_vault: bool = False  #: whether `%%` begins a comment
    encrypted_tags: frozenset[str] = frozenset()  #: in lower case


def read_site_rules(key: str, folder: Path, site: GeneratorSite | None) -> SiteRules:
    has_liquid = site.generator in ("jekyll", "hexo", "eleventy") if site else None
    # Without a configuration, a file that is named like a post of Jekyll is treated as a post of Jekyll.
    if has_liquid is None and (paths.is_in_post_folder(key) or paths.parse_path(key).has_date_prefix):
        has_liquid = True
    is_vault = is_in_vault(folder, 0) or (site is not None and site.generator == "quartz")
    tags = to_mapping(site.settings.get("encrypt")).get("tags") if site else None
    # `- secret` or `- {name: secret, password: …}`; an empty password hides nothing.
    given = tags if isinstance(tags, list) else ()
    entries = (tag if isinstance(tag, dict) else {"name": tag} for tag in given)
    names = (tag.get("name") for tag in entries if tag.get("password") != "")
    return SiteRules(has_liquid, is_vault, frozenset(to_line(name).casefold() for name in names))


def remove_generator_comments(
    body: str, content_type: str, rules: SiteRules, fields: FrontMatter
) -> tuple[str, list[str]]:
    """Return the text without the comments of its generator, and these comments; add notes to `fields`."""
    if content_type == "text":
        return body, []
    parts: list[str] = []
    if rules.has_liquid:
        for find, name in ((find_comments, "comment"), (find_dead_branches, "if false")):
            if spans := find(body, content_type):
                parts += [body[slice(*span)] for span in spans]
                body, comments = remove_spans(body, spans), format_count(len(spans), "comment")
                fields.add_note(f"The import left out {comments} of the generator (`{{% {name} %}}`).")
    start = find_open_comment(body) if content_type == "markdown" else None
    # The plugin Digital Garden of Obsidian publishes the notes that have this field.
    if start is not None and (rules.is_vault or fields.find_value("dgpublish")):
        fields.add_note("The import left out the end of the text, from a `%%` that is not closed.")
        return body[:start], [*parts, body[start:]]
    if start is not None:
        fields.add_note(
            "The text has a `%%` that is not closed; the text after it is kept, because the file is not in a "
            "vault."
        )
    return body, parts


def find_rule_reasons(
    body: str, content_type: str, rules: SiteRules, entries: dict[str, object], tags: tuple[str, ...]
) -> Iterator[DraftReason]:
    """Yield reasons for a draft: a `{% comment %}` of an unknown generator, and tags that Hexo encrypts."""
    if rules.has_liquid is None and content_type != "text" and find_comments(body, content_type):
        yield DraftReason(
            "It has a `{% comment %}`, and its generator is not recognised; the article became a draft."
        )
    # An empty password makes an article public.
    is_public = any(normalize_key(key) == "password" and is_empty(value) for key, value in entries.items())
    for tag in () if is_public else tags:
        if tag.casefold() in rules.encrypted_tags:
            yield DraftReason(f"It has the tag “{tag}”, which Hexo encrypts; the article became a draft.")
