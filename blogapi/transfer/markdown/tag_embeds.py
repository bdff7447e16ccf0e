"""Write the players and links for template tags that embed videos, posts and code of other sites."""

from __future__ import annotations

import re

from blogapi.transfer.markdown.tag_context import Context, Handler, Tag
from blogapi.transfer.markdown.tag_markup import is_audio, is_video

_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_VIDEO_ID = re.compile(r"[\w-]{1,64}")
_YOUTUBE = re.compile(r"(?:[?&]v=|youtu\.be/|/embed/|/shorts/|/live/|/v/)([\w-]{6,20})")
_YOUTUBE_HOST = re.compile(r"//(?:[\w-]+\.)?(?:youtube(?:-nocookie)?\.com|youtu\.be)/")
_VIMEO = re.compile(r"vimeo\.com/(?:video/)?([0-9]+)")


def make_video(tag: Tag, context: Context) -> str | None:
    provider = tag.arguments.get("provider", "type", "site").lower()
    if provider in ("youtube", "vimeo"):
        return (make_youtube if provider == "youtube" else make_vimeo)(tag, context)
    src = tag.arguments.get("src", "file", "path", "url", "mp4", "webm", "href", "source", "id")
    src = src or next((value for value in tag.arguments.values if is_video(value) or is_audio(value)), "")
    if _YOUTUBE_HOST.search(src):
        return make_youtube(tag, context)
    return context.markup.make_player(src) if is_video(src) or is_audio(src) else None


def make_youtube(tag: Tag, context: Context) -> str | None:
    value = tag.arguments.get_first("id", "videoid", "video_id", "video", "v", "url", "src", "key", "code")
    found = _YOUTUBE.search(value)
    id_ = found[1] if found else value
    if not _VIDEO_ID.fullmatch(id_):
        return None
    title = tag.arguments.get("title") or "YouTube video"
    return context.markup.make_frame(f"https://www.youtube-nocookie.com/embed/{id_}", title)


def make_vimeo(tag: Tag, context: Context) -> str | None:
    value = tag.arguments.get_first("id", "videoid", "video_id", "video", "url", "src")
    found = _VIMEO.search(value)
    id_ = found[1] if found else value
    if not id_.isdecimal():
        return None
    title = tag.arguments.get("title") or "Vimeo video"
    return context.markup.make_frame(f"https://player.vimeo.com/video/{id_}", title)


def make_iframe(tag: Tag, context: Context) -> str | None:
    address = tag.arguments.get_first("src", "url")
    if not _WEB.match(address):
        return None
    if _YOUTUBE_HOST.search(address) or "player.vimeo.com/" in address:
        return context.markup.make_frame(address, tag.arguments.get("title") or "Video")
    return context.markup.make_text_link(address, address)


def link_to(address: str) -> Handler:
    """Return a handler that links to a page of another site; `address` contains `{user}` and `{id}`."""

    def make(tag: Tag, context: Context) -> str | None:
        arguments = tag.arguments
        values = [value.strip("/") for value in arguments.values]
        id_ = arguments.get("id", "tweet_id", "url", "pen", "slug") or next(iter(values[-1:]), "")
        user = arguments.get("user", "username", "author") or (values[0] if values[1:] else "")
        if _WEB.match(id_):
            return context.markup.make_text_link(id_, id_)
        if not re.fullmatch(r"[\w.@/-]{1,200}", f"{user}{id_}") or not id_:
            return None
        full = address.format(user=user or "i", id=id_)
        return context.markup.make_text_link(full, full)

    return make


def make_gist(tag: Tag, context: Context) -> str | None:
    arguments = tag.arguments
    parts = [arguments.get("user"), arguments.get("id", "gist", "url"), *arguments.values]
    # The third argument is the name of a file.
    first = next(filter(None, parts), "")
    if _WEB.match(first):
        return context.markup.make_text_link(first, first)
    path = first if "/" in first or not (arguments.values[1:] or arguments.get("user")) else ""
    path = path or "/".join([part for part in parts if part][:2])
    if not re.fullmatch(r"[\w/-]{1,100}", path):
        return None
    address = f"https://gist.github.com/{path}"
    return context.markup.make_text_link(address, address)


def make_media(tag: Tag, context: Context) -> str | None:
    """Return what `{{% media … %}}` of Nikola shows."""
    address = tag.arguments.get_first("url")
    if _YOUTUBE_HOST.search(address) or _VIMEO.search(address):
        return (make_youtube if _YOUTUBE_HOST.search(address) else make_vimeo)(tag, context)
    return context.markup.make_text_link(address, address) if _WEB.match(address) else None
