"""Show the galleries in front matter: `{% include gallery id="trip" %}` of the theme Minimal Mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from blogapi.transfer.markdown.fields import Fields, normalize_key
from blogapi.transfer.markdown.scanner import Scanner
from blogapi.transfer.markdown.tag_arguments import parse_arguments
from blogapi.transfer.markdown.tag_markup import is_image, make_image, render_inline
from blogapi.transfer.markdown.text import to_line

_INCLUDE = re.compile(
    r"\{%-?\s{0,9}include\s{1,9}gallery(?:\.html)?(?P<arguments>(?:\s[^%\n]{0,1000})?)-?%\}"
)
# The number of pictures in an article.
_MAX_PICTURES = 500


def show_galleries(content: str, content_type: str, fields: Fields) -> str:
    """Return the text with the pictures of the named lists in place of the includes."""
    if content_type == "text" or "include gallery" not in content:
        return content
    parts, position, total = [], 0, 0
    for match in Scanner(content, content_type, _INCLUDE, "{"):
        arguments = parse_arguments(match["arguments"])
        pictures = list(_list_pictures(fields.take(normalize_key(arguments.get("id") or "gallery"))))
        total += len(pictures)
        if total > _MAX_PICTURES:
            break
        if pictures:
            caption = arguments.get("caption")
            note = f"<figcaption>{render_inline(caption)}</figcaption>" if caption else ""
            parts += [content[position : match.start()], f"<figure>{''.join(pictures)}{note}</figure>"]
            position = match.end()
    return "".join([*parts, content[position:]])


def _list_pictures(value: object) -> Iterator[str]:
    for item in value[:_MAX_PICTURES] if isinstance(value, list) else ():
        texts = {key: to_line(text) for key, text in item.items()} if isinstance(item, dict) else {}
        # `url` is the large picture of a preview, or a page.
        url, preview = texts.get("url", ""), texts.get("image_path", "")
        src = url if is_image(url) else preview
        if src:
            yield make_image({"src": src, "alt": texts.get("alt", ""), "title": texts.get("title", "")})
