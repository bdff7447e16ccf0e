"""Resolve the template tags of static site generators in the text of an article.

Tags that do not depend on the blog become Markdown or HTML: pictures, players, code, quotes and links. Tags
that depend on the templates of the former blog (variables, loops, includes) stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from blogapi.importing.templates import known_tags
from blogapi.importing.templates.tag_markup import (
    LinkFinder,
    ResolvedText,
    get_blank_line,
    make_code_block,
    render_inline,
)
from blogapi.importing.texts.lines import split_words
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.scanner import change_code, find_outside_code

# Tags whose text up to the closing tag is not parsed.
CODE_TAGS = {"highlight", "codeblock", "code", "prism", "mermaid", "plantuml", "highlightjs", "sourcecode"}
RAW_TAGS = {"raw", "rawhtml", "verbatim", "html", "raw_html", "unsafe"}
HIDDEN_TAGS = {"comment", "css", "js", "javascript", "style", "stylesheet", "schema"}
_LITERAL_TAGS = "|".join(sorted(CODE_TAGS | RAW_TAGS | HIDDEN_TAGS, key=len, reverse=True))

# Patterns of the text of a tag and of other parts. No pattern matches beyond the start of the next tag of its
# kind, so that the search takes linear time.
_TAG_START = r"\{(?:%|\{[<%])[-+~]?\s*+"
_TEXT = r"(?:[^%>{]++|%(?!\})|>(?!\}\})|\{(?!%|\{[<%]))*+"
_COMMENT = r"(?:[^*{]++|\*(?!/)|\{(?!\{[<%/-]|%))*+"
_ESCAPED = rf"\{{\{{[<%]/\*{_COMMENT}\*/[>%]\}}\}}|\{{%/\*{_COMMENT}\*/%\}}"
_RAW, _END_RAW = r"\{%-?\s*+raw\s*+-?%\}", r"\{%-?\s*+endraw\s*+-?%\}"

_PROTECTED_TEXT = re.compile(rf"{_ESCAPED}|{_RAW}")
_RAW_TEXT = re.compile(
    rf"(?:^[ \t]*+{_RAW}[ \t]*\n|{_RAW})(?P<text>(?:[^{{]++|\{{(?!%-?\s*+(?:end)?raw\b))*+)"
    rf"(?:^{_END_RAW}[ \t]*\n|{_END_RAW})",
    re.MULTILINE,
)
# Matches a branch that is never shown; a branch that contains another condition is kept.
_DEAD_BRANCH = re.compile(
    r"\{%-?\s*+if\s++false\s*+-?%\}(?:[^{]++|\{(?!%-?\s*+(?:if|else|elsif|endif)\b))*+\{%-?\s*+endif\s*+-?%\}"
)
_ATTRIBUTE_VALUE = r"\"[^\"\n{}]*+\"|'[^'\n{}]*+'|[^\s{}\"']++"
_NAMED_ATTRIBUTE = rf"[.#][\w:-]++|[\w-]++=(?:{_ATTRIBUTE_VALUE})"
_KRAMDOWN_ATTRIBUTES = rf"\{{:(?:\s*+(?:{_NAMED_ATTRIBUTE}|\w[\w-]*+))++\s*+\}}"
_HUGO_ATTRIBUTES = rf"\{{(?:\s*+(?:{_NAMED_ATTRIBUTE}))++\s*+\}}"
_ATTRIBUTE_LIST = re.compile(
    rf"(?<=[)\]*_`>}}\s]){_KRAMDOWN_ATTRIBUTES}|^{_KRAMDOWN_ATTRIBUTES}|^\{{:\w++:[^{{}}\n]*+\}}"
    rf"|(?<=[)}}]){_HUGO_ATTRIBUTES}|(?<![^\s>]){_HUGO_ATTRIBUTES}(?=[ \t]*$)"
    r"|\{::comment\}(?:[^{]++|\{(?!::?/?comment))*+\{:/(?:comment)?\}|\{:[:/][^{}\n]*+\}",
    re.MULTILINE,
)
_ID = re.compile(r"#[\w:-]+")
_HEADING = re.compile(r"(?:^|\n) {0,3}#{1,6}[ \t][^\n]*\Z")
_TOC_MARK = re.compile(r"\{:\s*toc\b")
# The list item that kramdown replaces with the table of contents.
_TOC_ITEM = re.compile(r"^[ \t]*(?:[-*+]|[0-9]{1,3}\.)[ \t].*\Z", re.MULTILINE)
# Statements stay in the text; of other unknown tags, only the text up to the closing tag is kept.
_STATEMENT_TAGS = split_words("""if ifchanged unless for case tablerow capture macro call set filter with
    assign else elsif elif elseif when include include_cached block layout extends import from cycle
    increment decrement liquid render break continue include_relative""")
_INCLUDE_TAGS = {"include", "include_cached", "include_relative", "render", "partial"}
#: Names of tags for notes and warnings; the text in these tags becomes a quote.
_NOTICE_TAGS = split_words("""note notes notice notification alert admonition callout hint tip info warning
    warn important caution danger attention message infobox success blockquote pullquote quote
    centerquote cq epigraph pull-quote error aside""")
_QUOTE_TAGS = {"blockquote", "quote"}
_DETAILS_TAGS = {"details", "expand", "collapse", "spoiler", "accordion", "fold", "folding", "toggle"}
_FUNCTION_CALL = re.compile(r"(?P<name>[\w:.-]+)\s*\((?P<text>.*)\)", re.DOTALL)
# A filter of Eleventy for players: `{{ "https://…" | embed: "title" }}`.
_PLAYER_FILTER = re.compile(
    r"([\"'])(?P<address>https?://[^\"'\s]+)\1\s*\|\s*(?:embed|youtube|vimeo|video)\b[^\"']*(?:[\"'](?P<title>[^\"']*))?.*"
)
_LINE_START = re.compile(r"(?:^|\n)([ \t]*)\Z")
_FILE_SUFFIX = re.compile(r"\.(?:html?|md|markdown|liquid|njk|svg|txt|ext)$", re.IGNORECASE)
# The options of `{% codeblock title lang:x %}` of Hexo.
_CODE_OPTION = re.compile(r"(?:^|(?<=\s))[a-z_]+:(?!//)\S+|[\"']")
_MAX_PARAGRAPH_LENGTH = 5_000


def _make_pattern(name: str, content: str) -> str:
    """Return the pattern of a tag: `{% … %}` of Liquid, `{{< … >}}` or `{{% … %}}` of Hugo."""
    return rf"\{{(?:%|(?P<{name}>\{{[<%]))[-+~]?\s*+{content}(?({name})[>%]\}}\}}|%\}})"


_LITERAL = _make_pattern("hugo", rf"(?P<inner_name>{_LITERAL_TAGS})\b(?P<inner_text>{_TEXT})(?<!/)")
_LITERAL_END = _make_pattern("closing", r"(?:/|end_?)\s*+(?P=inner_name)\s*+[-+~]?")
_TAG = _make_pattern("shortcode", rf"(?P<end>/)?\s*+(?P<name>[a-z_][\w./-]*+(?:::\w++)*+)(?P<text>{_TEXT})")
_TAG_PATTERN = re.compile(
    rf"(?P<escaped>{_ESCAPED})"
    rf"|(?P<remark>\{{\{{-?\s*+/\*{_COMMENT}\*/\s*+-?\}}\}}"
    r"|\{\#-?\s(?:[^{}#]++|\#(?!\}))*+\#\}|\{%-?\s*+\#(?:[^%{]++|%(?!\}))*+%\}"
    # A Pelican placeholder before the path of a file, such as `{static}`.
    r"|(?:(?<=[(<\"'=])|(?<=\]:\s))\{(?:filename|static|attach)\})"
    rf"|(?P<literal>{_LITERAL}"
    rf"(?P<inner>(?:[^{{]++|(?!{_TAG_START}(?:/|end_?)?\s*+(?P=inner_name)\b)\{{)*+){_LITERAL_END})"
    rf"|(?P<tag>{_TAG})"
    r"|(?P<output>\{\{[-~]?\s*+(?P<expression>[\"'][{}%]{2}[\"']\s*+-?|(?:[^{}]++|\}(?!\})|\{(?!\{))++)\}\})",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(slots=True)
class FoundTag:
    """A template tag in the text. The closing tag has the name of its opening tag."""

    start: int
    end: int
    kind: str  #: "hugo", "liquid", "output", or "" if `replacement` is set already
    name: str = ""
    text: str = ""  #: the arguments, or the expression of an output
    is_closing: bool = False
    is_call: bool = False  #: whether the arguments are in parentheses
    #: the text up to the closing tag, if the text is not parsed
    inner: str | None = None
    partner: FoundTag | None = None
    replacement: str | None = None

    @property
    def is_comment(self) -> bool:
        """Whether the tag is a comment of Liquid; generators without Liquid show its text."""
        return (self.kind, self.name) == ("liquid", "comment") and self.inner is not None


def find_tags(content: str, content_type: str) -> list[FoundTag]:
    """Return all tags in their order; each closing tag is connected with its opening tag."""
    tags = [_read_tag(match) for match in find_outside_code(content, content_type, _TAG_PATTERN, "{")]
    # The open tags by kind and name; a closing tag belongs to the nearest one.
    stacks: defaultdict[tuple[str, str], list[FoundTag]] = defaultdict(list)
    for tag in tags:
        if tag.kind not in ("hugo", "liquid") or tag.inner is not None:
            continue
        # `{% end %}` of Zola closes a call and has no name.
        stack = stacks[tag.kind, "" if tag.is_call else tag.name]
        if not tag.is_closing:
            stack.append(tag)
        elif stack:
            tag.partner = stack.pop()
            tag.partner.partner = tag
    return tags


def _read_tag(match: re.Match[str]) -> FoundTag:
    tag = FoundTag(*match.span(), kind="hugo" if match[0].startswith("{{") else "liquid")
    if match["escaped"] or match["remark"]:
        tag.kind, tag.replacement = "", _unescape_shortcode(match[0]) if match["escaped"] else ""
    elif match["output"]:
        tag.kind, tag.text = "output", match["expression"].strip("-~ \t\n")
    elif match["literal"]:
        tag.name, tag.text, tag.inner = match["inner_name"].lower(), match["inner_text"], match["inner"]
    else:
        name = re.split("/|::", match["name"].lower())[-1].removesuffix(".html")
        tag.is_closing = bool(match["end"]) or (tag.kind == "liquid" and name.startswith("end"))
        tag.name = name.removeprefix("end").lstrip("_") if tag.kind == "liquid" else name
        tag.text = match["text"].strip().rstrip("-+~/").rstrip()
        if tag.text.startswith("(") and tag.text.endswith(")"):
            tag.text, tag.is_call = tag.text[1:-1], True
    return tag


def find_comments(content: str, content_type: str) -> list[tuple[int, int]]:
    """Return the spans of the comments of Liquid (`{% comment %}`) outside of code."""
    tags = find_tags(content, content_type) if "comment" in content else []
    return [(tag.start, tag.end) for tag in tags if tag.is_comment]


def find_dead_branches(content: str, content_type: str) -> list[tuple[int, int]]:
    """Return the spans of `{% if false %}…{% endif %}` outside of code."""
    found = find_outside_code(content, content_type, _DEAD_BRANCH, "{") if "false" in content else ()
    return [branch.span() for branch in found]


def unescape_code(code: str) -> str:
    """Return code without `{% raw %}`, and with the escaped shortcodes of Hugo unescaped."""
    code = re.sub(_ESCAPED, lambda match: _unescape_shortcode(match[0]), code) if "*/" in code else code
    return _RAW_TEXT.sub(r"\g<text>", code) if "endraw" in code else code


def _unescape_shortcode(tag: str) -> str:
    return tag.replace("/*", "", 1)[::-1].replace("/*", "", 1)[::-1]


def remove_attribute_lists(content: str, content_type: str) -> tuple[str, int]:
    """Return the text without the attribute lists outside code, and the number of removed lists.

    The id of a heading is kept, in the form that blogapi reads.
    """
    parts, position, number = [], 0, 0
    for match in find_outside_code(content, content_type, _ATTRIBUTE_LIST, "{"):
        parts.append(_remove_attribute_list(content[position : match.start()], match[0]))
        position, number = match.end(), number + (not parts[-1].endswith(match[0]))
    return "".join([*parts, content[position:]]), number


def _remove_attribute_list(before: str, written: str) -> str:
    line_start = before.rstrip(" \t>")
    block, id_ = line_start.removesuffix("\n"), _ID.search(written)
    if id_ and _HEADING.search(block):
        return f"{block.rstrip()} {{{id_[0]}}}"
    if _TOC_MARK.match(written):
        return _TOC_ITEM.sub("", block)
    # In Hugo, the attribute list of a paragraph is on the line after the paragraph.
    is_text = written[1] != ":" and before[-1:] in (" ", "\t") and line_start[-1:] not in ("", "\n")
    return before + written if is_text else before


def resolve_templates(content: str, content_type: str, targets: LinkFinder) -> ResolvedText:
    """Return the text with the template tags outside code resolved, and the numbers of other tags by name.

    In code, only the tags that protect code from the template engine (`{% raw %}`) are removed.
    """
    if content_type == "text" or "{" not in content:
        return ResolvedText(content)
    if "endraw" in content or "*/" in content:
        content = change_code(content, content_type, _PROTECTED_TEXT, unescape_code)
    resolver = _TagResolver(content, content_type, targets)
    content, removed = remove_attribute_lists(resolver.resolve_tags(), content_type)
    notes = []
    if resolver.unwrapped:
        names = ", ".join(f"“{name[:60]}”" for name in list(resolver.unwrapped)[:10])
        notes.append(f"The text in unknown tags was kept without the tags: {names}.")
    if removed:
        notes.append(f"The import removed {format_count(removed, 'attribute list')} (like `{{: .class}}`).")
    return ResolvedText(content, resolver.unresolved + resolver.unwrapped, tuple(notes))


class _TagResolver:
    def __init__(self, content: str, content_type: str, targets: LinkFinder) -> None:
        self._content, self._type, self._targets = content, content_type, targets
        self.unresolved: Counter[str] = Counter()
        #: Unknown tags whose text was kept.
        self.unwrapped: Counter[str] = Counter()

    def resolve_tags(self) -> str:
        tags, parts, position = find_tags(self._content, self._type), list[str](), 0
        for tag in tags:
            if tag.replacement is not None or tag.is_closing:
                continue
            # The reader has removed the comments that the generator hides; the generator shows all others.
            if tag.inner is not None and not tag.is_comment:
                tag.replacement = self._render_literal(tag, tag.inner)
            else:
                tag.replacement = self._render_output(tag) if tag.kind == "output" else self._render_tag(tag)
            if tag.replacement is not None:
                if tag.partner:
                    tag.partner.replacement = ""
            elif tag.partner and tag.name not in _STATEMENT_TAGS:
                self._replace_tag_pair(tag, tag.partner)
            else:
                call, name = _FUNCTION_CALL.fullmatch(tag.text) if tag.kind == "output" else None, tag.name
                if tag.kind == "output":
                    name = call["name"] if call else known_tags.get_output_name(tag.text)
                elif name in _INCLUDE_TAGS:
                    # The name of the included file shows what is missing.
                    name = " ".join([name, *tag.text.split(maxsplit=1)[:1]])[:80]
                self.unresolved.update([] if name in ("", "else", "elsif", "elif", "elseif") else [name])
        for tag in tags:
            if tag.replacement is not None:
                parts += [self._content[position : tag.start], tag.replacement]
                position = tag.end
        return "".join([*parts, self._content[position:]])

    def _render_literal(self, tag: FoundTag, inner: str) -> str:
        if tag.name in RAW_TAGS:
            return inner
        if tag.name in HIDDEN_TAGS:
            self.unresolved.update([tag.name] if tag.name != "comment" else [])
            return ""
        prefix = self._get_indent(tag.start)
        title = " ".join(_CODE_OPTION.sub("", tag.text).split()) if tag.name == "codeblock" else ""
        before = f"\n\n{title}\n\n" if title else "\n\n" if prefix is None else ""
        code = re.sub(r"\A[ \t]*\n", "", unescape_code(inner)).rstrip()
        match = re.search(r"\b(?:lang|language)\s*[:=]\s*[\"']?([\w+#.-]+)", tag.text)
        if match is None and tag.name != "codeblock":
            match = re.match(r"\s*[\"']?([\w+#.-]+)", tag.text)
        language = tag.name if tag.name in ("mermaid", "plantuml") else match[1] if match else ""
        block = make_code_block(code, language, prefix or "", is_html=self._is_in_html(tag))
        return before + (prefix or "" if before else "") + block + ("\n" if self._get_rest(tag.end) else "")

    def _get_indent(self, offset: int) -> str | None:
        """Return the spaces between the start of a line and a tag, or None if there is other text."""
        match = _LINE_START.search(self._content, max(0, offset - 200), offset)
        return match[1] if match else None

    def _get_rest(self, offset: int) -> str:
        """Return the rest of the line after `offset` (at most 200 characters) without spaces around it."""
        return self._content[offset : offset + 200].partition("\n")[0].strip()

    def _is_in_html(self, tag: FoundTag) -> bool:
        """Return whether a tag is in HTML; a paragraph that begins with an element contains no Markdown."""
        start = self._content.rfind("\n\n", max(0, tag.start - _MAX_PARAGRAPH_LENGTH), tag.start) + 1
        return self._type == "html" or self._content[start : tag.start].lstrip().startswith("<")

    def _render_output(self, tag: FoundTag) -> str | None:
        call, player = _FUNCTION_CALL.fullmatch(tag.text), _PLAYER_FILTER.fullmatch(tag.text)
        if call:
            return self._render_named_tag(call["name"].rpartition("::")[2], call["text"], tag)
        if player:
            return known_tags.embed_address(
                player["address"], player["title"] or "", is_html=self._is_in_html(tag)
            )
        following = self._content[tag.end : tag.end + 2]
        if tag.text in ("page.url", "page.permalink") and following.startswith("#"):
            return ""
        text = known_tags.evaluate_expression(tag.text)
        if text != "" or following.startswith("/") or following in ("{{", "{%"):
            return text
        # The expression is the root of the blog, without a path after it.
        if self._content[tag.start - 1 : tag.start] not in ("(", '"', "'", "<", "="):
            return None
        return "/" if following[:1] in (")", '"', "'", ">", "#", "?", " ", "") else ""

    def _render_tag(self, tag: FoundTag) -> str | None:
        if tag.name not in _INCLUDE_TAGS:
            return None if tag.name in _STATEMENT_TAGS else self._render_named_tag(tag.name, tag.text, tag)
        file, _, text = tag.text.strip().partition(" ")
        name = _FILE_SUFFIX.sub("", file.strip("\"',")).rpartition("/")[2].lower()
        return self._render_named_tag(name, text, tag, kind="include") if name and "{{" not in file else None

    def _render_named_tag(self, name: str, text: str, tag: FoundTag, kind: str = "") -> str | None:
        arguments, is_html = known_tags.parse_arguments(text), self._is_in_html(tag)
        replacement = known_tags.render_tag(
            known_tags.TemplateTag(name.lower(), arguments, kind or tag.kind, is_html, self._targets)
        )
        if replacement and replacement.startswith("<") and not replacement.startswith("<br"):
            replacement += self._get_blank_line_after(tag)
        return replacement

    def _get_blank_line_after(self, tag: FoundTag) -> str:
        return "" if self._type == "html" else get_blank_line(self._content, tag.start, tag.end)

    def _replace_tag_pair(self, tag: FoundTag, closing: FoundTag) -> None:
        arguments = known_tags.parse_arguments(tag.text)
        title = arguments.get_named("title", "summary", "header", "name", "label", "author")
        # In Jekyll and Hexo, words without quotes are one title.
        words = "" if tag.is_call or tag.kind != "liquid" else tag.text.strip("\"'")
        tag.replacement = closing.replacement = ""
        if self._get_indent(tag.start) is None or self._get_rest(closing.end):
            self.unwrapped[tag.name] += 1
        elif tag.name in _DETAILS_TAGS:
            title = title or words or "".join(arguments.values[:1]) or "Details"
            self._wrap_text(tag, closing, f"<details><summary>{render_inline(title)}</summary>", "</details>")
        elif tag.name in _QUOTE_TAGS:
            credit = render_inline(title or words)
            footer = f"<footer>— {credit}</footer>" if credit else ""
            self._wrap_text(tag, closing, "<blockquote>", f"{footer}</blockquote>")
        elif tag.name in _NOTICE_TAGS:
            self._wrap_text(tag, closing, "<blockquote>", "</blockquote>")
            tag.replacement += f"<strong>{render_inline(title)}</strong>\n\n" if title else ""
        else:
            self.unwrapped[tag.name] += 1

    def _wrap_text(self, tag: FoundTag, closing: FoundTag, start: str, end: str) -> None:
        # A blank line lets Markdown continue in an HTML element.
        tag.replacement = f"{start}\n\n" if self._get_rest(tag.end) else f"{start}\n"
        is_inline = self._get_indent(closing.start) is None
        closing.replacement = ("\n\n" if is_inline else "\n") + end + self._get_blank_line_after(closing)
