"""Resolve the template tags of static site generators in the text of an article.

Tags that show the same in every blog become Markdown or HTML: pictures, players, code, quotes and links. Tags
that depend on the templates of the former blog (variables, loops, includes) stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import escape

from blogapi.transfer.link_targets import LinkTargets
from blogapi.transfer.markdown import template_outputs
from blogapi.transfer.markdown.resolved import Resolved
from blogapi.transfer.markdown.tag_arguments import Arguments, parse_arguments
from blogapi.transfer.markdown.tag_code import read_code_title, read_language, unescape_code
from blogapi.transfer.markdown.tag_context import Context, Tag
from blogapi.transfer.markdown.tag_handlers import NOTICES, resolve_tag
from blogapi.transfer.markdown.tag_markup import Markup, clean_address, render_inline
from blogapi.transfer.markdown.tag_syntax import HIDDEN_TAGS, RAW_TAGS, FoundTag, TagFinder
from blogapi.transfer.messages import format_count

# A text without these characters contains no tags.
_HINTS = (
    *("{%", "{{", "{:", "{#", "{.", "){", "}{", "{filename}", "{static}", "{attach}"),
    *("(@/", '"@/', ": @/", "|filename|", "|static|", "|attach|"),
)

# Statements. Their closing tags do not end a text.
_STATEMENTS = {
    *("if", "ifchanged", "unless", "for", "case", "tablerow", "capture", "macro", "call", "set", "filter"),
    *("with", "assign", "else", "elsif", "elif", "elseif", "when", "include", "include_cached", "block"),
    *("layout", "extends", "import", "from", "cycle", "increment", "decrement", "liquid", "render", "break"),
    *("continue", "include_relative"),
}
_INCLUDES = {"include", "include_cached", "include_relative", "render", "partial"}
_DETAILS = {
    *("details", "expand", "collapse", "spoiler", "accordion", "fold", "folding", "toggle", "expandable"),
}
_LINKS = {"button", "btn", "link", "a"}
_TITLED = {"tab", "tabitem", "tab-item", "accordion-item", "step"}
_CALL = re.compile(r"(?P<name>[\w:.-]+)\s*\((?P<text>.*)\)", re.DOTALL)
# A filter of Eleventy for players: `{{ "https://…" | embed: "title" }}`.
_PLAYER = re.compile(
    r"([\"'])(?P<address>https?://[^\"'\s]+)\1\s*\|\s*(?:embed|youtube|vimeo|video)\b[^\"']*([\"'](?P<title>[^\"']*)[\"'])?"
)
_LINE_START = re.compile(r"(?:^|\n)([ \t]*)\Z")
_ARTICLE = re.compile(r"\.(?:md|rst|html?)(?:#|$)", re.IGNORECASE)
_MAX_PARAGRAPH = 5_000
_SUFFIX = re.compile(r"\.(?:html?|md|markdown|liquid|njk|svg|txt|ext)$", re.IGNORECASE)


def resolve_templates(content: str, content_type: str, targets: LinkTargets) -> Resolved:
    """Return the text with the template tags outside code resolved, and the names of the others with counts.

    In code, only the marks are removed that protect it from the template engine (`{% raw %}`).
    """
    if content_type == "text" or not any(hint in content for hint in _HINTS):
        return Resolved(content)
    return _Resolver(content, content_type, targets).resolve()


class _Resolver:
    def __init__(self, content: str, content_type: str, targets: LinkTargets) -> None:
        self._content = content
        self._markup, self._html = Markup(content_type), Markup("html")
        self._targets = targets
        self._finder = TagFinder(content, content_type)
        self._unresolved: Counter[str] = Counter()
        self._unwrapped: Counter[str] = Counter()

    def resolve(self) -> Resolved:
        found = self._finder.list_tags()
        for tag in found:
            if tag.replacement is None and not tag.is_closing:
                self._replace(tag)
        content = "".join(self._join(found))
        return Resolved(content, self._unresolved + self._unwrapped, tuple(self._list_notes(found)))

    def _list_notes(self, found: list[FoundTag]) -> Iterator[str]:
        if self._unwrapped:
            names = ", ".join(f"“{name[:60]}”" for name in list(self._unwrapped)[:10])
            yield f"The text in unknown tags was kept without the tags: {names}."
        removed = sum(tag.kind == "attributes" for tag in found)
        if removed:
            yield f"The import removed {format_count(removed, 'attribute list')} (like `{{: .class}}`)."

    def _replace(self, tag: FoundTag) -> None:
        """Set the replacement of a tag and of its closing tag, or count the tag."""
        if tag.inner is not None:
            tag.replacement = self._replace_literal(tag, tag.inner)
        elif tag.kind == "output":
            tag.replacement = self._replace_output(tag)
        elif tag.kind == "address":
            tag.replacement = self._replace_address(tag)
        else:
            tag.replacement = self._replace_tag(tag)
        if tag.partner and tag.replacement is None and tag.name not in _STATEMENTS:
            self._unwrap(tag, tag.partner)
        elif tag.partner and tag.replacement is not None and tag.partner.replacement is None:
            tag.partner.replacement = ""
        elif tag.replacement is None and (name := self._get_name(tag)):
            self._unresolved[name] += 1

    def _get_name(self, tag: FoundTag) -> str:
        if tag.kind == "address":
            return tag.name.strip("{}|")
        if tag.name in _INCLUDES:
            # The name of the included file shows what is missing.
            return " ".join([tag.name, *tag.text.split(maxsplit=1)[:1]])[:80]
        if tag.kind != "output":
            return "" if tag.name.startswith("el") and tag.name in _STATEMENTS else tag.name
        call = _CALL.fullmatch(tag.text)
        return call["name"] if call else template_outputs.get_name(tag.text)

    def _replace_literal(self, tag: FoundTag, inner: str) -> str:
        if tag.name in RAW_TAGS:
            return inner
        if tag.name in HIDDEN_TAGS:
            if tag.name != "comment":
                self._unresolved[tag.name] += 1
            return ""
        code = unescape_code(inner)
        is_block = "\n" in code.strip()
        before = _LINE_START.search(self._content, max(0, tag.start - 200), tag.start)
        if not is_block and not before:
            return self._get_markup(tag).make_code_span(code.strip())
        prefix = before[1] if before else ""
        title = read_code_title(tag.text) if tag.name == "codeblock" else ""
        code = re.sub(r"\A[ \t]*\n", "", code).rstrip()
        block = self._get_markup(tag).make_code(code, read_language(tag.name, tag.text), prefix)
        heading = f"{render_inline(title) if self._markup.is_html else title}\n\n{prefix}" if title else ""
        return ("" if before else "\n\n") + heading + block + self._end_line(tag)

    def _end_line(self, tag: FoundTag) -> str:
        """Return the line break after a block, if its line continues."""
        return "\n" if self._get_rest(tag.end) else ""

    def _get_rest(self, offset: int) -> str:
        """Return the rest of a line without spaces (of a long line, only its start)."""
        return self._content[offset : offset + 200].partition("\n")[0].strip()

    def _get_markup(self, tag: FoundTag) -> Markup:
        """Return the markup at a tag; a paragraph that begins with an HTML element contains no Markdown."""
        start = self._content.rfind("\n\n", max(0, tag.start - _MAX_PARAGRAPH), tag.start) + 1
        is_html = self._content[start : tag.start].lstrip().startswith("<")
        return self._html if is_html else self._markup

    def _replace_address(self, tag: FoundTag) -> str | None:
        """Return the address of a link in the notation of Zola (`@/x.md`) or Pelican (`{filename}x.md`)."""
        if not tag.name:
            return tag.text
        found = self._targets.find_post(tag.text)
        if found or _ARTICLE.search(tag.text):
            return found
        # In other generators, `@/` is a folder of the project.
        return self._content[tag.start : tag.end] if tag.name == "@/" else tag.text

    def _replace_output(self, tag: FoundTag) -> str | None:
        call = _CALL.fullmatch(tag.text)
        if call:
            return self._resolve_named(call["name"].rpartition("::")[2], call["text"], tag)
        player = _PLAYER.fullmatch(tag.text)
        if player:
            text = f'"{player["address"]}" title="{player["title"] or ""}"'
            return self._resolve_named("iframe", text, tag)
        output = template_outputs.evaluate(tag.text)
        following = self._content[tag.end : tag.end + 2]
        preceding = self._content[tag.start - 1 : tag.start]
        if output is None:
            # The address of the article itself, with a fragment.
            is_own = tag.text in ("page.url", "page.permalink") and following.startswith("#")
            return "" if is_own else None
        if not output.is_root or following.startswith("/") or following in ("{{", "{%"):
            return output.text
        if preceding not in ("(", '"', "'", "<", "="):
            return None
        return "/" if following[:1] in (")", '"', "'", ">", "#", "?", " ", "") else ""

    def _replace_tag(self, tag: FoundTag) -> str | None:
        if tag.name in _INCLUDES:
            file, _, text = tag.text.strip().partition(" ")
            name = _SUFFIX.sub("", file.strip("\"',")).rpartition("/")[2].lower()
            if "{{" in file or not name:
                return None
            return self._resolve_named(name, text, tag, is_include=True)
        if tag.name in _STATEMENTS:
            return None
        return self._resolve_named(tag.name, tag.text, tag)

    def _resolve_named(self, name: str, text: str, tag: FoundTag, *, is_include: bool = False) -> str | None:
        # A tag with a text is a quote and not the tag of a line.
        if tag.partner and name in NOTICES:
            return None
        arguments = parse_arguments(text, template_outputs.resolve_inside)
        is_hexo = tag.kind == "liquid" and not is_include
        named = Tag(name.lower(), arguments, is_include=is_include, is_hexo=is_hexo)
        replacement = resolve_tag(named, Context(self._get_markup(tag), self._targets))
        if replacement and replacement.startswith("<") and not replacement.startswith("<br"):
            replacement += self._separate(tag)
        return replacement

    def _separate(self, tag: FoundTag) -> str:
        """Return the blank line that ends an HTML block in Markdown, if the tag has a line of its own."""
        content, line_end = self._content, self._content.find("\n", tag.end, tag.end + 200)
        if self._markup.is_html or line_end < 0 or self._get_rest(tag.end):
            return ""
        if not self._get_rest(line_end + 1).strip(" >"):
            return ""
        start = content.rfind("\n", max(0, tag.start - 200), tag.start) + 1
        prefix = content[start : tag.start]
        return "" if prefix.strip(" \t>") else f"\n{prefix.rstrip()}"

    def _unwrap(self, tag: FoundTag, closing: FoundTag) -> None:
        """Replace an unknown tag and its closing tag, whose text is kept."""
        arguments = parse_arguments(tag.text, template_outputs.resolve_inside)
        is_block = self._is_block(tag, closing)
        title = arguments.get("title", "summary", "header", "name", "label", "author")
        tag.replacement = closing.replacement = ""
        address = arguments.get("href", "url", "link") if tag.name in _LINKS else ""
        if address and not self._markup.is_html:
            tag.replacement, closing.replacement = "[", f"]({clean_address(address)})"
            return
        if tag.name in _DETAILS and is_block:
            # In Jekyll, words without quotes are one title.
            words = arguments.values if tag.kind == "liquid" else arguments.values[:1]
            title = title or " ".join(words) or "Details"
            self._wrap(tag, closing, f"<details><summary>{render_inline(title)}</summary>", "</details>")
        elif tag.name in NOTICES and is_block:
            credit = _read_credit(tag, arguments) if tag.name in ("blockquote", "quote") else ""
            self._wrap(tag, closing, "<blockquote>", f"{credit}</blockquote>")
            if title and not credit:
                tag.replacement += f"<strong>{render_inline(title)}</strong>\n\n"
        elif tag.name in _TITLED and is_block and (title or arguments.values):
            # `{% tab group title %}` of Jekyll names its group first.
            title = render_inline(title or arguments.values[-1 if tag.kind == "liquid" else 0])
            tag.replacement = f"<strong>{title}</strong>\n"
        else:
            self._unwrapped[tag.name] += 1

    def _is_block(self, tag: FoundTag, closing: FoundTag) -> bool:
        """Return whether both tags are at the start or the end of lines, so that blocks can replace them."""
        before = _LINE_START.search(self._content, max(0, tag.start - 200), tag.start)
        return before is not None and not self._get_rest(closing.end)

    def _wrap(self, tag: FoundTag, closing: FoundTag, start: str, end: str) -> None:
        # A blank line lets Markdown continue in an HTML element.
        tag.replacement = f"{start}\n\n" if self._get_rest(tag.end) else f"{start}\n"
        is_line = _LINE_START.search(self._content, max(0, closing.start - 200), closing.start)
        closing.replacement = ("\n" if is_line else "\n\n") + end + self._separate(closing)

    def _join(self, found: list[FoundTag]) -> Iterator[str]:
        """Yield the text with the replacements, and the code between them without protecting marks."""
        position = 0
        code = iter([*self._finder.code, (len(self._content), len(self._content))])
        start, end = next(code)
        for tag in [*found, FoundTag(len(self._content), len(self._content), "")]:
            while start < tag.start and end <= tag.start:
                yield self._content[position:start]
                yield unescape_code(self._content[start:end])
                position = end
                start, end = next(code)
            yield self._content[position : tag.start]
            yield self._content[tag.start : tag.end] if tag.replacement is None else tag.replacement
            position = tag.end


def _read_credit(tag: FoundTag, arguments: Arguments) -> str:
    """Return the line that names the author and the source of a quote: `author, source url title` in Hexo."""
    author, source = arguments.get("author", "cite"), arguments.get("source", "link", "url")
    title, words = "", tag.text if tag.kind == "liquid" and not tag.is_call else ""
    place = re.search(r"https?://\S+", words)
    if not author:
        author = words[: place.start()].strip() if place else words
        source, title = (place[0], words[place.end() :].strip()) if place else (source, "")
    if not author and not source:
        return ""
    if not source.startswith(("http://", "https://")):
        return f"<footer>— {render_inline(', '.join(filter(None, (author, source))))}</footer>"
    link = f'<a href="{escape(source)}">{render_inline(title or author or source)}</a>'
    return f"<footer>— {f'{render_inline(author)}, ' if title and author else ''}{link}</footer>"
