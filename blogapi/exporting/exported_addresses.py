"""Replaces references to media files with the addresses of exported files, and restores the references."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from types import MappingProxyType
from urllib.parse import unquote

from blogapi.content.media.addresses import MEDIA_REFERENCE
from blogapi.exporting.article_rows import Item
from blogapi.exporting.snapshot import get_media_path
from blogapi.rendering import article_references
from blogapi.rendering.characters import COMBINING_MARKS, JOINERS
from blogapi.web.media_addresses import FILE_PATH, FILE_PREFIX

# The maximum number of texts that are replaced in one article; a pattern with more texts would be slow.
_MAX_REPLACEMENTS = 1_000

_LETTERS = rf"\w{COMBINING_MARKS}{JOINERS}"
# Matches a reference to a media file that is not a part of another address.
_MEDIA_PATTERN = (
    rf"(?<![\w/.:%}}-])(?:(?i:{MEDIA_REFERENCE.pattern})"
    rf"|(?:https?://(?:(?!//)[^\s\"'<>()?#\\])*?)?{FILE_PREFIX}[{_LETTERS}%.-]*[{_LETTERS}%])"
)
_ARTICLE_PATTERN = rf"(?<![\w/.:%}}-]){article_references.ARTICLE_REFERENCE.pattern}"
# The characters around a path in Markdown and HTML; the same text in a sentence is not replaced.
_BEFORE_PATH = r"""(?:(?<=[("'<=,])|(?<=,\s)|(?<=\]:)|(?<=\]:\s))"""
_AFTER_PATH = r"""(?=[)"'>,\s]|\Z)"""

# Text that Hugo reads as a shortcode or as the beginning of a shortcode.
SHORTCODE_PATTERN = r"\{\{[<%](?:(?:(?!\{\{[<%]).)*?[>%]\}\})?"

Replacement = dict[str, str]


@dataclass(frozen=True, slots=True)
class ExportedText:
    """Content with replaced texts; each replacement has the fields `exported` and `original`."""

    content: str
    replacements: Sequence[Replacement] = ()


class MediaAddresses:
    """Finds the names of exported media files for references, and replaces the references.

    `names` maps the uuids of files to their names, and `former_hashes` their former hashes to their uuids.
    """

    def __init__(
        self, media: Sequence[Item], names: Mapping[str, str], former_hashes: Mapping[str, str]
    ) -> None:
        self.names = names
        self._by_hash = {hash: names[uuid] for hash, uuid in former_hashes.items() if uuid in names}
        self._by_hash |= {file["hash"]: names[file["uuid"]] for file in media}
        self._paths = {names[file["uuid"]]: get_media_path(file) for file in media}

    def find_file_name(self, reference: str) -> str | None:
        """Return the name of the file to which `media:<uuid>` or an address refers, or None."""
        if reference[:6].lower() == "media:":
            return self.names.get(reference[6:].lower())
        match = FILE_PATH.search(reference)
        return self._by_hash.get(match[1]) if match else None

    def get_picture_addresses(self, address: str, folder: str) -> tuple[str, str | None]:
        """Return the exported address of a picture, and its stored address if an import cannot derive it.

        `folder` is the address of the folder with the exported files.
        """
        name = self.find_file_name(address) if FILE_PATH.fullmatch(address) else None
        exported = address if name is None else f"{folder}{name}"
        stored_path = self._paths.get(exported.removeprefix(folder)) if exported.startswith(folder) else None
        return exported, None if address == (stored_path or exported) else address

    def replace_references(
        self,
        content: str,
        paths: Mapping[str, str],
        folder: str,
        *,
        pages: Mapping[str, str] = MappingProxyType({}),
        escapes_shortcodes: bool,
    ) -> ExportedText:
        """Return the content with its references to media files replaced by the addresses of exported files.

        `paths` maps the paths in an imported article to file names, and `pages` maps the uuids of articles to
        the addresses of their pages. With `escapes_shortcodes`, shortcodes are escaped, so that Hugo shows
        them literally. The content is unchanged if the original could not be restored exactly.
        """
        variants = {text: name for path, name in paths.items() for text in _list_path_variants(path)}
        patterns = [SHORTCODE_PATTERN] if escapes_shortcodes else []
        patterns += [_MEDIA_PATTERN, _ARTICLE_PATTERN] if pages else [_MEDIA_PATTERN]
        if variants:
            words = "|".join(map(re.escape, sorted(variants, key=len, reverse=True)))
            patterns.append(f"{_BEFORE_PATH}(?:{words}){_AFTER_PATH}")
        pattern = re.compile("|".join(patterns), re.DOTALL)
        texts = dict.fromkeys(match[0] for match in pattern.finditer(content))
        files = {text: name for text in texts if (name := variants.get(text) or self._find_media_name(text))}
        shortcodes = {text: escape_shortcode(text) for text in texts if text.startswith("{{")}
        links = {text: page for text in texts if (page := pages.get(text[len("article:") :].lower()))}
        exported = dict(_choose_media_addresses(content, files, folder)) | shortcodes
        exported |= _choose_page_addresses(content, links)
        return replace_matches(content, pattern, exported)

    def _find_media_name(self, text: str) -> str | None:
        return None if text.startswith("{{") else self.find_file_name(text)


def replace_matches(content: str, pattern: re.Pattern[str], exported: Mapping[str, str]) -> ExportedText:
    """Return the content with each match of the pattern replaced by its text in `exported`.

    The content is unchanged if the original could not be restored exactly.
    """
    if not exported or len(exported) > 2 * _MAX_REPLACEMENTS:
        return ExportedText(content)
    text = pattern.sub(lambda match: exported.get(match[0], match[0]), content)
    replacements = [{"exported": new, "original": old} for old, new in exported.items()]
    is_exact = restore_content(text, {new: old for old, new in exported.items()}) == content
    return ExportedText(text, replacements) if is_exact else ExportedText(content)


def escape_shortcodes(content: str) -> ExportedText:
    """Return the plain-text content with its shortcodes escaped, so that Hugo shows them literally."""
    pattern = re.compile(SHORTCODE_PATTERN, re.DOTALL)
    return replace_matches(
        content, pattern, {match[0]: escape_shortcode(match[0]) for match in pattern.finditer(content)}
    )


def escape_shortcode(shortcode: str) -> str:
    """Return the escaped form of a shortcode, which may be incomplete."""
    if len(shortcode) == len("{{<"):
        return f"&#123;{shortcode[1:]}"
    return f"{shortcode[:3]}/*{shortcode[3:-3]}*/{shortcode[-3:]}"


def _list_path_variants(path: str) -> set[str]:
    decoded = unquote(path)
    return {path, escape(path, quote=False), decoded, decoded.replace(" ", "%20")}


def _choose_media_addresses(content: str, files: Mapping[str, str], folder: str) -> Iterator[tuple[str, str]]:
    """Yield each reference to a file and its new text; new texts differ, and the content has none of them."""
    numbered = re.compile(rf"{re.escape(folder)}([{_LETTERS}-]+\.\w+)(?:#([0-9]{{1,9}}))?")
    #: the highest number after `#` in the addresses of each file; an address without `#` has the number 1
    numbers: dict[str, int] = {}
    for name, number in numbered.findall(content):
        numbers[name] = max(numbers.get(name, 1), int(number or 1))
    for text, name in list(files.items())[:_MAX_REPLACEMENTS]:
        address = f"{folder}{name}"
        if text == address:
            yield text, address
            continue
        numbers[name] = numbers.get(name, 0) + 1
        yield text, address if numbers[name] == 1 else f"{address}#{numbers[name]}"


def _choose_page_addresses(content: str, links: Mapping[str, str]) -> dict[str, str]:
    """Return the new text of each reference to an article, in the same way as for files."""
    numbers = count(max(map(int, re.findall(r"\?([0-9]{1,9})", content)), default=1) + 1)
    chosen, used = {}, set[str]()
    for text, page in list(links.items())[:_MAX_REPLACEMENTS]:
        is_free = page not in used and page not in content
        chosen[text] = page if is_free else f"{page}?{next(numbers)}"
        used.add(page)
    return chosen


def restore_content(content: str, replacements: Mapping[str, str]) -> str:
    """Return the content with each text in `replacements` replaced by its original, in one pass.

    At each position, the longest matching text is replaced. The function searches for each text separately,
    because this takes linear time for any content.
    """
    matches = [(position, -len(text), text) for text in replacements if (position := content.find(text)) >= 0]
    heapq.heapify(matches)
    parts, end = [], 0
    while matches:
        position, _, text = matches[0]
        if position >= end:
            parts += [content[end:position], replacements[text]]
            end = position + len(text)
        following = content.find(text, end)
        if following < 0:
            heapq.heappop(matches)
        else:
            heapq.heapreplace(matches, (following, -len(text), text))
    return "".join((*parts, content[end:]))
