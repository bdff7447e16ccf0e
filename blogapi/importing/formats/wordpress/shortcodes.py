"""Replaces the shortcodes of WordPress and of widespread plugins (`[caption id="a"]…[/caption]`) with HTML.

Unknown shortcodes stay in the text and are counted. The time is proportional to the length of the text: a
shortcode contains no start tag of its own name, so the number of names limits the depth of the nesting.
"""

from __future__ import annotations

import re

from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.shortcode_handlers import (
    HANDLERS,
    NAMES_WITHOUT_CONTENT,
    Shortcode,
    convert_box_attributes,
)

_ATTRIBUTE = re.compile(
    r"""([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"']++))|"([^"]*)"|'([^']*)'|(\S++)"""
)
# Quotes that editors and themes put in place of straight ones.
_QUOTES = re.compile("&quot;|&#34;|&#822[01];|&#8243;|[“”″„]")
_SPACES = re.compile("&nbsp;|&#160;|[\xa0\u200b]")
# SyntaxHighlighter has one shortcode for each language, in addition to _CODE.
_LANGUAGES = (
    "actionscript3 as3 bash shell coldfusion cf clojure clj cpp c csharp c-sharp css delphi pas pascal diff "
    "patch erl erlang fsharp go golang groovy haskell java javafx jfx js jscript javascript matlab objc "
    "obj-c perl pl php plain text powershell ps py python r splus rails rb ror ruby scala sql swift vb "
    "vbnet xml xhtml xslt html yaml json"
)
_CODE = "code sourcecode source crayon prettify highlight"
_LAYOUT = (
    "vc_row vc_row_inner vc_column vc_column_inner vc_column_text vc_section et_pb_section et_pb_row "
    "et_pb_row_inner et_pb_column et_pb_column_inner et_pb_text fusion_builder_container fusion_builder_row "
    "fusion_builder_column fusion_builder_row_inner fusion_builder_column_inner fusion_text su_row "
    "su_column av_section av_one_full av_textblock one_half one_half_last one_third one_third_last "
    "two_third two_third_last one_fourth one_fourth_last three_fourth three_fourth_last column columns row "
    "vc_empty_space vc_separator vc_tta_accordion vc_tta_tabs vc_tta_tour vc_tabs vc_tour vc_accordion "
    "vc_message et_pb_divider et_pb_accordion et_pb_tabs et_pb_slider et_pb_code et_pb_sidebar "
    "et_pb_fullwidth_slider et_pb_fullwidth_code fusion_separator fusion_imageframe fusion_tabs "
    "fusion_accordion fusion_content_boxes fusion_code su_accordion su_tabs su_divider su_spacer"
)
_TITLED = (
    "vc_custom_heading vc_text_separator vc_tta_section vc_tab vc_accordion_tab vc_toggle vc_cta "
    "et_pb_heading et_pb_blurb et_pb_toggle et_pb_accordion_item et_pb_tab et_pb_cta et_pb_slide "
    "et_pb_testimonial et_pb_team_member et_pb_fullwidth_header et_pb_pricing_table fusion_title "
    "fusion_toggle fusion_tab fusion_content_box su_heading su_spoiler su_tab su_box"
)
_PLUGINS = (
    "archives contact-form contact-form-7 display-posts donate gravityform jetpack_subscription_form "
    "login_form nggallery ngg_images popular-posts portfolio powerpress products recent-posts recent_posts "
    "related_posts sharethis sitemap slideshow subscribe2 tablepress toc wpforms ninja_form singlepic "
    "mc4wp_form"
)
#: Shortcodes with code, and shortcodes with code whose name is not a language
CODE_NAMES = frozenset((_CODE + " " + _LANGUAGES).split())
CODE_NAMES_WITHOUT_LANGUAGE = frozenset(_CODE.split())
LAYOUT_NAMES = frozenset((_LAYOUT + " " + _TITLED).split())
#: Shortcodes of page builders that have a title, a picture or a button in their attributes
TITLED_NAMES = frozenset(_TITLED.split())
#: Shortcodes of plugins that often have neither attributes nor an end tag
PLUGIN_NAMES = frozenset(_PLUGINS.split())
NAMES = CODE_NAMES | LAYOUT_NAMES | PLUGIN_NAMES


def parse_attributes(text: str) -> tuple[dict[str, str], list[str]]:
    """Return the named values (names in lower case), and the values without a name."""
    if '"' not in text:
        text = _QUOTES.sub('"', text)
    named: dict[str, str] = {}
    positional: list[str] = []
    for name, *values in _ATTRIBUTE.findall(_SPACES.sub(" ", text)):
        value = next(filter(None, values), "")
        if name:
            named[name.lower()] = value
        elif value and value != "/":
            positional.append(value)
    return named, positional


# HTML tags are matched too, so that shortcodes in their attributes are not replaced.
_TOKEN = re.compile(
    r"</?[a-zA-Z][^<>]*+>"
    r"|(?P<open>\[\[?)(?P<end>/?)(?P<name>[a-zA-Z][\w-]*+)(?P<attributes>(?:[^\w\[\]-][^\[\]]*+)?)\](?P<close>\]?)"
)
_NAMED_ATTRIBUTE = re.compile(r"\s++[\w-]++\s*+=\s*+[\"'“”&\w]")
_Token = re.Match[str]


def replace_shortcodes(text: str, conversion: Conversion) -> str:
    """Return the text with placeholders for shortcodes."""
    if "[" not in text:
        return text
    tokens = [found for found in _TOKEN.finditer(text) if found["name"]]
    ends = _find_ends(tokens)
    out: list[str] = []
    position = index = 0
    while index < len(tokens):
        token = tokens[index]
        end = ends.get(index)
        last = tokens[end] if end else None
        html, uses_end = _convert_shortcode(token, last, text, conversion)
        index = end + 1 if uses_end and end else index + 1
        if html is not None:
            out += text[position : token.start()], html
            position = last.end() if uses_end and last else token.end()
    return "".join(out) + text[position:]


def _find_ends(tokens: list[_Token]) -> dict[int, int]:
    """Return the index of each end tag by the index of its start tag, the nearest one before it."""
    ends: dict[int, int] = {}
    starts: dict[str, int] = {}
    for index, token in enumerate(tokens):
        if not token["end"]:
            starts[token["name"]] = index
        elif token["name"] in starts:
            ends[starts.pop(token["name"])] = index
    return ends


def _convert_shortcode(
    token: _Token, end: _Token | None, text: str, conversion: Conversion
) -> tuple[str | None, bool]:
    """Return the replacement (None = the shortcode stays), and whether it includes the end tag."""
    if token["name"] in LAYOUT_NAMES:
        return _remove_layout(token, end, conversion), False
    if token["name"] not in HANDLERS and token["name"] not in CODE_NAMES:
        if not token["end"] and _is_plugin_shortcode(token, end):
            conversion.unconverted[token["name"]] += 1
        return None, False
    if token["open"] == "[[" and token["close"]:
        return text[token.start() + 1 : token.end() - 1], False
    if token["open"] == "[[" and end and end["close"]:
        return text[token.start() + 1 : end.end() - 1], True
    if token["end"] or token["name"] in CODE_NAMES:
        return None, False
    return _convert(token, end, text, conversion)


def _convert(token: _Token, end: _Token | None, text: str, conversion: Conversion) -> tuple[str | None, bool]:
    named, positional = parse_attributes(token["attributes"])
    inner = text[token.end() - len(token["close"]) : end.start()] if end else ""
    encloses = end is not None and not (token["name"] in NAMES_WITHOUT_CONTENT and inner.strip())
    inner = inner if encloses else ""
    html = HANDLERS[token["name"]](Shortcode(named, positional, inner, replace_shortcodes), conversion)
    if html is None:
        conversion.unconverted[token["name"]] += 1
        return None, False
    before = token["open"][1:]
    last = end if end and encloses else token
    return before + html + last["close"], encloses


def _remove_layout(token: _Token, end: _Token | None, conversion: Conversion) -> str | None:
    if "_" not in token["name"] and not token["end"] and not end:
        return None  # `[row]` in a sentence
    conversion.add_note("The columns and sections of a page builder are not imported; their content is.")
    if token["end"] or token["name"] not in TITLED_NAMES:
        return "\n\n"
    return f"\n\n{convert_box_attributes(parse_attributes(token['attributes'])[0], conversion)}\n\n"


def _is_plugin_shortcode(token: _Token, end: _Token | None) -> bool:
    """Return whether a text in brackets is an unknown shortcode, and not a remark such as `[sic]`."""
    return (
        end is not None
        or token["name"] in PLUGIN_NAMES
        or token["attributes"].endswith("/")
        or _NAMED_ATTRIBUTE.match(token["attributes"]) is not None
    )
