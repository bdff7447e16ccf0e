"""Leaves out comments and recognises texts that the generator of a file would have hidden."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.formats.markdown import paths, sections
from blogapi.importing.formats.markdown.fields import Fields
from blogapi.importing.formats.markdown.generators import GeneratorSite
from blogapi.importing.templates.tag_syntax import remove_comments, remove_dead_branches
from blogapi.importing.templates.wiki_links import find_open_comment
from blogapi.importing.texts.lines import is_empty, normalize_key, to_line, to_mapping
from blogapi.importing.texts.messages import format_count

_LIQUID_GENERATORS = ("jekyll", "hexo", "eleventy")


@dataclass(frozen=True, slots=True)
class SiteRules:
    """The rules by which the generator of a site hides texts."""

    has_liquid: bool | None = False  #: whether `{% comment %}` is a comment; None = the generator is unknown
    is_vault: bool = False  #: whether `%%` begins a comment
    encrypted_tags: frozenset[str] = frozenset()  #: in lower case


def read_rules(key: str, folder: Path, site: GeneratorSite | None) -> SiteRules:
    has_liquid = site.generator in _LIQUID_GENERATORS if site else None
    # Without a configuration, a file that is named like a post of Jekyll is treated as a post of Jekyll.
    if has_liquid is None and (paths.is_post(key) or paths.parse_path(key).has_date_prefix):
        has_liquid = True
    is_vault = sections.is_in_vault(folder, 0) or (site is not None and site.generator == "quartz")
    tags = to_mapping(site.settings.get("encrypt")).get("tags") if site else None
    # `- secret` or `- {name: secret, password: …}`; an empty password hides nothing.
    entries = (
        tag if isinstance(tag, dict) else {"name": tag} for tag in (tags if isinstance(tags, list) else ())
    )
    names = (tag.get("name") for tag in entries if tag.get("password") != "")
    return SiteRules(has_liquid, is_vault, frozenset(to_line(name).casefold() for name in names))


def leave_out_comments(
    body: str, content_type: str, rules: SiteRules, fields: Fields
) -> tuple[str, list[str]]:
    """Return the text without the comments of its generator, and these parts; add notes to `fields`."""
    if content_type == "text":
        return body, []
    parts: list[str] = []
    if rules.has_liquid:
        for remove, name in ((remove_comments, "comment"), (remove_dead_branches, "if false")):
            body, found = remove(body, content_type)
            parts += found
            if found:
                comments = format_count(len(found), "comment")
                fields.add_note(f"The import left out {comments} of the generator (`{{% {name} %}}`).")
    start = find_open_comment(body) if content_type == "markdown" else None
    # Digital Garden publishes notes with this field.
    if start is not None and (rules.is_vault or fields.find("dgpublish")):
        fields.add_note("The import left out the end of the text, from a `%%` that is not closed.")
        return body[:start], [*parts, body[start:]]
    if start is not None:
        fields.add_note(
            "The text has a `%%` that is not closed; the text after it is kept, because the file is not in a "
            "vault."
        )
    return body, parts


def find_reasons(
    body: str, content_type: str, rules: SiteRules, entries: dict[str, object], tags: tuple[str, ...]
) -> Iterator[DraftReason]:
    """Yield reasons for a draft: a comment of an unknown generator, and tags whose posts Hexo encrypts."""
    if rules.has_liquid is None and content_type != "text" and remove_comments(body, content_type)[1]:
        yield DraftReason(
            "It has a `{% comment %}`, and its generator is not recognised; the article became a draft."
        )
    # An empty password makes an article public.
    is_public = any(normalize_key(key) == "password" and is_empty(value) for key, value in entries.items())
    for tag in () if is_public else tags:
        if tag.casefold() in rules.encrypted_tags:
            yield DraftReason(f"It has the tag “{tag}”, which Hexo encrypts; the article became a draft.")
