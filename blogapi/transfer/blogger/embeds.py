"""Find what is embedded in the texts of Blogger posts and cannot be shown here."""

from __future__ import annotations

import re
from collections import Counter

from blogapi.content.sanitizer import EMBED_HOSTS
from blogapi.transfer.messages import format_count

# Until 2012, players were `<object>` and `<embed>` elements with Flash, which no browser shows any more.
_YOUTUBE = re.compile(r"youtube(?:-nocookie)?\.com/(?:v|embed)/([\w-]{6,20})", re.IGNORECASE)
_FLASH_START = re.compile(r"<(object|embed)\b", re.IGNORECASE)
_OBJECT_END, _TAG_END = re.compile(r"</object\s*>", re.IGNORECASE), re.compile(">")
_FRAME = re.compile(r"<iframe\b([^<>]*)", re.IGNORECASE)
_SOURCE = re.compile(r"\bsrc\s*+=\s*+[\"']?+\s*+(?:https?:)?//([^/\"'\s]*)", re.IGNORECASE)
# Blogger adds a picture that counts visitors to each text.
_TRACKER = re.compile(
    r"<img\b(?>[^<>]*?//blogger\.googleusercontent\.com/tracker/)[^<>]*+>(?:</img>)?", re.IGNORECASE
)
_EMPTY_FOOTER = re.compile(r"<div class=[\"']*blogger-post-footer[\"']*>\s*</div>", re.IGNORECASE)
_INLINE_PICTURE = re.compile(r"\bsrc\s*+=\s*+[\"']?+\s*+data:", re.IGNORECASE)


def convert_embeds(html: str) -> tuple[str, tuple[str, ...]]:
    """Return the HTML with YouTube players in place of those in Flash, and notes about what is not shown.

    The picture by which Blogger counts visitors is removed.
    """
    lost: Counter[str] = Counter()
    html = _replace_flash(_EMPTY_FOOTER.sub("", _TRACKER.sub("", html)), lost)
    lost["embedded content"] += sum(map(_is_not_shown, _FRAME.findall(html)))
    notes = []
    if lost["embedded content"]:
        notes.append(
            f"The article does not show {format_count(lost['embedded content'], 'embedded content')}."
        )
    pictures = len(_INLINE_PICTURE.findall(html))
    if pictures:
        count = format_count(pictures, "picture")
        notes.append(f"The article does not show {count} that the text itself contains (data: addresses).")
    return html, tuple(notes)


def _is_not_shown(attributes: str) -> bool:
    source = _SOURCE.search(attributes)
    return source is None or source[1].lower() not in EMBED_HOSTS


def _replace_flash(html: str, lost: Counter[str]) -> str:
    parts, position = list[str](), 0
    while start := _FLASH_START.search(html, position):
        end = (_OBJECT_END if start[1].lower() == "object" else _TAG_END).search(html, start.end())
        if not end:
            break
        video = _YOUTUBE.search(html, start.start(), end.end())
        if video:
            player = f'<iframe src="https://www.youtube.com/embed/{video[1]}" allowfullscreen></iframe>'
            parts += [html[position : start.start()], player]
        else:
            lost["embedded content"] += 1
            parts.append(html[position : end.end()])
        position = end.end()
    return "".join([*parts, html[position:]])
