"""Resolve the template tags of static site generators in the text of an article.

Tags that show the same in every blog become Markdown or HTML: pictures, players, code, quotes and links. Tags
that depend on the templates of the former blog (variables, loops, includes) stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from blogapi.transfer.link_targets import LinkTargets
from blogapi.transfer.markdown import attribute_lists, template_outputs
from blogapi.transfer.markdown.resolved import Resolved
from blogapi.transfer.markdown.scanner import Scanner
from blogapi.transfer.markdown.tag_arguments import Arguments, parse_arguments
from blogapi.transfer.markdown.tag_handlers import NOTICES, Context, Tag, resolve_tag
from blogapi.transfer.markdown.tag_markup import Markup, render_inline
from blogapi.transfer.markdown.text import format_count

# No pattern continues behind the start of the next tag, so that the search takes linear time.
_COMMENT = r"(?:[^*{]++|\*(?!/)|\{(?!\{[<%/-]|%))*+"
_STRING = r'"(?:[^"\\{>%]++|\\.|\{(?!\{[<%])|[>%](?!\}\}))*+"'
_PATTERN = re.compile(
    rf"{attribute_lists.PATTERN}"
    rf"|(?P<escaped>\{{\{{(?P<es_open>[<%])/\*(?P<es_text>{_COMMENT})\*/[>%]\}}\}}"
    rf"|\{{%/\*(?P<es_zola>{_COMMENT})\*/%\}})"
    rf"|(?P<remark>\{{\{{-?\s*+/\*{_COMMENT}\*/\s*+-?\}}\}}"
    r"|\{\#-?\s(?:[^{}#]++|\#(?!\}))*+\#\}|\{%-?\s*+\#(?:[^%{]++|%(?!\}))*+%\})"
    r"|(?P<hugo>\{\{[<%]\s*+(?P<h_end>/)?\s*+(?P<h_name>\w[\w./-]*+)"
    rf"(?P<h_text>(?:[^\"`>%{{]++|{_STRING}|`[^`{{]*+`|[\"`]|[>%](?!\}}\}})|\{{(?!\{{[<%]))*+)[>%]\}}\}})"
    r"|(?P<liquid>\{%[-+~]?\s*+(?P<l_name>[a-z_][\w-]*+(?:::\w++)*+)"
    r"(?P<l_text>(?:[^%{]++|%(?!\})|\{(?!%))*+)%\})"
    r"|(?P<output>\{\{[-~]?\s*+(?P<o_text>[\"'][{}%]{2}[\"']\s*+-?|(?:[^{}]++|\}(?!\})|\{(?!\{))++)\}\})"
    r"|(?P<address>(?:(?<=[(<\"'=])|(?<=\]:\s))"
    r"(?:(?P<a_post>@/|[{|]filename[}|])|[{|](?:static|attach)[}|])(?P<a_path>[^\s()<>\"']*+))",
    re.MULTILINE | re.IGNORECASE | re.DOTALL,
)
# A text without these characters contains no tags.
_HINTS = (
    *("{%", "{{", "{:", "{#", "{.", "){", "}{", "{filename}", "{static}", "{attach}"),
    *("(@/", '"@/', ": @/", "|filename|", "|static|", "|attach|"),
)

# Tags of which the text is not parsed, up to their closing tags.
_CODE_TAGS = {"highlight", "codeblock", "code", "prism", "mermaid", "plantuml", "highlightjs", "sourcecode"}
_RAW_TAGS = {"raw", "rawhtml", "verbatim", "html", "raw_html", "unsafe"}
_HIDDEN_TAGS = {"comment", "css", "js", "javascript", "style", "stylesheet", "schema"}
_LITERAL_TAGS = _CODE_TAGS | _RAW_TAGS | _HIDDEN_TAGS
# Statements, of which the closing tags are not closing tags of a text.
_STATEMENTS = {
    *("if", "ifchanged", "unless", "for", "case", "tablerow", "capture", "macro", "call", "set", "filter"),
    *("with", "assign", "else", "elsif", "elif", "elseif", "when", "include", "include_cached", "block"),
    *("layout", "extends", "import", "from", "cycle", "increment", "decrement", "liquid", "render", "break"),
    *("continue", "include_relative"),
}
_INCLUDES = {"include", "include_cached", "include_relative", "render", "partial"}
_DETAILS = {
    "details",
    "expand",
    "collapse",
    "spoiler",
    "accordion",
    "fold",
    "folding",
    "toggle",
    "expandable",
}
_TITLED = {"tab", "tabitem", "tab-item", "accordion-item", "step"}
_CALL = re.compile(r"(?P<name>[\w:.-]+)\s*\((?P<text>.*)\)", re.DOTALL)
_RAW = re.compile(
    r"^[ \t]*+\{%-?\s*+(?P<end_line>end)?raw\s*+-?%\}[ \t]*\n|\{%-?\s*+(?P<end>end)?raw\s*+-?%\}",
    re.MULTILINE,
)
_ESCAPED = re.compile(rf"\{{\{{(?P<open>[<%])/\*(?P<text>{_COMMENT})\*/(?P<close>[>%])\}}\}}")
_LINE_START = re.compile(r"(?:^|\n)([ \t]*)\Z")
_MAX_PARAGRAPH = 5_000
_SUFFIX = re.compile(r"\.(?:html?|md|markdown|liquid|njk|svg|txt|ext)$", re.IGNORECASE)


def resolve_templates(content: str, content_type: str, targets: LinkTargets) -> Resolved:
    """Return the text with the template tags outside code resolved, and the names of the others with counts.

    In code, only the marks are removed that protect it from the template engine (`{% raw %}`).
    """
    if content_type == "text" or not any(hint in content for hint in _HINTS):
        return Resolved(content)
    return _Resolver(content, content_type, targets).resolve()


@dataclass(slots=True)
class _Found:
    """A template tag in the text. The closing tag has the name of its opening tag."""

    start: int
    end: int
    kind: str  #: "hugo", "liquid" or "output"
    name: str = ""
    text: str = ""  #: the arguments, or the expression of an output
    is_closing: bool = False
    is_call: bool = False  #: whether the arguments are in parentheses
    #: the text up to the closing tag, of a tag of which the text is not parsed
    inner: str | None = None
    partner: _Found | None = None
    replacement: str | None = None


class _Resolver:
    def __init__(self, content: str, content_type: str, targets: LinkTargets) -> None:
        self._content = content
        self._markup, self._html = Markup(content_type), Markup("html")
        self._targets = targets
        self._scanner = Scanner(content, content_type, _PATTERN, "{|@")
        self._missing: set[str] = set()
        self._leftovers: Counter[str] = Counter()
        self._unwrapped: Counter[str] = Counter()
        self._removed_lists = 0

    def resolve(self) -> Resolved:
        found = list(self._find_tags())
        _pair(found)
        for tag in found:
            if tag.replacement is None and not tag.is_closing:
                self._replace(tag)
        content = "".join(self._join(found))
        return Resolved(content, self._leftovers + self._unwrapped, tuple(self._list_notes()))

    def _list_notes(self) -> Iterator[str]:
        if self._unwrapped:
            names = ", ".join(f"“{name[:60]}”" for name in list(self._unwrapped)[:10])
            yield f"The text in unknown tags was kept without the tags: {names}."
        if self._removed_lists:
            count = format_count(self._removed_lists, "attribute list")
            yield f"The import removed {count} (like `{{: .class}}`)."

    def _find_tags(self) -> Iterator[_Found]:
        end = 0
        for match in self._scanner:
            kind = match.lastgroup or ""
            found = _Found(match.start(), match.end(), kind)
            if kind in ("escaped", "remark"):
                found.replacement = _unescape(match) if kind == "escaped" else ""
            elif kind.startswith("al_"):
                removed = attribute_lists.replace(match)
                if removed is None or removed[0] < end:
                    continue
                found.start, found.replacement = removed
                self._removed_lists += 1
            elif kind == "address":
                found.replacement = self._resolve_address(match)
            elif kind == "output":
                found.text = match["o_text"].strip("-~ \t\n")
            else:
                self._read_tag(found, match)
            end = found.end
            yield found

    def _read_tag(self, found: _Found, match: re.Match[str]) -> None:
        """Read the name and the arguments of a tag, and its text if that is not parsed."""
        is_hugo = found.kind == "hugo"
        name = match["h_name" if is_hugo else "l_name"].lower()
        found.text = match["h_text" if is_hugo else "l_text"].strip().rstrip("-+~/" if is_hugo else "-+~")
        found.is_closing = bool(match["h_end"]) if is_hugo else name.startswith("end")
        if is_hugo:
            found.name = name.rpartition("/")[2].removesuffix(".html")
        else:
            found.name = (
                name.removeprefix("end").lstrip("_") if found.is_closing else name.rpartition("::")[2]
            )
            call = re.fullmatch(r"\s*\((?P<text>.*)\)\s*", found.text, re.DOTALL)
            found.text, found.is_call = (call["text"], True) if call else (found.text, False)
        if found.name in _LITERAL_TAGS and not found.is_closing and not match[0].endswith("/>}}"):
            self._read_inner(found)

    def _read_inner(self, found: _Found) -> None:
        """Extend a tag to its closing tag, if it has one."""
        name = re.escape(found.name)
        closing = rf"\{{\{{[<%]\s*/\s*(?:[\w./-]*/)?{name}\s*[>%]\}}\}}" if found.kind == "hugo" else (
            rf"\{{%[-+~]?\s*end_?{name}\s*[-+~]?%\}}"
        )  # fmt: skip
        if closing in self._missing:
            return
        end = re.compile(closing, re.IGNORECASE).search(self._content, found.end)
        if end is None:
            self._missing.add(closing)
            return
        found.inner = self._content[found.end : end.start()]
        found.end = self._scanner.position = end.end()

    def _resolve_address(self, match: re.Match[str]) -> str | None:
        path, mark = match["a_path"], match["a_post"]
        if mark is None:
            return path
        found = self._targets.find_post(path)
        if found is None and (
            mark.startswith(("{", "|")) and not re.search(r"\.(?:md|rst|html?)(?:#|$)", path)
        ):
            return path
        if found is None and (mark != "@/" or re.search(r"\.md(?:#|$)", path)):
            self._leftovers[mark.strip("{}|") if mark != "@/" else mark] += 1
        return found or match[0]

    def _replace(self, tag: _Found) -> None:
        """Set the replacement of a tag and of its closing tag, or count the tag."""
        if tag.inner is not None:
            tag.replacement = self._replace_literal(tag, tag.inner)
        elif tag.kind == "output":
            tag.replacement = self._replace_output(tag)
        else:
            tag.replacement = self._replace_tag(tag)
        if tag.partner and tag.replacement is None and tag.name not in _STATEMENTS:
            self._unwrap(tag, tag.partner)
        elif tag.partner and tag.replacement is not None and tag.partner.replacement is None:
            tag.partner.replacement = ""
        elif tag.replacement is None and (name := self._get_name(tag)):
            self._leftovers[name] += 1

    def _get_name(self, tag: _Found) -> str:
        if tag.kind != "output":
            return "" if tag.name.startswith("el") and tag.name in _STATEMENTS else tag.name
        call = _CALL.fullmatch(tag.text)
        return call["name"] if call else template_outputs.get_name(tag.text)

    def _replace_literal(self, tag: _Found, inner: str) -> str:
        if tag.name in _RAW_TAGS:
            return inner
        if tag.name in _HIDDEN_TAGS:
            if tag.name != "comment":
                self._leftovers[tag.name] += 1
            return ""
        code = unescape_code(inner)
        is_block = "\n" in code.strip()
        before = _LINE_START.search(self._content, max(0, tag.start - 200), tag.start)
        if not is_block and not before:
            return self._get_markup(tag).make_code_span(code.strip())
        prefix = before[1] if before else ""
        title = _read_code_title(tag.text) if tag.name == "codeblock" else ""
        code = re.sub(r"\A[ \t]*\n|\s+\Z", "", code)
        block = self._get_markup(tag).make_code(code, _read_language(tag), prefix)
        heading = f"{render_inline(title) if self._markup.is_html else title}\n\n{prefix}" if title else ""
        return ("" if before else "\n\n") + heading + block + self._end_line(tag)

    def _end_line(self, tag: _Found) -> str:
        """Return the line break after a block, if its line continues."""
        return "\n" if self._get_rest(tag.end) else ""

    def _get_rest(self, offset: int) -> str:
        """Return the rest of a line without spaces (of a long line, only its start)."""
        return self._content[offset : offset + 200].partition("\n")[0].strip()

    def _get_markup(self, tag: _Found) -> Markup:
        """Return the markup at a tag; a paragraph that begins with an HTML element contains no Markdown."""
        start = self._content.rfind("\n\n", max(0, tag.start - _MAX_PARAGRAPH), tag.start) + 1
        is_html = self._content[start : tag.start].lstrip().startswith("<")
        return self._html if is_html else self._markup

    def _replace_output(self, tag: _Found) -> str | None:
        call = _CALL.fullmatch(tag.text)
        if call:
            return self._resolve_named(call["name"].rpartition("::")[2], call["text"], tag)
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

    def _replace_tag(self, tag: _Found) -> str | None:
        if tag.name in _INCLUDES:
            file, _, text = tag.text.strip().partition(" ")
            name = _SUFFIX.sub("", file.strip("\"',")).rpartition("/")[2].lower()
            if "{{" in file or not name:
                return None
            return self._resolve_named(name, text, tag, is_include=True)
        if tag.name in _STATEMENTS:
            return None
        return self._resolve_named(tag.name, tag.text, tag)

    def _resolve_named(self, name: str, text: str, tag: _Found, *, is_include: bool = False) -> str | None:
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

    def _separate(self, tag: _Found) -> str:
        """Return the blank line that ends an HTML block in Markdown, if the tag has a line of its own."""
        content, next_line = self._content, self._content.find("\n", tag.end, tag.end + 200) + 1
        if self._markup.is_html or self._get_rest(tag.end) or not self._get_rest(next_line).strip(" >"):
            return ""
        start = content.rfind("\n", max(0, tag.start - 200), tag.start) + 1
        prefix = content[start : tag.start]
        return "" if prefix.strip(" \t>") else f"\n{prefix.rstrip()}"

    def _unwrap(self, tag: _Found, closing: _Found) -> None:
        """Replace an unknown tag and its closing tag, whose text is kept."""
        arguments = parse_arguments(tag.text, template_outputs.resolve_inside)
        is_block = self._is_block(tag, closing)
        title = arguments.get("title", "summary", "header", "name", "label", "author")
        tag.replacement = closing.replacement = ""
        if tag.name in _DETAILS and is_block:
            title = title or next(iter(arguments.values), "") or "Details"
            self._wrap(tag, closing, f"<details><summary>{render_inline(title)}</summary>", "</details>")
        elif tag.name in NOTICES and is_block:
            credit = _read_credit(tag, arguments) if tag.name in ("blockquote", "quote") else ""
            self._wrap(tag, closing, "<blockquote>", f"{credit}</blockquote>")
            if title and not credit:
                tag.replacement += f"<strong>{render_inline(title)}</strong>\n\n"
        elif tag.name in _TITLED and is_block and (title or arguments.values):
            title = render_inline(title or arguments.values[0])
            tag.replacement = f"<strong>{title}</strong>\n"
        else:
            self._unwrapped[tag.name] += 1

    def _is_block(self, tag: _Found, closing: _Found) -> bool:
        """Return whether both tags are at the start or the end of lines, so that blocks can replace them."""
        before = _LINE_START.search(self._content, max(0, tag.start - 200), tag.start)
        return before is not None and not self._get_rest(closing.end)

    def _wrap(self, tag: _Found, closing: _Found, start: str, end: str) -> None:
        # A blank line lets Markdown continue in an HTML element.
        tag.replacement = f"{start}\n\n" if self._get_rest(tag.end) else f"{start}\n"
        is_line = _LINE_START.search(self._content, max(0, closing.start - 200), closing.start)
        closing.replacement = ("\n" if is_line else "\n\n") + end + self._separate(closing)

    def _join(self, found: list[_Found]) -> Iterator[str]:
        """Yield the text with the replacements, and the code between them without protecting marks."""
        position = 0
        code = iter([*self._scanner.code, (len(self._content), len(self._content))])
        start, end = next(code)
        for tag in [*found, _Found(len(self._content), len(self._content), "")]:
            while start < tag.start and end <= tag.start:
                yield self._content[position:start]
                yield unescape_code(self._content[start:end])
                position = end
                start, end = next(code)
            yield self._content[position : tag.start]
            yield self._content[tag.start : tag.end] if tag.replacement is None else tag.replacement
            position = tag.end


def _pair(found: list[_Found]) -> None:
    """Connect each closing tag with the nearest open tag of its name."""
    stacks: defaultdict[tuple[str, str], list[_Found]] = defaultdict(list)
    open_calls: list[_Found] = []
    for tag in found:
        if tag.kind not in ("hugo", "liquid") or tag.inner is not None or tag.replacement is not None:
            continue
        stack = stacks[tag.kind, tag.name]
        # `{% end %}` of Zola has no name.
        if tag.is_closing and not tag.name and open_calls:
            tag.partner = open_calls.pop()
            tag.partner.partner = tag
        elif tag.is_closing and stack:
            tag.partner = stack.pop()
            tag.partner.partner = tag
        elif not tag.is_closing:
            stack.append(tag)
            if tag.is_call:
                open_calls.append(tag)


def _unescape(match: re.Match[str]) -> str:
    if match["es_zola"] is not None:
        return f"{{%{match['es_zola']}%}}"
    mark = match["es_open"]
    return f"{{{{{mark}{match['es_text']}{'>' if mark == '<' else '%'}}}}}"


def unescape_code(code: str) -> str:
    """Return code without `{% raw %}`, and with the escaped shortcodes of Hugo as they are shown."""
    if "/*" in code:
        code = _ESCAPED.sub(r"{{\g<open>\g<text>\g<close>}}", code)
    if "endraw" not in code:
        return code
    parts, position, is_raw = [], 0, False
    for mark in _RAW.finditer(code):
        # Only the first closing tag ends the text of a tag.
        if bool(mark["end"] or mark["end_line"]) == is_raw:
            parts.append(code[position : mark.start()])
            position, is_raw = mark.end(), not is_raw
    return "".join([*parts, code[position:]])


def _read_language(tag: _Found) -> str:
    if tag.name in ("mermaid", "plantuml"):
        return tag.name
    named = re.search(r"\b(?:lang|language)\s*[:=]\s*[\"']?([\w+#.-]+)", tag.text)
    if named or tag.name == "codeblock":
        return named[1] if named else ""
    first = re.match(r"\s*[\"']?([\w+#.-]+)", tag.text)
    return first[1] if first else ""


def _read_code_title(text: str) -> str:
    """Return the title of `{% codeblock title lang:x url text %}` of Hexo, with its link in Markdown."""
    words = re.findall(r"\"[^\"]*\"|'[^']*'|\S+", text)
    plain = [word.strip("\"'") for word in words if not re.match(r"[a-z_]+:(?!//)", word)]
    place = next((number for number, word in enumerate(plain) if re.match(r"https?://|/", word)), None)
    title = " ".join(plain[:place])
    if place is None:
        return title
    label = " ".join(plain[place + 1 :]) or title or plain[place]
    return " ".join(filter(None, [title, Markup("markdown").make_text_link(label, plain[place])]))


def _read_credit(tag: _Found, arguments: Arguments) -> str:
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
