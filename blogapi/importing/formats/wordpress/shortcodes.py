"""Replace the shortcodes of WordPress and of widespread plugins (`[caption id="a"]…[/caption]`) with HTML.

Unknown shortcodes stay in the text and are counted. The time is proportional to the length of the text: a
shortcode contains no start tag of its own name, so the number of names limits the depth of the nesting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape, unescape
from urllib.parse import unquote

from blogapi.importing.formats.wordpress import media_html
from blogapi.importing.formats.wordpress.conversion import Attachment, Conversion
from blogapi.importing.formats.wordpress.media_html import embed_address, make_link

_AUDIO_ATTRIBUTES = ("src", "mp3", "m4a", "ogg", "wav", "flac", "wma")
_VIDEO_ATTRIBUTES = ("src", "mp4", "m4v", "webm", "ogv", "mov", "wmv", "flv")
_ADDRESS = re.compile(r"https?://[^\s<>\"'\]]++|(?<![\w/])//[\w.-]++/[^\s<>\"'\]]*+")
_TAG = re.compile(r"<[^<>]*+>")
_TITLE_ATTRIBUTES = ("title", "heading", "text", "h2", "name", "author")
_PICTURE_ATTRIBUTES = ("image", "image_url", "portrait_url")
_ADDRESS_ATTRIBUTES = ("button_url", "button_link", "button_one_url", "url", "link", "href")
_LABEL_ATTRIBUTES = ("button_text", "button_one_text", "linktext", "btn_title")
_ESCAPED_CHARACTER = re.compile(r"&(?:quot|#34|#0*39|apos|#91|#93);")
_HEADING_LEVEL = re.compile(r"(?:^|tag:)(h[2-6])\b")
# Characters that page builders replace, because attributes of shortcodes cannot contain them.
_REPLACED_CHARACTERS = {"%22": '"', "%91": "[", "%93": "]", "``": '"', "`{`": "[", "`}`": "]"}

#: Shortcodes without content; text between their tags stays in the post
SHORTCODES_WITHOUT_CONTENT = frozenset(
    {"gallery", "vc_gallery", "vc_video", "playlist", "vc_single_image", "vc_btn", "et_pb_image"}
)
_ATTRIBUTE = re.compile(
    r"""([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"']++))|"([^"]*)"|'([^']*)'|(\S++)"""
)
# Quotation marks with which editors and themes replace straight quotation marks.
_QUOTATION_MARK = re.compile("&quot;|&#34;|&#822[01];|&#8243;|[“”″„]")
_SPACE_CHARACTER = re.compile("&nbsp;|&#160;|[\xa0\u200b]")
# SyntaxHighlighter has one shortcode for each language, in addition to _CODE_SHORTCODES.
_LANGUAGE_SHORTCODES = (
    "actionscript3 as3 bash shell coldfusion cf clojure clj cpp c csharp c-sharp css delphi pas pascal diff "
    "patch erl erlang fsharp go golang groovy haskell java javafx jfx js jscript javascript matlab objc "
    "obj-c perl pl php plain text powershell ps py python r splus rails rb ror ruby scala sql swift vb "
    "vbnet xml xhtml xslt html yaml json"
)
_CODE_SHORTCODES = "code sourcecode source crayon prettify highlight"
_LAYOUT_SHORTCODES = (
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
_TITLED_SHORTCODES = (
    "vc_custom_heading vc_text_separator vc_tta_section vc_tab vc_accordion_tab vc_toggle vc_cta "
    "et_pb_heading et_pb_blurb et_pb_toggle et_pb_accordion_item et_pb_tab et_pb_cta et_pb_slide "
    "et_pb_testimonial et_pb_team_member et_pb_fullwidth_header et_pb_pricing_table fusion_title "
    "fusion_toggle fusion_tab fusion_content_box su_heading su_spoiler su_tab su_box"
)
_PLUGIN_SHORTCODES = (
    "archives contact-form contact-form-7 display-posts donate gravityform jetpack_subscription_form "
    "login_form nggallery ngg_images popular-posts portfolio powerpress products recent-posts recent_posts "
    "related_posts sharethis sitemap slideshow subscribe2 tablepress toc wpforms ninja_form singlepic "
    "mc4wp_form"
)
#: All shortcodes that contain code, and those whose name is not the language of the code
CODE_NAMES = frozenset((_CODE_SHORTCODES + " " + _LANGUAGE_SHORTCODES).split())
CODE_NAMES_WITHOUT_LANGUAGE = frozenset(_CODE_SHORTCODES.split())
LAYOUT_NAMES = frozenset((_LAYOUT_SHORTCODES + " " + _TITLED_SHORTCODES).split())
#: Shortcodes of page builders that have a title, a picture or a button in their attributes
TITLED_NAMES = frozenset(_TITLED_SHORTCODES.split())
#: Shortcodes of plugins that often have neither attributes nor an end tag
PLUGIN_NAMES = frozenset(_PLUGIN_SHORTCODES.split())
KNOWN_NAMES = CODE_NAMES | LAYOUT_NAMES | PLUGIN_NAMES
# HTML tags are matched too, so that shortcodes in their attributes are not replaced.
_TOKEN = re.compile(
    r"</?[a-zA-Z][^<>]*+>"
    r"|(?P<open>\[\[?)(?P<end>/?)(?P<name>[a-zA-Z][\w-]*+)(?P<attributes>(?:[^\w\[\]-][^\[\]]*+)?)\](?P<close>\]?)"
)
_NAMED_ATTRIBUTE = re.compile(r"\s++[\w-]++\s*+=\s*+[\"'“”&\w]")
_Token = re.Match[str]


@dataclass(frozen=True, slots=True)
class Shortcode:
    named: dict[str, str]  #: values of attributes, by name in lower case
    positional: list[str]  #: values without a name
    inner: str  #: HTML between the start tag and the end tag; "" = there is no end tag

    def find_address(self) -> str:
        """Return the first http(s) URL of the attributes, otherwise of the content; "" = there is none."""
        for value in (*self.named.values(), *self.positional, _TAG.sub(" ", self.inner)):
            if address := _ADDRESS.search(value):
                return address[0]
        return ""


Handler = Callable[[Shortcode, Conversion], str | None]


def _convert_caption(shortcode: Shortcode, conversion: Conversion) -> str | None:
    inner = replace_shortcodes(shortcode.inner, conversion).strip()
    if not inner:
        return None
    found = media_html.IMAGE_ELEMENT.search(inner)
    # The picture with the link around it; without a picture, the whole content is in the figure.
    image, rest = (found[0], inner[: found.start()] + inner[found.end() :]) if found else (inner, "")
    # In HTML in an attribute, WordPress escapes only quotes and brackets.
    caption = _ESCAPED_CHARACTER.sub(lambda entity: unescape(entity[0]), shortcode.named.get("caption", ""))
    caption = " ".join(filter(None, (rest.strip(), caption)))
    if not caption:
        return image
    classes, id_ = f"wp-caption {shortcode.named.get('align', 'alignnone')}", shortcode.named.get("id", "")
    caption = caption.replace("\n", "<br />\n")
    return conversion.store_html(media_html.make_figure(image, caption, classes, id_))


def _convert_gallery(shortcode: Shortcode, conversion: Conversion) -> str | None:
    named = shortcode.named
    ids = read_ids(next(filter(None, map(named.get, ("ids", "include", "images", "gallery_ids"))), ""))
    if ids:
        pictures = find_attachments(ids, conversion)
    else:
        excluded = set(find_attachments(read_ids(named.get("exclude", "")), conversion))
        pictures = [file for file in _list_uploads("image/", conversion) if file not in excluded]
    if not pictures:
        conversion.add_note("A gallery is not converted, because the export does not name its pictures.")
        return None
    if named.get("order", "").upper() == "DESC" and (not ids or named.get("orderby")):
        pictures.reverse()
    columns = named.get("columns", "")
    is_number = columns.isascii() and columns.isdigit() and len(columns) == 1
    is_linked = named.get("link", "") != "none"
    content = "\n".join(media_html.make_image(picture, is_linked=is_linked) for picture in pictures)
    classes = f"wp-block-gallery columns-{int(columns) if is_number else 3}"
    return conversion.store_html(media_html.make_figure(f"\n{content}\n", classes=classes))


def _convert_video(shortcode: Shortcode, conversion: Conversion) -> str | None:
    address = shortcode.named.get("src", "")
    if address and any(host in address for host in ("youtube.com/", "youtu.be/", "vimeo.com/")):
        return embed_address(address, conversion)
    return _convert_player("video", _VIDEO_ATTRIBUTES, shortcode, conversion)


def _convert_player(
    kind: str, names: Iterable[str], shortcode: Shortcode, conversion: Conversion
) -> str | None:
    named = shortcode.named
    addresses = [named[name] for name in names if named.get(name)]
    if not addresses and shortcode.positional:
        # The audio player of WordPress.com: `[audio http://a/1.mp3, http://a/2.mp3|titles=First,Second]`.
        values = " ".join(shortcode.positional).partition("|")[0].lstrip(":=")
        addresses = [value for value in re.split(r"[,\s]+", values) if "/" in value or "." in value]
    files: list[Attachment] = []
    if not addresses:
        files = find_attachments(read_ids(named.get("ids") or named.get("id") or ""), conversion)
        addresses = [file.url for file in files] or [file.url for file in _list_uploads(kind, conversion)][:1]
    if not addresses:
        return _convert_link(shortcode, conversion)
    player = media_html.make_player(
        kind,
        addresses,
        caption=named.get("caption", ""),
        fallback=replace_shortcodes(shortcode.inner, conversion).strip(),
        size=(named.get("width", ""), named.get("height", "")) if kind == "video" else ("", ""),
        poster=named.get("poster", ""),
    )
    return conversion.store_html(player)


def _convert_playlist(shortcode: Shortcode, conversion: Conversion) -> str | None:
    named = shortcode.named
    kind = "video" if named.get("type") == "video" else "audio"
    files = find_attachments(read_ids(named.get("ids") or named.get("include") or ""), conversion)
    files = files or _list_uploads(kind, conversion)
    players = [media_html.make_player(kind, [file.url], caption=file.caption or file.title) for file in files]
    return conversion.store_html("\n".join(players)) if players else None


def _convert_link(shortcode: Shortcode, conversion: Conversion) -> str | None:
    address = shortcode.find_address()
    return embed_address(address, conversion) if address else None


def _make_embed_handler(prefix: str, *names: str) -> Handler:
    """Return a handler of shortcodes with an address, or with the id that follows `prefix` in the address."""

    def embed_shortcode(shortcode: Shortcode, conversion: Conversion) -> str | None:
        if html := _convert_link(shortcode, conversion):
            return html
        named = (shortcode.named[name] for name in names if shortcode.named.get(name))
        values = (*named, *shortcode.positional, _TAG.sub("", shortcode.inner))
        stripped = (value.strip(" =:\n") for value in values)
        id_ = next((value for value in stripped if re.fullmatch(r"[\w/.@:-]{2,100}", value)), "")
        return embed_address(id_ if ":" in id_ else prefix + id_, conversion) if id_ else None

    return embed_shortcode


def _convert_image(shortcode: Shortcode, conversion: Conversion) -> str | None:
    ids = read_ids(shortcode.named.get("image") or shortcode.named.get("id") or "")
    if pictures := find_attachments(ids[:1], conversion):
        return conversion.store_html(media_html.make_image(pictures[0]))
    address = shortcode.named.get("src") or shortcode.find_address()
    picture = Attachment(unescape(address), unescape(shortcode.named.get("alt", "")))
    return conversion.store_html(media_html.make_image(picture)) if address else None


def _convert_button(shortcode: Shortcode, conversion: Conversion) -> str | None:
    address = _find_link(shortcode.named) or unescape(shortcode.find_address())
    label = escape(_find_text(shortcode.named, (*_LABEL_ATTRIBUTES, "title")), quote=False)
    return make_link(address, _TAG.sub("", shortcode.inner).strip() or label) if address else None


def convert_box_attributes(named: dict[str, str], conversion: Conversion) -> str:
    """Return the heading, the picture and the button of a box whose text is between its tags."""
    parts: list[str] = []
    if title := _find_text(named, _TITLE_ATTRIBUTES):
        level = _HEADING_LEVEL.search(named.get("font_container") or named.get("title_level") or "")
        tag = level[1] if level else "h3"
        parts.append(f"<{tag}>{escape(title, quote=False)}</{tag}>")
    picture = _find_attribute(named, _PICTURE_ATTRIBUTES)
    if picture.startswith(("http://", "https://", "/")):
        parts.append(media_html.make_image(Attachment(unescape(picture), alt=_find_text(named, ("alt",)))))
    label, address = _find_text(named, _LABEL_ATTRIBUTES), _find_link(named)
    if label and address:
        parts.append(f"<p>{make_link(address, escape(label, quote=False))}</p>")
    return "\n\n".join(map(conversion.store_html, parts))


def _find_link(named: dict[str, str]) -> str:
    """Return the address of a button; WPBakery writes `url:https%3A%2F%2Fexample.com|title:Shop`."""
    address = unescape(_find_attribute(named, _ADDRESS_ATTRIBUTES))
    if address.startswith("url:"):
        address = unquote(address[4:].partition("|")[0])
    return address if address.startswith(("http://", "https://", "mailto:", "tel:", "/")) else ""


def _find_attribute(named: dict[str, str], names: Iterable[str]) -> str:
    return next((named[name].strip() for name in names if named.get(name, "").strip()), "")


def _find_text(named: dict[str, str], names: Iterable[str]) -> str:
    text = _find_attribute(named, names)
    for code, character in _REPLACED_CHARACTERS.items():
        text = text.replace(code, character)
    return " ".join(unescape(_TAG.sub("", text)).split())


def read_ids(value: str) -> list[int]:
    return [int(number) for number in re.findall(r"(?<!\d)\d{1,18}(?!\d)", value, re.ASCII)]


def find_attachments(ids: Iterable[int], conversion: Conversion) -> list[Attachment]:
    """Return the attachments that have an address, each once; add a note with the ids of the others."""
    files = {id_: conversion.get_attachment(id_) for id_ in ids}
    found = [file for file in files.values() if file and file.url]
    if missing := [id_ for id_, file in files.items() if not (file and file.url)]:
        numbers = ", ".join(map(str, missing[:10])) + (" …" if len(missing) > 10 else "")
        conversion.add_note(f"The export lacks these media files of a gallery or player: {numbers}.")
    return found


def _list_uploads(kind: str, conversion: Conversion) -> list[Attachment]:
    return [file for file in conversion.uploads if file.url and file.mime_type.startswith(kind)]


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("caption", "wp_caption"), _convert_caption),
    **dict.fromkeys(("gallery", "vc_gallery", "et_pb_gallery"), _convert_gallery),
    "audio": lambda shortcode, conversion: _convert_player("audio", _AUDIO_ATTRIBUTES, shortcode, conversion),
    **dict.fromkeys(("video", "et_pb_video"), _convert_video),
    "playlist": _convert_playlist,
    **dict.fromkeys(
        ("embed", "embedyt", "googlemaps", "facebook", "soundcloud", "vc_video", "dailymotion", "ted"),
        _convert_link,
    ),
    **dict.fromkeys(
        ("youtube", "youtube_sc", "su_youtube", "lyte"),
        _make_embed_handler("https://www.youtube.com/watch?v=", "id", "v", "code"),
    ),
    **dict.fromkeys(("vimeo", "su_vimeo"), _make_embed_handler("https://vimeo.com/", "id", "clip_id")),
    "spotify": _make_embed_handler("https://open.spotify.com/track/"),
    "gist": _make_embed_handler("https://gist.github.com/", "id", "url"),
    **dict.fromkeys(("tweet", "twitter"), _make_embed_handler("https://twitter.com/i/status/", "id")),
    "instagram": _make_embed_handler("https://www.instagram.com/p/", "id"),
    **dict.fromkeys(("wpvideo", "videopress"), _make_embed_handler("https://videopress.com/v/")),
    **dict.fromkeys(("vc_single_image", "et_pb_image"), _convert_image),
    **dict.fromkeys(
        ("button", "su_button", "vc_btn", "vc_button", "et_pb_button", "fusion_button"), _convert_button
    ),
}


def parse_attributes(text: str) -> tuple[dict[str, str], list[str]]:
    """Return the named values (names in lower case), and the values without a name."""
    if '"' not in text:
        text = _QUOTATION_MARK.sub('"', text)
    named: dict[str, str] = {}
    positional: list[str] = []
    for name, *values in _ATTRIBUTE.findall(_SPACE_CHARACTER.sub(" ", text)):
        value = next(filter(None, values), "")
        if name:
            named[name.lower()] = value
        elif value and value != "/":
            positional.append(value)
    return named, positional


def replace_shortcodes(text: str, conversion: Conversion) -> str:
    """Return the text with placeholders for shortcodes."""
    if "[" not in text:
        return text
    tokens = [found for found in _TOKEN.finditer(text) if found["name"]]
    ends = _find_end_tags(tokens)
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


def _find_end_tags(tokens: list[_Token]) -> dict[int, int]:
    """Return the index of each end tag, by the index of the nearest start tag of the same name before it."""
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
        if "_" not in token["name"] and not token["end"] and not end:
            return None, False  # `[row]` in a sentence
        conversion.add_note("The columns and sections of a page builder are not imported; their content is.")
        if token["end"] or token["name"] not in TITLED_NAMES:
            return "\n\n", False
        named, _ = parse_attributes(token["attributes"])
        return f"\n\n{convert_box_attributes(named, conversion)}\n\n", False
    if token["name"] not in HANDLERS and token["name"] not in CODE_NAMES:
        # Count an unknown shortcode, but not a remark such as `[sic]`.
        is_known = end is not None or token["name"] in PLUGIN_NAMES or token["attributes"].endswith("/")
        if not token["end"] and (is_known or _NAMED_ATTRIBUTE.match(token["attributes"])):
            conversion.unconverted[token["name"]] += 1
        return None, False
    if token["open"] == "[[" and token["close"]:
        return text[token.start() + 1 : token.end() - 1], False
    if token["open"] == "[[" and end and end["close"]:
        return text[token.start() + 1 : end.end() - 1], True
    if token["end"] or token["name"] in CODE_NAMES:
        return None, False
    named, positional = parse_attributes(token["attributes"])
    inner = text[token.end() - len(token["close"]) : end.start()] if end else ""
    encloses = end is not None and not (token["name"] in SHORTCODES_WITHOUT_CONTENT and inner.strip())
    shortcode = Shortcode(named, positional, inner if encloses else "")
    html = HANDLERS[token["name"]](shortcode, conversion)
    if html is None:
        conversion.unconverted[token["name"]] += 1
        return None, False
    return token["open"][1:] + html + (end if end and encloses else token)["close"], encloses
