"""Convert the text of a WordPress post to HTML: blocks, code, shortcodes, embeds, paragraphs, alignment."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape, unescape

from blogapi.importing.format_api import privacy_signs
from blogapi.importing.format_api.hidden_parts import remove_hidden_text
from blogapi.importing.format_api.privacy import make_guess
from blogapi.importing.formats.wordpress import shortcodes
from blogapi.importing.formats.wordpress.blocks import (
    ANY_DELIMITER,
    convert_blocks,
    find_delimiters,
    parse_attribute_json,
)
from blogapi.importing.formats.wordpress.conversion import (
    BLOCK_MARK,
    BLOCK_PLACEHOLDER,
    COMMENT_MARK,
    Conversion,
    clean_text,
)
from blogapi.importing.formats.wordpress.media_html import embed_address_lines, make_link, replace_player
from blogapi.importing.formats.wordpress.paragraphs import add_paragraphs
from blogapi.importing.texts.lines import to_mapping
from blogapi.rendering import plain_text

_PROTECTED_START = re.compile(
    r"<!--(?P<comment>)|<(?P<element>pre|code|script|style|textarea|object|iframe|math|svg)(?=[\s/>])"
    r"(?P<tag>[^<>]*+)>|<(?P<embed>embed)\s[^<>]*+>(?:\s*+</embed>)?"
    rf"|(?<!\[)\[(?P<shortcode>{'|'.join(sorted(shortcodes.CODE_NAMES, key=len, reverse=True))})"
    r"(?P<attributes>(?:[\s=][^\[\]]*+)?)\]",
    re.IGNORECASE,
)
_KEPT_COMMENT = re.compile(r"<!--(?:more|nextpage|noteaser)\b")

# Matches `class="brush: php"` (SyntaxHighlighter), `class="lang:php decode:true"` (Crayon), `lang="php"`
# (WP-Syntax), `data-enlighter-language="php"`.
_PRE_LANGUAGE = re.compile(
    r"""\bbrush:\s*+([\w#+-]+)|\blang:([\w#+-]+)|\blang(?:uage)?=["']?([\w#+-]+)"""
    r"""|\bdata-enlighter-language=["']([\w#+-]+)|\blanguage-([\w#+-]+)""",
    re.IGNORECASE,
)
_PLAIN_LANGUAGES = frozenset({"", "default", "plain", "text", "generic", "raw"})
_BARE_AMPERSAND = re.compile(r"&(?!#?\w{1,32};)")
_EDITOR_TAG = re.compile(r"\n?</?p>|<br\s*/?>\n?", re.IGNORECASE)
_GIST_ADDRESS = re.compile(r"""src=["']?(https?://gist\.github\.com/[^\s"'>?]++)""")

_HARMLESS_NAMES = {*privacy_signs.HARMLESS_SHORTCODES, *shortcodes.HANDLERS, *shortcodes.KNOWN_NAMES}
# Shortcodes with sample code, in which other shortcodes hide no text. Some themes use `text` differently.
_SAMPLE_CODE_NAMES = shortcodes.CODE_NAMES - {"text", "plain", "highlight"}
_HidingSigns = Mapping[str, privacy_signs.HidingSign | None]
_ATTRIBUTE_KEY = re.compile(r'"([\w-]{1,80}+)"\s*+:')
_TAG = re.compile(
    r"\[/(?P<end>\w[\w-]*+)[^\[\]]{0,100}\]|\[(?P<name>\w[\w-]*+)(?P<attributes>[^\[\]]*+)(?P<close>\]?)"
)
_NUMBER_SUFFIX = re.compile(r"(?:-bulk)?[_-]?\d{1,9}\Z")
_PATTERN_BLOCK = re.compile(r"<!--\s*+wp:(?:core/)?block\s++\{\"ref\":(\d{1,18})\b[^<>]*+>")
_MAX_PATTERNS_LENGTH = 1_000_000  # characters of the patterns in one text
_IMAGE = re.compile(r"<img\b[^<>]*+>", re.IGNORECASE)
_SRC = re.compile(r"""\ssrc\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""", re.IGNORECASE)
_LAZY_SRC = re.compile(r"""\sdata-(?:lazy-)?src(\s*+=)""", re.IGNORECASE)
_LAZY_SRC_VALUE = re.compile(
    r"""\sdata-(?:lazy-)?src\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""", re.IGNORECASE
)
_ALT = re.compile(r"""\salt\s*+=\s*+(?:"[^"]+"|'[^']+')""", re.IGNORECASE)
_MORE_TAG = re.compile(r"<!--more\b")
# A figure cannot be in the paragraph that an editor has made around its shortcode.
_LONE_BLOCKS = re.compile(rf"<p(?:\s[^<>]*+)?>\s*+((?:{BLOCK_PLACEHOLDER}\s*+)++)</p>")
# A longer text before the "more" tag is not used as the excerpt; then the excerpt is generated.
_MAX_EXCERPT_LENGTH = 500
_ALIGNED_TAG = re.compile(
    r"<(?P<name>p|div|h[1-6]|img)(?=\s)(?>[^<>]*?"
    r"(?<![\w-])(?:align=[\"']?|style=[\"'](?:[^\"'<>]*?[;\s])?text-align:\s*+)"
    r"(?P<side>left|right|center|justify)(?![\w-]))[^<>]*+>",
    re.IGNORECASE,
)
_CLASS = re.compile(r"(?<![\w-])(class=[\"'])", re.IGNORECASE)


def protect_code(text: str, conversion: Conversion) -> str:
    """Return the text with placeholders for code, scripts, players and comments."""
    out: list[str] = []
    position = 0
    unclosed: set[str] = set()  # end tags that were not found, and are not searched for again
    while start := _PROTECTED_START.search(text, position):
        # The text that ends the element or shortcode, in lower case; "" = it has no content.
        end_tag = f"</{start['element'].lower()}" if start["element"] else ""
        end_tag = f"[/{start['shortcode'].lower()}]" if start["shortcode"] else end_tag
        end_tag = "-->" if start["comment"] is not None else end_tag
        if (start["tag"] or "").endswith("/"):
            end: re.Match[str] | None = start
        else:
            end = None if end_tag in unclosed else _compile_end_pattern(end_tag).search(text, start.end())
        out.append(text[position : start.start()])
        position = end.end() if end else start.end()
        if end:
            inner = text[start.end() : end.start()]
            out.append(_convert_protected_part(start, inner, text[start.start() : position], conversion))
        else:
            unclosed.add(end_tag)
            # The start is escaped, because browsers hide all text after the start of an unclosed comment.
            out.append("&lt;!--" if end_tag == "-->" else start[0])
    out.append(text[position:])
    return "".join(out)


def make_code_block(code: str, language: str, *, is_escaped: bool = False) -> str:
    """Return a code block; `is_escaped` = the code is certainly HTML already."""
    code = code if is_escaped else escape_code_once(code)
    name = language.lower()
    attribute = "" if name in _PLAIN_LANGUAGES else f' class="language-{escape(name)}"'
    return f"<pre><code{attribute}>{code.strip(chr(10))}\n</code></pre>"


def escape_code_once(code: str) -> str:
    """Return code as HTML. Code that contains `&lt;` but no `<` counts as already escaped."""
    if "<" in code and "&lt;" in code and not _EDITOR_TAG.sub("", code).count("<"):
        code = _EDITOR_TAG.sub("\n", code)  # The visual editor has added paragraphs.
    if "<" in code:
        return escape(code, quote=False)
    return _BARE_AMPERSAND.sub("&amp;", code).replace(">", "&gt;")


@cache
def _compile_end_pattern(end_tag: str) -> re.Pattern[str]:
    return re.compile(re.escape(end_tag) + (r"\s*+>" if end_tag.startswith("<") else ""), re.IGNORECASE)


def _convert_protected_part(start: re.Match[str], inner: str, html: str, conversion: Conversion) -> str:
    element = (start["element"] or start["embed"] or "").lower()
    if start["comment"] is not None:
        return conversion.store_html(html, BLOCK_MARK if _KEPT_COMMENT.match(html) else COMMENT_MARK)
    if start["shortcode"]:
        named, positional = shortcodes.parse_attributes(start["attributes"])
        name = start["shortcode"].lower()
        language = named.get("lang") or named.get("language") or next(iter(positional), "").lstrip("=")
        language = language or ("" if name in shortcodes.CODE_NAMES_WITHOUT_LANGUAGE else name)
        return conversion.store_html(make_code_block(inner, unescape(language).strip("'\"")))
    if element == "pre":
        found = _PRE_LANGUAGE.search(start["tag"])
        if found and "<code" not in inner[:500].lower():
            language = next(group for group in found.groups() if group)
            # WP-Syntax and Crayon store unescaped code; all other plugins store HTML.
            html = make_code_block(inner, language, is_escaped='escaped="true"' in start["tag"])
        return conversion.store_html(html)
    if element == "code":
        return html.replace("[", "&#91;")
    if element in ("iframe", "object", "embed"):
        return replace_player(html, conversion)
    if element in ("script", "style"):
        if gist := _GIST_ADDRESS.search(html):
            return conversion.store_html(f"<p>{make_link(gist[1].removesuffix('.js'))}</p>")
        conversion.add_note("Scripts and style sheets in the text are not shown.")
        return conversion.store_html(html, COMMENT_MARK)
    return conversion.store_html(html)


def remove_hidden_blocks(text: str, conversion: Conversion) -> str:
    """Return a text without the blocks and shortcodes that were hidden from everyone.

    A part that only some visitors saw stays in the text, and adds a guess or a reason for a draft.
    """
    for find in (_find_hidden_blocks, _find_hidden_shortcodes):
        out: list[str] = []
        position = 0
        for start, end in find(text, conversion):
            out += text[position:start], "\n\n"
            conversion.left_out.append(_TAG.sub("", text[start:end]))
            position = end
        text = "".join([*out, text[position:]])
    return text


def _find_hidden_blocks(text: str, conversion: Conversion) -> Iterator[tuple[int, int]]:
    depth = start = 0
    hidden: int | None = None  # the depth of the block that is left out
    for block in find_delimiters(text):
        if block["end"]:
            # As in WordPress, an end delimiter closes the innermost block, whatever its name is.
            depth = max(depth - 1, 0)
        elif hidden is None and _is_block_left_out(block, conversion):
            start, hidden = block.start(), depth
        depth += not (block["end"] or block["void"])
        if depth == hidden:
            yield start, block.end()
            hidden = None
    if hidden is not None:
        yield start, len(text)


def _is_block_left_out(block: re.Match[str], conversion: Conversion) -> bool:
    attributes = parse_attribute_json(block["attributes"])
    if attributes is None:
        # WordPress ignores attributes that are not JSON, and so may have shown the block.
        attributes = dict.fromkeys(_ATTRIBUTE_KEY.findall(block["attributes"]), "?")
    visibility = to_mapping(attributes.get("blockVisibility"))
    if isinstance(sets := visibility.get("controlSets"), list):
        # Block Visibility shows the block if no control set is enabled, or if one shows it.
        enabled = [controls for controls in sets if to_mapping(controls).get("enable") is not False]
        groups = ([*_list_lines({"blockVisibility": controls})] for controls in enabled)
        hides = (any(privacy_signs.find_signs(group, privacy_signs.HIDING_BLOCKS)) for group in groups)
        if not enabled or not all(hides):
            attributes = {**attributes, "blockVisibility": {**visibility, "controlSets": []}}
    lines = [*_list_lines(attributes)]
    unknown: dict[str, privacy_signs.HidingSign | None] = {}
    for line in lines:
        name, sign = privacy_signs.get_sign_name(line), privacy_signs.guess_attribute_sign(line)
        # If an attribute has several values, a sign that is new (`HidingSign.is_new`) takes precedence.
        unknown[name] = sign if sign.is_new else unknown.get(name, sign)
    if block["name"].startswith("kadence/"):
        unknown.pop("loggedIn", None)  # This attribute hides the block from members.
    unknown[block["name"]] = privacy_signs.guess_block_sign(block["name"], is_enclosing=not block["void"])
    return _is_left_out("block", block["name"], lines, unknown | privacy_signs.HIDING_BLOCKS, conversion)


def _is_left_out(
    kind: str, name: str, lines: Iterable[str], known: _HidingSigns, conversion: Conversion
) -> bool:
    """Return whether a block or shortcode was hidden from everyone; add a note, a guess or a draft reason."""
    found = privacy_signs.find_signs([f"{name}=wp:{kind}", *lines], known)
    for is_hidden_from_everyone, sign, rule in sorted(found, key=lambda it: it[:2], reverse=True):
        part = f"The {kind} “{name[:40]}”" + ("" if sign == name else f" with the attribute “{sign[:40]}”")
        if is_hidden_from_everyone:
            conversion.add_note(f"{part} was hidden from all visitors; this part was left out.")
            return True
        if rule.is_guess:
            carrier = kind if sign == name else "attribute"
            conversion.add_guess(make_guess(carrier, sign, part), is_new=rule.is_new)
        elif not conversion.hidden:
            conversion.hidden = f"{part} hides a part of its text; the article became a draft."
    return False


def _list_lines(attributes: Mapping[str, object]) -> Iterator[str]:
    waiting = [*attributes.items()]
    while waiting:
        path, value = waiting.pop()
        if value and isinstance(value, dict):
            waiting += ((f"{path}.{key}", item) for key, item in value.items())
        elif value and isinstance(value, list):
            # Single conditions in a list can be switched off with `enabled: false`.
            waiting += ((path, it) for it in value if to_mapping(it).get("enabled") is not False)
        else:
            yield f"{path}={value.strip() if isinstance(value, str) else json.dumps(value)}"


def _find_hidden_shortcodes(text: str, conversion: Conversion) -> Iterator[tuple[int, int]]:
    ends: dict[str, int] = {}
    tags: list[tuple[re.Match[str], int]] = []  # start tags, each with the end of its end tag, or 0
    for tag in reversed([*_TAG.finditer(text)]):
        if tag["end"]:
            ends[tag["end"].lower()] = tag.end()
        else:
            is_void = tag["close"] and tag["attributes"].endswith("/")
            tags.append((tag, 0 if is_void else ends.get(tag["name"].lower(), 0)))
    position = 0
    for tag, end in reversed(tags):
        stop = end or tag.end()
        if tag.start() < position or not (end or tag["name"].startswith(privacy_signs.BUILDER_PREFIXES)):
            continue
        is_escaped = text[tag.start() - 1 : tag.start()] == "[" and text[stop : stop + 1] == "]"
        if is_escaped or tag["name"] in _SAMPLE_CODE_NAMES:
            position = stop
        elif _is_shortcode_left_out(tag, conversion):
            yield tag.start(), stop
            position = stop


def _is_shortcode_left_out(tag: re.Match[str], conversion: Conversion) -> bool:
    name = tag["name"].lower()
    named, positional = shortcodes.parse_attributes(tag["attributes"])
    attributes = {**named, "": "".join(positional), **({} if tag["close"] else {"?": "["})}
    if _is_left_out("shortcode", name, _list_lines(named), privacy_signs.ANY_SHORTCODE_SIGNS, conversion):
        return True
    if name.startswith(privacy_signs.BUILDER_PREFIXES):
        return _is_left_out("shortcode", name, _list_lines(attributes), privacy_signs.BUILDERS, conversion)
    plain = _NUMBER_SUFFIX.sub("", name.lstrip("_"))
    if not _HARMLESS_NAMES.isdisjoint((name, plain, plain.removeprefix("su_"))):
        return False
    sign = privacy_signs.HIDING_SHORTCODES.get(plain)
    if sign is None:
        sign = privacy_signs.guess_shortcode_sign(tag["name"], attributes)
    elif "?" in attributes or named.get("operator", "allow").lower() != "allow":
        attributes = {}  # the condition is unclear, or reversed
    return _is_left_out("shortcode", name, _list_lines(attributes), {name: sign}, conversion)


def convert_text(content: str, conversion: Conversion, excerpt: str = "") -> Conversion:
    """Convert the text of a post or page to HTML; `content` is its text in the database of WordPress.

    Callers select one language of the text first (`blog.select_language`). Returns the `conversion`.
    """

    def convert_classic(part: str) -> str:
        return conversion.store_html(add_paragraphs(_convert_inline_text(part, conversion)))

    # This call only finds reasons for a draft: a shortcode in the excerpt can hide the whole text.
    remove_hidden_blocks(excerpt, conversion)
    text = remove_hidden_blocks(clean_text(content), conversion)
    text = clean_text(_insert_patterns(text, conversion))
    text = _show_lazy_images(remove_hidden_blocks(text, conversion))
    if ANY_DELIMITER.search(text):
        html = _convert_inline_text(convert_blocks(text, conversion, convert_classic), conversion)
    else:
        html = add_paragraphs(_convert_inline_text(text, conversion))
    html = conversion.restore_html(_ALIGNED_TAG.sub(_add_alignment_class, html)).strip()
    conversion.html, notes, left_out, _ = remove_hidden_text(html, "html", keeps_unclear=True)
    conversion.left_out += left_out
    more = _MORE_TAG.search(conversion.html)
    if more and more.start() <= 20 * _MAX_EXCERPT_LENGTH:
        excerpt = unescape(plain_text.to_plain_text(conversion.html[: more.start()]))
        conversion.excerpt = excerpt if len(excerpt) <= _MAX_EXCERPT_LENGTH else ""
    for note in notes:
        conversion.add_note(note)
    return conversion


def _insert_patterns(text: str, conversion: Conversion) -> str:
    size = 0

    def insert_pattern(block: re.Match[str]) -> str:
        nonlocal size
        pattern = conversion.get_pattern(int(block[1]))
        size += len(pattern)
        return pattern if pattern and size <= _MAX_PATTERNS_LENGTH else block[0]

    return _PATTERN_BLOCK.sub(insert_pattern, text)


def _show_lazy_images(text: str) -> str:
    """Return the text with pictures that a script loads replaced by pictures that need no script.

    If `noscript` contains a copy of a picture, the copy is kept instead. The copy gets the alternative text
    of the picture, because Squarespace omits this text in copies.
    """
    copies = {_read_url(_SRC, image[0]) for image in _IMAGE.finditer(text)} if "<noscript" in text else set()
    alts: dict[str, str] = {}

    def show_lazy_image(image: re.Match[str]) -> str:
        found = _SRC.search(image[0])
        src = found[found.lastindex or 0] if found else ""
        if src[:5] not in ("", "data:") or not _LAZY_SRC.search(image[0]):
            return image[0]
        address, alt = _read_url(_LAZY_SRC_VALUE, image[0]), _ALT.search(image[0])
        if address not in copies:
            return _LAZY_SRC.sub(r" src\1", _SRC.sub("", image[0]), count=1)
        if alt:
            alts.setdefault(address, alt[0])
        return ""

    def add_alt(image: re.Match[str]) -> str:
        alt = None if _ALT.search(image[0]) else alts.get(_read_url(_SRC, image[0]))
        return f"<img{alt}{image[0][4:]}" if alt else image[0]

    shown = _IMAGE.sub(show_lazy_image, text) if "data-" in text else text
    return _IMAGE.sub(add_alt, shown) if alts else shown


def _read_url(attribute: re.Pattern[str], image: str) -> str:
    """Return the address in an attribute without its query, which differs between the copies; "" if none."""
    found = attribute.search(image)
    return unescape(found[found.lastindex or 0]).partition("?")[0] if found else ""


def _convert_inline_text(text: str, conversion: Conversion) -> str:
    text = shortcodes.replace_shortcodes(protect_code(text, conversion), conversion)
    return _LONE_BLOCKS.sub(r"\1", embed_address_lines(text, conversion))


def _add_alignment_class(tag: re.Match[str]) -> str:
    name, side = tag["name"], tag["side"].lower()
    added = f"align{side}" if name.lower() == "img" else f"has-text-align-{side}"
    if added in tag[0]:
        return tag[0]
    if _CLASS.search(tag[0]):
        return _CLASS.sub(rf"\g<1>{added} ", tag[0], count=1)
    return f'<{name} class="{added}"{tag[0][len(name) + 1 :]}'
