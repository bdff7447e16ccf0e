"""The attributes of shortcodes, and names of shortcodes that have no handler of their own."""

from __future__ import annotations

import re

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
