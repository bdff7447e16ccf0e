"""Write the pictures for template tags such as `figure`, `img` and `include image.html`."""

from __future__ import annotations

import re

from blogapi.transfer.markdown.tag_context import Context, Tag
from blogapi.transfer.markdown.tag_markup import Markup, is_audio, is_image, is_video

_SOURCES = (
    *("src", "image_path", "file", "filename", "image", "img", "path", "picture", "source", "photo"),
    *("image_url", "imageurl", "image-path", "image-src", "img_src", "name"),
)  # fmt: skip
_CAPTION_NAMES = {"figure", "fig", "fullwidth", "maincolumn", "marginfigure"}
_NUMBER = re.compile(r"[0-9]{1,5}(?:px|%)?|auto")
# The last quoted text in the title of Hexo's pictures is the alternative text: `"title 'alt'"`.
_INNER_ALT = re.compile(r"""(["'])(?P<alt>[^"']*)\1$""")
_FLAGS = {"true", "false"}


def make_picture(tag: Tag, context: Context) -> str | None:
    src, texts, sizes = _read_picture(tag)
    get, markup = tag.arguments.get, context.markup
    if not src:
        return None
    if is_video(src) or is_audio(src):
        return markup.make_player(src)
    caption, title = get("caption", "cap", "legend"), get("title")
    alt = get("alt", "alttext", "alt_text", "image_alt", "image-alt", "description") or _choose_alt(
        tag, texts
    )
    if tag.name == "figure" and title:
        caption = ". ".join(filter(None, (title, caption)))
        title = ""
    if tag.name in _CAPTION_NAMES and not caption and not get("src"):
        caption = texts[-1] if texts else ""
    caption = " ".join(filter(None, (caption, _make_credit(tag, markup))))
    link = get("link", "href", "url")
    link = "" if link == src or link in _FLAGS or link.startswith("#") else link
    if caption:
        return markup.make_figure({"src": src, "alt": alt, "title": title, **sizes}, caption, link)
    picture = markup.make_picture(src, alt, title=title, sizes=sizes)
    return markup.make_link(picture, link) if link else picture


def _read_picture(tag: Tag) -> tuple[str, list[str], dict[str, str]]:
    """Return the address, the texts and the sizes of a picture."""
    arguments = tag.arguments
    named = arguments.get(*_SOURCES) or next(
        (value for name in ("url", "href", "link") if is_image(value := arguments.get(name))), ""
    )
    sizes = {name: arguments.get(name).removesuffix("px") for name in ("width", "height")}
    if named or tag.is_include:
        return named, [], sizes
    values = arguments.values
    place = next((number for number, value in enumerate(values) if is_image(value) or is_video(value)), None)
    if place is None:
        # A name without an extension can be an address or the resource of a page.
        place = next((number for number, value in enumerate(values) if "/" in value or "." in value), None)
    if place is None:
        return "", [], sizes
    rest = values[place + 1 :]
    numbers = [value for value in rest if _NUMBER.fullmatch(value)]
    if tag.is_hexo and tag.name in ("img", "asset_img"):
        sizes |= dict(zip(("width", "height"), (value.removesuffix("px") for value in numbers), strict=False))
    return values[place], [value for value in rest if value not in numbers], sizes


def _choose_alt(tag: Tag, texts: list[str]) -> str:
    """Return the alternative text among the texts of a picture tag, which depends on the tag."""
    if not texts:
        return ""
    if tag.name in ("img", "asset_img") and tag.is_hexo:
        # Words without quotes are one title.
        text = texts[-1] if len(texts) == 2 else " ".join(texts)
        inner = _INNER_ALT.search(text)
        return inner["alt"] if inner else text
    return texts[-1] if "class" in tag.name else texts[0]


def _make_credit(tag: Tag, markup: Markup) -> str:
    text, link = tag.arguments.get("attr"), tag.arguments.get("attrlink")
    return Markup("markdown").make_text_link(text, link) if text and link else text


def make_unknown_picture(tag: Tag, context: Context) -> str | None:
    """Return the picture that an unknown tag names without a parameter name (`{% fullwidth "x.png" %}`)."""
    is_picture = not tag.is_include and any(map(is_image, tag.arguments.values[:2]))
    return make_picture(tag, context) if is_picture else None
