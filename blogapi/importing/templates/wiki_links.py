"""Resolve the wiki links of Obsidian, Quartz, Foam and Logseq, and remove texts that these programs hide.

Comments (`%%…%%`) are removed, and links to pages that were not imported become plain text.
"""

from __future__ import annotations

import re
from collections import Counter

from blogapi.importing.templates import tag_markup
from blogapi.importing.texts.messages import format_count, join_names
from blogapi.importing.texts.scanner import find_outside_code
from blogapi.rendering import slugs

_WIKI_MARKUP = re.compile(
    # The pattern does not match `[[ -f file ]]` (a shell test), `[[1]](url)` (a link) and `[[1]]: url`.
    r"(?P<link>(?P<mark>!?)\[\[(?![\s\]])(?P<target>[^\[\]\n|]{0,500}?)(?:\\?\|(?P<text>[^\[\]\n]{0,500}))?\]\](?![(\[:]))"
    r"|(?P<comment>(?<![\w%])%%(?!%)(?:[^%]++|%(?!%))*+%%(?![\w%]))"
    r"|(?P<highlight>(?<![\w=&?])==(?=[^\s=])(?P<marked>[^=\n]{1,500}+)(?<!\s)==(?![\w=]))"
    r"|(?P<callout>\[!(?P<kind>[a-z][\w-]{0,30})(?:\|[^\]\n]{0,50})?\][+-]?[ \t]*+(?P<title>[^\n]{0,500}+))"
    r"|(?P<block>(?<=[ \t])\^(?:[a-z0-9]{6}|[a-z][\w-]{3,40})[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"(?<![\w%])%%(?!%)(?P<end>(?:[^%]++|%(?!%))*+%%)?+")
_MARKUP_HINTS = ("[[", "%%", "==", " ^", "[!")
_TOC_NAMES = {"toc", "_toc_", "tableofcontents"}
# Lists of numbers and code, such as `[[nan, 1]]` and `[[T; N]]`, are not the names of pages.
_NOT_A_PAGE_NAME = re.compile(r"[\W\d_]*|[^;=\"]*[;=\"].*|[^,]*,\s*-?\d.*")
_PICTURE_SIZE = re.compile(r"(?P<width>[0-9]{1,5})(?:x(?P<height>[0-9]{1,5}))?")
_QUOTE_PREFIX = re.compile(r"[ \t]*(?:[-*+][ \t]+|[0-9]+[.)][ \t]+)?(?:>[ \t]*)+")
_MEDIA_SUFFIX = re.compile(r"\.(?!md$|markdown$|canvas$|base$|excalidraw$)[a-z0-9]{2,5}$", re.IGNORECASE)
# An alert as on GitHub needs no conversion.
_ALERT = re.compile(r"\[!(?:note|tip|important|warning|caution)\][ \t]*", re.IGNORECASE)
_MARKDOWN_SUFFIX = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)


def find_open_comment(content: str) -> int | None:
    """Return the start of the first unclosed comment outside code, or None."""
    comments = find_outside_code(content, "markdown", _COMMENT, "%") if "%%" in content else ()
    return next((comment.start() for comment in comments if comment["end"] is None), None)


def resolve_wiki_links(
    content: str, content_type: str, targets: tag_markup.LinkFinder
) -> tag_markup.ResolvedText:
    """Return Markdown with the wiki links outside code as links; links to unknown pages become plain text.

    The address of an embedded picture is the name in the wiki link; an embedded page becomes a link.
    """
    if content_type != "markdown" or not any(hint in content for hint in _MARKUP_HINTS):
        return tag_markup.ResolvedText(content)
    return _WikiLinkResolver(content, targets).resolve_markup()


class _WikiLinkResolver:
    def __init__(self, content: str, targets: tag_markup.LinkFinder) -> None:
        self._content = content
        self._targets = targets
        self._missing: Counter[str] = Counter()
        self._comments = 0

    def resolve_markup(self) -> tag_markup.ResolvedText:
        parts, position = [], 0
        for match in find_outside_code(self._content, "markdown", _WIKI_MARKUP, r"\[!%=\^"):
            parts += [self._content[position : match.start()], self._replace_markup(match)]
            position = match.end()
        notes, unresolved = list[str](), Counter[str]()
        if self._missing:
            unresolved["[[…]]"] = self._missing.total()
            names = join_names([f"“{name[:100]}”" for name in self._missing])
            count = format_count(self._missing.total(), "wiki link")
            notes.append(f"The text of {count} to pages that were not found stays without a link: {names}.")
        if self._comments:
            notes.append(f"The import removed {format_count(self._comments, 'comment')} (`%%…%%`).")
        return tag_markup.ResolvedText("".join([*parts, self._content[position:]]), unresolved, tuple(notes))

    def _replace_markup(self, match: re.Match[str]) -> str:
        if match["comment"] or match["block"]:
            self._comments += match["block"] is None
            return ""
        if match["highlight"]:
            return f"<mark>{match['marked']}</mark>"
        if match["callout"]:
            return self._replace_callout(match)
        replacement = self._replace_link(match)
        is_element = replacement.startswith("<")
        return replacement + (tag_markup.get_blank_line(self._content, *match.span()) if is_element else "")

    def _replace_callout(self, match: re.Match[str]) -> str:
        """Return the first line of a callout (`> [!note] Title`) as a title in bold."""
        line = self._content.rfind("\n", max(0, match.start() - 200), match.start()) + 1
        prefix = self._content[line : match.start()]
        if not _QUOTE_PREFIX.fullmatch(prefix) or _ALERT.fullmatch(match[0]):
            return match[0]
        inner = _WikiLinkResolver(match["title"].strip(), self._targets)
        title = inner.resolve_markup().content or match["kind"].replace("-", " ").capitalize()
        self._missing += inner._missing
        self._comments += inner._comments
        quote = re.sub(r"[^>\s]", " ", prefix).rstrip()
        return f"**{title}**\n{quote}"

    def _replace_link(self, match: re.Match[str]) -> str:
        target = match["target"].strip().removesuffix("\\").strip()
        text = (match["text"] or "").strip()
        if target.casefold() in _TOC_NAMES and not text:
            return ""
        if not target or (_NOT_A_PAGE_NAME.fullmatch(target) and not target.startswith("#")):
            return match[0] if not text or not target.startswith("#") else text
        path, _, fragment = target.partition("#")
        if match["mark"] and _MEDIA_SUFFIX.search(path):
            return _embed_file(path.strip(), text)
        return self._make_link(path.strip(), fragment.strip(), text)

    def _make_link(self, path: str, fragment: str, text: str) -> str:
        page, _, block = path.partition("^")
        heading = "" if fragment.startswith("^") or block else fragment.rpartition("#")[2]
        name = _MARKDOWN_SUFFIX.sub("", page).rpartition("/")[2]
        text = text or " > ".join(filter(None, (name, heading))) or "^"
        if not page:
            return f"[{text}](#{slugs.hyphenate_words(heading)})" if heading else text
        if _MEDIA_SUFFIX.search(page) and (tag_markup.is_image(page) or page.casefold().endswith(".pdf")):
            return tag_markup.make_link(text, page)
        address = self._targets.find_wiki_link_address(f"{page}#{heading}" if heading else page)
        if address is None:
            self._missing[page] += 1
            return text
        text = text if text.count("[") == text.count("]") else tag_markup.escape_brackets(text)
        return tag_markup.make_link(text, address)


def _embed_file(path: str, text: str) -> str:
    """Return an embedded file; the text of a picture is `alt`, `300`, `300x200` or `alt|300`."""
    if tag_markup.is_image(path):
        parts = [part.strip() for part in text.replace("\\|", "|").split("|") if part.strip()]
        size = _PICTURE_SIZE.fullmatch(parts[-1]) if parts else None
        sizes = {name: value for name, value in size.groupdict().items() if value} if size else {}
        return tag_markup.make_picture(path, " ".join(parts[:-1] if size else parts), sizes)
    if tag_markup.is_playable(path):
        return tag_markup.make_player(path)
    return tag_markup.make_text_link(text or path.rpartition("/")[2], path)
