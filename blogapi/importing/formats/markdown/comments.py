"""Leaves out comments and recognises texts that the generator of a file would have hidden."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.formats.markdown import paths, vaults
from blogapi.importing.formats.markdown.fields import Fields
from blogapi.importing.formats.markdown.generators import Site
from blogapi.importing.templates.tag_syntax import remove_comments
from blogapi.importing.templates.wiki_links import find_open_comment
from blogapi.importing.texts.keys import is_empty, normalize_key
from blogapi.importing.texts.lines import to_line
from blogapi.importing.texts.messages import format_count

_LIQUID_GENERATORS = ("jekyll", "hexo", "eleventy")


@dataclass(frozen=True, slots=True)
class SiteRules:
    """What the program of the site of a file hides."""

    has_liquid: bool | None = False  #: whether `{% comment %}` is a comment; None = the generator is unknown
    is_vault: bool = False  #: whether `%%` begins a comment
    encrypted_tags: frozenset[str] = frozenset()  #: in lower case


def read_rules(key: str, folder: Path, levels: int, site: Site | None) -> SiteRules:
    """Return the rules of the site of a file; the folders of vaults are looked for in `levels` folders."""
    has_liquid = site.generator in _LIQUID_GENERATORS if site else None
    # Without a configuration, these are the names of Jekyll's posts.
    if has_liquid is None and (paths.is_post(key) or paths.parse_path(key).has_date_prefix):
        has_liquid = True
    return SiteRules(has_liquid, vaults.hides_comments(folder, levels), frozenset(_list_encrypted_tags(site)))


def _list_encrypted_tags(site: Site | None) -> Iterator[str]:
    """Yield the tags whose articles hexo-blog-encrypt encrypts, in lower case."""
    encrypt = site.settings.get("encrypt") if site and site.generator in ("hexo", "jekyll") else None
    tags = encrypt.get("tags") if isinstance(encrypt, dict) else None
    for tag in tags if isinstance(tags, list) else ():
        yield to_line(tag.get("name") if isinstance(tag, dict) else tag).casefold()


def leave_out_comments(body: str, content_type: str, rules: SiteRules, fields: Fields) -> str:
    """Return the text without the comments of its program, and add notes."""
    if content_type == "text":
        return body
    if rules.has_liquid:
        body, number = remove_comments(body, content_type)
        if number:
            comments = format_count(number, "comment")
            fields.add_note(f"The import left out {comments} of the generator (`{{% comment %}}`).")
    start = find_open_comment(body) if content_type == "markdown" else None
    if start is None:
        return body
    # Digital Garden publishes notes with this field.
    if rules.is_vault or fields.find("dgpublish"):
        fields.add_note("The import left out the end of the text, from a `%%` that is not closed.")
        return body[:start]
    fields.add_note("The text has a `%%` that is not closed; what follows stays, as outside of a vault.")
    return body


def find_reasons(
    body: str, content_type: str, rules: SiteRules, entries: dict[str, object], tags: tuple[str, ...]
) -> Iterator[DraftReason]:
    """Yield a reason for a draft for a comment of an unknown generator, and each tag that Hexo encrypts."""
    if rules.has_liquid is None and content_type != "text" and remove_comments(body, content_type)[1]:
        yield DraftReason(
            "It has a `{% comment %}`, and its generator is not recognised; the article became a draft."
        )
    # An empty password makes an article public.
    passwords = [value for key, value in entries.items() if normalize_key(key) == "password"]
    for tag in tags if not passwords or not all(map(is_empty, passwords)) else ():
        if tag.casefold() in rules.encrypted_tags:
            yield DraftReason(f"It has the tag “{tag}”, which Hexo encrypts; the article became a draft.")
