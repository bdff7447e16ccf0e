"""Converts Ghost's cards (pictures, embeds, buttons, …) to HTML.

The cards of mobiledoc and the nodes of lexical have the same fields; a few have other names. The texts of
captions, callouts and toggles are HTML in Ghost. The sanitizer cleans all of it when the article is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from html import escape

from blogapi.content import sanitizer
from blogapi.transfer.ghost.markup import element, render_markdown, start_tag
from blogapi.transfer.markdown.text import to_line

#: The fields of a card, as the export contains them.
Card = Mapping[str, object]

# The names of cards in mobiledoc that lexical calls differently.
_SYNONYMS = {
    "card-markdown": "markdown",
    "code": "codeblock",
    "hr": "horizontalrule",
    "html-card": "html",
    "image-card": "image",
    "hr-card": "horizontalrule",
}
_NOT_IN_LANGUAGE = re.compile(r"[^\w+#.-]")
#: The name of cards in a public post that were hidden from visitors who are not members.
MEMBERS_ONLY = "cards that only members could read"
# Nobody has seen these cards on the blog.
_OMITTED = {"email": "email cards", "email-cta": "email cards"}
_FIELD = re.compile(r"<input\b[^<>]*>", re.IGNORECASE)
# What the sanitizer removes from HTML cards.
_LOST_IN_HTML = {"<script": "scripts in HTML cards", "<form": "forms in HTML cards"}
# They only mark a place; see `posts.py` for the visibility of what follows the paywall.
_MARKERS = {"paywall", "zwnj"}


def convert_card(name: str, card: Card, losses: Counter[str]) -> str | None:
    """Return the HTML of a card, or None if the name is unknown; counts what is left out in `losses`."""
    name = _SYNONYMS.get(name, name)
    if name in _MARKERS:
        return ""
    if name in _OMITTED or not _is_public(card):
        losses[_OMITTED.get(name, MEMBERS_ONLY)] += 1
        return ""
    if name == "embed":
        return _convert_embed(card, losses)
    if name == "signup":
        losses["signup forms"] += 1
    html = _get_html(card, "html").lower() if name == "html" else ""
    losses.update(lost for tag, lost in _LOST_IN_HTML.items() if tag in html)
    convert = _CONVERTERS.get(name)
    return convert(card) if convert else None


def get_markdown(name: str, card: Card) -> str | None:
    """Return the Markdown of a card, or None if it is no Markdown card."""
    return _get_html(card, "markdown") if _SYNONYMS.get(name, name) == "markdown" else None


def _is_public(card: Card) -> bool:
    """Return whether visitors who are not members saw the card on the blog."""
    visibility = card.get("visibility")
    if not isinstance(visibility, Mapping):
        return True
    web = visibility.get("web")
    flags = (web.get("nonMember") if isinstance(web, Mapping) else None, visibility.get("showOnWeb"))
    return all(flag is not False for flag in flags)


def _get_html(card: Card, name: str) -> str:
    value = card.get(name)
    return value if isinstance(value, str) else ""


def _get_line(card: Card, *names: str) -> str:
    return next(filter(None, (to_line(card.get(name)) for name in names)), "")


def _figure(kind: str, content: str, card: Card) -> str:
    width = _get_line(card, "cardWidth", "imageStyle")
    width = f" kg-width-{width}" if width in ("wide", "full") else ""
    caption = _get_html(card, "caption").strip()
    caption = element("figcaption", caption) if caption else ""
    return element("figure", content + caption, f"kg-card kg-{kind}-card{width}")


def _image(card: Card, class_: str = "kg-image") -> str:
    # The first versions of the editor called the address `img`.
    src = _get_line(card, "src", "img")
    size = {name: _get_number(card, name) for name in ("width", "height")}
    # An empty alternative text is written, because it says that the picture is decoration.
    alt = f' alt="{escape(_get_line(card, "alt"))}"'
    tag = start_tag("img", class_, src=src, title=_get_line(card, "title"), **size)
    return f"{tag[:-1]}{alt}>" if src else ""


def _get_number(card: Card, name: str) -> str:
    value = card.get(name)
    return str(int(value)) if isinstance(value, (int, float)) and 0 < value < 100_000 else ""


def _convert_image(card: Card) -> str:
    image, href = _image(card), _get_line(card, "href")
    if not image:
        return ""
    return _figure("image", element("a", image, href=href) if href else image, card)


def _convert_gallery(card: Card) -> str:
    listed = card.get("images")
    images = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    links = [(_image(one), _get_line(one, "href")) for one in images]
    shown = [element("a", image, href=href) if href else image for image, href in links if image]
    content = "".join(element("div", image, "kg-gallery-image") for image in shown)
    return _figure("gallery", element("div", content, "kg-gallery-container"), card) if shown else ""


def _convert_code(card: Card) -> str:
    language = _NOT_IN_LANGUAGE.sub("", _get_line(card, "language"))
    code = element("code", escape(_get_html(card, "code"), quote=False), language and f"language-{language}")
    block = element("pre", code)
    return _figure("code", block, card) if _get_html(card, "caption").strip() else block


def _convert_embed(card: Card, losses: Counter[str]) -> str:
    html, url = _get_html(card, "html"), _get_line(card, "url")
    safe = sanitizer.to_safe_html(html, "html") if html else ""
    if "<iframe" in safe or "<video" in safe or "<audio" in safe or re.sub(r"<[^<>]*>|\s", "", safe):
        return _figure("embed", html, card)
    losses["embeds that became links"] += 1
    metadata = card.get("metadata")
    title = _get_line(metadata, "title") if isinstance(metadata, Mapping) else ""
    link = element("a", escape(title or url, quote=False), href=url)
    return _figure("embed", element("p", link), card) if url else ""


def _convert_bookmark(card: Card) -> str:
    metadata = card.get("metadata")
    details: Card = {**card, **metadata} if isinstance(metadata, Mapping) else card
    url = _get_line(card, "url") or _get_line(details, "url")
    title = escape(_get_line(details, "title") or url, quote=False)
    texts = {"title": title, "description": escape(_get_line(details, "description"), quote=False)}
    parts = [element("div", text, f"kg-bookmark-{name}") for name, text in texts.items() if text]
    thumbnail = _image({"src": details.get("thumbnail")}, "")
    parts += [element("div", thumbnail, "kg-bookmark-thumbnail")] if thumbnail else []
    link = element("a", "".join(parts), "kg-bookmark-container", href=url)
    return _figure("bookmark", link, card) if url else ""


def _convert_callout(card: Card) -> str:
    emoji = escape(_get_line(card, "calloutEmoji", "emoji"), quote=False)
    text = element("div", _get_html(card, "calloutText") or _get_html(card, "content"), "kg-callout-text")
    return element(
        "div", (emoji and element("div", emoji, "kg-callout-emoji")) + text, "kg-card kg-callout-card"
    )


def _button(card: Card, url: str = "buttonUrl", text: str = "buttonText") -> str:
    label, href = _get_line(card, text), _get_line(card, url)
    return (
        element("p", element("a", escape(label, quote=False), "kg-btn", href=href)) if label and href else ""
    )


def _convert_toggle(card: Card) -> str:
    heading = element("summary", _get_html(card, "heading"))
    return element("details", heading + _get_html(card, "content"), "kg-card kg-toggle-card")


def _convert_video(card: Card) -> str:
    src, poster = _get_line(card, "src"), _get_line(card, "customThumbnailSrc", "thumbnailSrc")
    size = {name: _get_number(card, name) for name in ("width", "height")}
    video = start_tag("video", src=src, poster=poster, **size).removesuffix(">") + " controls></video>"
    return _figure("video", video, card) if src else ""


def _convert_audio(card: Card) -> str:
    src, title = _get_line(card, "src"), escape(_get_line(card, "title"), quote=False)
    audio = start_tag("audio", src=src).removesuffix(">") + " controls></audio>"
    return _figure("audio", audio, {"caption": title, **card}) if src else ""


def _convert_file(card: Card) -> str:
    src, name = _get_line(card, "src"), _get_line(card, "fileTitle", "fileName")
    caption = escape(_get_line(card, "fileCaption"), quote=False)
    link = element("a", escape(name or src, quote=False), href=src)
    return element("p", f"{link}<br>{caption}" if caption else link, "kg-card kg-file-card") if src else ""


def _convert_product(card: Card) -> str:
    image = _image({"src": card.get("productImageSrc"), "alt": card.get("productTitle")})
    title = _get_html(card, "productTitle")
    parts = [image, element("h4", title) if title else "", _get_html(card, "productDescription")]
    stars = card.get("productStarRating")
    if card.get("productRatingEnabled") and isinstance(stars, int) and 0 < stars <= 5:
        parts.append(element("p", "★" * stars + "☆" * (5 - stars)))
    if card.get("productButtonEnabled") is not False:
        parts.append(_button(card, "productUrl", "productButton"))
    return element("div", "".join(parts), "kg-card kg-product-card")


def _convert_header(card: Card) -> str:
    image = _image({"src": card.get("backgroundImageSrc") or card.get("imageUrl")})
    heading, subheading = (_get_html(card, name) for name in ("header", "subheader"))
    parts = [image, heading and element("h2", heading), subheading and element("p", subheading)]
    parts += [_get_html(card, "textValue"), _get_html(card, "disclaimer")]
    if card.get("buttonEnabled") is not False and card.get("showButton") is not False:
        parts.append(_button(card))
    return element("div", "".join(parts), "kg-card kg-header-card") if any(parts) else ""


def _convert_html(card: Card) -> str:
    html = _get_html(card, "html")
    # A checkbox of a form would be shown, as if it were one of a list of tasks.
    return _FIELD.sub("", html) if "<form" in html.lower() else html


_CONVERTERS: dict[str, Callable[[Card], str]] = {
    "markdown": lambda card: render_markdown(_get_html(card, "markdown")),
    "html": _convert_html,
    "horizontalrule": lambda card: "<hr>",
    "image": _convert_image,
    "gallery": _convert_gallery,
    "codeblock": _convert_code,
    "bookmark": _convert_bookmark,
    "nft": _convert_bookmark,
    "callout": _convert_callout,
    "button": lambda card: _button(card),
    "toggle": _convert_toggle,
    "video": _convert_video,
    "audio": _convert_audio,
    "file": _convert_file,
    "product": _convert_product,
    "header": _convert_header,
    "signup": lambda card: _convert_header({**card, "buttonEnabled": False}),
    "call-to-action": _convert_header,
}
