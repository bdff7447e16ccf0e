"""Replace what is embedded in the texts of Blogger posts and cannot be shown here."""

from __future__ import annotations

import re

from blogapi.importing.frames import replace_frames
from blogapi.importing.messages import format_count

# Until 2012, players were `<object>` and `<embed>` elements with Flash, which no browser shows any more.
_YOUTUBE = re.compile(r"youtube(?:-nocookie)?\.com/(?:v|embed)/([\w-]{6,20})", re.IGNORECASE)
_FLASH_START = re.compile(r"<(object|embed)\b", re.IGNORECASE)
_OBJECT_END, _TAG_END = re.compile(r"</object\s*>", re.IGNORECASE), re.compile(">")
# Blogger adds a picture that counts visitors to each text.
_TRACKER = re.compile(
    r"<img\b(?>[^<>]*?//blogger\.googleusercontent\.com/tracker/)[^<>]*+>(?:</img>)?", re.IGNORECASE
)
_EMPTY_FOOTER = re.compile(r"<div class=[\"']*blogger-post-footer[\"']*>\s*</div>", re.IGNORECASE)
_INLINE_PICTURE = re.compile(r"\bsrc\s*+=\s*+[\"']?+\s*+data:", re.IGNORECASE)


def convert_embeds(html: str) -> tuple[str, tuple[str, ...]]:
    """Return the HTML with players and links in place of what is not shown, and notes about the changes.

    The picture by which Blogger counts visitors is removed.
    """
    html, lost = _replace_flash(_EMPTY_FOOTER.sub("", _TRACKER.sub("", html)))
    html, linked = replace_frames(html)
    pictures = len(_INLINE_PICTURE.findall(html))
    notes = (
        (lost, f"The article does not show {format_count(lost, 'embedded content')}."),
        (linked, f"The text now has links in place of {format_count(linked, 'embedded content')}."),
        (
            pictures,
            f"The article does not show {format_count(pictures, 'picture')} that the text itself contains "
            "(data: addresses).",
        ),
    )
    return html, tuple(note for number, note in notes if number)


def _replace_flash(html: str) -> tuple[str, int]:
    """Return the HTML with YouTube players in place of those in Flash, and the number of other objects."""
    parts, position, lost = list[str](), 0, 0
    while start := _FLASH_START.search(html, position):
        end = (_OBJECT_END if start[1].lower() == "object" else _TAG_END).search(html, start.end())
        if not end:
            break
        video = _YOUTUBE.search(html, start.start(), end.end())
        if video:
            player = f'<iframe src="https://www.youtube.com/embed/{video[1]}" allowfullscreen></iframe>'
            parts += [html[position : start.start()], player]
        else:
            lost += 1
            parts.append(html[position : end.end()])
        position = end.end()
    return "".join([*parts, html[position:]]), lost
